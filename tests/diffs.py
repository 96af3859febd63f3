"""What a witness claims, tried again without the code that found it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from extpkg.binding.request import compile_action
from extpkg.binding.response import read_response
from extpkg.errors import ExtensionError
from extpkg.exchange import Request, Response
from extpkg.json_schema import compile_schema

if TYPE_CHECKING:
    from extpkg.definition.model import Action, Definition


def action(definition: Definition, name: str) -> Action | None:
    return next((each for each in definition.actions if each.name == name), None)


def request(definition: Definition, name: str, value: Any) -> Any:
    """Return the request of an input as the report shows it, None where it is refused."""
    try:
        made: Request = compile_action(definition, name).bind(value)
    except ExtensionError:
        return None
    return {
        "method": made.method,
        "url": made.url,
        "headers": [list(pair) for pair in made.headers],
        "body": None if made.body is None else made.body.decode(),
    }


def accepts(definition: Definition, name: str, value: Any) -> bool:
    found = action(definition, name)
    if found is None:
        return False
    if found.binding is not None:
        return request(definition, name, value) is not None
    return compile_schema(found.catalog.input_schema).accepts(value)


def replayed(old: Definition, new: Definition, witness: dict[str, Any]) -> bool:
    """Say whether both versions do with a witness what it says."""
    name, value = witness["action"], witness["value"]
    if witness["shows"] == "input":
        return accepts(old, name, value) and not accepts(new, name, value) and "error" in witness["new"]
    if witness["shows"] == "request":
        both = (request(old, name, value), request(new, name, value))
        return both == (witness["old"]["request"], witness["new"]["request"]) and both[0] != both[1]
    one, other = action(old, name), action(new, name)
    assert one
    assert other
    if witness["shows"] == "data":
        was = compile_schema(one.catalog.output_schema).accepts(value)
        return not was and compile_schema(other.catalog.output_schema).accepts(value) is True
    both = (answered(old, name, value), answered(new, name, value))
    return both == (witness["old"], witness["new"]) and both[0] != both[1]


def answered(definition: Definition, name: str, value: Any) -> Any:
    headers = tuple((key, text) for key, text in value["headers"])
    answer = Response(status=value["status"], headers=headers, body=value["body"].encode())
    try:
        return {"data": read_response(compile_action(definition, name), answer)}
    except ExtensionError as error:
        return error.envelope()
