"""The response policy of a binding (R-BIND-8)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from extpkg.check.members import member
from extpkg.check.sources import accepts_null
from extpkg.diagnostic import Finding, Part, Place, quoted
from extpkg.limits import RESULT_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

MODES: Final = ("passthrough", "empty")
"""What is done with an answer: its JSON or text is the data, or nothing is read and the data is null."""

AT: Final = "/binding/response"

_NAME: Final = r"[a-z0-9][a-z0-9!#$&^_.+-]*"
_CONTENT_TYPE: Final = re.compile(rf"application/(?:json|{_NAME}\+json)|text/(?!event-stream\Z){_NAME}")
_NULL_STATUSES: Final = (204, 205)


def check_response(action: Any, file: str) -> Iterator[Finding]:
    """Yield what is wrong with `binding.response` of one action; nothing where there is none.

    Takes any value; what has not the type that the action schema asks for is passed over. Whether null fits
    the output schema is judged only where the policy itself is sound.
    """
    response = member(action, "binding", "response")
    if not isinstance(response, dict):
        return
    findings = tuple(_check_policy(response, file))
    yield from findings
    if not findings:
        yield from _check_output(action, response, file)


def _check_policy(response: dict[str, Any], file: str) -> Iterator[Finding]:
    mode = response.get("mode")
    if "mode" in response and mode not in MODES:
        yield _fault("EXT0801", file, "/mode", f"{quoted(mode)} is none of {', '.join(MODES)}")
    yield from _check_statuses(response.get("success_statuses"), file)
    yield from _check_content_types(response, file)
    budget: Any = response.get("max_bytes")
    if _is_number(budget) and not 1 <= budget <= RESULT_BYTES:
        yield _fault("EXT0808", file, "/max_bytes", f"max_bytes is {budget}, not 1 to {RESULT_BYTES}")


def _check_statuses(statuses: Any, file: str) -> Iterator[Finding]:
    if not isinstance(statuses, list):
        return
    if not statuses:
        yield _fault("EXT0802", file, "/success_statuses", "no status means success")
    first: dict[int, int] = {}
    for index, status in enumerate(statuses):
        if not _is_number(status):
            continue
        pointer = f"/success_statuses/{index}"
        if not 200 <= status <= 299:
            yield _fault("EXT0802", file, pointer, f"{status} is no success status from 200 to 299")
        elif status in first:
            there = _place(file, f"/success_statuses/{first[status]}", "listed first here")
            yield _fault("EXT0803", file, pointer, f"status {status} is listed more than once", there)
        first.setdefault(status, index)


def _check_content_types(response: dict[str, Any], file: str) -> Iterator[Finding]:
    listed = response.get("content_types")
    mode = response.get("mode")
    if mode == "passthrough" and "content_types" not in response:
        place = Place(path=file, pointer=AT, part=Part.KEY, label="content_types is missing")
        yield Finding(code="EXT0804", place=place, message="a passthrough response has no content_types")
    if not isinstance(listed, list):
        return
    if mode == "passthrough" and not listed:
        yield _fault("EXT0804", file, "/content_types", "a passthrough response has no content_types")
    if mode == "empty" and listed:
        there = _place(file, "/mode", "nothing is read")
        message = "an empty response has content_types"
        place = Place(path=file, pointer=f"{AT}/content_types", part=Part.KEY)
        yield Finding(code="EXT0805", place=place, message=message, related=(there,))
        return
    first: dict[str, int] = {}
    for index, name in enumerate(listed):
        if not isinstance(name, str):
            continue
        pointer = f"/content_types/{index}"
        if name in first:
            there = _place(file, f"/content_types/{first[name]}", "listed first here")
            yield _fault(
                "EXT0807", file, pointer, f"content type {quoted(name)} is listed more than once", there
            )
        elif not _CONTENT_TYPE.fullmatch(name):
            yield _fault(
                "EXT0806", file, pointer, f"{quoted(name)} is no content type that an answer may have"
            )
        first.setdefault(name, index)


def _check_output(action: Any, response: dict[str, Any], file: str) -> Iterator[Finding]:
    """Yield the warning that null is data here and the output schema refuses it."""
    catalog = member(action, "catalog")
    statuses = response.get("success_statuses")
    if not isinstance(catalog, dict) or "output_schema" not in catalog or not isinstance(statuses, list):
        return
    index = next((at for at, status in enumerate(statuses) if status in _NULL_STATUSES), None)
    if response.get("mode") == "empty":
        there = _place(file, "/mode", "the data is null")
    elif index is not None:
        there = _place(file, f"/success_statuses/{index}", "the data is null")
    else:
        return
    if not accepts_null(catalog["output_schema"]):
        at = Place(path=file, pointer="/catalog/output_schema", part=Part.KEY, label="refuses null")
        message = "the data can be null, which the output schema refuses"
        yield Finding(code="EXT0809", place=at, message=message, related=(there,))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _place(file: str, pointer: str, label: str = "") -> Place:
    return Place(path=file, pointer=AT + pointer, label=label)


def _fault(code: str, file: str, pointer: str, message: str, *related: Place) -> Finding:
    return Finding(code=code, place=_place(file, pointer), message=message, related=related)
