"""Files that Keras wrote, made once a session, and the judge of hostile ones."""

import fcntl
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
    """The folder with NAME.h5 and NAME.npz of the networks that every run of the tests needs."""
    return _written(tmp_path_factory, "common")


@pytest.fixture(scope="session")
def more_keras_files(tmp_path_factory) -> Path:
    """The same for the networks of slow tests."""
    return _written(tmp_path_factory, "more")


def _written(tmp_path_factory, part: str) -> Path:
    """Return the folder with a part of the files, made by whichever process of tests asks first."""
    base = tmp_path_factory.getbasetemp()
    shared = Path(
        os.environ.get("KERAS_FILES")
        or (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base)
    )
    shared.mkdir(parents=True, exist_ok=True)
    folder, done = shared / f"keras_files_{part}", shared / f"keras_files_{part}.done"
    with open(shared / f"keras_files_{part}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            folder.mkdir(exist_ok=True)
            _write(folder, part)
            done.touch()
    return folder


def _write(folder: Path, part: str) -> None:
    script = Path(__file__).with_name("keras_files.py")
    writers = [
        subprocess.Popen(
            [sys.executable, str(script), str(folder), version, part],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        for version in (("3", "2") if HAS_KERAS_2 else ("3",))
    ]
    for writer in writers:
        _, errors = writer.communicate()
        assert writer.returncode == 0, errors[-2000:]


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
