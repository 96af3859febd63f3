"""Reading documents and the files they are in, strictly and within bounds (R-DOC, R-PKG-2)."""

from extpkg.document.document import Document
from extpkg.document.strict_json import parse_answer, parse_json
from extpkg.document.strict_yaml import parse_document

__all__ = ["Document", "parse_answer", "parse_document", "parse_json"]
