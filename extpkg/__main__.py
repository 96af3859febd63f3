"""`python -m extpkg`: the command line, without the current directory on the module path."""

import os
import sys


def _leave_out_current_directory() -> None:
    """Undo what `-m` does: a `yaml.py` that lies in the current directory is not to be imported."""
    if sys.flags.safe_path or not sys.path:
        return
    try:
        here = os.getcwd()  # noqa: PTH109 - pathlib is not worth its import here
    except OSError:
        here = ""
    if sys.path[0] in {"", here}:
        del sys.path[0]


if __name__ == "__main__":
    _leave_out_current_directory()
    from extpkg.cli.main import run

    sys.exit(run())
