from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from corpus import ROOT
from jsonschema import Draft202012Validator

from extpkg import resources
from extpkg.check.rules import RULES
from extpkg.json_schema import check_schema, compile_schema

if TYPE_CHECKING:
    from pathlib import Path

RULINGS = {
    "domains": "agentteam builtin catalog exec ext extension extensions help pr-watch runtime web-search",
    "host_suffixes": "local internal localdomain localhost test invalid onion arpa alt svc cluster.local "
    "docker.internal home lan corp intranet private",
}
RESERVED_HEADERS = re.findall(
    r"\S+",
    "authorization proxy-authorization cookie set-cookie host content-length content-type content-encoding "
    "transfer-encoding connection keep-alive te trailer upgrade http2-settings expect via forwarded "
    "accept-encoding user-agent x-http-method-override x-http-method x-method-override",
)


def test_closed_lists_are_those_of_the_rulings() -> None:
    """R-META-2, R-META-5."""
    assert resources.reserved_domains() == frozenset(RULINGS["domains"].split())
    assert set(resources.reserved_host_suffixes()) == set(RULINGS["host_suffixes"].split())


@pytest.mark.parametrize("name", [*RESERVED_HEADERS, "Proxy-X", "SEC-fetch-mode", "x-forwarded-for", "HOST"])
def test_reserved_headers(name: str) -> None:
    """R-BIND-6."""
    assert resources.is_reserved_header(name)


@pytest.mark.parametrize("name", ["accept", "x-api-key", "proxy", "security", "x-forwarded", "hosts", ""])
def test_other_headers(name: str) -> None:
    assert not resources.is_reserved_header(name)


def test_registered_builtins() -> None:
    arxiv = resources.registered_builtins()["arxiv"]
    assert (arxiv.version, arxiv.connection_policy) == (1, "none")
    assert re.fullmatch("sha256:[0-9a-f]{64}", arxiv.definition_digest)
    assert re.fullmatch("sha256:[0-9a-f]{64}", arxiv.runtime_digest)


def test_packages_are_found_by_name() -> None:
    assert "arxiv" in resources.builtin_package_names()
    for name in resources.builtin_package_names():
        assert resources.builtin_package_path(name) == str(ROOT / "packages" / name)


@pytest.mark.parametrize("name", ["", ".", "..", "../packages/arxiv", "nothing", "arxiv/", "/", "a\0b"])
def test_other_names_are_no_packages(name: str) -> None:
    with pytest.raises(KeyError):
        resources.builtin_package_path(name)


def test_installed_files_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a wheel the folders lie inside the package."""
    (tmp_path / "_data" / "schemas").mkdir(parents=True)
    (tmp_path / "_data" / "schemas" / "meta.schema.json").write_text('{"title": "installed"}')
    monkeypatch.setattr(resources, "_HERE", tmp_path)
    caches = [resources._shipped, resources.schema_text, resources.schema]  # noqa: SLF001  to start afresh
    for cached in caches:
        cached.cache_clear()
    try:
        assert resources.schema("meta") == {"title": "installed"}
    finally:
        for cached in caches:
            cached.cache_clear()


def test_unknown_schema() -> None:
    with pytest.raises(KeyError):
        resources.schema_text("../meta")


@pytest.mark.parametrize("name", resources.SCHEMA_NAMES)
def test_schemas_are_sound(name: str) -> None:
    schema = resources.schema(name)
    assert schema == json.loads((ROOT / "schemas" / f"{name}.schema.json").read_bytes())
    Draft202012Validator.check_schema(schema)
    assert list(check_schema(schema, "")) == []
    compile_schema(schema)


@pytest.mark.parametrize("name", resources.SCHEMA_NAMES)
def test_every_property_has_help(name: str) -> None:
    """An editor shows a title and a description at every field."""
    bare = [
        path
        for path, node in _properties(resources.schema(name))
        if not {"title", "description"} <= set(node)
    ]
    assert bare == []


@pytest.mark.parametrize("name", ["meta", "action"])
def test_delegated_rules_exist(name: str) -> None:
    codes = set(re.findall(r'"x-rule": "(\w+)"', resources.schema_text(name)))
    assert codes <= {rule.code for rule in RULES}


def _properties(schema: Any, path: str = "") -> list[tuple[str, dict[str, Any]]]:
    """Return every named property below a schema; branches without a type of their own only repeat names."""
    found: list[tuple[str, dict[str, Any]]] = []
    if isinstance(schema, dict):
        if "title" in schema or path.startswith("/$defs/") or "type" in schema:
            found += [(f"{path}/{key}", node) for key, node in schema.get("properties", {}).items()]
        for key, node in schema.items():
            if key not in {"if", "then", "else", "not"}:
                found += _properties(node, f"{path}/{key}")
    elif isinstance(schema, list):
        for index, node in enumerate(schema):
            found += _properties(node, f"{path}/{index}")
    return found
