"""The page as a whole: what it says, what it never does, and that no package can make it do anything else."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
from corpus import ROOT
from pages import Element, check, read

from extpkg import load_package
from extpkg.definition.model import Action, Binding, Body, Catalog, Definition, Mapping, Parameter, Profile
from extpkg.diagnostic import Diagnostic, Excerpt, Report, Severity
from extpkg.diff.change import Change, Impact, Shows, Witness
from extpkg.diff.differences import Kind
from extpkg.resources import review_style
from extpkg.review import Comparison, Example, Located, Sent, Subject, changes, findings, page
from extpkg.review.blocks import block, pair

if TYPE_CHECKING:
    from extpkg.package import Package

GITHUB = load_package(ROOT / "golden/packages/github")
ARXIV = load_package(ROOT / "packages/arxiv")


def subject(definition: Definition = GITHUB.definition, **changes: Any) -> Subject:
    values: dict[str, Any] = {"root": "here", "definition": definition, "digest": "sha256:0", "report": None}
    return Subject(**(values | changes))


def report(*diagnostics: Diagnostic, cut: int = 0) -> Report:
    return Report(root="here", domain="github", version=1, digest=None, diagnostics=diagnostics, cut=cut)


def diagnostic(
    message: str = "it is wrong", severity: Severity = Severity.WARNING, **more: Any
) -> Diagnostic:
    values: dict[str, Any] = {
        "code": "EXT0999",
        "name": "a-rule",
        "severity": severity,
        "root": "here",
        "path": "meta.yaml",
        "pointer": "/name",
        "line": 3,
        "column": 7,
        "end_line": 3,
        "end_column": 9,
        "message": message,
        "help": "",
        "label": "",
        "related": (),
        "excerpt": None,
        "id": "",
    }
    return Diagnostic(**(values | more))


def change(code: str = "EXT0612", impact: Impact = Impact.BREAKING, **more: Any) -> Located:
    values: dict[str, Any] = {
        "pointer": "/actions/0/x",
        "kind": Kind.CHANGED,
        "action": "create-issue",
        "old": 1,
        "new": 2,
    }
    return Located(change=Change(code=code, impact=impact, **(values | more)), place="here/a.yaml:1:2")


def comparison(*rows: Located, bump: int = 2) -> Comparison:
    return Comparison(root="old", definition=GITHUB.definition, digest="sha256:1", changes=rows, bump=bump)


def made(about: Subject) -> Element:
    root = read(page(about))
    check(root)
    return root


def headings(root: Element, *tags: str) -> list[str]:
    return [each.text for each in root.every() if each.tag in tags]


def test_the_head_fetches_nothing_and_runs_nothing() -> None:
    data = page(subject())
    assert data.startswith(b'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">')
    root = read(data)
    style = root.one("style").text
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policies = [each.attributes["content"] for each in root.every("meta") if "http-equiv" in each.attributes]
    assert policies == [
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    ]
    assert style == review_style()
    assert not any(word in style for word in ("url(", "@import", "@font-face", "</", "http"))
    assert b"://" not in data.replace(b"https://api.github.com", b"").replace(
        b"https://github.com", b""
    ).replace(b"https://json-schema.org", b"")


def test_landmarks_and_the_order_of_parts() -> None:
    root = made(subject(comparison=comparison(change())))
    body = root.one("body")
    assert [each.tag for each in body.parts if isinstance(each, Element)] == [
        *("a", "header", "nav", "main", "footer"),
    ]
    assert body.every("a")[0].attributes["href"] == "#content" == "#" + root.one("main").attributes["id"]
    assert headings(root, "h1", "h2") == [
        "GitHub issues",
        "Contents",
        "What changed",
        "Findings",
        "Credentials",
        "Actions that read",
        "Actions that change something",
        "Actions that destroy something",
    ]
    assert headings(root.one("main"), "h3")[1:] == [
        *("get-issue", "list-issue-comments", "list-issues", "search-issues"),
        *("create-issue", "create-issue-comment", "update-issue"),
        "delete-issue-comment",
    ]


def test_the_identity_of_a_package() -> None:
    facts = made(subject()).one("header", "banner").one("dl").text
    assert facts == (
        "PackagehereDomaingithubVersion1Digestsha256:0KindExternal: it is run by its bindings"
        "Base URLhttps://api.github.com"
    )
    known = made(subject(ARXIV.definition, digest=ARXIV.digest)).one("header", "banner").text
    assert "Builtin, connection: none" in known
    assert "Base URLnone: calls are made in code" in known
    other = made(subject(ARXIV.definition, digest="sha256:1")).one("header", "banner").text
    assert "of a Builtin, but not the registered one" in other


def test_contents_lead_to_everything_and_mark_what_changed() -> None:
    rows = (change(), change(impact=Impact.TEXT), change(impact=Impact.TEXT, action="get-issue"))
    contents = made(subject(comparison=comparison(*rows))).one("nav")
    assert [
        each.text for each in contents.every("li") if each.every("span", "badge") and not each.every("ul")
    ] == [
        "get-issue text",
        "create-issue breaking",
    ]
    targets = [each.attributes["href"] for each in contents.every("a")]
    assert targets[:4] == ["#changes", "#changes-breaking", "#changes-text", "#findings"]
    assert "#action-create-issue" in targets


def part(root: Element, name: str) -> Element:
    return next(each for each in root.every("article") if each.attributes.get("id") == f"action-{name}")


def test_an_action_with_its_tables() -> None:
    action = part(made(subject()), "create-issue")
    assert [each.text for each in action.every("span", "badge")] == ["mutation", "not idempotent"]
    facts = action.one("dl").text
    assert "RequestPOST https://api.github.com/repos/{owner}/{repo}/issues" in facts
    assert "Answer201 with application/json; a result of at most 65,536 bytes" in facts
    assert "Credentialdefault with the scope repo" in facts
    table = action.every("table")[0]
    assert [head.text for head in table.one("thead").every("th")] == [
        *("Name", "Type", "Required", "Limits", "Sent as", "Description"),
    ]
    rows = {
        row.one("th").text: [cell.text for cell in row.every("td")] for row in table.one("tbody").every("tr")
    }
    assert rows["owner"] == [
        *("string", "required", "matches ^[A-Za-z0-9_-]{1,39}$", "path owner"),
        "Account that owns the repository.",
    ]
    assert rows["description"][:4] == ["string", "optional", "at most 65536 characters", "body /body"]
    assert table.one("caption").text == "Input of create-issue"


def test_an_action_that_reads_nothing_of_its_answer() -> None:
    action = part(made(subject()), "delete-issue-comment")
    assert "its body is not read, the result is null" in action.one("dl").text
    assert [each.text for each in action.every("span", "badge")] == ["destructive", "idempotent"]


def test_examples_with_their_request() -> None:
    sent = Sent(
        method="POST",
        url="https://api.github.com/x?key=<credential k>",
        headers=(("accept", "a/b"), ("authorization", "Bearer <credential default>")),
        body='{"a":[1.0,"x,{}"],"b":{},"c":[]}',
        audit_hash="sha256:2",
    )
    example = Example(value={"a": "ü"}, sent=sent, is_made_up=False)
    action = part(made(subject(examples={"create-issue": example})), "create-issue")
    given, request = (each.text for each in action.every("figure"))
    assert given == 'Input{\n  "a": "ü"\n}'
    assert request == (
        "RequestPOST https://api.github.com/x?key=<credential k>\naccept: a/b\n"
        "authorization: Bearer <credential default>\n\n"
        '{\n  "a": [\n    1.0,\n    "x,{}"\n  ],\n  "b": {},\n  "c": []\n}'
    )
    assert "Audit hash sha256:2" in action.text
    assert "made up" not in action.text
    own = Example(value={}, sent=None, is_made_up=True)
    builtin = part(made(subject(ARXIV.definition, examples={"search": own})), "search")
    assert "Example: made up from the input schema" in builtin.text
    assert "A Builtin makes its requests in code." in builtin.text
    assert "No input was found" in part(made(subject()), "create-issue").text


def test_findings_have_their_lines() -> None:
    found = (
        diagnostic("wrong", Severity.ERROR, excerpt=Excerpt(line=3, text="  name: x  "), help="write it"),
        diagnostic("dubious", line=0, pointer=""),
    )
    root = made(subject(report=report(*found, cut=2)))
    cards = root.every("article", "change")
    assert cards[0].text == ("error wrongmeta.yaml:3:7 at /name · EXT0999 a-rulename: xTo mend it: write it.")
    assert cards[1].text == "warning dubiousmeta.yaml · EXT0999 a-rule"
    assert "2 more findings not shown." in root.text
    tile = next(each for each in root.every("li", "tile") if "Findings" in each.text)
    assert (tile.text, tile.attributes["class"]) == ("Findings1 error, 1 warning", "tile bad")


def test_findings_of_one_rule_are_folded_and_errors_come_first() -> None:
    many = [diagnostic(f"w{each}", code="EXT0998") for each in range(7)]
    last = diagnostic("e", Severity.ERROR)
    root = made(subject(report=report(*many, diagnostic("x"), *many[:1], last)))
    assert [card.one("p", "title").text for card in root.every("article", "change")] == [
        "error e",
        *(f"warning w{each}" for each in (*range(7), 0)),
        "warning x",
    ]
    folded = root.every("details")[0]
    assert folded.one("summary").text == "3 more findings of the same rule"
    assert "open" not in folded.attributes


@pytest.mark.parametrize(
    ("found", "state", "said"),
    [
        (None, "good", "judged when it was published"),
        (report(), "good", "0 errors, 0 warnings"),
        (report(diagnostic()), "fair", "0 errors, 1 warning"),
    ],
)
def test_findings_at_a_glance(found: Report | None, state: str, said: str) -> None:
    tile = next(each for each in made(subject(report=found)).every("li", "tile") if "Findings" in each.text)
    assert (tile.text, tile.attributes["class"]) == (f"Findings{said}", f"tile {state}")


REQUEST = {"method": "GET", "url": "https://a.example/x?q=1", "headers": [["accept", "a/b"]], "body": None}
OTHER = {**REQUEST, "url": "https://a.example/y?q=1", "body": '{"a":1}'}


def test_changes_by_class_with_their_witness() -> None:
    witness = Witness(
        shows=Shows.REQUEST,
        action="create-issue",
        value={"q": 1},
        old={"request": REQUEST},
        new={"request": OTHER},
    )
    rows = (
        change(witness=witness),
        change("EXT0620", kind=Kind.REMOVED, old="repo", new=None, action=None),
        change(
            "EXT0610", kind=Kind.REMOVED, old={str(each): each for each in range(30)}, new=None, action="gone"
        ),
        change("EXT0613", Impact.COMPATIBLE, kind=Kind.ADDED, old=None, new=[1], witness=None),
        change("EXT0630", Impact.TEXT, old="x" * 100, new="y" * 100),
    )
    root = made(subject(replace(GITHUB.definition, version=2), comparison=comparison(*rows)))
    assert headings(root, "h3")[:3] == ["Breaking (3)", "Compatible (1)", "Text (1)"]
    shown, scope, gone, added, text = root.every("article", "change")
    assert shown.one("h4").text == "input-narrowed create-issue"
    assert "/actions/0/x in here/a.yaml:1:2" in shown.text
    assert "1 is now 2" in shown.text
    given, old, new = shown.every("figure")
    assert given.text == 'Input{\n  "q": 1\n}'
    assert old.text == "OldGET https://a.example/x?q=1\naccept: a/b"
    assert new.text == 'NewGET https://a.example/y?q=1\naccept: a/b\n\n{\n  "a": 1\n}'
    assert ([each.text for each in old.every("del")], [each.text for each in new.every("ins")]) == (
        ["x"],
        ["y", "{", '  "a": 1', "}"],
    )
    assert scope.one("h4").text == "auth-changed possible"
    assert 'Removed: "repo"' in scope.text
    assert "look at this one yourself" in scope.text
    assert "open" not in gone.one("details").attributes
    assert gone.one("h4").every("a") == []
    assert "open" in added.one("details").attributes
    assert len(text.one("div", "pair").every("figure")) == 2
    tile = root.every("li", "tile")[0]
    assert tile.text == "Changes since 13 breaking, 1 compatible, 1 textVersion 2 is due, as it says."
    assert "Compared withold, github 1, sha256:1" in root.text


def test_what_shows_two_changes_is_shown_once() -> None:
    witness = Witness(
        shows=Shows.DATA, action="get-issue", value=1, old={"accepted": False}, new={"accepted": True}
    )
    other = replace(witness, value=2)
    rows = (change(witness=witness), change(witness=other), change(witness=replace(witness)))
    first, second, third = made(subject(comparison=comparison(*rows))).every("article", "change")
    assert len(first.every("figure")) == len(second.every("figure")) == 3
    assert third.every("figure") == []
    again = third.one("p", "witness").one("a")
    assert (again.text, again.attributes["href"]) == (
        "that of the change above",
        "#" + first.attributes["id"],
    )


@pytest.mark.parametrize(
    ("old", "new", "gone", "come"),
    [
        ("a/issues?page=1", "a/issues?page=2", "1", "2"),
        ("POST x", "PUT x", "POST", "PUT"),
        ("maxItems", "minItems", "maxItems", "minItems"),
        ("a", "a", "", ""),
        ("ab", "ab cd", "", " cd"),
        ("x" * 2_000, "y", "x" * 1_200 + "… 800 more characters", "y"),
    ],
)
def test_whole_words_are_marked(old: str, new: str, gone: str, come: str) -> None:
    shown = read(pair([old], [new]))
    assert "".join(each.text for each in shown.every("del")) == gone
    assert "".join(each.text for each in shown.every("ins")) == come


def test_long_blocks_say_how_much_is_missing() -> None:
    assert read(block(["x"] * 500)).text.endswith("x… 380 more lines")
    assert read(pair(["<" * 1_200] * 120, [])).text.count("<") < 64 << 10
    assert "more lines" in read(pair(["<" * 1_200] * 120, [])).text


@pytest.mark.parametrize(
    ("shows", "old", "new", "said"),
    [
        (
            Shows.INPUT,
            {"accepted": True},
            {"error": {"code": "validation", "message": "no"}},
            "acceptedNewvalidation: no",
        ),
        (Shows.DATA, {"accepted": False}, {"accepted": True}, "refusedNewaccepted"),
        (Shows.ANSWER, {"data": 1}, {"data": 2}, "1New2"),
    ],
)
def test_witnesses_of_each_sort(shows: Shows, old: Any, new: Any, said: str) -> None:
    witness = Witness(shows=shows, action="create-issue", value=1, old=old, new=new)
    card = made(subject(comparison=comparison(change(witness=witness)))).one("details", "witness")
    assert card.one("div", "pair").text == f"Old{said}"
    marked = card.every("del") + card.every("ins")
    assert bool(marked) == (shows is not Shows.INPUT)


@pytest.mark.parametrize(
    ("rows", "bump", "version", "said"),
    [
        ((), 1, 1, "no changeNothing that counts has changed: no new version is due."),
        ((), 1, 2, "no changeNothing that counts has changed: no new version is due. It says 2."),
        ((change(impact=Impact.TEXT),), 2, 1, "1 textVersion 2 is due, but it says 1."),
    ],
)
def test_the_version_that_is_due(rows: tuple[Located, ...], bump: int, version: int, said: str) -> None:
    about = subject(replace(GITHUB.definition, version=version), comparison=comparison(*rows, bump=bump))
    root = made(about)
    assert root.every("li", "tile")[0].text == f"Changes since 1{said}"
    assert ("The two versions mean the same." in root.text) == (not rows)


def test_credentials_and_who_uses_them() -> None:
    profiles = (
        Profile(id="default", type="oauth2_bearer"),
        Profile(id="key", type="api_key", location="query", name="k"),
    )
    table = made(subject(replace(GITHUB.definition, profiles=profiles))).every("table")[0]
    rows = [
        [cell.text for cell in row.every("th") + row.every("td")] for row in table.one("tbody").every("tr")
    ]
    assert rows[0][:3] == ["default", "OAuth 2 bearer token", "header authorization"]
    assert rows[0][3].endswith("update-issue; scopes repo")
    assert rows[1] == ["key", "API key", "query k", "no action"]


HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style><style>*{display:none}",
    "</title></code></pre></td></table><base href=//evil.example>",
    "javascript:alert(1)",
    "&lt;b&gt; &#60;i&#62; &quot;",
    "<!-- <![CDATA[ ]]> -->",
    "<?php ?>",
    "\u202etxt.exe \u2066 \u200b\ufeff",
    "a\u0000\u0007\x1b[2J\x85\u2028",
    "\ud800 \udfff",
    "e" + "\u0301" * 200,
    "#content",
    "`tick` `",
    "{{7*7}} ${7*7} <%= 7*7 %>",
    "x" * 5_000,
    "<" * 3_000,
)


def hostile(text: str) -> Subject:
    """Return a page about a package all of whose texts are `text`, whatever the checks would say of that."""
    schema = {
        "type": "object",
        "title": text,
        "required": [text],
        "properties": {
            text: {"description": text, "enum": [text], "default": text, "examples": [text], "pattern": text},
            "a": {"anyOf": [{"const": {text: [text]}}, {"$ref": text}], "format": text, "title": text},
        },
        "patternProperties": {text: {"contentMediaType": text}},
        "dependentSchemas": {text: {"type": text}},
        "dependentRequired": {text: [text]},
    }
    catalog = Catalog(
        summary=text,
        description=f"{text}\n{text}",
        safety=GITHUB.definition.actions[0].catalog.safety,
        input_schema=schema,
        output_schema=schema,
        example={text: text},
    )
    binding = Binding(
        method=text,
        path=text,
        static_headers=((text, text),),
        parameters=(Parameter(source=f"/{text}", location=text, name=text, style="form", explode=True),),
        body=Body(content_type=text, mappings=(Mapping(source="", target=text),)),
        response=replace(GITHUB.definition.actions[1].binding.response, content_types=(text,)),  # type: ignore[union-attr]
    )
    auth = replace(GITHUB.definition.actions[0].auth, required_scopes=(text, text))  # type: ignore[type-var]
    action = Action(name="act", auth=auth, catalog=catalog, binding=binding)
    definition = replace(
        GITHUB.definition,
        name=text,
        description=text,
        base_url=text,
        domain=text,
        profiles=(Profile(id="default", type="api_key", location=text, name=text),),
        actions=(action,),
    )
    request = {"method": text, "url": text, "headers": [[text, text]], "body": text}
    witness = Witness(
        shows=Shows.REQUEST, action="act", value={text: text}, old={"request": request}, new={"data": text}
    )
    error = {"error": {"code": text, "message": text}}
    rows = (
        change(pointer=text, action=text, old=text, new=f"{text}2", witness=witness),
        change(old=[text], new={text: text}, witness=replace(witness, old=error, new=error)),
    )
    found = diagnostic(text, path=text, pointer=text, help=text, excerpt=Excerpt(line=1, text=text))
    sent = Sent(method=text, url=text, headers=((text, text),), body=f'{{"{text}":1}}', audit_hash=text)
    return Subject(
        root=text,
        definition=definition,
        digest=text,
        report=report(found),
        examples={"act": Example(value={text: text}, sent=sent, is_made_up=True)},
        comparison=replace(comparison(*rows), root=text, digest=text, definition=definition),
    )


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text)[1:20])
def test_no_text_of_a_package_does_anything(text: str) -> None:
    """The page has the very elements and attributes of one about harmless texts; the text itself is read."""
    data = page(hostile(text))
    assert not any(
        each in data.decode() for each in map(chr, [*range(9), *range(0x80, 0xA0), *range(0x202A, 0x202F)])
    )
    assert len(data) < 1_500_000
    root = read(data)
    check(root)
    classes = {name for each in root.every() for name in each.attributes.get("class", "").split()}
    assert classes <= {
        name for each in read(page(hostile("a"))).every() for name in each.attributes.get("class", "").split()
    } | {
        *("escape", "cut"),
    }
    assert root.one("style").text == review_style()
    if len(text) < 100 and text.isascii() and text.isprintable():
        assert root.text.count(text) > 30
    if len(text) > 2_000:
        assert f"… {len(text) - 2_000:,} more characters" in root.text


def test_names_of_actions_are_plain_words_wherever_they_are_anchors() -> None:
    """What stands in an id or a link is a name that the format lets be nothing else (R-META-2)."""
    root = made(subject())
    for each in root.every():
        for name in ("id", "href"):
            value = each.attributes.get(name, "").removeprefix("#")
            assert value.replace("-", "").isalnum() or not value


def texts(schema: Any) -> list[str]:
    """Return what a schema calls its members and says of them."""
    if isinstance(schema, list):
        return [text for each in schema for text in texts(each)]
    if not isinstance(schema, dict):
        return []
    own = [
        *schema.get("properties", ()),
        *(schema[key] for key in ("description", "pattern") if key in schema),
    ]
    own += [json.dumps(each) for each in schema.get("enum", ())]
    return [each for each in own if isinstance(each, str)] + [
        text for key, each in schema.items() if key != "enum" for text in texts(each)
    ]


@pytest.mark.parametrize("package", [GITHUB, ARXIV], ids=lambda package: package.definition.domain)
def test_everything_that_an_action_says_is_on_the_page(package: Package) -> None:
    root = made(subject(package.definition))
    for action in package.definition.actions:
        shown = part(root, action.name).text
        catalog = action.catalog
        said = [
            catalog.summary,
            catalog.description,
            *texts(catalog.input_schema),
            *texts(catalog.output_schema),
        ]
        assert len(said) > 3
        assert [text for text in said if text not in shown] == []


def test_the_page_is_bounded_and_says_what_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = import_module("extpkg.review.page")
    monkeypatch.setattr(whole, "SIZE", 20_000)
    monkeypatch.setattr(whole, "LISTED", 2)
    monkeypatch.setattr(findings, "SIZE", 1_000)
    monkeypatch.setattr(changes, "SHOWN", 3)
    rows = [change(), change(), change(impact=Impact.TEXT), change(impact=Impact.TEXT)]
    about = subject(comparison=comparison(*rows), report=report(*[diagnostic()] * 10))
    root = made(about)
    assert "The page has no room for" in root.text
    assert "and 2 more" in root.one("nav").text
    assert "1 more change not shown." in root.text
    assert "more findings not shown." in root.text


def test_the_largest_schemas_make_no_large_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("extpkg.review.page"), "SIZE", 1 << 20)
    wide = {
        "type": "object",
        "properties": {
            f"p{index}": {
                "description": "<" * 9_000,
                "enum": ["&" * 3_000] * 90,
                "dependentRequired": {f"d{each}": ["<" * 300] * 50 for each in range(9)},
            }
            for index in range(400)
        },
    }
    (first, *_) = GITHUB.definition.actions
    heavy = replace(first, catalog=replace(first.catalog, input_schema=wide, output_schema=wide))
    many = tuple(replace(heavy, name=f"a{index}") for index in range(30))
    root = page(subject(replace(GITHUB.definition, actions=many)))
    assert len(root) < 2 << 20
    assert b"There is more, which is not shown." in root
    assert b'<li class="cut">and more</li>' in root
    assert b"The page has no room for" in root
