"""Files that Keras wrote, made once a session, and the judge of hostile ones."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from keras_files import HAS_KERAS_2

from tests.data import ROOT
from tests.integration.intake.hostile import reason
from tournament.intake import judge


@pytest.fixture(scope="session")
def keras_files(tmp_path_factory) -> Path:
    """The folder with NAME.h5 and NAME.npz of every network of keras_files.py."""
    folder = tmp_path_factory.mktemp("keras_files")
    script = Path(__file__).with_name("keras_files.py")
    writers = [
        subprocess.Popen(
            [sys.executable, str(script), str(folder), version],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        for version in (("3", "2") if HAS_KERAS_2 else ("3",))
    ]
    for writer in writers:
        _, errors = writer.communicate(timeout=300)
        assert writer.returncode == 0, errors[-2000:]
    return folder


@pytest.fixture
def victim(keras_files, tmp_path) -> Path:
    """A good file of its own for each test, to be spoiled."""
    path = tmp_path / "net.h5"
    shutil.copy(keras_files / "resnet.h5", path)
    return path


@pytest.fixture
def refusal(tmp_path) -> Callable[[Path], str]:
    """Judges what should be refused, and returns the faults; nothing is written."""

    def judged(path: Path) -> str:
        before = sorted(tmp_path.rglob("*"))
        verdict = judge(path, work_dir=tmp_path / "work")
        assert sorted(tmp_path.rglob("*")) == before
        return reason(verdict)

    return judged
