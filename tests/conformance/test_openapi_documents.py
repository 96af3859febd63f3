"""Real documents: how many operations of each become actions is met or explained, and all of them validate.

EXTPKG_PIN=1 pytest tests/conformance/test_openapi_documents.py     writes golden/openapi/coverage.json anew
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from authoring import BASE_URLS, errors_of, from_file, openapi_folder
from corpus import ROOT, corpus

from extpkg.binding.request import compile_action

if TYPE_CHECKING:
    from extpkg.openapi.author import Authored

COUNTS: dict[str, dict[str, Any]] = corpus("openapi/coverage.json")
GOLDEN = ROOT / "golden/openapi/coverage.json"
SAME = {
    "server-override-other-origin": "server-other-origin",
    "server-override-other-prefix": "server-other-prefix",
    "body-application/octet-stream": "body-octet-stream",
    "body-text/plain": "body-text",
}
"""What the corpus calls a reason, where that is no name of ours."""


def authored_from(name: str) -> Authored:
    path = openapi_folder() / "docs" / name
    base = BASE_URLS.get(name, "https://api.example.com" if name.startswith("oai/") else None)
    return from_file(path, base_url=base)


def row_of(authored: Authored) -> dict[str, Any]:
    report = authored.report
    reasons = Counter(row.reasons[0].code for row in report.left_out)
    notes = Counter(note.code for row in report.rows for note in row.notes)
    return {
        "operations": len(report.rows),
        "taken": len(report.taken),
        "left_out": dict(sorted(reasons.items())),
        "warnings": dict(sorted(notes.items())),
        "safety": dict(sorted(Counter(row.safety for row in report.taken).items())),
        "with_credential": sum(row.profile is not None for row in report.taken),
    }


@pytest.mark.parametrize("name", sorted(COUNTS))
def test_every_document_gives_what_it_can(name: str, tmp_path: Path) -> None:
    authored = authored_from(name)
    report, count = authored.report, COUNTS[name]
    assert len(report.rows) == count["ops"]
    assert len(report.taken) == count["ok"] + count["ok_loss"]
    found = {reason.code for row in report.left_out for reason in row.reasons}
    assert found == {SAME.get(code, code) for code in count["reasons"]}
    lost = {note.code for row in report.taken for note in row.notes}
    assert set(count["loss"]) <= lost
    if not report.taken:
        assert authored.files == {}
        return
    assert errors_of(authored, tmp_path / "package") == []
    assert authored.definition is not None
    for action in authored.definition.actions:
        assert action.catalog.example is not None, action.name
        compile_action(authored.definition, action.name).bind(action.catalog.example)
    _check_golden(name, row_of(authored))


def _check_golden(name: str, row: dict[str, Any]) -> None:
    if os.environ.get("EXTPKG_PIN"):
        table = json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {}
        GOLDEN.write_text(json.dumps({**table, name: row}, indent=1, sort_keys=True) + "\n")
    assert json.loads(GOLDEN.read_text())[name] == row


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in KiB on Linux alone")
def test_the_largest_document_stays_within_its_memory(tmp_path: Path) -> None:
    """Section 5 of the issue: Stripe, 468 operations in 4 MB of YAML, under 500 MiB."""
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("the peak of a process that was started by a large one is told by /proc alone")
    program = (  # ru_maxrss would count what the process that started this one has
        "import sys; from extpkg.cli.main import run; code = run(sys.argv[1:]); "
        "print(code, *[line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')])"
    )
    path = openapi_folder() / "docs" / "stripe_spec3.yaml"
    arguments = ["author", str(path), str(tmp_path / "out"), "--report", str(tmp_path / "report.txt")]
    ran = subprocess.run(
        [sys.executable, "-c", program, *arguments], check=True, capture_output=True, text=True
    )
    code, kibibytes = map(int, ran.stdout.split())
    assert code == 0
    assert kibibytes < 500 << 10
