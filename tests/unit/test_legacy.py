"""`python -m golois legacy SCRIPT`: the script runs as if directly, with Keras 2."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from golois import legacy
from golois.__main__ import main
from golois.legacy import advice
from tests.data import ROOT

SCRIPT = """
import json, os, sys
import keras, keras.layers
from keras import layers
from keras.layers import Dense
import __main__
import beside

print(json.dumps([
    sys.argv, __name__, __file__, __main__.Dense is Dense, os.environ["TF_USE_LEGACY_KERAS"],
    keras.__name__, layers.__name__, Dense, sys.modules["keras.layers"] is layers, beside.NAME,
]))
if sys.argv[-1] == "fail":
    raise ValueError("of the script")
sys.exit(3)
"""


@pytest.fixture
def folder(tmp_path) -> Path:
    """A script, a module beside it, and a package that stands for tf_keras, which takes long."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "old.py").write_text(SCRIPT)
    (tmp_path / "code" / "beside.py").write_text("NAME = 'beside'\n")
    (tmp_path / "installed" / "tf_keras").mkdir(parents=True)
    (tmp_path / "installed" / "tf_keras" / "__init__.py").write_text("")
    (tmp_path / "installed" / "tf_keras" / "layers.py").write_text("Dense = 'of Keras 2'\n")
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    paths = os.pathsep.join([str(folder / "installed"), str(ROOT)])
    return subprocess.run(
        [sys.executable, "-m", "golois", "legacy", "code/old.py", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )


def test_a_script_runs_as_if_directly_with_keras_2(folder):
    done = run(folder, "--lr", "-h", "--", "2")
    assert done.returncode == 3, done.stderr
    assert done.stdout == (
        '[["code/old.py", "--lr", "-h", "--", "2"], "__main__", "code/old.py", true, "1", '
        '"tf_keras", "tf_keras.layers", "of Keras 2", true, "beside"]\n'
    )
    assert done.stderr.splitlines() == [f"golois: {line}" for line in advice(SCRIPT, "old.py")]


def test_an_error_of_the_script_is_shown_from_the_script_on(folder):
    done = run(folder, "fail")
    assert done.returncode == 1
    traceback = done.stderr[done.stderr.index("Traceback") :].splitlines()
    assert traceback[1].startswith('  File "code/old.py", line ')
    assert traceback[-1] == "ValueError: of the script"
    assert "runpy" not in done.stderr


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("SGD(momentum=0.9,\n    lr=0.1)", "lr= write learning_rate=: old.py:2"),
        ("Adam(decay=1e-4)", "decay= write learning_rate= with a schedule of keras.optimizers.sc"),
        ("keras.optimizers.legacy.SGD(1)", "keras.optimizers.legacy.SGD write the optimizer of"),
        ("model.optimizer.lr = 0.1", "model.optimizer.lr write optimizer.learning_rate: old"),
        ("model.fit_generator(g)", "model.fit_generator write fit, evaluate or predict"),
        ("y = tf.nn.swish(x)", "tf.nn.swish write a layer, such as layers.Activation(…): old.py:1"),
        ("y = tf.concat([x, x], -1)", "tf.concat write a layer, such as layers.Add() or"),
        ("from tensorflow.keras import backend as K", "tensorflow.keras.backend write keras.ops"),
        ("from keras.layers.merge import add", "keras.layers.merge.add write keras.layers: old"),
        ("from keras.utils import np_utils", "keras.utils.np_utils write keras.utils: old.py:1"),
        ("m.save_weights('a.h5')", "m.save_weights write the same with a name that ends in .wei"),
        ("SGD(lr=1)\nSGD(lr=1)\nSGD(lr=1)", "lr= write learning_rate=: old.py:1, 2, 3"),
    ],
)
def test_it_says_what_to_write_for_keras_3(source, words):
    first, said, last = advice(source, "old.py")
    assert f"for Keras 3, in place of {words}" in said
    assert first == "old.py runs with Keras 2, the package tf_keras"
    assert 'os.environ["TF_USE_LEGACY_KERAS"] = "1"' in last


@pytest.mark.parametrize("source", ["lr = 0.1\nSGD(learning_rate=lr)", "tf.random.set_seed(1)"])
def test_what_keras_3_takes_is_not_named(source):
    assert len(list(advice(source, "old.py"))) == 2


def test_a_script_that_is_no_python_is_left_to_python():
    assert list(advice("print 1", "old.py")) == ["old.py runs with Keras 2, the package tf_keras"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing.py", "missing.py: No such file"),
        (".", ".: Is a directory"),
        ("old.ipynb", "expected a script: got a notebook; make a script of it with `jupyter"),
        ("latin.py", "latin.py: expected Python source: invalid or missing encoding"),
        ("old.py", "Keras 2 is not installed; install it with `pip install tf_keras"),
    ],
)
def test_what_cannot_run_is_one_sentence_and_code_2(tmp_path, monkeypatch, capsys, name, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(legacy, "find_spec", lambda name: None)
    (tmp_path / "old.py").write_text("print(1)")
    (tmp_path / "latin.py").write_bytes(b"print('\xe9')")
    assert main(["legacy", name]) == 2
    output = capsys.readouterr()
    assert words in output.err and output.err.count("\n") == 1
    assert output.err.startswith("golois: ") and output.out == ""
