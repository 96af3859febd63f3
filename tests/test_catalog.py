from __future__ import annotations

import dataclasses

import pytest
from extensions import action, definition, extension

from extpkg.catalog import Entry, visible
from extpkg.registry import register

REGISTRY = register(
    [
        extension("tides"),
        extension("moons", connection_policy="none"),
        extension(definition=definition("moons", version=2), connection_policy="none"),
    ]
)


@pytest.mark.parametrize(
    ("connections", "domains"),
    [
        ({}, ["moons"]),
        ({"tides": 0, "moons": 0}, ["moons"]),
        ({"tides": 1}, ["moons", "tides"]),
        ({"tides": 2}, ["moons"]),
        ({"tides": 1, "moons": 1}, ["tides"]),
        ({"moons": 2}, []),
        ({"unknown": 1}, ["moons"]),
    ],
)
def test_a_wrong_count_hides_an_entry(connections: dict[str, int], domains: list[str]) -> None:
    """A061, P138."""
    assert [entry.domain for entry in visible(REGISTRY, connections)] == domains


def test_the_newest_version_is_shown() -> None:
    assert [entry.version for entry in visible(REGISTRY, {})] == [2]


def test_an_entry_shows_nothing_but_the_catalog() -> None:
    """P227: no endpoint, no binding, no auth, no policy."""
    assert {field.name for field in dataclasses.fields(Entry)} == {
        "domain",
        "version",
        "name",
        "description",
        "definition_digest",
        "actions",
    }
    (entry,) = visible(register([extension()]), {"almanac": 1})
    assert entry.actions == (("look", action().catalog),)
    assert entry.name == "Almanac"
    assert entry.definition_digest == register([extension()]).builtins[0].definition_digest
