"""Packages of the checkout as values, and the change that a rule's sample makes to one of their files."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from corpus import ROOT

from extpkg.document.strict_yaml import parse_document

if TYPE_CHECKING:
    from pathlib import Path

    from extpkg.check.rules.rule import Sample
    from extpkg.document.document import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """The documents of one package; the values are fresh ones that a test may change."""

    documents: dict[str, Document]

    @property
    def meta(self) -> Any:
        return self.documents["meta.yaml"].value

    @property
    def actions(self) -> dict[str, Any]:
        return {path: doc.value for path, doc in self.documents.items() if path.startswith("actions/")}


def base_folder(base: str) -> Path:
    shipped = ROOT / "packages" / base
    return shipped if shipped.is_dir() else ROOT / "golden" / "valid" / base


@cache
def texts(base: str) -> dict[str, str]:
    folder = base_folder(base)
    files = [folder / "meta.yaml", *sorted((folder / "actions").glob("*.yaml"))]
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}


def package(base: str = "github") -> Documents:
    """Return a package's documents, read anew."""
    return Documents(documents={name: _read(text, name) for name, text in texts(base).items()})


def mutant(sample: Sample, text: str) -> Documents:
    """Return the sample's package with `text` (its good or its bad one) in place of the anchor."""
    changed = copy.copy(texts(sample.base))
    anchor = sample.anchor or sample.good
    assert changed[sample.file].count(anchor) == 1, "the anchor must stand exactly once in the file"
    changed[sample.file] = changed[sample.file].replace(anchor, text)
    return Documents(documents={name: _read(text, name) for name, text in changed.items()})


def _read(text: str, name: str) -> Document:
    return parse_document(text.encode(), name)
