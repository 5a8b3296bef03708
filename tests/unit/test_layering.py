"""Who may import whom, in Python and in csrc: the two tables of docs/maintainer/layers.md, held."""

import ast
import re
import subprocess
import sys
from collections.abc import Collection, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from tests.data import ROOT

DOCUMENT = ROOT / "docs" / "maintainer" / "layers.md"
ALWAYS = sys.stdlib_module_names | {"typing_extensions"}
ROOMS = ("golois", "models", "tournament", "selfplay", "papers")
CSRC = ROOT / "golois" / "csrc"
CORE = "golois._native"


def table(title: str) -> dict[str, list[str]]:
    """The names in the first two columns of the table whose first column has this title."""
    lines = iter(DOCUMENT.read_text("utf-8").splitlines())
    next(line for line in lines if line.startswith(f"| {title} |"))
    next(lines)  # the rule below the titles
    rows = {}
    for line in lines:
        if not line.startswith("|"):
            break
        names, allowed = (re.findall(r"`([^`]+)`", cell) for cell in line.split("|")[1:3])
        assert names, line
        for name in names:
            assert name not in rows, line
            rows[name] = [named for text in allowed for named in _named(text, rows)]
    return rows


def _named(text: str, above: Collection[str]) -> list[str]:
    """What a cell names; `package.*` names the rows of the package above."""
    package = text.removesuffix(".*")
    return [text] if text == package else [row for row in above if is_within(row, package)]


def is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


MAY_IMPORT = table("module")
MAY_INCLUDE = table("room")


def sources(*folders: str) -> Iterator[tuple[str, str]]:
    """Every Python source of the scripts and of these folders: its dotted name and its text."""
    inner = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    for path in sorted([*ROOT.glob("*.py"), *inner]):
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield ".".join(parts).removesuffix(".__init__"), path.read_text("utf-8")


@cache
def nodes_of(source: str) -> tuple[ast.AST, ...]:
    """A source's syntax, which several tests walk through."""
    return tuple(ast.walk(ast.parse(source)))


def imports_of(source: str) -> Iterator[str]:
    """Every module that a source imports, also lazily, inside functions and by a literal name."""
    for node in nodes_of(source):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the package they import from"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and node.args:
            function = node.func
            name = getattr(function, "attr", getattr(function, "id", ""))
            if name in ("import_module", "__import__") and isinstance(node.args[0], ast.Constant):
                yield str(node.args[0].value)


def row_of(module: str) -> str | None:
    """The row that a module belongs to: the longest that matches."""
    return max((row for row in MAY_IMPORT if is_within(module, row)), key=len, default=None)


def forbidden_imports(module: str, source: str) -> list[str]:
    """The imports of a module that the table does not allow; all of them where it has no row."""
    row = row_of(module)
    allowed = [] if row is None else [row, *MAY_IMPORT[row]]
    return [
        imported
        for imported in imports_of(source)
        if imported.split(".")[0] not in ALWAYS
        and not any(is_within(imported, name) for name in allowed)
    ]


def test_a_module_imports_only_what_its_row_allows():
    found = {module: forbidden_imports(module, source) for module, source in sources(*ROOMS)}
    assert {module: imports for module, imports in found.items() if imports} == {}


def test_a_row_allows_only_rows_above_it():
    """Which leaves no place for a cycle, and names nothing that is not there."""
    modules = [module for module, _ in sources(*ROOMS)]
    above: set[str] = set()
    for row, allowed in MAY_IMPORT.items():
        assert any(is_within(module, row) for module in modules), f"{row} is no module"
        for name in (name for name in allowed if name.split(".")[0] in ROOMS and name != CORE):
            owner = row_of(name)
            needed = {owner} if owner else {other for other in MAY_IMPORT if is_within(other, name)}
            assert needed and needed <= above, f"{row} may not import {name}: it is not above"
        above.add(row)


def imported_modules(module: str, source: str, known: Collection[str]) -> set[str]:
    """The modules of the kit that one imports; of `from module import name` the module."""
    names = [imported.split(".") for imported in imports_of(source)]
    prefixes = ([".".join(parts[:size]) for size in range(len(parts), 0, -1)] for parts in names)
    found = (next((name for name in longest if name in known), module) for longest in prefixes)
    return set(found) - {module}


def test_no_module_imports_itself_through_others():
    """Nor from within a function or for its annotations, which hides the cycle."""
    texts = dict(sources(*ROOMS))
    graph = {module: imported_modules(module, text, texts) for module, text in texts.items()}
    TopologicalSorter(graph).prepare()  # raises CycleError


def test_nothing_imports_the_scripts_or_the_tests():
    outside = {"train", "evaluate", "submit", "sweep", "setup", "tests", "benchmarks"}
    for module, source in sources(*ROOMS, "benchmarks"):
        imported = {name.split(".")[0] for name in imports_of(source)}
        assert imported & outside <= {module.split(".")[0]} & {"benchmarks"}, module


def test_the_reader_finds_forbidden_imports():
    for module, source, found in (
        ("golois.a", "import numpy, os.path, golois.go.board", []),
        ("golois.a", "def f():\n    from tournament import game", ["tournament.game"]),
        ("golois.a", "from rich.progress import track", ["rich.progress.track"]),
        ("golois.__main__", "from rich.progress import track", []),
        ("models.training.a", "import golois.constants, golois.go.board", ["golois.go.board"]),
        ("models.training.a", "import_module('tensorflow')", ["tensorflow"]),
        ("tournament.game.a", "if True:\n    import keras.ops", ["keras.ops"]),
        ("tournament.game.a", "import h5py, models", ["h5py", "models"]),
        ("tournament.game.a", "from tournament import errors, league", ["tournament.league"]),
        ("tournament.intake.a", "import numpy, onnx", ["onnx"]),
        ("tournament.intake.a", "import tournament.game", ["tournament.game"]),
        ("tournament.review.a", "import matplotlib", ["matplotlib"]),
        ("tournament.server.a", "from fastapi import FastAPI", []),
        ("tournament.running.a", "import uvicorn", ["uvicorn"]),
        ("tournament.new", "import tournament.errors", ["tournament.errors"]),
        ("submit", "from models.contract import PARAM_BUDGET\nimport models", ["models"]),
    ):
        assert forbidden_imports(module, source) == found, source


def test_golois_is_imported_without_keras_and_tensorflow():
    seen = "{'keras', 'tensorflow'} & set(sys.modules)"
    check = f"import sys, golois.data.feeds; sys.exit(bool({seen}))"
    assert subprocess.run([sys.executable, "-c", check], cwd=ROOT).returncode == 0


def core_files() -> Iterator[tuple[str, list[str]]]:
    """Each file of the core's rooms, as `room/concept`, and the concepts that it includes."""
    for path in CSRC.rglob("*.*"):
        if path.parent.name in ("tests", "fuzz"):
            continue
        lines = re.findall(r'^\s*#\s*include\s*"([^"]+)"', path.read_text("utf-8"), re.MULTILINE)
        included = [Path(line).with_suffix("").as_posix() for line in lines]
        yield path.relative_to(CSRC).with_suffix("").as_posix(), included


def test_native_sources_include_only_what_lies_below():
    rooms = set()
    for concept, included in core_files():
        room = concept.partition("/")[0]
        rooms.add(room)
        allowed = {room, *MAY_INCLUDE[room]}
        assert {name.partition("/")[0] for name in included} <= allowed, concept
    assert rooms == set(MAY_INCLUDE)


def test_lines_of_the_core_have_at_most_100_columns():
    sources = [path for path in CSRC.rglob("*.*") if path.suffix in (".cpp", ".hpp", ".h")]
    lines = [line for path in sources for line in path.read_text("utf-8").splitlines()]
    assert len(lines) > 10_000 and max(map(len, lines)) <= 100


def test_a_room_includes_only_rooms_above_it():
    above: set[str] = set()
    for room, allowed in MAY_INCLUDE.items():
        assert set(allowed) <= above, room
        above.add(room)


def test_no_native_source_includes_itself_through_others():
    graph: dict[str, set[str]] = {}
    for concept, included in core_files():
        graph.setdefault(concept, set()).update(set(included) - {concept})
    TopologicalSorter(graph).prepare()  # raises CycleError


def test_an_image_has_nothing_that_git_ignores_in_the_root():
    """Among these are leagues, and the files of tokens."""
    ignored = (ROOT / ".gitignore").read_text().split()
    folders = {line.strip("/") for line in ignored if line.startswith("/")}
    left_out = set((ROOT / ".dockerignore").read_text().split("\n"))
    assert {"league", "runs"} <= folders <= left_out
    assert {f"**/{line.strip('/')}" for line in ignored if line.startswith("*.")} <= left_out
