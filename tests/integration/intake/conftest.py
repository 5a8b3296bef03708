"""Files that Keras wrote, made once a session."""

import subprocess
import sys
from pathlib import Path

import pytest


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
