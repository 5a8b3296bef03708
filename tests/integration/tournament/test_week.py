"""One week of the course by its three commands; the tournament is killed once."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.data import ROOT
from tests.runs import decided, num_games, start, wait_for_games

NAMES = ("Ada", "Grace", "Kurt")
RULES = ("--visits", "4", "--max-plies", "60", "--rounds", "4", "--workers", "2")
NUM_GAMES = 24


def command(*arguments: str | Path) -> str:
    """What a command prints, which ends well."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def league(tmp_path_factory) -> Path:
    """Three students' networks, trained for a moment and handed in."""
    folder = tmp_path_factory.mktemp("week")
    for seed, name in enumerate(NAMES):
        run = folder / name
        network = ("--model", "resnet", "--set", "blocks=1", "--set", "filters=4")
        command("train.py", "--smoke", *network, "--seed", str(seed), "--out", run)
        named = ("--name", name, "--league", folder / "league")
        assert f"filed as {name}" in command("submit.py", run / "best.h5", *named)
    return folder / "league"


@pytest.mark.slow
def test_killed_and_resumed_the_week_ends_in_the_same_table(league, tmp_path):
    untouched, killed = tmp_path / "untouched", tmp_path / "killed"
    for copy in (untouched, killed):
        shutil.copytree(league, copy)
    command("-m", "tournament", "run", "--league", untouched, *RULES)
    process = start(killed, *RULES)
    wait_for_games(killed, 3, process)
    process.kill()
    process.communicate()
    assert num_games(killed) >= 3
    resumed = command("-m", "tournament", "run", "--league", killed)
    assert len(decided(killed)) == NUM_GAMES
    assert decided(killed) == decided(untouched)
    page = (killed / "site" / "index.html").read_text()
    for name in NAMES:
        assert name in page
        assert f"{name} ( " in resumed
