"""docs/spec.md says what the code does: its example validates, and its fields and lists are complete."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from extpkg.definition.format import format_document
from extpkg.definition.order import Kind
from extpkg.package import check_package, read_package
from extpkg.resources import is_reserved_header, reserved_domains, reserved_host_suffixes, schema

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "spec.md").read_text(encoding="utf-8")


def example() -> dict[str, str]:
    """Return the files of the example by their path, which a comment in each names."""
    files = {}
    for block in re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        (name,) = re.findall(r"^# ((?:meta|actions/[a-z-]+)\.yaml)$", block, re.MULTILINE)
        files[name] = block
    return files


def test_the_example_is_a_valid_package(tmp_path: Path) -> None:
    for name, text in example().items():
        path = tmp_path / "weather" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    root = tmp_path / "weather"
    computed = read_package(root).computed
    assert computed is not None, check_package(root).diagnostics
    meta = root / "meta.yaml"
    meta.write_text(re.sub("sha256:0{64}", computed, meta.read_text(encoding="utf-8")), encoding="utf-8")
    assert check_package(root).diagnostics == ()


@pytest.mark.parametrize("name", ["meta.yaml", "actions/get-forecast.yaml", "actions/report-sighting.yaml"])
def test_the_example_is_as_fmt_writes_it(name: str) -> None:
    text = example()[name].encode()
    assert format_document(text, Kind.META if name == "meta.yaml" else Kind.ACTION) == text


def fields(value: Any) -> Iterator[str]:
    """Yield the names of all fields that a schema of package files knows."""
    if isinstance(value, dict):
        yield from value.get("properties", {})
        for name, member in value.items():
            if name not in {"examples", "if", "then", "else", "not", "oneOf"}:
                yield from fields(member)


@pytest.mark.parametrize("name", ["meta", "action"])
def test_every_field_is_described(name: str) -> None:
    tables = "\n".join(line for line in PAGE.splitlines() if line.startswith("|"))
    described = set(re.findall(r"[a-z0-9_]+", " ".join(re.findall(r"`([^`]+)`", tables))))
    assert set(fields(schema(name))) - described == set()


def rule(code: str) -> str:
    """Return the text of a numbered rule, such as `R-META-2`."""
    section, number = code.rsplit("-", 1)
    (body,) = re.findall(rf"^## {section}: .*?\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    (text,) = re.findall(rf"^{number}\. (.*?)(?=^\d+\. |\n\n|\Z)", body, re.MULTILINE | re.DOTALL)
    return str(text)


def words(text: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", text))


def test_the_closed_lists_are_those_that_are_enforced() -> None:
    assert words(rule("R-META-2").split("Reserved domains:")[1]) == reserved_domains()
    assert words(rule("R-META-5").split("names under")[1]) == set(reserved_host_suffixes())
    headers = words(rule("R-BIND-6").split("Reserved:")[1])
    assert all(is_reserved_header(name.replace("*", "x")) for name in headers)
    assert len(headers) == 26
