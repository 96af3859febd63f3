"""The shape of the project: sizes, names, import directions, and what must not stand in any tracked file."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from extpkg.cli.group import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted((ROOT / "extpkg").rglob("*.py"))

FORBIDDEN_NAMES = {"utils", "helpers", "common", "base", "core", "types"}
FORBIDDEN_CLASSES = re.compile(r"(Manager|Handler|Service|Context|Factory|Processor)$")
NETWORK = {"anyio", "asyncio", "h11", "http.client", "httpcore", "httpx", "socket", "ssl", "urllib.request"}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(tree: ast.Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function without its docstring."""
    first = node.body[0]
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    docstring = (first.end_lineno or 0) - first.lineno + 1 if is_text else 0
    return (node.end_lineno or 0) - node.lineno + 1 - docstring


PUBLIC = {"ainvoke", "invoke"}
"""What callers name is as wide as what they may say."""

FOREIGN = {"extpkg/egress/foreign.py"}
"""Where code that a caller brings is run."""


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the parameters of a function; those of a command are its options, and click fills them in."""
    if any("click." in ast.unparse(decorator) for decorator in node.decorator_list):
        return 0
    arguments = node.args
    return len([*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs])


@pytest.mark.parametrize("module", MODULES, ids=relative)
def test_modules_keep_their_shape(module: Path) -> None:
    text = module.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert text.count("\n") <= 400 or relative(module).startswith("extpkg/check/rules/"), "rows may be many"
    assert len(module.relative_to(ROOT / "extpkg").parts) <= 3
    assert module.stem not in FORBIDDEN_NAMES
    assert [node.name for node in functions(tree) if length(node) > 45] == []
    wide = [node.name for node in functions(tree) if parameters(node) > 6 and node.name not in PUBLIC]
    assert wide == []
    classes = [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    assert [name for name in classes if FORBIDDEN_CLASSES.search(name)] == []
    assert ast.get_docstring(tree), "what is this module for?"


def test_exceptions_are_swallowed_at_the_outermost_surface_alone() -> None:
    for module in MODULES:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ExceptHandler):
                caught = ast.unparse(node.type) if node.type else "BaseException"
                broad = re.search(r"\b(Base)?Exception\b", caught)
                passes_on = isinstance(node.body[-1], ast.Raise) and node.body[-1].exc is None
                border = relative(module).startswith("extpkg/cli/") or relative(module) in FOREIGN
                assert not broad or passes_on or border, relative(module)


def test_importing_extpkg_is_cheap_and_offline() -> None:
    """Importing opens nothing and imports no network library, nor any heavy one."""
    script = (
        "import sys, extpkg, extpkg.errors, extpkg.diagnostic\n"
        "print(*sorted(name for name in sys.modules), sep='\\n')"
    )
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{script}"]
    loaded = set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())
    assert "extpkg" in loaded
    heavy = {"click", "jsonschema", "re2", "referencing", "rfc8785", "ruamel.yaml", "yaml"}
    assert loaded & (NETWORK | heavy) == set()


def test_using_the_offline_api_imports_no_network_library() -> None:
    script = (
        "import sys, extpkg\n"
        "for name in extpkg.__all__: getattr(extpkg, name)\n"
        f"extpkg.check_package({str(ROOT / 'packages' / 'arxiv')!r})\n"
        "print(*sorted(name for name in sys.modules), sep='\\n')"
    )
    command = [sys.executable, "-c", script]
    loaded = set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())
    assert loaded & {"anyio", "h11", "httpcore", "httpx", "urllib.request"} == set()


def test_imports_go_downward() -> None:
    """The contracts of pyproject.toml; a module without a place fails."""
    command = shutil.which("lint-imports", path=str(Path(sys.executable).parent))
    if command is None:
        pytest.skip("import-linter is not installed")
    done = subprocess.run([command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def tracked() -> list[Path]:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: nothing says which files are the project's")
    listed = subprocess.run([git, "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_tracked_files_speak_of_the_project_alone() -> None:
    """No path of a machine, no registry host, no note to self."""
    dot = r"\."
    places = [r"/home/\w", r"/root/", r"/Users/\w", rf"/{'work'}/", r"[A-Z]:\\\\Users"]
    hosts = [rf"pypi{dot}org", rf"pythonhosted{dot}org", rf"npmjs{dot}(com|org)", rf"registry{dot}npm"]
    notes = [r"\b(TODO|FIXME|XXX|HACK)\b"]
    pattern = re.compile("|".join(places + hosts + notes))
    found = []
    for path in tracked():
        if path == Path(__file__).resolve():
            continue
        lines = path.read_bytes().decode("utf-8", "replace").splitlines()
        found += [
            f"{relative(path)}:{number}: {line[:80]}"
            for number, line in enumerate(lines, 1)
            if pattern.search(line)
        ]
    assert found == []


def commands(text: str) -> list[str]:
    """Return the lines of every `sh` block."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line and not line.startswith("#")]


def test_ci_runs_exactly_the_test_command_of_the_readme() -> None:
    readme = commands((ROOT / "README.md").read_text(encoding="utf-8"))
    (test_command,) = [line for line in readme if "pytest" in line]
    script = ROOT / ".ci" / "run"
    if not script.is_file():
        pytest.skip("no .ci here: an unpacked sdist")
    assert f"\n{test_command} || exit 1\n" in script.read_text(encoding="utf-8")


PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")),
]


@pytest.mark.parametrize("page", PAGES)
def test_commands_in_the_pages_exist(page: str) -> None:
    """Every `extpkg` command that a page shows is one, and every link leads to a file."""
    text = (ROOT / page).read_text(encoding="utf-8")
    shown = set(re.findall(r"(?:^|[\s;&`(/])extpkg ([a-z]+)\b", "\n".join(commands(text)), re.MULTILINE))
    assert shown <= {entry.name for entry in COMMANDS}
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", text):
        assert ((ROOT / page).parent / target).exists(), target
