"""The files of a case: read strictly, every fault at its place (R-FIX-1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from cases import FILES, write_case

from extpkg.check.rules import RULES, Rule
from extpkg.errors import DocumentInvalid
from extpkg.exchange import Exchange, Request, Response
from extpkg.fixture.case import BODY_BYTES, Case, Expectation, read_case
from extpkg.fixture.find import CaseFolder, cases_root, find_cases

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [row for row in RULES if row.code.startswith("EXT09")]


def faults(folder: Path) -> list[tuple[str, str, int, int]]:
    with pytest.raises(DocumentInvalid) as caught:
        read_case(folder)
    rows = []
    for fault in caught.value.faults:
        where = fault.place.position
        place = (where.line, where.column) if where else (0, 0)
        rows.append((fault.code, fault.place.path, *place))
    return rows


def test_a_case(tmp_path: Path) -> None:
    folder = write_case(tmp_path / "case", connection='{"config": {"a": 1}}')
    assert read_case(folder) == Case(
        input={"id": "2103.01234"},
        exchanges=(
            Exchange(
                request=Request(
                    method="GET",
                    url="https://export.arxiv.org/api/query?id_list=2103.01234&max_results=1",
                ),
                response=Response(status=200, headers=(("content-type", "text/plain"),), body=b"hi"),
            ),
        ),
        expectation=Expectation(code=None, data=None),
        connection={"a": 1},
    )


def test_bodies_and_errors(tmp_path: Path) -> None:
    exchange = """[{"request": {"method": "POST", "url": "https://a.example/", "body": "\u00e9",
        "headers": [["content-type", "application/json"], ["x-a", "1"]]},
        "response": {"status": 204, "headers": [], "bodyFile": "body.bin"}},
      {"request": {"method": "GET", "url": "https://a.example/", "headers": []},
        "response": {"status": 200, "headers": []}}]"""
    error = '{"code": "not_found", "details": {"a": 1}}'
    files = {"body.bin": b"\xff\x00"}
    case = read_case(write_case(tmp_path / "case", exchange=exchange, output=None, error=error, **files))
    first, second = case.exchanges
    assert first.request.body == "\u00e9".encode()
    assert first.request.headers == (("content-type", "application/json"), ("x-a", "1"))
    assert first.response.body == b"\xff\x00"
    assert second.request.body is None
    assert second.response.body == b""
    assert case.expectation == Expectation(code="not_found", details={"a": 1})


def test_an_output_may_hold_what_a_provider_wrote(tmp_path: Path) -> None:
    """R-DOC-8: exact digits, and U+FFFD for half a surrogate pair; elsewhere both are refused."""
    output = r'[12345678901234567890, "\ud800"]'
    assert read_case(write_case(tmp_path / "case", output=output)).expectation.data == [
        12345678901234567890,
        "\ufffd",
    ]
    assert faults(write_case(tmp_path / "case", input=output)) == [
        ("EXT0118", "input.json", 1, 2),
        ("EXT0119", "input.json", 1, 25),
    ]


def test_no_repr_shows_what_was_said(tmp_path: Path) -> None:
    """A051."""
    case = read_case(write_case(tmp_path / "case", output='"canary"', input='"canary"'))
    assert "canary" not in repr(case)
    assert "hi" not in repr(case.exchanges)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.code)
def test_a_sample_is_found_where_it_says(row: Rule, tmp_path: Path) -> None:
    sample, folder = row.sample, write_case(tmp_path / "case")
    for operation, path, argument in sample.tree:
        (folder / path).write_text(argument) if operation == "write" else (folder / path).unlink()
    if not sample.tree:
        assert FILES[sample.file].count(sample.good) == 1
        text = FILES[sample.file].replace(sample.good, sample.bad)
        write_case(folder, **{sample.file.partition(".")[0]: text})
    assert faults(folder) == [(row.code, sample.file, sample.line, sample.column)]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"output": None}, [("EXT0903", "error.json", 0, 0)]),
        ({"output": None, "error": '{"code": "odd"}'}, [("EXT0904", "error.json", 1, 10)]),
        ({"output": None, "error": '{\n "code": "internal",\n "x": 1}'}, [("EXT0904", "error.json", 3, 7)]),
        ({"output": None, "error": "[]"}, [("EXT0904", "error.json", 1, 1)]),
        ({"exchange": "{}"}, [("EXT0904", "exchange.json", 1, 1)]),
        ({"exchange": "[\t{}]"}, [("EXT0904", "exchange.json", 1, 3)] * 2),
        ({"connection": '{"config": {}, "token": "x"}'}, [("EXT0904", "connection.json", 1, 25)]),
        ({"input": "{,}"}, [("EXT0126", "input.json", 1, 2)]),
        (
            {"input": None, "exchange": "["},
            [("EXT0126", "exchange.json", 1, 2), ("EXT0902", "input.json", 0, 0)],
        ),
        ({"output": None, "error": r'{"code": "\u0000"}'}, [("EXT0904", "error.json", 0, 0)]),
        ({"notes.txt": "x"}, [("EXT0901", "notes.txt", 0, 0)]),
        ({"input": b"1" * ((1 << 20) + 1)}, [("EXT0103", "input.json", 1, 1)]),
    ],
)
def test_faults(changes: dict[str, Any], expected: list[Any], tmp_path: Path) -> None:
    assert faults(write_case(tmp_path / "case", **changes)) == expected


@pytest.mark.parametrize(
    ("headers", "columns"),
    [
        ('[["authorization", "x"]]', [19]),
        ('[["X-A", "x"]]', [19]),
        ('[["b", ""], ["a", ""]]', [18]),
        ('[["cookie", ""], ["A", ""]]', [18, 19, 35]),
    ],
)
def test_headers_that_no_bound_request_has(headers: str, columns: list[int], tmp_path: Path) -> None:
    text = FILES["exchange.json"].replace('"headers": []', f'"headers": {headers}')
    expected = [("EXT0905", "exchange.json", 6, column) for column in columns]
    assert faults(write_case(tmp_path / "case", exchange=text)) == expected


def test_body_files_are_beside_it_and_bounded(tmp_path: Path) -> None:
    def with_body(name: str) -> str:
        return FILES["exchange.json"].replace('"body": "hi"', f'"bodyFile": "{name}"')

    folder = tmp_path / "case"
    assert faults(write_case(folder, exchange=with_body("input.json")))[0][0] == "EXT0906"
    assert faults(write_case(folder, exchange=with_body("../x")))[0][0] == "EXT0904"
    large = {"body.bin": b"x" * (BODY_BYTES + 1)}
    assert faults(write_case(folder, exchange=with_body("body.bin"), **large)) == [
        ("EXT0103", "body.bin", 1, 1)
    ]
    both = FILES["exchange.json"].replace('"body": "hi"', '"body": "hi", "bodyFile": "b"')
    assert {code for code, *_ in faults(write_case(folder, exchange=both))} == {"EXT0904"}


def test_links_and_folders_are_no_files_of_a_case(tmp_path: Path) -> None:
    folder = write_case(tmp_path / "case", input=None)
    (folder / "input.json").symlink_to(folder / "output.json")
    (folder / "more").mkdir()
    assert faults(folder) == [("EXT0206", "input.json", 0, 0), ("EXT0901", "more", 0, 0)]
    assert faults(tmp_path / "nothing")[0][0] == "EXT0208"


def test_cases_are_found_in_order(tmp_path: Path) -> None:
    for name in ("search/b", "search/a", "get/c"):
        write_case(tmp_path / name)
    (tmp_path / "search" / "note.txt").write_text("x")
    (tmp_path / "odd").mkdir()
    (tmp_path / "README.md").write_text("x")
    (tmp_path / ".git").mkdir()
    (tmp_path / "get" / "link").symlink_to(tmp_path / "search" / "a")
    cases, strangers = find_cases(tmp_path, {"get", "search"})
    assert [str(case) for case in cases] == ["get/c", "search/a", "search/b"]
    assert cases[0] == CaseFolder(action="get", name="c", path=tmp_path / "get" / "c")
    assert [(each.code, each.place.path) for each in strangers] == [
        ("EXT0901", "README.md"),
        ("EXT0901", "get/link"),
        ("EXT0901", "odd"),
        ("EXT0901", "search/note.txt"),
    ]


def test_where_the_cases_of_a_package_are(tmp_path: Path) -> None:
    """Inside the package; else in the nearest ancestor that has some for its domain."""
    package = tmp_path / "a" / "b" / "package"
    package.mkdir(parents=True)
    assert cases_root(package, "almanac") is None
    far = tmp_path / "golden" / "invoke" / "almanac"
    far.mkdir(parents=True)
    assert cases_root(package, "almanac") == far
    assert cases_root(package, "tides") is None
    near = tmp_path / "a" / "golden" / "invoke" / "almanac"
    near.mkdir(parents=True)
    assert cases_root(package, "almanac") == near
    (package / "tests").mkdir()
    assert cases_root(package, "almanac") == package / "tests"
