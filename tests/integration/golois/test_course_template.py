"""The course's own script, unchanged, trains on this loader and saves what a student hands in."""

import importlib.util
import math
import os
import subprocess
import sys

import h5py
import pytest

from tests.data import EMBEDDED_GAMES, ROOT

NUM_ROWS, EPOCHS = 512, 2
TF_KERAS = importlib.util.find_spec("tf_keras")


def without_tf_keras() -> pytest.MarkDecorator:
    return pytest.mark.skipif(TF_KERAS is None, reason="needs tf_keras")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("legacy", "package"),
    [("0", "keras."), pytest.param("1", "tf_keras.", marks=without_tf_keras())],
    ids=["keras 3", "tf_keras"],
)
def test_the_template_trains_evaluates_and_saves(tmp_path, legacy, package):
    (tmp_path / "games.data").symlink_to(EMBEDDED_GAMES)
    environment = {
        **os.environ,
        "TF_USE_LEGACY_KERAS": legacy,
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, ROOT / "tests" / "course_template.py", str(NUM_ROWS), str(EPOCHS)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    words = done.stdout.split()
    assert 1 < float(words[words.index("loss") + 1]) < math.log(361) + 1.5
    assert words[-1].startswith(package)
    kept = (tmp_path / "validation.data").read_text().split()
    assert len(kept) == NUM_ROWS + 1
    with h5py.File(tmp_path / "test.h5") as file:
        assert "model_config" in file.attrs
