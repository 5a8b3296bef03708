"""Runs a script or notebook that was written for Keras 2.

TensorFlow takes `tf.keras` from the package tf_keras, which is Keras 2, when TF_USE_LEGACY_KERAS is
1. `import keras` gives tf_keras as well, and optimizers take `lr=` and `decay=` as they did.
"""

import ast
import json
import linecache
import os
import re
import sys
import tokenize
import traceback
from collections.abc import Callable
from importlib import import_module, metadata
from importlib.abc import Loader, MetaPathFinder
from importlib.util import find_spec, spec_from_loader
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from golois.course.keras_3 import KERAS_2, OPTIMIZERS, USE_KERAS_2, advice, hint
from golois.errors import ArgumentError
from golois.kit.command import EXIT_INTERRUPTED, plain_output

LAST_TENSORFLOW, LAST_PYTHON = (2, 21), (3, 13)
"""The last that tf_keras, which is no longer developed, works with."""
OF_PYTHON = ("capture", "time", "timeit")
"""Magics whose cell is Python."""


def use_keras_2() -> None:
    """Let `keras` and `tf.keras` be Keras 2 from here on, as in the first cell of a notebook.

    Raises ArgumentError: no tf_keras of this TensorFlow is installed, or Keras was imported before.
    """
    if find_spec(KERAS_2) is None:
        raise ArgumentError(f"Keras 2 is not installed; {_remedy()}")
    if "keras" in sys.modules and not any(isinstance(f, _KerasIsKeras2) for f in sys.meta_path):
        raise ArgumentError("Keras is imported already: restart, and call this before any import")
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    finder = _KerasIsKeras2()
    sys.meta_path.insert(0, finder)
    try:
        optimizers = import_module(f"{KERAS_2}.optimizers")
    except (ImportError, AttributeError) as error:
        sys.meta_path.remove(finder)
        del os.environ["TF_USE_LEGACY_KERAS"]
        raise ArgumentError(
            f"{_installed(KERAS_2)} cannot be imported with {_installed('tensorflow')}; {_remedy()}"
        ) from error
    _take_old_options(optimizers)


def run_with_keras_2(script: Path, arguments: list[str]) -> None:
    """Run a script or a notebook as `python script.py` does, with Keras 2.

    Raises ArgumentError: as in `use_keras_2`, or no script or notebook; OSError: the file can't be
    read; SystemExit: as the script raises it, or with code 1 after a traceback.
    """
    source = _source(script)
    main = ModuleType("__main__")
    main.__dict__.update(__file__=str(script), get_ipython=lambda: _Shell(main))
    use_keras_2()
    _say(f"{script.name} runs with Keras 2, the package {KERAS_2}")
    _advise(source, script.name)
    _say(f"or keep Keras 2 without this command: begin with `{USE_KERAS_2}`")
    folder = script.resolve().parent
    sys.meta_path.insert(0, _Adviser(folder))
    sys.argv = [str(script), *arguments]
    sys.path.insert(0, str(folder))
    sys.modules["__main__"] = main
    linecache.cache[str(script)] = (len(source), None, source.splitlines(True), str(script))
    try:
        with plain_output():
            exec(compile(source, str(script), "exec"), main.__dict__)
    except Exception as error:
        traceback.print_exception(error.with_traceback(_of_script(error.__traceback__, script)))
        if said := hint(error, str(script)):
            _say(said)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)


def _say(text: str) -> None:
    print(f"golois: {text}", file=sys.stderr)


def _advise(source: str, name: str) -> None:
    for line in advice(source, name):
        _say(line)
    if "TensorBoard(" in source and find_spec("tensorboard") is None:
        _say(f"{name} needs another package for TensorBoard: pip install tensorboard")


def _source(script: Path) -> str:
    try:
        if script.suffix == ".ipynb":
            return _source_of_notebook(script)
        with tokenize.open(script) as file:
            return file.read()
    except (SyntaxError, UnicodeDecodeError) as error:
        raise ArgumentError(f"{script}: expected Python source: {error}") from None


def _source_of_notebook(notebook: Path) -> str:
    try:
        cells = json.loads(notebook.read_text("utf-8"))["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError):
        raise ArgumentError(f"{notebook}: expected a notebook of Jupyter, version 4") from None
    return "\n".join(map(_python_of_cell, sources))


def _python_of_cell(cell: str) -> str:
    """A cell whose lines for the shell and for IPython are comments."""
    try:
        ast.parse(cell)
        return cell
    except SyntaxError:
        pass
    first, *rest = cell.splitlines()
    if magic := re.match(r"\s*%%(\w+)", first):
        _pass_over(first)
        return _python_of_cell("\n".join(rest)) if magic[1] in OF_PYTHON and rest else ""
    return "\n".join(map(_python_of_line, cell.splitlines()))


def _python_of_line(line: str) -> str:
    """`pass` for `!ls`, `%cd x` and `files = !ls`; any other line as it is."""
    found = re.match(r"(\s*)([\w.]+\s*=\s*)?([!%]\s*[\w./{].*|\?.*)$", line)
    if not found:
        return line
    _pass_over(found[3])
    return f"{found[1]}{found[2] or ''}{'None' if found[2] else 'pass'}  # {found[3]}"


def _pass_over(line: str) -> None:
    _say(f"skipped, since it is not Python: {line.strip()}")


class _Shell:
    """What `get_ipython()` gives to a notebook that was converted to a script."""

    def __init__(self, main: ModuleType):
        self._main = main

    def run_cell_magic(self, magic: str, line: str, cell: str) -> None:
        if magic in OF_PYTHON:
            exec(compile(cell, "<cell>", "exec"), self._main.__dict__)
        else:
            _pass_over(f"%%{magic} {line}")

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *arguments, **named: _pass_over(" ".join(map(str, arguments)))


def _take_old_options(optimizers: Any) -> None:
    """Let an optimizer with lr= or decay=, which today's ignores or refuses, be its older class."""
    for name in OPTIMIZERS:
        today, older = getattr(optimizers, name), getattr(optimizers.legacy, name)

        def make(cls, *arguments, _today=today, _older=older, **named):
            if cls is _today and not named.keys().isdisjoint(("lr", "decay")):
                return _older(*arguments, **named)
            return object.__new__(cls)

        today.__new__ = make


def _installed(package: str) -> str:
    try:
        return f"{package} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return package


def _remedy() -> str:
    version = re.search(r" (\d+)\.(\d+)", _installed("tensorflow"))
    return remedy(sys.version_info[:2], (int(version[1]), int(version[2])) if version else None)


def remedy(python: tuple[int, int], tensorflow: tuple[int, int] | None) -> str:
    """Say how to get the tf_keras for a Python and a TensorFlow, None if it isn't installed."""
    if python > LAST_PYTHON:
        return (
            f"it needs Python 3.11 to {_dotted(LAST_PYTHON)}, since the last {KERAS_2} needs "
            f"TensorFlow {_dotted(LAST_TENSORFLOW)}; this is Python {_dotted(python)}"
        )
    if tensorflow is None:
        return f"install it with `pip install {KERAS_2}`"
    version = _dotted(min(tensorflow, LAST_TENSORFLOW))
    older = f"tensorflow~={version}.0 " if tensorflow > LAST_TENSORFLOW else ""
    return f"install it with `pip install {older}{KERAS_2}~={version}.0`"


def _dotted(version: tuple[int, int]) -> str:
    return "{}.{}".format(*version)


def _of_script(frames: TracebackType | None, script: Path) -> TracebackType | None:
    while frames is not None and frames.tb_frame.f_code.co_filename != str(script):
        frames = frames.tb_next
    return frames


class _KerasIsKeras2(MetaPathFinder, Loader):
    """Imports `keras` and what is in it as tf_keras."""

    def find_spec(self, fullname, path=None, target=None):
        return spec_from_loader(fullname, self) if fullname.split(".")[0] == "keras" else None

    def exec_module(self, module):
        name = module.__name__
        sys.modules[name] = import_module(KERAS_2 + name.removeprefix("keras"))


class _Adviser(MetaPathFinder):
    """Reads each module of the script's folder before it is imported, and finds none itself."""

    def __init__(self, folder: Path):
        self._folder = folder

    def find_spec(self, fullname, path=None, target=None):
        last = fullname.rpartition(".")[2]
        for place in filter(None, path or (self._folder,)):
            for file in (Path(place, f"{last}.py"), Path(place, last, "__init__.py")):
                if file.is_file() and file.is_relative_to(self._folder):
                    _advise(_source(file), str(file.relative_to(self._folder)))
                    return None
        return None
