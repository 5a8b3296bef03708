"""The names of `golois`, which are imported when they are first used."""

import subprocess
import sys

import pytest

import golois
from tests.data import ROOT


@pytest.mark.parametrize("name", golois.__all__)
def test_a_name_is_what_its_module_has(name):
    value = getattr(golois, name)
    modules = [module for path, module in sys.modules.items() if path.startswith("golois.")]
    assert any(getattr(module, name, None) is value for module in modules)
    assert name in dir(golois)


def test_a_script_of_the_course_finds_its_calls():
    script = "import golois; print(golois.getBatch.__module__, golois.NUM_PLANES)"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "golois.course.calls 31\n"


def test_a_star_imports_all_names():
    names: dict = {}
    exec("from golois import *", names)
    assert set(golois.__all__) <= set(names)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'getbatch'"):
        golois.getbatch  # noqa: B018
    with pytest.raises(ImportError, match="getbatch"):
        exec("from golois import getbatch")


@pytest.mark.parametrize(("loaded", "num_lines"), [("import keras", 1), ("", 0)])
def test_an_error_of_keras_has_a_line_of_the_kit_after_it(tmp_path, loaded, num_lines):
    (tmp_path / "keras.py").write_text("")
    (tmp_path / "old.py").write_text(
        f"import golois\n{loaded}\nraise ValueError(\"Argument(s) not recognized: {{'lr': 1}}\")"
    )
    command = [sys.executable, "old.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    after = done.stderr.partition("ValueError: ")[2].splitlines()[1:]
    said = "golois: if the script is for Keras 2, run `python -m golois legacy old.py`"
    assert after == [said] * num_lines
