"""Wrong arguments of every command: one line on stderr, exit code 2, no usage and no traceback."""

import subprocess
import sys

import pytest

from tests.data import ROOT

COMMANDS = {
    "golois": ["-m", "golois", "import"],
    "tournament": ["-m", "tournament", "run", "--seconds", "soon"],
    "submit": ["submit.py", "--bogus"],
    "evaluate": ["evaluate.py", "--bogus"],
    "train": ["train.py", "--bogus"],
    "sweep": ["sweep.py", "nowhere.toml"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_wrong_arguments_are_one_line_and_code_2(command):
    done = subprocess.run(
        [sys.executable, *COMMANDS[command]], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
