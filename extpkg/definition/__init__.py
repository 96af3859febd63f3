"""The Definition: model, building, the one form, projection and digest, encoding as files."""

from extpkg.definition.build import build
from extpkg.definition.differences import Difference, differences
from extpkg.definition.files import encode, set_digest
from extpkg.definition.format import format_document
from extpkg.definition.model import (
    Action,
    Auth,
    Binding,
    Body,
    Catalog,
    Definition,
    Mapping,
    Parameter,
    Profile,
    Response,
    Safety,
)
from extpkg.definition.normalize import normalize
from extpkg.definition.order import Kind
from extpkg.definition.origins import Origin, origins
from extpkg.definition.projection import digest, project, projection

__all__ = [
    "Action",
    "Auth",
    "Binding",
    "Body",
    "Catalog",
    "Definition",
    "Difference",
    "Kind",
    "Mapping",
    "Origin",
    "Parameter",
    "Profile",
    "Response",
    "Safety",
    "build",
    "differences",
    "digest",
    "encode",
    "format_document",
    "normalize",
    "origins",
    "project",
    "projection",
    "set_digest",
]
