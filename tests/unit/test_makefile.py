"""What the Makefile says of a machine before it installs."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.data import ROOT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


def check(folder: Path) -> subprocess.CompletedProcess:
    """The check in a folder, asked for a Python that is not there."""
    command = ["make", "-f", ROOT / "Makefile", "check", "PYTHON=no_python"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_a_missing_python_is_said_before_an_environment_is_made(tmp_path):
    done = check(tmp_path)
    assert done.returncode == 2 and "make: no Python called no_python" in done.stderr


def test_an_environment_needs_no_other_python(tmp_path):
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    done = check(tmp_path)
    assert done.returncode == 0, done.stderr
