"""A Builtin's form: what its connection may hold, and what a given one has against it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from extpkg.binding.input import input_violations, invalid_input
from extpkg.json_schema import Violation, compile_schema

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from extpkg.extension import ConnectionForm


def judge_connection(form: ConnectionForm, config: Mapping[str, Any], configured: Collection[str]) -> None:
    """Raise `ExtensionError` (`validation`) where the form refuses a connection.

    `configured` are the credential fields that would have a secret. Pointers lead into the object that has
    `config` and `credentials`; no message holds a credential, nor a configuration that is out of form.
    """
    if violations := tuple(_violations(form, config, configured)):
        raise invalid_input(violations)


def _violations(
    form: ConnectionForm, config: Mapping[str, Any], configured: Collection[str]
) -> Iterator[Violation]:
    found = input_violations(compile_schema(form.config_schema), dict(config))
    if not found and form.judge is not None:
        found = form.judge(dict(config))
    for each in found:
        yield Violation(
            pointer=f"/config{each.pointer}",
            keyword=each.keyword,
            schema_pointer=each.schema_pointer,
            message=each.message,
        )
    fields = {each.name: each for each in form.credentials}
    for name in sorted(set(configured) - fields.keys()):
        known = ", ".join(fields) or "none"
        yield _violation(f"/credentials/{name}", f"is no field of the connection; its fields are: {known}")
    for name, row in fields.items():
        if row.required and name not in configured:
            yield _violation(f"/credentials/{name}", f"is missing: {row.label}")


def _violation(pointer: str, message: str) -> Violation:
    return Violation(pointer=pointer, keyword="", schema_pointer="", message=message)
