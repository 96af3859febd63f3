"""What changed between two Definitions, what that means for whoever calls them, and what shows it."""

from extpkg.diff.change import Change, Impact, Shows, Witness
from extpkg.diff.compare import bump_due, compare
from extpkg.diff.differences import Kind

__all__ = ["Change", "Impact", "Kind", "Shows", "Witness", "bump_due", "compare"]
