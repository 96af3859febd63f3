"""The gate over a history of releases, its attestations, and what it may not do (P004, P035, P056)."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from console import extpkg
from corpus import ROOT
from keys import pair
from releases import action, meta, release, rewritten

from extpkg.canonical import canonical_json
from extpkg.gate.policy import Policy, PolicyInvalid, read_policy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def gated(path: Path, *options: object) -> dict[str, Any]:
    """Run the gate and return its verdict on the one package; the exit code must fit."""
    ran = extpkg("gate", path, "--format", "json", *options)
    document: dict[str, Any] = json.loads(ran.out)
    assert ran.code == (0 if document["passed"] else 1)
    package: dict[str, Any]
    [package] = document["packages"]
    assert package["passed"] == document["passed"]
    return package


def part(verdict: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any]
    [found] = [each for each in verdict["parts"] if each["name"] == name]
    return found


def _described(text: str) -> Callable[[dict[str, Any]], None]:
    return lambda value: value["catalog"].update(description=text)


def _optional_input(value: dict[str, Any]) -> None:
    value["catalog"]["input_schema"]["properties"] = {"q": {"type": "string", "maxLength": 9}}
    value["binding"]["parameters"] = [{"from": "/q", "in": "query", "name": "q", "style": "form"}]


def _narrowed(value: dict[str, Any]) -> None:
    _optional_input(value)
    value["catalog"]["input_schema"]["properties"]["q"]["maxLength"] = 5


def _moved(value: dict[str, Any]) -> None:
    _narrowed(value)
    value["binding"]["path"] = "/pong"


HISTORY = [
    ("first publication", 7, None, "", "nothing of ping is published"),
    ("text only", 8, _described("Other words."), "", "1 text"),
    ("compatible", 9, _optional_input, "", "compatible"),
    ("input narrowed", 10, _narrowed, "", "breaking"),
    ("path changed", 11, _moved, "", "breaking"),
    (
        "forgotten bump",
        11,
        _optional_input,
        "the Definition changed and the version did not: it must say 12",
        "",
    ),
    ("double bump", 13, _optional_input, "the version must rise by one, to 12, and it says 13", ""),
    ("needless bump", 12, _moved, "nothing but the version changed: it must stay 11, and it says 12", ""),
    (
        "re-tagged",
        8,
        _optional_input,
        "version 11 is published already: it must say 12, and it says 8",
        "",
    ),
    ("an old one again", 8, _described("Other words."), "", "nothing changed"),
    (
        "unpublished older",
        6,
        _optional_input,
        "version 11 is published already: it must say 12, and it says 6",
        "",
    ),
    ("the same again", 11, _moved, "", "nothing changed"),
]


def test_a_history_of_releases(tmp_path: Path) -> None:
    """Done when 1: each release gets its verdict, with the reason in one line."""
    library = tmp_path / "library.db"
    assert extpkg("library", "init", "--library", library).code == 0
    for number, (name, version, change, refusal, said) in enumerate(HISTORY):
        root = release(tmp_path / str(number), domain="ping", version=version)
        if change is not None:
            rewritten(root, change)
        verdict = gated(root, "--against", "library", "--library", library)
        judged = part(verdict, "version")
        assert (verdict["reason"], judged["status"]) == (
            refusal,
            "refused" if refusal else "passed",
        ), name
        assert said in judged["reason"], name
        assert "\n" not in verdict["reason"]
        ran = extpkg("library", "publish", root, "--library", library)
        assert ran.code == (1 if refusal else 0), (name, ran.err)


def test_a_refused_version_points_at_the_version(tmp_path: Path) -> None:
    library = tmp_path / "library.db"
    extpkg("library", "init", "--library", library)
    extpkg("library", "publish", release(tmp_path / "a"), "--library", library)
    root = release(tmp_path / "b", marker="B")
    against = ("--against", "library", "--library", library)
    [run] = json.loads(extpkg("gate", root, *against, "--format", "sarif").out)["runs"]
    [result] = run["results"]
    assert result["ruleId"] == "EXT1301"
    region = result["locations"][0]["physicalLocation"]["region"]
    line = (root / "meta.yaml").read_text()
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "1"
    assert "::error title=EXT1301" in extpkg("gate", root, *against, "--format", "github").out


def test_a_digest_that_is_not_written_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "a"
    (root / "actions").mkdir(parents=True)
    (root / "meta.yaml").write_bytes(canonical_json(meta("ping", 1)))
    (root / "actions/ping.yaml").write_bytes(canonical_json(action("A")))
    verdict = gated(root)
    assert part(verdict, "digest")["reason"] == "EXT0601 the package has no digest"
    assert verdict["digest"].startswith("sha256:")


def test_a_flipped_digest_is_refused(tmp_path: Path) -> None:
    """P039."""
    root = release(tmp_path / "a")
    text = (root / "meta.yaml").read_text()
    at = text.index("sha256:") + 10
    flipped = "0" if text[at] != "0" else "1"
    (root / "meta.yaml").write_text(text[:at] + flipped + text[at + 1 :])
    assert part(gated(root), "digest")["status"] == "refused"


def test_a_missing_case_is_refused_where_the_policy_asks_for_cases(tmp_path: Path) -> None:
    root = release(tmp_path / "a")
    assert part(gated(root), "fixtures")["status"] == "passed"
    (tmp_path / "extpkg.toml").write_text("[gate]\ncoverage = 100\n")
    verdict = gated(root)
    assert verdict["reason"] == "the cases cover 0.0 percent, and 100 are asked for"
    assert part(verdict, "fixtures")["rows"][0]["cases"] == 0


def test_a_failing_case_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "hackernews-search"
    shutil.copytree(ROOT / "golden/packages/hackernews-search", root)
    assert gated(root)["passed"]
    case = next((root / "tests").glob("*/*/output.json"))
    case.write_text('{"other": 1}')
    verdict = gated(root)
    assert verdict["reason"].startswith("1 of ")
    assert case.parent.name in verdict["reason"]


def test_an_expired_suppression_is_refused(tmp_path: Path) -> None:
    root = rewritten(release(tmp_path / "a"), lambda value: value["catalog"].pop("example"))
    warned = gated(root)
    [row] = part(warned, "validate")["rows"]
    entry = f'[[suppress]]\nrule = "{row["code"]}"\npath = "a/**"\nreason = "none yet"\n'
    (tmp_path / "extpkg.toml").write_text(entry)
    assert gated(root)["passed"]
    (tmp_path / "extpkg.toml").write_text(f"{entry}expires = 2020-01-01\n")
    verdict = gated(root)
    assert not verdict["passed"]
    assert "EXT1111" in {each["code"] for each in part(verdict, "validate")["rows"]}


@pytest.mark.parametrize(("domain", "code"), [("builtin", "EXT0310"), ("arxiv", "EXT1101")])
def test_names_that_are_not_free(tmp_path: Path, domain: str, code: str) -> None:
    """P097: a reserved name, and a Builtin's."""
    names = part(gated(release(tmp_path / "a", domain=domain)), "names")
    assert names["status"] == "refused"
    assert {row["code"] for row in names["rows"]} >= ({code} if code == "EXT0310" else set())


def test_the_form_refuses_only_where_it_is_asked_for(tmp_path: Path) -> None:
    root = release(tmp_path / "a")
    assert part(gated(root), "fmt")["status"] == "reported"
    (tmp_path / "extpkg.toml").write_text("[gate]\nrequire-fmt = true\n")
    verdict = gated(root)
    assert part(verdict, "fmt")["status"] == "refused"
    assert extpkg("fmt", root).code == 0
    assert gated(root)["passed"]


def test_what_a_package_was_in_git(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@t.example"]
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q")
    (tmp_path / "README").write_text("x")
    git("add", "README")
    git("commit", "-qm", "none yet")
    root = release(tmp_path / "packages/ping", domain="ping")
    first = part(gated(root, "--against", "git:HEAD"), "version")
    assert first["reason"] == "nothing of ping is published in git:HEAD yet"
    git("add", ".")
    git("commit", "-qm", "one")
    assert part(gated(root, "--against", "git:HEAD"), "version")["reason"] == "nothing changed"
    rewritten(root, _described("Other words."))
    verdict = gated(root, "--against", "git:HEAD")
    assert verdict["reason"] == "the Definition changed and the version did not: it must say 2"
    assert verdict["previous"] == "ping@1"
    ran = extpkg("gate", root, "--against", "git:none")
    assert (ran.code, ran.out) == (2, "")


def test_an_invalid_package_is_refused_with_everything_that_is_wrong(tmp_path: Path) -> None:
    root = release(tmp_path / "a", domain="A", version=0)
    verdict = gated(root, "--against", "git:HEAD")
    assert {part(verdict, name)["status"] for name in ("digest", "version", "fixtures")} <= {
        "skipped",
        "refused",
    }
    assert len(part(verdict, "validate")["rows"]) > 1
    (root / "README.md").symlink_to(tmp_path)
    assert "EXT0206" in {row["code"] for row in part(gated(root), "validate")["rows"]}


def test_the_verdict_has_the_shape_that_is_shipped(tmp_path: Path) -> None:
    schema = json.loads((ROOT / "schemas/verdict.schema.json").read_bytes())
    for root in (release(tmp_path / "a"), release(tmp_path / "b", domain="A"), ROOT / "packages/arxiv"):
        document = json.loads(extpkg("gate", root, "--format", "json").out)
        jsonschema.Draft202012Validator(schema).validate(document)


def test_nothing_called_a_check_writes(tmp_path: Path) -> None:
    root = release(tmp_path / "a")
    before = {path: path.stat().st_mtime_ns for path in sorted(tmp_path.rglob("*"))}
    extpkg("gate", root)
    extpkg("gate", root, "--format", "sarif")
    assert {path: path.stat().st_mtime_ns for path in sorted(tmp_path.rglob("*"))} == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[gate]\ncoverage = 101\n", "a number from 0 to 100"),
        ("[gate]\ncoverage = true\n", "a number from 0 to 100"),
        ("[gate]\nrequire-fmt = 1\n", "true or false"),
        ('[gate]\nagainst = "git:"\n', '"library" or "git:REV"'),
        ("[gate]\nother = 1\n", "no key 'other'"),
        ("gate = 1\n", "no table"),
        ("[gate\n", "not TOML"),
    ],
)
def test_a_policy_says_only_what_it_may(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(PolicyInvalid, match=said):
        read_policy(text.encode())
    (tmp_path / "extpkg.toml").write_text(text)
    assert extpkg("gate", release(tmp_path / "a")).code == 2


def test_a_policy_has_defaults() -> None:
    assert read_policy(b"") == Policy(coverage=0.0, require_fmt=False, against="")


def _other(folder: Path) -> Path:
    (folder / "other").mkdir()
    return pair(folder / "other")[1]


@pytest.fixture
def keys(tmp_path: Path) -> tuple[Path, Path]:
    return pair(tmp_path)


def test_an_attestation_is_told_apart_from_everything_else(tmp_path: Path, keys: tuple[Path, Path]) -> None:
    private, public = keys
    root, other = release(tmp_path / "a"), release(tmp_path / "b", marker="B")
    record = tmp_path / "a.att"

    def said(what: object = root, key: object = public, file: object = record) -> tuple[int, str]:
        ran = extpkg("verify", file, what, "--key", key)
        return ran.code, ran.out

    assert said() == (1, "absent\n")
    assert extpkg("gate", root, "--attest", record, "--key", private).code == 0
    first = record.read_bytes()
    assert extpkg("gate", root, "--attest", record, "--key", private).code == 0
    assert record.read_bytes() == first
    assert said() == (0, "good\n")
    digest = json.loads((root / "meta.yaml").read_bytes())["digest"]
    assert said(digest) == (0, "good\n")
    assert said(other) == (1, "wrong-subject\n")
    assert said(key=_other(tmp_path)) == (1, "unknown-key\n")
    envelope = json.loads(first)
    payload = envelope["payload"]
    changed = envelope | {"payload": payload[:40] + ("A" if payload[40] != "A" else "B") + payload[41:]}
    record.write_text(json.dumps(changed))
    assert said() == (1, "bad-signature\n")
    for malformed in (b"", b"[]", b"{}", b"not JSON", json.dumps(envelope | {"payloadType": "x"}).encode()):
        record.write_bytes(malformed)
        assert said() == (1, "malformed\n"), malformed


def test_a_refusal_is_not_signed(tmp_path: Path, keys: tuple[Path, Path]) -> None:
    record = tmp_path / "a.att"
    ran = extpkg("gate", release(tmp_path / "a", domain="A"), "--attest", record, "--key", keys[0])
    assert ran.code == 1
    assert not record.exists()


@pytest.mark.parametrize("wrong", ["mode", "public", "none"])
def test_a_key_that_cannot_sign_is_a_usage_error(tmp_path: Path, keys: tuple[Path, Path], wrong: str) -> None:
    private, public = keys
    if wrong == "mode":
        private.chmod(0o644)
    key = {"mode": private, "public": public, "none": tmp_path / "none"}[wrong]
    public.chmod(0o600)
    ran = extpkg("gate", release(tmp_path / "a"), "--attest", tmp_path / "a.att", "--key", key)
    assert ran.code == 2
    assert "PRIVATE" not in ran.err


def test_a_public_key_must_be_one(tmp_path: Path, keys: tuple[Path, Path]) -> None:
    record = tmp_path / "a.att"
    root = release(tmp_path / "a")
    extpkg("gate", root, "--attest", record, "--key", keys[0])
    assert extpkg("verify", record, root, "--key", keys[0]).code == 2


def test_a_library_that_nothing_is_compared_with_is_a_usage_error(tmp_path: Path) -> None:
    """Whoever names a library wants a comparison: without one nothing would be refused."""
    root = release(tmp_path / "a")
    for options in ((), ("--against", "git:HEAD")):
        ran = extpkg("gate", root, "--library", tmp_path / "library.db", *options)
        assert (ran.code, ran.out) == (2, "")
        assert "--library goes with --against library" in ran.err
