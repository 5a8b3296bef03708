"""Wrong arguments of every command: one line on stderr, exit code 2, no usage and no traceback."""

import subprocess
import sys

import pytest

from tests.data import ROOT
from tournament.__main__ import main as tournament_main
from tournament.commands import COMMANDS as TOURNAMENT_COMMANDS

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


def test_help_loads_no_command():
    program = """
import sys
from tournament.__main__ import main
try:
    main(["--help"])
except SystemExit as end:
    loaded = {"rich", "onnx", "tournament.league", "tournament.players"} & set(sys.modules)
    sys.exit(end.code or ", ".join(loaded) or 0)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert all(f"\n    {name} " in done.stdout for name in TOURNAMENT_COMMANDS)


@pytest.mark.parametrize("name", TOURNAMENT_COMMANDS)
def test_every_command_of_the_arena_says_what_it_takes(name, capsys):
    with pytest.raises(SystemExit) as end:
        tournament_main([name, "--help"])
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: python -m tournament {name} ")
