"""Authoring for tests: from a source to its actions, its rows and the codes of what was said."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from corpus import corpus_folder

from extpkg.document.strict_yaml import parse_document
from extpkg.openapi.author import Authored, Options, author
from extpkg.openapi.source import read_source
from extpkg.openapi.write import write_package
from extpkg.package import read_package

if TYPE_CHECKING:
    from pathlib import Path

    from extpkg.definition.model import Action

BASE_URLS = {
    "gitea_v1.json": "https://gitea.example.com/api/v1",
    "k8s_core_v1.json": "https://k8s.example.com",
}
"""What a person says of the documents that name no server which can be used."""


def openapi_folder() -> Path:
    return corpus_folder() / "openapi"


def from_file(path: Path, **options: Any) -> Authored:
    return author(read_source(path), Options(**options))


def from_value(folder: Path, value: Any, **options: Any) -> Authored:
    """Author from a document that is made here; `folder` is where it is written first."""
    path = folder / "openapi.json"
    path.write_text(json.dumps(value))
    return from_file(path, **options)


def document(paths: dict[str, Any], version: str = "3.1.0", **members: Any) -> dict[str, Any]:
    """Return a small document; an operation without responses answers 200 without a body."""
    for item in paths.values():
        for method, operation in item.items():
            if method in {"get", "put", "post", "delete", "patch"} and "$ref" not in operation:
                operation.setdefault("responses", {"200": {"description": "ok"}})
    head: dict[str, Any] = {"openapi": version, "servers": [{"url": "https://api.example.com"}]}
    if version == "2.0":
        head = {"swagger": "2.0", "host": "api.example.com", "schemes": ["https"]}
    return {**head, "info": {"title": "Test", "version": "1"}, "paths": paths, **members}


def action(authored: Authored, name: str) -> Action:
    assert authored.definition is not None, [fault.message for fault in authored.report.faults]
    [found] = [each for each in authored.definition.actions if each.name == name]
    return found


def file_of(authored: Authored, path: str) -> Any:
    return parse_document(authored.files[path], path).value


def reasons(authored: Authored) -> dict[str, list[str]]:
    """Return the codes against each operation that was left out, by `METHOD /path`."""
    return {row.place: [each.code for each in row.reasons] for row in authored.report.left_out}


def warnings(authored: Authored, place: str) -> list[str]:
    """Return the codes of what was said about one operation."""
    [row] = [row for row in authored.report.rows if row.place == place]
    return [note.code for note in row.notes]


def errors_of(authored: Authored, folder: Path) -> list[str]:
    """Return what `extpkg validate` has against the package as it is written, errors alone."""
    write_package(folder, authored.files, replace=False)
    report = read_package(folder).report
    return [f"{each.path} {each.code} {each.message}" for each in report.errors]
