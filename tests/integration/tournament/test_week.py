"""One week of the course by its three commands; the tournament is killed once."""

import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.data import ROOT
from tournament.league.league import League

NAMES = ("Ada", "Grace", "Kurt")
RULES = ("--visits", "4", "--max-plies", "60", "--rounds", "4", "--workers", "2")
NUM_GAMES = 24


def command(*arguments: str | Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True
    )


def num_games(league: Path) -> int:
    with sqlite3.connect(f"file:{league / 'league.sqlite'}?mode=ro", uri=True) as database:
        return database.execute("SELECT count(*) FROM games").fetchone()[0]


def decided(league: Path) -> dict:
    """All that the seeds decide, by game."""
    return {
        game.game_id: (game.black, game.white, game.result, [move.point for move in game.moves])
        for game in League(league).games.all()
    }


@pytest.fixture(scope="module")
def league(tmp_path_factory) -> Path:
    """Three students' networks, trained for a moment and handed in."""
    folder = tmp_path_factory.mktemp("week")
    for seed, name in enumerate(NAMES):
        run = folder / name
        network = ("--model", "resnet", "--set", "blocks=1", "--set", "filters=4")
        trained = command("train.py", "--smoke", *network, "--seed", str(seed), "--out", run)
        assert trained.returncode == 0, trained.stderr
        filed = command(
            "submit.py", run / "best.h5", "--name", name, "--league", folder / "league"
        )
        assert filed.returncode == 0, filed.stderr
        assert f"filed as {name}" in filed.stdout
    return folder / "league"


@pytest.mark.slow
def test_killed_and_resumed_the_week_ends_in_the_same_table(league, tmp_path):
    untouched, killed = tmp_path / "untouched", tmp_path / "killed"
    for copy in (untouched, killed):
        shutil.copytree(league, copy)
    assert command("-m", "tournament", "run", "--league", untouched, *RULES).returncode == 0

    process = subprocess.Popen(
        [sys.executable, "-m", "tournament", "run", "--league", killed, *RULES],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
    )
    while num_games(killed) < 3 and process.poll() is None:
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert num_games(killed) >= 3

    resumed = command("-m", "tournament", "run", "--league", killed)
    assert resumed.returncode == 0, resumed.stderr
    assert len(decided(killed)) == NUM_GAMES
    assert decided(killed) == decided(untouched)
    page = (killed / "site" / "index.html").read_text()
    for name in NAMES:
        assert name in page
        assert f"{name} ( " in resumed.stdout
