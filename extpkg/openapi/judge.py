"""The last word on an action: what `extpkg validate` would say of its file, said before there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extpkg.check import check_action, is_error
from extpkg.definition.files import encode_action
from extpkg.definition.model import Definition
from extpkg.definition.projection import project
from extpkg.document.strict_yaml import parse_document
from extpkg.errors import DocumentInvalid, ExtpkgError
from extpkg.openapi.note import Unusable
from extpkg.openapi.operation import LeftOut

if TYPE_CHECKING:
    from extpkg.openapi.inventory import Operation
    from extpkg.openapi.operation import Taken


def refuse_faulty(taken: Taken, base_url: str, operation: Operation) -> None:
    """Raise `LeftOut` (`not-valid`) for an action that would not validate: none such is authored."""
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
        data = encode_action(value["actions"][0])
        file = f"actions/{taken.action.name}.yaml"
        document = parse_document(data, file)
        found = next(filter(is_error, check_action(document, value, file)), None)
        code, message = (found.code, found.message) if found else ("", "")
    except DocumentInvalid as refused:
        code, message = refused.faults[0].code, refused.faults[0].message
    except ExtpkgError as error:
        code, message = "EXT0100", str(error)
    if code:
        text = f"what was made of it does not validate ({code}): {message}"
        raise LeftOut((Unusable("not-valid", text, operation.node),))
