"""What publication asks of a whole package: its digest (R-META-7), its right to its domain (R-PKG-5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg import resources
from extpkg.check.members import lacks, text_at
from extpkg.check.metadata import is_digest
from extpkg.diagnostic import Finding, Place, quoted
from extpkg.document.files import META

if TYPE_CHECKING:
    from collections.abc import Iterator

PUBLICATION_CODES: Final = frozenset({"EXT0601", "EXT0602", "EXT0603", "EXT1101"})
"""Errors that leave every other value beyond doubt, so that a digest can be computed beside them."""


def check_digest_written(meta_value: Any) -> Iterator[Finding]:
    """Yield a finding (EXT0601) where `meta.yaml` has no digest; `check.metadata` judges its form."""
    if isinstance(meta_value, dict) and lacks(meta_value, "digest"):
        yield Finding(code="EXT0601", place=Place(path=META), message="the package has no digest")


def check_digest(meta_value: Any, computed: str) -> Iterator[Finding]:
    """Yield a finding (EXT0603) where the written digest is one, and not the computed one."""
    written = text_at(meta_value, "digest")
    if written is not None and is_digest(written) and written != computed:
        yield Finding(
            code="EXT0603",
            place=Place(path=META, pointer="/digest", label=f"computed: {computed}"),
            message="the digest is not that of this package",
        )


def check_registered(meta_value: Any, computed: str) -> Iterator[Finding]:
    """Yield a finding (EXT1101) where a registered domain is used by anything but the pinned Definition."""
    domain = text_at(meta_value, "domain")
    registered = resources.registered_builtins().get(domain) if domain is not None else None
    if registered is not None and computed != registered.definition_digest:
        yield Finding(
            code="EXT1101",
            place=Place(path=META, pointer="/domain"),
            message=f"the domain {quoted(domain)} belongs to a registered Builtin with another digest",
        )
