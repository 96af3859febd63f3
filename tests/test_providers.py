from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from extpkg.catalog import visible
from extpkg.definition.projection import projection
from extpkg.extension import ConnectionPolicy
from extpkg.json_schema import compile_schema
from extpkg.limits import CATALOG_CHARACTERS
from extpkg.package import check_package, read_package
from extpkg.providers import builtin_registry, builtins
from extpkg.registry import Builtin, register, runtime_projection
from extpkg.resources import builtin_package_names, builtin_package_path, registered_builtins

if TYPE_CHECKING:
    from extpkg.definition.model import Definition

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "builtins"
DOMAINS = builtin_package_names()


def unpinned(domain: str) -> Definition:
    """Return a shipped package's Definition whatever the pins say, so that new pins can be computed."""
    found = read_package(builtin_package_path(domain)).definition
    assert found is not None, domain
    return found


@cache
def registry() -> dict[str, Builtin]:
    return register(builtins(unpinned)).newest


def pins(builtin: Builtin) -> dict[str, bytes]:
    """Return everything of a Builtin that `golden/` pins, by file name."""
    extension = builtin.extension
    pin = {
        "domain": extension.definition.domain,
        "version": extension.definition.version,
        "revision": extension.revision,
        "connectionPolicy": builtin.policy.value,
        "definitionDigest": builtin.definition_digest,
        "runtimeDigest": builtin.runtime_digest,
    }
    files = {
        "pin.json": (json.dumps(pin, indent=2) + "\n").encode(),
        "definition.json": projection(extension.definition),
    }
    for policy in ConnectionPolicy:
        files[f"runtime-{policy.value}.json"] = runtime_projection(
            builtin.definition_digest, extension.revision, policy
        )
    return files


def ident(builtin: Builtin) -> str:
    domain, version = builtin.key
    return f"{domain}/{version}-{builtin.extension.revision}"


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_builtin_never_changes_without_a_new_version_or_revision(domain: str) -> None:
    """A058 to A060, P117 (R-REG-3): a folder is written once, for the version and revision in its name."""
    builtin = registry()[domain]
    folder = GOLDEN / ident(builtin)
    if not folder.is_dir() and os.environ.get("EXTPKG_PIN"):
        folder.mkdir(parents=True)
        for name, data in pins(builtin).items():
            (folder / name).write_bytes(data)
    assert folder.is_dir(), "a new version or revision: pin it once with EXTPKG_PIN=1 (CONTRIBUTING.md)"
    pinned = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert pinned == pins(builtin), "changed without raising version or revision"


def test_earlier_pins_stay() -> None:
    """R-DIG-1, R-REG-2: what was published keeps its digest."""
    for folder in GOLDEN.glob("*/*"):
        pin = json.loads((folder / "pin.json").read_bytes())
        runtime = runtime_projection(
            pin["definitionDigest"], pin["revision"], ConnectionPolicy(pin["connectionPolicy"])
        )
        assert folder.relative_to(GOLDEN).as_posix() == f"{pin['domain']}/{pin['version']}-{pin['revision']}"
        assert (folder / f"runtime-{pin['connectionPolicy']}.json").read_bytes() == runtime


def test_the_data_that_checks_read_is_the_registry_in_code() -> None:
    """R-PKG-5: the checks lie below the registry, so they read a copy of it."""
    in_code = {
        domain: {
            "domain": domain,
            "version": builtin.key[1],
            "connection_policy": builtin.policy.value,
            "definition_digest": builtin.definition_digest,
            "runtime_digest": builtin.runtime_digest,
        }
        for domain, builtin in registry().items()
    }
    assert {domain: asdict(row) for domain, row in registered_builtins().items()} == in_code


def test_the_shipped_registry_is_the_one_that_is_pinned() -> None:
    assert builtin_registry().newest == registry()


def test_the_tuple_in_code_and_the_shipped_packages_are_the_same() -> None:
    """P110: nothing is found by scanning, and nothing is shipped that is not registered."""
    assert sorted(extension.definition.domain for extension in builtins()) == list(DOMAINS)


@pytest.mark.parametrize("name", DOMAINS)
def test_a_shipped_package_has_neither_errors_nor_warnings(name: str) -> None:
    assert check_package(builtin_package_path(name)).diagnostics == ()


def test_five_builtins_and_which_of_them_need_a_connection() -> None:
    """S021, P117 to P119 (R-REG-2): only a policy of `none` is written into a runtime projection."""
    policies = {domain: builtin.policy.value for domain, builtin in registry().items()}
    engines = ("brave", "searxng", "serper", "tavily")
    assert policies == {"arxiv": "none"} | dict.fromkeys(engines, "required")
    for domain, policy in policies.items():
        folder = GOLDEN / ident(registry()[domain])
        pinned = json.loads((folder / f"runtime-{policy}.json").read_bytes())
        assert ("connectionPolicy" in pinned) is (policy == "none")
        digest = hashlib.sha256((folder / f"runtime-{policy}.json").read_bytes()).hexdigest()
        assert registry()[domain].runtime_digest == f"sha256:{digest}"


def test_an_entry_of_the_catalog_needs_its_own_connection() -> None:
    """S002, S048, S049: one connection shows one engine, and no other."""
    shown = [entry.domain for entry in visible(builtin_registry(), {"brave": 1, "tavily": 2})]
    assert shown == ["arxiv", "brave"]


def arxiv() -> Builtin:
    return registry()["arxiv"]


def catalogs() -> dict[str, Any]:
    return {action.name: action.catalog for action in arxiv().extension.definition.actions}


def test_arxiv_is_connectionless_and_reads() -> None:
    """A001, A006, A008, P118, P159."""
    assert arxiv().policy is ConnectionPolicy.NONE
    assert sorted(catalogs()) == ["get", "search"]
    for catalog in catalogs().values():
        assert (catalog.safety.classification, catalog.safety.idempotent, catalog.safety.destructive) == (
            "read",
            True,
            False,
        )


def test_arxiv_actions_return_the_same_paper() -> None:
    """A027."""
    get, search = catalogs()["get"].output_schema, catalogs()["search"].output_schema
    assert get["$defs"] == search["$defs"]
    assert get["$ref"] == search["properties"]["papers"]["items"]["$ref"] == "#/$defs/paper"


def test_arxiv_catalogs_are_light() -> None:
    for name, catalog in catalogs().items():
        text = json.dumps(asdict(catalog), ensure_ascii=False, separators=(",", ":"))
        assert len(text) < CATALOG_CHARACTERS, name


IDS = ["1605.08386v1", "hep-th/9901001", "math.GT/0309136", "arXiv:1605.08386"]

SEARCH_INPUTS: list[tuple[str, Any, bool]] = [
    (
        "A007 example",
        {"query": "au:del_maestro AND ti:checkerboard", "limit": 10, "sortBy": "submittedDate"},
        True,
    ),
    ("A010 query of 2048", {"query": "x" * 2048}, True),
    ("A010 query of 2049", {"query": "x" * 2049}, False),
    ("A010 astral query of 2048", {"query": "\U0001d49c" * 2048}, True),
    ("A010 astral query of 2049", {"query": "\U0001d49c" * 2049}, False),
    ("A010 query is a text", {"query": 1}, False),
    ("A010 null query", {"query": None}, False),
    ("A011 no ids", {"idList": []}, False),
    ("A011 no ids beside a query", {"query": "x", "idList": []}, False),
    ("A011 one id", {"idList": ["1605.08386"]}, True),
    ("A011 every spelling", {"idList": IDS}, True),
    ("A011 100 ids", {"idList": ["1605.08386"] * 100}, True),
    ("A011 101 ids", {"idList": ["1605.08386"] * 101}, False),
    ("A011 empty id", {"idList": [""]}, False),
    ("A012 query and ids", {"query": "x", "idList": IDS}, True),
    ("A013 negative offset", {"query": "x", "offset": -1}, False),
    ("A013 no offset", {"query": "x", "offset": 0}, True),
    ("A013 last offset", {"query": "x", "offset": 29999, "limit": 1}, True),
    ("A013 beyond", {"query": "x", "offset": 30000}, False),
    ("A013 fraction", {"query": "x", "offset": 0.5}, False),
    ("A013 whole double", {"query": "x", "offset": 10.0}, True),
    ("A014 limit 0", {"query": "x", "limit": 0}, False),
    ("A014 limit 1", {"query": "x", "limit": 1}, True),
    ("A014 limit 20", {"query": "x", "limit": 20}, True),
    ("A014 limit 21", {"query": "x", "limit": 21}, False),
    ("A014 limit 1.5", {"query": "x", "limit": 1.5}, False),
    ("A014 limit true", {"query": "x", "limit": True}, False),
    ("A015 relevance", {"query": "x", "sortBy": "relevance"}, True),
    ("A015 lastUpdatedDate", {"query": "x", "sortBy": "lastUpdatedDate"}, True),
    ("A015 another order", {"query": "x", "sortBy": "title"}, False),
    ("A016 ascending", {"query": "x", "sortOrder": "ascending"}, True),
    ("A016 descending", {"query": "x", "sortOrder": "descending"}, True),
    ("A016 another direction", {"query": "x", "sortOrder": "asc"}, False),
    ("A017 nothing", {}, False),
    ("A017 empty query", {"query": ""}, False),
    ("A017 empty query beside ids", {"query": "", "idList": ["1605.08386"]}, True),
    ("A040 an endpoint of one's own", {"query": "x", "endpoint": "https://example.com"}, False),
]


@pytest.mark.parametrize(
    ("value", "accepted"), [row[1:] for row in SEARCH_INPUTS], ids=[row[0] for row in SEARCH_INPUTS]
)
def test_arxiv_search_takes_what_the_specification_says(value: Any, accepted: bool) -> None:
    """A010 to A017, A040."""
    assert compile_schema(catalogs()["search"].input_schema).accepts(value) is accepted


def test_arxiv_search_defaults_are_annotations() -> None:
    """A013 to A016, R-SCH-4."""
    properties = catalogs()["search"].input_schema["properties"]
    assert {name: schema["default"] for name, schema in properties.items() if "default" in schema} == {
        "offset": 0,
        "limit": 10,
        "sortBy": "relevance",
        "sortOrder": "descending",
    }


@pytest.mark.parametrize(
    ("value", "accepted"),
    [*(({"id": text}, True) for text in IDS), ({}, False), ({"id": ""}, False), ({"id": "1", "v": 1}, False)],
)
def test_arxiv_get_takes_one_id(value: Any, accepted: bool) -> None:
    """A007, A022, A023."""
    assert compile_schema(catalogs()["get"].input_schema).accepts(value) is accepted


PAPER: dict[str, Any] = {
    "id": "1605.08386v1",
    "entryUrl": "http://arxiv.org/abs/1605.08386v1",
    "publishedAt": "2016-05-26T17:59:46Z",
    "updatedAt": "2016-05-26T17:59:46.25Z",
    "title": "",
    "authors": [{"name": "Caprice Stanley", "affiliations": []}],
    "abstract": "",
    "primaryCategory": "",
    "categories": [],
    "links": [{"href": "https://arxiv.org/abs/1605.08386v1"}],
}
FULL: dict[str, Any] = PAPER | {
    "id": "hep-th/9901001",
    "comment": "8 pages",
    "journalRef": "Nature 1, 2",
    "doi": "10.1000/182",
    "authors": [{"name": "A", "affiliations": ["X", "Y"]}],
    "categories": ["math.CO", "cs.DM"],
    "links": [
        {
            "href": "https://arxiv.org/pdf/1",
            "title": "pdf",
            "rel": "related",
            "contentType": "application/pdf",
        }
    ],
    "pdfUrl": "https://arxiv.org/pdf/1",
    "sourceUrl": "https://arxiv.org/src/1",
}
PAPERS: list[tuple[str, dict[str, Any], bool]] = [
    ("sparse", PAPER, True),
    ("full", FULL, True),
    *((f"without {name}", {k: v for k, v in FULL.items() if k != name}, False) for name in PAPER),
    *((f"with empty {name}", FULL | {name: ""}, False) for name in ("comment", "journalRef", "doi")),
    ("another field", PAPER | {"summary": "x"}, False),
    ("nameless author", PAPER | {"authors": [{"name": "", "affiliations": []}]}, False),
    ("no time zone", PAPER | {"updatedAt": "2016-05-26T17:59:46"}, False),
    ("offset", PAPER | {"updatedAt": "2016-05-26T17:59:46+00:00"}, False),
    ("trailing zero", PAPER | {"updatedAt": "2016-05-26T17:59:46.50Z"}, False),
    ("final line break", PAPER | {"id": "1605.08386v1\n"}, False),
    ("version 0", PAPER | {"id": "1605.08386v0"}, False),
    ("prefix", PAPER | {"id": "arXiv:1605.08386"}, False),
]


@pytest.mark.parametrize(("paper", "accepted"), [row[1:] for row in PAPERS], ids=[row[0] for row in PAPERS])
def test_arxiv_output_is_the_paper_of_the_specification(paper: Any, accepted: bool) -> None:
    """A009, A027 to A030, A032 to A034."""
    page = {"papers": [paper], "totalResults": 1, "offset": 0, "returned": 1, "hasMore": False}
    assert compile_schema(catalogs()["get"].output_schema).accepts(paper) is accepted
    assert compile_schema(catalogs()["search"].output_schema).accepts(page) is accepted


PAGE: dict[str, Any] = {"papers": [], "totalResults": 0, "offset": 0, "returned": 0, "hasMore": False}


@pytest.mark.parametrize(
    ("change", "accepted"),
    [
        ({}, True),
        ({"totalResults": 30, "hasMore": True, "nextOffset": 10}, True),
        ({"hasMore": True}, False),
        ({"nextOffset": 10}, False),
        ({"papers": [PAPER] * 20, "returned": 20}, True),
        ({"papers": [PAPER] * 21, "returned": 21}, False),
        ({"totalResults": -1}, False),
        ({"page": 1}, False),
    ],
)
def test_arxiv_search_pages(change: dict[str, Any], accepted: bool) -> None:
    """A019."""
    assert compile_schema(catalogs()["search"].output_schema).accepts(PAGE | change) is accepted
