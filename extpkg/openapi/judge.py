"""The file of an action, and the last word on it: what `extpkg validate` would say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extpkg.check import check_action, is_error
from extpkg.definition.files import encode_action
from extpkg.definition.model import Definition
from extpkg.definition.projection import project
from extpkg.document.strict_yaml import parse_document
from extpkg.errors import DocumentInvalid
from extpkg.openapi.note import Unusable
from extpkg.openapi.operation import LeftOut

if TYPE_CHECKING:
    from extpkg.openapi.inventory import Operation
    from extpkg.openapi.operation import Taken


def encoded(taken: Taken, base_url: str, operation: Operation) -> bytes:
    """Return the file of an action. Raises `LeftOut` (`not-valid`) for one that would not validate."""
    profiles = (taken.profile,) if taken.profile is not None else ()
    definition = Definition(
        domain="draft",
        version=1,
        name="draft",
        description="draft",
        base_url=base_url,
        profiles=profiles,
        actions=(taken.action,),
    )
    try:
        value = project(definition)
        data = encode_action(value["actions"][0], operation.id)
        file = f"actions/{taken.action.name}.yaml"
        document = parse_document(data, file)
        found = next(filter(is_error, check_action(document, value, file)), None)
        code, message = (found.code, found.message) if found else ("", "")
    except DocumentInvalid as refused:
        code, message = refused.faults[0].code, refused.faults[0].message
    if code:
        text = f"what was made of it does not validate ({code}): {message}"
        raise LeftOut((Unusable("not-valid", text, operation.node),))
    return data
