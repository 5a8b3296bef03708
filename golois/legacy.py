"""Runs a script that was written for Keras 2, and says what to write in it for Keras 3.

TensorFlow takes `tf.keras` from the package tf_keras, which is Keras 2, when
TF_USE_LEGACY_KERAS is 1. Here `import keras` gives tf_keras as well.
"""

import ast
import os
import re
import runpy
import sys
import tokenize
import traceback
from collections.abc import Iterator
from importlib import import_module, metadata
from importlib.abc import Loader, MetaPathFinder
from importlib.util import find_spec, spec_from_loader
from pathlib import Path
from types import TracebackType

from golois.errors import ArgumentError

KERAS_2 = "tf_keras"
INTERRUPTED = 130

IN_PLACE_OF = (
    (r"lr=", "learning_rate="),
    (r"decay=", "learning_rate= with a schedule of keras.optimizers.schedules"),
    (r".*\.optimizers?\.legacy\..*", "the optimizer of keras.optimizers"),
    (r".*\.optimizer\.lr", "optimizer.learning_rate"),
    (r".*\.(fit|evaluate|predict)_generator", "fit, evaluate or predict"),
    (r"(tf|tensorflow)\.(nn|math|image)\.\w+", "a layer, such as layers.Activation(…)"),
    (
        r"(tf|tensorflow)\.(add|concat|matmul|multiply|pad|reduce_\w+|reshape|split|transpose)",
        "a layer, such as layers.Add() or layers.Concatenate()",
    ),
    (r".*\bkeras\.backend\b.*", "keras.ops"),
    (r".*\bkeras\.layers\.(convolutional|core|merge|normalization)\b.*", "keras.layers"),
    (r".*\bnp_utils\b.*", "keras.utils"),
    (r".*\.save_weights|save_weights_only=", "the same with a name that ends in .weights.h5"),
)
"""What Keras 3 refuses or drops, as `_spellings` gives it, and what to write for it."""


def run_with_keras_2(script: Path, arguments: list[str]) -> None:
    """Run a script as `python script.py` does, with Keras 2 as `tf.keras` and as `keras`.

    Raises:
        ArgumentError: tf_keras is not installed, or the script is a notebook or no text.
        OSError: the script can't be read.
        SystemExit: as the script raises it; with code 1 after the traceback of its error.
    """
    if script.suffix == ".ipynb":
        raise ArgumentError(
            f"{script}: expected a script: got a notebook; "
            f"make a script of it with `jupyter nbconvert --to script {script}`"
        )
    source = _source(script)
    if find_spec(KERAS_2) is None:
        raise ArgumentError(f"Keras 2 is not installed; install it with `{_installation()}`")
    for line in advice(source, script.name):
        print(f"golois: {line}", file=sys.stderr)
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    sys.meta_path.insert(0, _KerasIsKeras2())
    sys.argv = [str(script), *arguments]
    sys.path.insert(0, str(script.resolve().parent))
    try:
        runpy.run_path(str(script), run_name="__main__")
    except Exception as error:
        traceback.print_exception(error.with_traceback(_of_script(error.__traceback__, script)))
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _source(script: Path) -> str:
    try:
        with tokenize.open(script) as file:
            return file.read()
    except (SyntaxError, UnicodeDecodeError) as error:
        raise ArgumentError(f"{script}: expected Python source: {error}") from None


def advice(source: str, name: str) -> Iterator[str]:
    """What to write in a script so that it runs without this module, a line each."""
    yield f"{name} runs with Keras 2, the package {KERAS_2}"
    try:
        found = sorted(_spellings(ast.parse(source)))
    except SyntaxError:  # which running the script reports
        return
    for pattern, instead in IN_PLACE_OF:
        matches = [(line, text) for line, text in found if re.fullmatch(pattern, text)]
        if matches:
            lines = ", ".join(map(str, sorted({line for line, _ in matches})))
            yield f"for Keras 3, in place of {matches[0][1]} write {instead}: {name}:{lines}"
    yield (
        'or keep Keras 2 without this command: os.environ["TF_USE_LEGACY_KERAS"] = "1" above the '
        f"imports, and {KERAS_2} in place of keras"
    )


def _spellings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Keywords of calls, dotted names and imported names, each with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from ((key.value.lineno, f"{key.arg}=") for key in node.keywords if key.arg)
        elif isinstance(node, ast.Attribute):
            yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def _installation() -> str:
    """The command that installs the tf_keras that goes with the TensorFlow that is installed."""
    try:
        major, minor, *_ = metadata.version("tensorflow").split(".")
    except metadata.PackageNotFoundError:
        return f"pip install {KERAS_2}"
    return f"pip install {KERAS_2}~={major}.{minor}.0"


def _of_script(frames: TracebackType | None, script: Path) -> TracebackType | None:
    """The frames from the script's own on."""
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
