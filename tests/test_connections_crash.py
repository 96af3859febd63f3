"""A change of the connections, killed at any of its steps: the old ones or the new ones, never neither."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from corpus import ROOT
from crash import NAMES, NEW, OLD

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kills with signals and looks at /proc")

CHANGED = {**NEW, "id": OLD["id"]}


@pytest.fixture(scope="module")
def rows(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Return what every kill of one act left."""
    folder: Path = tmp_path_factory.mktemp(request.param)
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests/crash.py"), str(folder), request.param],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def act(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("rows", [name], indirect=True)


def one(rows: list[dict[str, Any]], when: str = "states") -> list[Any]:
    """Return the distinct states of the connection that is changed, in the order of the kills."""
    return list({json.dumps(row[when]["one"]): row[when]["one"] for row in rows}.values())


@pytest.mark.parametrize("rows", ["first", "set", "remove", "rotate", "resume"], indirect=True)
def test_no_kill_leaves_a_plain_secret_or_anything_that_stays(rows: list[dict[str, Any]]) -> None:
    """S061: every act was killed in front of each of its steps, and in the middle of each write."""
    for kind in ("before", "torn"):
        steps = [row["at"] for row in rows if row["kind"] == kind]
        assert steps[-1] is None
        assert steps[:-1] == list(range(len(steps) - 1))
        assert len(steps) > 10
    assert not any(row["plain"] for row in rows)
    assert {mode for row in rows for mode in row["modes"]} == {"600"}
    assert any(row["drafts"] for row in rows) or rows[0]["states"]["one"] == OLD
    assert {row["drafts_after"] for row in rows} == {0}
    for row in rows:
        assert not row["left"]
        assert row["states_after"] == row["states"]
        assert len(row["keys_after"]) <= 1


@act("first")
def test_the_first_connection_is_there_or_not(rows: list[dict[str, Any]]) -> None:
    assert one(rows) == [None, NEW]


@act("set")
def test_a_change_is_made_whole_or_not_at_all(rows: list[dict[str, Any]]) -> None:
    """The configuration and both credentials change together; nothing else does."""
    assert one(rows) == [OLD, CHANGED]
    assert {json.dumps(row["states"][name]) for row in rows for name in NAMES[1:]} == {json.dumps(OLD)}


@act("remove")
def test_a_connection_is_removed_or_not(rows: list[dict[str, Any]]) -> None:
    assert one(rows) == [OLD, None]


@act("rotate")
def test_a_rotation_that_is_killed_loses_nothing(rows: list[dict[str, Any]]) -> None:
    """Every connection opens at every moment, and the next rotation ends the one that was broken off."""
    assert all(row["states"] == dict.fromkeys(NAMES, OLD) for row in rows)
    assert {len(row["keys"]) for row in rows} == {1, 2}
    for row in rows:
        if len(row["keys"]) == 2:
            assert row["keys_after"] == row["keys"][:1]


@act("resume")
def test_a_rotation_that_is_taken_up_again_loses_nothing(rows: list[dict[str, Any]]) -> None:
    assert all(row["states"] == dict.fromkeys(NAMES, OLD) for row in rows)
    new = {row["keys"][0] for row in rows}
    assert len(new) == 1, "the key that was begun with, and no third one"
    assert {tuple(row["keys_after"]) for row in rows if len(row["keys"]) == 2} == {tuple(new)}
