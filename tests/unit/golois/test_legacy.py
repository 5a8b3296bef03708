"""`python -m golois legacy SCRIPT`: the script runs as if directly, with Keras 2."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from golois import legacy
from golois.__main__ import main
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


OPTIMIZERS = """
class SGD:
    def __init__(self, learning_rate=0.01, **named):
        self.text = f"{kind} {{named.get('lr', learning_rate)}}"
    def __str__(self):
        return self.text
for name in ("Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "RMSprop"):
    globals()[name] = type(name, (), {{}})
if "{kind}" == "today":
    from tf_keras.optimizers import legacy
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
    (tmp_path / "installed" / "tf_keras" / "optimizers").mkdir()
    for name, kind in (("__init__", "today"), ("legacy", "older")):
        path = tmp_path / "installed" / "tf_keras" / "optimizers" / f"{name}.py"
        path.write_text(OPTIMIZERS.format(kind=kind))
    return tmp_path


def run(folder: Path, *arguments: str, script: str = "code/old.py") -> subprocess.CompletedProcess:
    paths = os.pathsep.join([str(folder / "installed"), str(ROOT)])
    return subprocess.run(
        [sys.executable, "-m", "golois", "legacy", script, *arguments],
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
    first, last = done.stderr.splitlines()
    assert first == "golois: old.py runs with Keras 2, the package tf_keras"
    assert "golois.legacy.use_keras_2()" in last


def test_an_optimizer_with_lr_or_decay_is_the_older_one(folder):
    (folder / "code" / "old.py").write_text(
        "from keras.optimizers import SGD\n"
        "print(SGD(lr=0.1), SGD(0.2, decay=1), SGD(learning_rate=0.3), SGD(0.4))\n"
    )
    done = run(folder)
    assert done.stdout == "older 0.1 older 0.2 today 0.3 today 0.4\n", done.stderr


def test_modules_of_the_project_are_read_when_they_are_imported(folder):
    nets = folder / "code" / "nets"
    nets.mkdir()
    (nets / "__init__.py").write_text("")
    (nets / "mine.py").write_text("def f(x):\n    return tf.nn.swish(x)\n")
    (folder / "installed" / "of_others.py").write_text("def g(x):\n    return tf.nn.relu(x)\n")
    (folder / "code" / "old.py").write_text(
        "import nets.mine, of_others\n"
        "open('code/late.py', 'w').write('def f(m):\\n    m.fit_generator()')\nimport late\n"
    )
    said = [line for line in run(folder).stderr.splitlines() if "in place of" in line]
    assert [line.rpartition(" ")[2] for line in said] == ["nets/mine.py:2", "late.py:2"]


NOTEBOOK = (
    ["!ls games.data\n", "%matplotlib inline\n", "from keras.layers import Dense\n"],
    ["%%time\n", "if Dense:\n", "    !pip install x\n", "files = !ls\n", "print(Dense, files)"],
    ["%%bash\n", "echo never\n"],
    ['print("""\n', '%s""" % 5)'],
    ["raise ValueError('of the last cell')"],
)


def test_a_notebook_runs_as_it_is(folder):
    cells = [{"cell_type": "code", "source": lines} for lines in NOTEBOOK]
    cells.insert(1, {"cell_type": "markdown", "source": ["# Not Python"]})
    (folder / "code" / "old.ipynb").write_text(json.dumps({"cells": cells}))
    done = run(folder, script="code/old.ipynb")
    assert done.stdout == "of Keras 2 None\n\n5\n"
    assert "    raise ValueError('of the last cell')\nValueError: of the last" in done.stderr
    passed_over = [
        line.rpartition(": ")[2] for line in done.stderr.splitlines() if "skipped" in line
    ]
    lines = ["!ls games.data", "%matplotlib inline", "%%time", "!pip install x", "!ls", "%%bash"]
    assert passed_over == lines


def test_a_converted_notebook_passes_over_what_is_not_python(folder):
    (folder / "code" / "old.py").write_text(
        "get_ipython().system('ls games.data')\nget_ipython().run_line_magic('cd', 'x')\n"
        "get_ipython().run_cell_magic('time', '', 'a = 3')\n"
        "get_ipython().run_cell_magic('bash', '', 'exit 4')\nprint(a)\n"
    )
    done = run(folder)
    assert done.stdout == "3\n"
    assert done.stderr.count("skipped, since") == 3


def test_an_error_of_the_script_is_shown_from_the_script_on(folder):
    done = run(folder, "fail")
    assert done.returncode == 1
    traceback = done.stderr[done.stderr.index("Traceback") :].splitlines()
    assert traceback[1].startswith('  File "code/old.py", line ')
    assert traceback[-1] == "ValueError: of the script"
    assert "runpy" not in done.stderr


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing.py", "missing.py: No such file"),
        (".", ".: Is a directory"),
        ("old.ipynb", "old.ipynb: expected a notebook of Jupyter, version 4"),
        ("latin.py", "latin.py: expected Python source: invalid or missing encoding"),
        ("old.py", f"Keras 2 is not installed; {legacy._remedy()}"),
    ],
)
def test_what_cannot_run_is_one_sentence_and_code_2(tmp_path, monkeypatch, capsys, name, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(legacy, "find_spec", lambda name: None)
    (tmp_path / "old.py").write_text("print(1)")
    (tmp_path / "old.ipynb").write_text('{"cells": [1]}')
    (tmp_path / "latin.py").write_bytes(b"print('\xe9')")
    assert main(["legacy", name]) == 2
    output = capsys.readouterr()
    assert words in output.err and output.err.count("\n") == 1
    assert output.err.startswith("golois: ") and output.out == ""


@pytest.mark.parametrize(
    ("python", "tensorflow", "said"),
    [
        ((3, 12), None, "install it with `pip install tf_keras`"),
        ((3, 13), (2, 20), "install it with `pip install tf_keras~=2.20.0`"),
        ((3, 13), (2, 22), "install it with `pip install tensorflow~=2.21.0 tf_keras~=2.21.0`"),
        (
            (3, 14),
            (2, 22),
            "it needs Python 3.11 to 3.13, since the last tf_keras needs TensorFlow 2.21; "
            "this is Python 3.14",
        ),
    ],
)
def test_the_remedy_fits_python_and_tensorflow(python, tensorflow, said):
    assert legacy.remedy(python, tensorflow) == said


def test_a_tf_keras_for_another_tensorflow_is_said_in_a_sentence(folder):
    """As pip installs version 2.15 on a Python that no later one has a TensorFlow for."""
    package = folder / "installed" / "tf_keras" / "optimizers" / "__init__.py"
    package.write_text("import sys\nsys.register_load_context_function\n")
    done = run(folder)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert re.match(r"golois: tf_keras.* cannot be imported with tensorflow.*; ", done.stderr)
