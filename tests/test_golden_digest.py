"""Every package under `golden/digest` gives the bytes and the digest beside it; the pairs say what matters.

P038, P053, P106, P107, P108.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from corpus import ROOT

from extpkg.definition.build import build
from extpkg.definition.normalize import normalize
from extpkg.definition.origins import origins
from extpkg.definition.projection import digest, project, projection
from extpkg.package import check_package
from extpkg.pointer import Pointer
from packages import values

if TYPE_CHECKING:
    from extpkg.definition.model import Definition

GOLDEN = ROOT / "golden" / "digest"
CASES = sorted(folder.name for folder in GOLDEN.iterdir() if folder.is_dir())
PAIRS: dict[str, list[dict[str, str]]] = json.loads((GOLDEN / "pairs.json").read_text(encoding="utf-8"))


def definition(case: str) -> Definition:
    return build(*values(GOLDEN / case / "package"))


def digest_of(case: str) -> str:
    return (GOLDEN / case / "digest.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES)
def test_bytes_and_digest(case: str) -> None:
    found = definition(case)
    assert projection(found) == (GOLDEN / case / "projection.json").read_bytes()
    assert f"{digest(projection(found))}\n" == digest_of(case)
    assert projection(normalize(found)) == projection(found)
    assert normalize(normalize(found)) == normalize(found)


@pytest.mark.parametrize("case", CASES)
def test_the_package_is_valid_and_says_its_digest(case: str) -> None:
    report = check_package(GOLDEN / case / "package")
    assert report.errors == ()
    assert f"{report.digest}\n" == digest_of(case)


@pytest.mark.parametrize("case", CASES)
def test_origins_are_the_projection(case: str) -> None:
    """Every leaf is listed once with its value, and what is said to come from a file stands there."""
    meta, actions = values(GOLDEN / case / "package")
    whole = project(build(meta, actions))
    files = {"meta.yaml": meta} | {f"actions/{action['name']}.yaml": action for action in actions}
    listed = list(origins(meta, actions))
    assert {origin.pointer: repr(origin.value) for origin in listed} == dict(leaves("", whole))
    assert len({origin.pointer for origin in listed}) == len(listed)
    for origin in listed:
        if origin.source is not None:
            said = Pointer(origin.source).resolve(files[origin.file])
            assert said == origin.value or str(said).lower().removesuffix("/") == origin.value


def leaves(pointer: str, value: Any) -> list[tuple[str, str]]:
    if not isinstance(value, dict | list) or not value:
        return [(pointer, repr(value))]
    members = value.items() if isinstance(value, dict) else enumerate(value)
    return [leaf for key, member in members for leaf in leaves(f"{pointer}{Pointer.of(str(key))}", member)]


@pytest.mark.parametrize("pair", PAIRS["equal"], ids=lambda pair: pair["second"])
def test_what_must_not_matter(pair: dict[str, str]) -> None:
    assert digest_of(pair["first"]) == digest_of(pair["second"])


@pytest.mark.parametrize("pair", PAIRS["different"], ids=lambda pair: pair["second"])
def test_what_must_matter(pair: dict[str, str]) -> None:
    assert digest_of(pair["first"]) != digest_of(pair["second"])


def test_every_case_is_in_a_pair() -> None:
    paired = {pair[side] for pairs in PAIRS.values() for pair in pairs for side in ("first", "second")}
    assert paired == set(CASES) - {"worked-example"}
    assert len(CASES) >= 30


def test_the_worked_example_of_the_documentation() -> None:
    page = (ROOT / "docs" / "digest.md").read_text(encoding="utf-8")
    folder = GOLDEN / "worked-example"
    for file in ("meta.yaml", "actions/list-streets.yaml"):
        assert f"```yaml\n{(folder / 'package' / file).read_text(encoding='utf-8')}```\n" in page
    assert digest_of("worked-example") in page
    written = (folder / "projection.json").read_text(encoding="utf-8")
    assert written in page.replace("\n", "")
    assert f"{len(written.encode()):,} bytes" in page
