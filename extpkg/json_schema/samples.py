"""`examples` and `default` against the schema that they stand in (R-SCH-7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg.json_schema.compile import SchemaDocument
from extpkg.json_schema.evaluate import Evaluation, Exhausted
from extpkg.json_schema.explain import explain
from extpkg.json_schema.fault import SchemaFault
from extpkg.limits import EVALUATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLES_INVALID: Final = "EXT0516"
DEFAULT_INVALID: Final = "EXT0517"
TOO_COSTLY: Final = "EXT0521"

_HELP: Final = {
    EXAMPLES_INVALID: "correct the example, or the schema that refuses it",
    DEFAULT_INVALID: "correct the default, or the schema that refuses it",
}


def check_samples(root: Any, samples: list[tuple[dict[str, Any], str]], base: str) -> Iterator[SchemaFault]:
    """Yield the values that their own schema refuses; `samples` are the schema objects that have some.

    All the values of one document share the budget of one validation; where it ends, so does the check.
    """
    document = SchemaDocument(root)
    evaluation = Evaluation()
    for schema, pointer in samples:
        part = document.part(schema, pointer.removeprefix(base))
        for suffix, code, value in _values(schema):
            try:
                if evaluation.holds(part, value):
                    continue
            except Exhausted:
                yield _too_costly(pointer + suffix)
                return
            reason = explain(part, value, 1)[0]
            word = "default" if code == DEFAULT_INVALID else "example"
            yield SchemaFault(
                code=code,
                pointer=pointer + suffix + reason.pointer,
                message=f"the {word} is refused by its own schema: it {reason.message}",
                help=_HELP[code],
            )


def _values(schema: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    examples = schema.get("examples")
    if type(examples) is list:
        for index, value in enumerate(examples):
            yield f"/examples/{index}", EXAMPLES_INVALID, value
    if "default" in schema:
        yield "/default", DEFAULT_INVALID, schema["default"]


def _too_costly(pointer: str) -> SchemaFault:
    return SchemaFault(
        code=TOO_COSTLY,
        pointer=pointer,
        message=f"checking the examples and defaults up to here takes more than {EVALUATIONS:,} evaluations",
        help="make the schema simpler or the values smaller",
    )
