"""Who may import whom, in Python and in csrc: the table of docs/architecture.md, held."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.data import ROOT

# What each file or folder may import besides the standard library and itself; the longest match
# counts.
MAY_IMPORT = {
    "golois": {"numpy"},
    "golois/__main__.py": {"numpy", "rich"},
    "golois/feeds.py": {"numpy", "keras", "tensorflow"},
    "golois/build_ffi.py": {"cffi"},
    "models": {"keras", "numpy", "golois.shapes", "golois.irreps"},
    "models/evaluation": {"keras", "numpy", "golois", "matplotlib", "rich"},
    "models/training": {
        "keras", "numpy", "golois.shapes", "golois.irreps", "matplotlib", "rich",
    },
    "models/training/cpu_layers.py": {"keras", "tensorflow"},
    "models/training/hdf5.py": {"h5py"},
    "tournament": {"numpy", "golois", "rich"},
    "tournament/intake": {"numpy", "golois", "onnx", "h5py"},
    "tournament/running/ray_cluster.py": {"numpy", "golois", "rich", "ray"},
    "tournament/networks/runtimes": {"numpy", "onnxruntime", "openvino"},
    "tournament/review/pictures.py": {"numpy", "golois", "matplotlib"},
    "tournament/server": {"numpy", "golois", "rich", "fastapi", "starlette", "uvicorn"},
    "sweeps": {"numpy", "golois", "models", "tournament", "matplotlib", "rich"},
    "train.py": {"golois", "models", "keras", "numpy", "matplotlib", "rich"},
    "evaluate.py": {"golois", "models", "keras", "numpy", "matplotlib", "rich"},
    "submit.py": {"golois", "tournament", "models.contract", "rich"},
    "sweep.py": {"golois", "models", "tournament", "sweeps", "rich"},
    "setup.py": {"setuptools"},
}

# What each concept of csrc may include: these, and whatever these may include. The C surface,
# abi_*, may include everything.
MAY_INCLUDE = {
    "point": (),
    "rng": (),
    "error": (),
    "decimal": (),
    "zobrist": ("point", "rng"),
    "symmetry": ("point",),
    "board": ("zobrist",),
    "position": ("board",),
    "life": ("board",),
    "score": ("life",),
    "ladder": ("board",),
    "ladder_memory": ("ladder",),
    "features": ("position", "ladder_memory", "symmetry"),
    "record": ("point", "error"),
    "replay": ("position", "record"),
    "share_out": (),
    "dataset": ("features", "replay", "score", "share_out"),
    "candidates": ("position", "score"),
    "arena": (),
    "nodes": ("arena", "ladder_memory"),
    "puct": ("nodes",),
    "root_policy": ("rng",),
    "evaluation_cache": ("point",),
    "tree": ("candidates", "features", "puct", "root_policy", "evaluation_cache", "error"),
    "recorded_game": ("record", "decimal"),
    "drop": ("error",),
    "games_text": ("recorded_game", "drop"),
    "sgf": ("recorded_game", "drop"),
    "splitter": ("decimal",),
    "packer": ("board", "recorded_game", "drop"),
    "seen_games": ("recorded_game", "rng", "symmetry"),
    "importer": ("games_text", "sgf", "splitter", "packer", "seen_games", "share_out"),
    "golois_abi": (),
    "golois": ("golois_abi",),
    "status": ("golois", "error"),
}

ROOMS = ("golois", "models", "tournament", "sweeps")
CSRC = ROOT / "golois" / "csrc"
SOURCES = sorted([*ROOT.glob("*.py"), *(p for room in ROOMS for p in (ROOT / room).rglob("*.py"))])
SOURCES_AND_BENCHMARKS = [*SOURCES, *sorted((ROOT / "benchmarks").rglob("*.py"))]
BELOW_SURFACE = sorted(
    path
    for suffix in ("h", "hpp", "cpp")
    for path in CSRC.glob(f"*.{suffix}")
    if not path.name.startswith("abi_")
)


def from_root(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports_of(source: str) -> Iterator[str]:
    """Every module that a source imports, also lazily, inside functions and by a literal name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the room they import from"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and node.args:
            function = node.func
            name = getattr(function, "attr", getattr(function, "id", ""))
            if name in ("import_module", "__import__") and isinstance(node.args[0], ast.Constant):
                yield str(node.args[0].value)


def is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def forbidden_imports(relative: str, source: str) -> list[str]:
    """The imports of a source that the table does not allow."""
    rules = [rule for rule in MAY_IMPORT if relative == rule or relative.startswith(rule + "/")]
    assert rules, f"{relative} has no row in MAY_IMPORT"
    room = relative.split("/")[0]
    allowed = MAY_IMPORT[max(rules, key=len)] | ({room} if room in ROOMS else set())
    return [
        module
        for module in imports_of(source)
        if module.split(".")[0] not in sys.stdlib_module_names
        and not any(is_within(module, package) for package in allowed)
    ]


@pytest.mark.parametrize("path", SOURCES, ids=from_root)
def test_python_imports_only_what_its_room_may(path):
    assert forbidden_imports(from_root(path), path.read_text("utf-8")) == []


@pytest.mark.parametrize("path", SOURCES_AND_BENCHMARKS, ids=from_root)
def test_nothing_imports_the_scripts_or_the_tests(path):
    modules = {module.split(".")[0] for module in imports_of(path.read_text("utf-8"))}
    assert not modules & {"train", "evaluate", "submit", "sweep", "setup", "tests", "benchmarks"}


@pytest.mark.parametrize(
    ("relative", "source", "found"),
    [
        ("golois/a.py", "import numpy, os.path, golois.board", []),
        ("golois/a.py", "def f():\n    from tournament import game", ["tournament.game"]),
        ("golois/a.py", "from rich.progress import track", ["rich.progress.track"]),
        ("golois/__main__.py", "from rich.progress import track", []),
        ("models/a.py", "from golois.shapes import PASS\nimport golois.board", ["golois.board"]),
        ("models/a.py", "from golois import shapes, board", ["golois.board"]),
        ("tournament/a.py", "if True:\n    import keras.ops", ["keras.ops"]),
        ("tournament/a.py", "import_module('tensorflow')", ["tensorflow"]),
        ("tournament/a.py", "import h5py, models", ["h5py", "models"]),
        ("tournament/intake/a.py", "import h5py", []),
        ("tournament/review/a.py", "import matplotlib", ["matplotlib"]),
        ("tournament/server/a.py", "from fastapi import FastAPI", []),
        ("tournament/a.py", "import uvicorn", ["uvicorn"]),
        ("submit.py", "from models.contract import PARAM_BUDGET\nimport models", ["models"]),
    ],
)
def test_the_reader_finds_forbidden_imports(relative, source, found):
    assert forbidden_imports(relative, source) == found


def test_golois_is_imported_without_keras_and_tensorflow():
    check = "import sys, golois.feeds; sys.exit(bool({'keras', 'tensorflow'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", check], cwd=ROOT).returncode == 0


def includes_of(path: Path) -> set[str]:
    """The concepts whose headers a native source includes."""
    names = re.findall(r'^\s*#\s*include\s*"([^"]+)"', path.read_text("utf-8"), re.MULTILINE)
    return {Path(name).stem for name in names}


def reachable_from(concept: str) -> set[str]:
    """The concepts that one may include, directly or through others."""
    direct = MAY_INCLUDE[concept]
    return set(direct).union(*(reachable_from(below) for below in direct))


@pytest.mark.parametrize("path", BELOW_SURFACE, ids=lambda path: path.name)
def test_native_sources_include_only_what_lies_below(path):
    assert path.stem in MAY_INCLUDE, f"{path.name} has no row in MAY_INCLUDE"
    assert includes_of(path) - {path.stem} <= reachable_from(path.stem)


def test_every_row_of_the_native_table_is_a_source():
    assert set(MAY_INCLUDE) == {path.stem for path in BELOW_SURFACE}
