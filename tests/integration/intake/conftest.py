"""Files that Keras wrote, made once a session, and what is expected of a hostile one."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tournament.intake import judge

MAX_CPU_SECONDS, MAX_BYTES = 2.0, 512 << 20


@pytest.fixture(scope="session")
def keras_files(tmp_path_factory) -> Path:
    """The folder with NAME.h5 and NAME.npz of every network of keras_files.py."""
    folder = tmp_path_factory.mktemp("keras_files")
    script = Path(__file__).with_name("keras_files.py")
    result = subprocess.run(
        [sys.executable, str(script), str(folder)], capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stderr[-2000:]
    return folder


@pytest.fixture
def victim(keras_files, tmp_path) -> Path:
    """A good file of its own for each test, to be spoiled."""
    path = tmp_path / "net.h5"
    shutil.copy(keras_files / "resnet.h5", path)
    return path


@pytest.fixture
def refusal(tmp_path) -> Callable[[Path], str]:
    """Judges what should be refused, and returns the faults: one line of plain text each.

    Nothing is written, and no more is used than a submission may use.
    """

    def judged(path: Path) -> str:
        before = sorted(tmp_path.rglob("*"))
        verdict = judge(path, work_dir=tmp_path / "work")
        assert not verdict.accepted and sorted(tmp_path.rglob("*")) == before
        assert verdict.usage.cpu_seconds <= MAX_CPU_SECONDS
        assert verdict.usage.peak_bytes <= MAX_BYTES
        for fault in verdict.faults:
            text = fault.text + fault.remedy
            assert text.isascii() and text.isprintable()
        return "; ".join(fault.text for fault in verdict.faults)

    return judged
