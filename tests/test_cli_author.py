"""`extpkg author`: what it prints, writes, asks and refuses, and how it ends."""

from __future__ import annotations

import io
import json
import random
import sys
from typing import TYPE_CHECKING, Any

import pytest
from authoring import document, openapi_folder
from console import SCRIPT, change, extpkg, script
from corpus import ROOT

from extpkg.document.strict_yaml import parse_document

if TYPE_CHECKING:
    from pathlib import Path

TRACKER = ROOT / "golden/openapi/tracker/openapi.yaml"
SHOP = ROOT / "golden/openapi/shop/openapi.json"


BEARER = {"type": "http", "scheme": "bearer"}


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def written(folder: Path, value: Any, name: str = "api.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(value))
    return path


class TestReport:
    def test_a_line_for_each_operation(self, tmp_path: Path) -> None:
        ran = extpkg("author", TRACKER, tmp_path / "tracker")
        assert ran.code == 0
        assert ran.err == ""
        lines = ran.out.splitlines()
        assert lines[0] == "openapi.yaml: OpenAPI 3.1.0, 9 operations"
        assert "taken     GET /projects/{project}/issues -> list-issues (read, token)" in lines
        assert "taken     GET /status -> get-status (read)" in lines
        assert "  warning[deprecated]: the document calls the operation deprecated" in lines
        place = lines.index("left out  DELETE /projects/{project}/purge")
        assert lines[place + 1].startswith("  safety-downgrade: x-agentteam-safety makes")
        assert lines[place + 1].endswith("(at /paths/~1projects~1{project}~1purge/delete/x-agentteam-safety)")
        assert lines[-3] == "Left out: safety-downgrade 1."
        assert (
            lines[-2]
            == "8 of 9 operations taken, 3 warnings; domain tracker, https://tracker.example.com/api/v3."
        )
        assert lines[-1].startswith("Wrote ")
        assert extpkg("validate", tmp_path / "tracker").code == 0

    def test_json_has_every_key(self, tmp_path: Path) -> None:
        ran = extpkg("author", TRACKER, tmp_path / "t", "--format", "json", "--dry-run")
        value = json.loads(ran.out)
        assert ran.code == 0
        assert ran.err.endswith("Nothing was written.\n")
        assert not (tmp_path / "t").exists()
        assert value["schema"] == "extpkg.authoring/1"
        assert value["package"]["directory"] is None
        assert value["summary"] == {"operations": 9, "taken": 8, "left_out": 1, "warnings": 3}
        assert {row["status"] for row in value["operations"]} == {"taken", "left_out"}
        assert all(len(row) == 9 for row in value["operations"])

    def test_a_report_in_a_file(self, tmp_path: Path) -> None:
        ran = extpkg("author", TRACKER, tmp_path / "t", "--report", tmp_path / "report.txt")
        assert (ran.code, ran.out) == (0, "")
        assert (tmp_path / "report.txt").read_text().startswith("openapi.yaml: OpenAPI 3.1.0")
        assert "8 of 9 operations taken" in ran.err

    def test_a_warning_about_a_schema_says_where(self, tmp_path: Path) -> None:
        body = {"type": "object", "properties": {"a": {"enum": []}, "b": {"enum": []}}}
        content = {"content": {"application/json": {"schema": body}}}
        value = document({"/a": {"post": {"operationId": "a", "requestBody": content}}})
        ran = extpkg("author", written(tmp_path, value), tmp_path / "out")
        place = "/paths/~1a/post/requestBody/content/application~1json/schema/properties/a/enum"
        assert f"it is left out (at {place}) (and 1 more)" in ran.out

    def test_control_characters_of_a_document_do_not_reach_the_terminal(self, tmp_path: Path) -> None:
        paths = {
            "/a\x1b[31m": {"get": {"operationId": "x\x1b]0;", "responses": {"200": {"description": "d"}}}}
        }
        ran = extpkg("author", written(tmp_path, document(paths)), tmp_path / "out", "--domain", "d")
        assert "\x1b" not in ran.out + ran.err


class TestEnds:
    def test_strict_writes_nothing_where_something_is_left_out(self, tmp_path: Path) -> None:
        ran = extpkg("author", TRACKER, tmp_path / "t", "--strict")
        assert ran.code == 1
        assert "Nothing was written." in ran.out
        assert not (tmp_path / "t").exists()
        assert extpkg("author", TRACKER, tmp_path / "t", "--strict", "--exclude", "purgeProject").code == 0

    def test_nothing_is_overwritten(self, tmp_path: Path) -> None:
        (tmp_path / "t").mkdir()
        ran = extpkg("author", TRACKER, tmp_path / "t")
        assert ran.code == 1
        assert "exists already" in ran.err
        assert list((tmp_path / "t").iterdir()) == []

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--include", "missing"], 'no operation is meant by "missing"'),
            (["--auth", "missing"], "--auth names"),
            (["--auth-as", "token=basic"], "oauth2_bearer"),
            (["--auth-as", "token"], "NAME=TYPE"),
            (["--server-var", "a=1", "--server-var", "a=2"], "given twice"),
            (["--server-var", "a=1"], "no server variable"),
            (["--base-url", "http://a.example.com"], "refused"),
            (["--domain", "Not One"], "no domain"),
            (["--domain", ""], "no domain"),
            (["--domain", "help"], "taken by the platform; choose one with --domain"),
            (["--package-version", "0"], "0"),
            (["--update"], "nothing to update"),
            (["--report", "."], "not a file"),
        ],
    )
    def test_usage(
        self, arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        ran = extpkg("author", TRACKER, "out", *arguments)
        assert ran.code == 2, ran.err
        assert message in ran.err
        assert not (tmp_path / "out").exists()

    def test_an_empty_name_is_no_output(self) -> None:
        assert extpkg("author", TRACKER, "").code == 2

    def test_a_source_that_cannot_be_read(self, tmp_path: Path) -> None:
        assert extpkg("author", tmp_path / "missing.yaml", tmp_path / "out").code == 2
        (tmp_path / "bad.yaml").write_text("a: 1\na: 2\n")
        ran = extpkg("author", tmp_path / "bad.yaml", tmp_path / "out")
        assert ran.code == 1
        assert "bad.yaml:2:1" in ran.err
        (tmp_path / "other.yaml").write_text("openapi: 4.0.0\n")
        assert extpkg("author", tmp_path / "other.yaml", tmp_path / "out").code == 1

    def test_a_server_has_to_be_named(self, tmp_path: Path) -> None:
        ran = extpkg("author", SHOP, tmp_path / "shop")
        assert ran.code == 1
        assert "error[server-missing]: the server has variables" in ran.out
        assert "--server-var shop=demo" in ran.out
        assert "not taken GET /orders" in ran.out
        assert extpkg("author", SHOP, tmp_path / "shop", "--server-var", "shop=demo").code == 0

    def test_an_output_that_cannot_be_made(self, tmp_path: Path) -> None:
        ran = extpkg("author", TRACKER, tmp_path / "missing" / "t")
        assert ran.code == 1
        assert "cannot write" in ran.err


class TestSameBytes:
    """Done when 3: the order of members, YAML or JSON, and the hash seed make no difference."""

    def made(self, source: Path, folder: Path) -> dict[str, bytes]:
        ran = extpkg("author", source, folder, "--domain", "same", "--server-var", "shop=demo")
        assert ran.code == 0, ran.err
        return tree(folder)

    def test_shuffled_members_and_yaml(self, tmp_path: Path) -> None:
        value = json.loads(SHOP.read_text())
        first = self.made(SHOP, tmp_path / "first")
        for seed in range(3):
            mixed = shuffled(value, random.Random(seed))  # noqa: S311 - a test
            path = written(tmp_path, mixed, f"{seed}.json")
            assert self.made(path, tmp_path / f"mixed{seed}") == first
        path = tmp_path / "same.yaml"
        path.write_text("# JSON is YAML\n" + json.dumps(value, indent=3))
        assert self.made(path, tmp_path / "yaml") == first

    @pytest.mark.skipif(not SCRIPT.exists(), reason="the command is not installed")
    def test_hash_seeds(self, tmp_path: Path) -> None:
        outputs = []
        for seed in ("0", "1"):
            ran = script("author", TRACKER, tmp_path / seed, "--report", "-", env={"PYTHONHASHSEED": seed})
            assert ran.returncode == 0
            outputs.append((ran.stdout.replace(str(tmp_path / seed).encode(), b""), tree(tmp_path / seed)))
        assert outputs[0] == outputs[1]


def shuffled(value: Any, chance: random.Random) -> Any:
    """Return a value with the members of its objects in another order."""
    if isinstance(value, list):
        return [shuffled(each, chance) for each in value]
    if not isinstance(value, dict):
        return value
    names = list(value)
    chance.shuffle(names)
    return {name: shuffled(value[name], chance) for name in names}


class TestInteractive:
    def asked(
        self, answers: str, source: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, *more: str
    ) -> Any:
        monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
        return extpkg("author", source, folder, "--interactive", *more)

    def test_everything_is_asked(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        answers = "Not One\nhelp\nmy-shop\n\n\n\n3\n\n"
        ran = self.asked(answers, SHOP, tmp_path / "shop", monkeypatch)
        assert ran.code == 0, ran.err
        assert "Domain [shop]: " in ran.err
        assert "lower-case words" in ran.err
        assert 'the domain "help" is taken by the platform\n' in ran.err
        assert "Server variable shop [demo]: " in ran.err
        assert "Base URL [https://demo.shop.example/admin]: " in ran.err
        assert "Scheme to prefer (key, oauth, or - for the usual choice) [-]: " in ran.err
        assert "[x]    1  read         orders-list  GET /orders" in ran.err
        assert " -     5  left out     GET /orders/{id}/invoice: response-binary" in ran.err
        meta = parse_document((tmp_path / "shop/meta.yaml").read_bytes()).value
        assert meta["domain"] == "my-shop"
        assert [row["name"] for row in meta["actions"]] == [
            "orders-cancel",
            "orders-create",
            "orders-list",
            "reports-get",
        ]

    def test_schemes_and_a_base_url(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        schemes = {"bot": {"type": "apiKey", "in": "header", "name": "Authorization"}}
        paths = {
            "/a": {"get": {"operationId": "a", "security": [{"bot": []}]}},
            "/b": {"get": {"operationId": "b"}},
        }
        value = document(paths, components={"securitySchemes": schemes}, servers=[{"url": "/v1"}])
        answers = "\nhttp://x\nhttps://api.example.com/v1\nmaybe\ny\nbot\n9\nnone\n\nall\n\n"
        ran = self.asked(answers, written(tmp_path, value), tmp_path / "out", monkeypatch)
        assert ran.code == 0, ran.err
        assert "The document's servers cannot be used" in ran.err
        assert "refused: it does not start with" in ran.err
        assert "'9' is no number or range from 1 to 2" in ran.err
        assert "at least one operation must be taken" in ran.err
        action = parse_document((tmp_path / "out/actions/b.yaml").read_bytes()).value
        assert action["auth"] == {"profile": "bot"}

    def test_the_input_ends_too_soon(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        ran = self.asked("shop\n", SHOP, tmp_path / "shop", monkeypatch)
        assert ran.code == 2
        assert "standard input ended" in ran.err
        monkeypatch.setattr(sys, "stdin", None)
        assert extpkg("author", SHOP, tmp_path / "shop", "--interactive").code == 2
        assert not (tmp_path / "shop").exists()

    def test_a_document_from_which_nothing_comes(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = written(tmp_path, document({"/a": {"head": {"responses": {}}}}))
        ran = self.asked("\n\n", path, tmp_path / "out", monkeypatch)
        assert ran.code == 1
        assert "nothing-authored" in ran.out

    def test_a_wish_that_cannot_be_met(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        ran = self.asked("\n\n\n\n", TRACKER, tmp_path / "out", monkeypatch, "--auth", "missing")
        assert ran.code == 2


class TestUpdate:
    """Done when 5: what was edited stays, what the source changed comes, and conflicts are named."""

    def prepared(self, folder: Path) -> tuple[Path, dict[str, Any]]:
        paths = {
            "/a": {"get": {"operationId": "getA", "summary": "Get A"}},
            "/b": {"post": {"operationId": "postB", "summary": "Post B"}},
            "/c": {"get": {"operationId": "getC", "summary": "Get C"}},
        }
        value = document(paths)
        assert extpkg("author", written(folder, value), folder / "p").code == 0
        return folder / "p", value

    def test_edits_stay(self, tmp_path: Path) -> None:
        package, value = self.prepared(tmp_path)
        change(package / "actions/get-a.yaml", "summary: Get A", "summary: Mine")
        change(package / "actions/post-b.yaml", "summary: Post B", "summary: My B")
        (package / "actions/get-c.yaml").unlink()
        change(package / "meta.yaml", "  - name: get-c\n    file: actions/get-c.yaml\n", "")
        (package / "README.md").write_text("mine")
        assert extpkg("digest", "--write", package).code == 0
        value["paths"]["/b"]["post"]["summary"] = "Their B"
        value["paths"]["/d"] = {"get": {"operationId": "getD", "responses": {"200": {"description": "d"}}}}
        ran = extpkg("author", written(tmp_path, value), package, "--update")
        assert ran.code == 0, ran.err
        assert "new       get-d" in ran.out
        assert "kept out  get-c" in ran.out
        assert 'conflict  actions/post-b.yaml /catalog/summary: yours stays, "My B"' in ran.out
        assert (
            "4 of 4 operations taken, 0 warnings; 1 of them kept out as before; 1 conflict; raise" in ran.out
        )
        assert (
            parse_document((package / "actions/get-a.yaml").read_bytes()).value["catalog"]["summary"]
            == "Mine"
        )
        assert (package / "README.md").read_text() == "mine"
        assert extpkg("validate", package).code == 0

    def test_the_same_source_changes_nothing(self, tmp_path: Path) -> None:
        package, _ = self.prepared(tmp_path)
        before = tree(package)
        ran = extpkg("author", tmp_path / "api.json", package, "--update", "--format", "json")
        assert json.loads(ran.out)["update"] == {
            "version_bump_needed": False,
            "added": [],
            "removed": [],
            "kept_out": [],
            "conflicts": [],
        }
        assert tree(package) == before

    def test_what_is_included_comes_back(self, tmp_path: Path) -> None:
        package = tmp_path / "p"
        (tmp_path / "other").mkdir()
        _, value = self.prepared(tmp_path / "other")
        path = written(tmp_path, value)
        assert extpkg("author", path, package, "--include", "getA").code == 0
        assert "kept out" in extpkg("author", path, package, "--update", "--dry-run").out
        ran = extpkg("author", path, package, "--update", "--include", "get*")
        assert "new       get-c" in ran.out
        assert sorted(each.name for each in (package / "actions").iterdir()) == ["get-a.yaml", "get-c.yaml"]

    def test_what_is_included_takes_nothing_away(self, tmp_path: Path) -> None:
        package, value = self.prepared(tmp_path)
        before = tree(package)
        (package / "actions/get-c.yaml").unlink()
        change(package / "meta.yaml", "  - name: get-c\n    file: actions/get-c.yaml\n", "")
        path = written(tmp_path, value)
        ran = extpkg("author", path, package, "--update", "--include", "getC")
        assert "new       get-c" in ran.out
        after = tree(package)
        assert [name for name in before if after[name] != before[name]] == ["meta.yaml"]  # listed behind
        assert extpkg("digest", package).out.split()[0] in before["meta.yaml"].decode()
        ran = extpkg("author", path, package, "--update", "--include", "get*", "--exclude", "getC")
        assert "gone      get-c" in ran.out
        assert sorted(each.name for each in (package / "actions").iterdir()) == ["get-a.yaml", "post-b.yaml"]

    def test_an_edited_action_that_the_source_has_no_more(self, tmp_path: Path) -> None:
        package, value = self.prepared(tmp_path)
        change(package / "actions/get-a.yaml", "summary: Get A", "summary: Mine")
        del value["paths"]["/a"]
        ran = extpkg("author", written(tmp_path, value), package, "--update")
        assert "conflict  actions/get-a.yaml stays as you edited it; the source no longer makes it" in ran.out
        assert (package / "actions/get-a.yaml").exists()

    def test_a_removed_action_that_the_source_has_changed(self, tmp_path: Path) -> None:
        package, value = self.prepared(tmp_path)
        (package / "actions/get-a.yaml").unlink()
        change(package / "meta.yaml", "  - name: get-a\n    file: actions/get-a.yaml\n", "")
        value["paths"]["/a"]["get"]["summary"] = "Another"
        ran = extpkg("author", written(tmp_path, value), package, "--update")
        assert "conflict  actions/get-a.yaml stays removed; the source has changed it" in ran.out
        assert not (package / "actions/get-a.yaml").exists()

    @pytest.mark.parametrize("is_new", [False, True])
    def test_options_given_with_an_update_are_followed(self, is_new: bool, tmp_path: Path) -> None:
        """An option that the package does not show is new; given once more or left out it changes nothing."""
        package = tmp_path / "p"
        schemes = {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}, "bearer": BEARER}
        paths = {
            "/a": {"get": {"operationId": "getA"}},
            "/b": {"get": {"operationId": "getB", "security": [{"odd": []}]}},
        }
        odd = {"type": "apiKey", "in": "header", "name": "Authorization"}
        value = document(paths, components={"securitySchemes": {**schemes, "odd": odd}})
        path = written(tmp_path, value)
        if is_new:
            old = document(paths, components={"securitySchemes": {"key": schemes["key"]}})
            assert extpkg("author", written(tmp_path, old, "old.json"), package).code == 0
        else:
            assert extpkg("author", path, package).code == 0
        wishes = ["--require-auth", "bearer", "--auth-as", "odd=oauth2_bearer", "--name", "Named"]
        wishes += ["--base-url", "https://other.example.com/v2"]
        ran = extpkg("author", path, package, "--update", *wishes)
        assert ran.code == 0, ran.err
        assert "new       get-b" in ran.out
        assert "0 conflicts; raise version" in ran.out
        meta = parse_document((package / "meta.yaml").read_bytes()).value
        assert (meta["name"], meta["endpoint"]) == ("Named", {"base_url": "https://other.example.com/v2"})
        action = parse_document((package / "actions/get-a.yaml").read_bytes()).value
        assert action["auth"] == {"profile": "bearer"}
        before = tree(package)
        for again in (wishes, []):
            assert "0 conflicts; version may stay" in extpkg("author", path, package, "--update", *again).out
            assert tree(package) == before

    def test_a_server_variable_that_the_kept_source_does_not_know(self, tmp_path: Path) -> None:
        package, value = self.prepared(tmp_path)
        value["servers"] = [
            {"url": "https://{region}.example.com", "variables": {"region": {"default": "eu"}}}
        ]
        path = written(tmp_path, value)
        ran = extpkg("author", path, package, "--update", "--server-var", "region=us")
        assert ran.code == 0, ran.err
        assert "base_url: https://us.example.com" in (package / "meta.yaml").read_text()

    def test_options_are_taken_from_the_package(self, tmp_path: Path) -> None:
        value = document({"/a": {"get": {"operationId": "getA"}}}, servers=[])
        arguments = ["--domain", "mine", "--base-url", "https://api.example.com/v7", "--package-version", "3"]
        assert extpkg("author", written(tmp_path, value), tmp_path / "p", *arguments).code == 0
        before = tree(tmp_path / "p")
        ran = extpkg("author", tmp_path / "api.json", tmp_path / "p", "--update")
        assert ran.code == 0, ran.out
        assert "version may stay" in ran.out
        assert tree(tmp_path / "p") == before

    @pytest.mark.parametrize("kept", [None, "not: openapi\n"])
    def test_without_a_source_every_difference_is_a_conflict(self, kept: str | None, tmp_path: Path) -> None:
        package, value = self.prepared(tmp_path)
        (package / "source/openapi.yaml").unlink()
        if kept is not None:
            (package / "source/openapi.yaml").write_text(kept)
        value["paths"]["/a"]["get"]["summary"] = "Their A"
        ran = extpkg("author", written(tmp_path, value), package, "--update")
        assert ran.code == 0, ran.err
        assert "each difference is a conflict" in ran.err
        assert "conflict  actions/get-a.yaml /catalog/summary" in ran.out

    def test_a_package_that_does_not_validate(self, tmp_path: Path) -> None:
        package, _ = self.prepared(tmp_path)
        change(package / "actions/get-a.yaml", "class: read", "class: none")
        ran = extpkg("author", tmp_path / "api.json", package, "--update")
        assert ran.code == 1
        assert "error[" in ran.err

    def test_a_source_from_which_nothing_comes(self, tmp_path: Path) -> None:
        package, _ = self.prepared(tmp_path)
        before = tree(package)
        ran = extpkg("author", written(tmp_path, document({})), package, "--update")
        assert ran.code == 1
        assert tree(package) == before


@pytest.mark.parametrize(
    ("name", "arguments", "action", "value", "url"),
    [
        (
            "notion.json",
            ["--require-auth", "bearerAuth"],
            "retrieve-a-page",
            {"page_id": "b55c9c91-384d-452b-81db-d1ef79372b75"},
            "https://api.notion.com/v1/pages/b55c9c91-384d-452b-81db-d1ef79372b75",
        ),
        (
            "discord.json",
            [],
            "get-gateway",
            {},
            "https://discord.com/api/v10/gateway",
        ),
        (
            "gitea_v1.json",
            [
                "--base-url",
                "https://gitea.example.com/api/v1",
                "--auth-as",
                "AuthorizationHeaderToken=oauth2_bearer",
            ],
            "repo-get",
            {"owner": "octo", "repo": "a/b"},
            "https://gitea.example.com/api/v1/repos/octo/a%2Fb",
        ),
    ],
)
def test_real_documents_become_packages_that_bind_and_replay(  # done when 1
    name: str, arguments: list[str], action: str, value: Any, url: str, tmp_path: Path
) -> None:
    source = openapi_folder() / "docs" / name
    if not source.exists():
        pytest.skip(f"corpus openapi/docs/{name} is not beside this checkout (set EXTPKG_DATA)")
    package = tmp_path / "package"
    assert extpkg("author", source, package, *arguments).code == 0
    ran = extpkg("bind", package, action, json.dumps(value), "--json")
    assert ran.code == 0, ran.err
    request = json.loads(ran.out)["canonical"]
    assert request["url"] == url
    case = package / "tests" / action / "made"
    case.mkdir(parents=True)
    (case / "input.json").write_text(json.dumps(value))
    exchange = {
        "request": {"method": request["method"], "url": url, "headers": request["headers"]},
        "response": {
            "status": 200,
            "headers": [["content-type", "application/json"]],
            "body": '{"url":"wss://x"}',
        },
    }
    (case / "exchange.json").write_text(json.dumps([exchange]))
    (case / "output.json").write_text('{"url":"wss://x"}')
    ran = extpkg("test", package)
    assert ran.code == 0, ran.out + ran.err
    exchange["response"]["body"] = '{"url":"wss://changed"}'
    (case / "exchange.json").write_text(json.dumps([exchange]))
    assert extpkg("test", package).code == 1
    exchange["request"]["url"] = f"{url}/"
    (case / "exchange.json").write_text(json.dumps([exchange]))
    assert extpkg("test", package).code == 1
