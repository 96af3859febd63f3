"""The kinds of paths on the command line: text that nothing touches before the command does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    ParamType = click.ParamType[str]
else:  # click 8.2 has no parameter here
    ParamType = click.ParamType


class PathName(ParamType):
    """A path as it was typed; the shell completes names of the given kind (`file` or `dir`)."""

    name = "path"

    def __init__(self, completed: str) -> None:
        self._completed = completed

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's signature
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """Leave it to the shell, unless it is the name of a Builtin."""
        from click.shell_completion import CompletionItem

        if self._completed == "dir" and incomplete.startswith("@"):
            from extpkg import resources

            names = [f"@{domain}" for domain in sorted(resources.registered_builtins())]
            return [CompletionItem(name) for name in names if name.startswith(incomplete)]
        return [CompletionItem(incomplete, type=self._completed)]


DIRECTORY: Final = PathName("dir")
FILE: Final = PathName("file")
