"""What the Makefile says of a machine before it installs."""

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.data import ROOT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


def check(folder: Path, python: str = "no_python") -> subprocess.CompletedProcess:
    """The check in a folder, asked for a Python, by default for one that is not there."""
    command = ["make", "-f", ROOT / "Makefile", "check", f"PYTHON={python}"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_a_missing_python_is_said_before_an_environment_is_made(tmp_path):
    done = check(tmp_path)
    assert done.returncode == 2 and "make: no Python called no_python" in done.stderr


def test_an_environment_needs_no_other_python(tmp_path):
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    done = check(tmp_path)
    assert done.returncode == 0, done.stderr


def test_an_installation_that_failed_is_tried_again(tmp_path):
    (tmp_path / "golois" / "csrc" / "go").mkdir(parents=True)
    for name in ("requirements.txt", "constraints.txt", "setup.py", "pyproject.toml",
                 "golois/build_ffi.py", "golois/finder.py", "golois/csrc/go/board.cpp"):
        (tmp_path / name).touch()
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    command = ["make", "-f", ROOT / "Makefile", "-n", "lint"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "pip install" in done.stdout, done.stderr


PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def test_every_page_and_file_names_the_same_pythons():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    first, last = PYTHONS[0], PYTHONS[-1]
    beyond = f"3.{int(last.split('.')[1]) + 1}"
    assert project["requires-python"] == f">={first},<{beyond}"
    named = [line.rpartition(" ")[2] for line in project["classifiers"] if ":: Python ::" in line]
    assert tuple(named) == PYTHONS
    for page in ("README.md", "docs/student/install.md"):
        assert f"Python {first} to {last}" in (ROOT / page).read_text("utf-8"), page
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    assert f"python: {json.dumps(PYTHONS)}\n" in workflow


@pytest.mark.parametrize("version", ["3.10", *PYTHONS, "3.15"])
def test_a_python_that_tensorflow_lacks_is_refused_before_pip_runs(tmp_path, version):
    says = f"import sys; sys.version_info = (*map(int, '{version}'.split('.')), 0, 'final', 0)"
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{says}; $2"\n')
    python.chmod(0o755)
    refused = check(tmp_path, str(python)).stderr.startswith(
        "make: expected Python 3.11, 3.12, 3.13 or 3.14 as "
    )
    assert refused == (version not in PYTHONS)
