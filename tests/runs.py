"""What tests of whole runs share: the command line, and a look into a league that is running."""

import io
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

from tournament.__main__ import main
from tournament.league.league import League

ROUNDS, NUM_GAMES = 3, 18
RULES = ("--visits", "8", "--max-plies", "60", "--rounds", str(ROUNDS), "--workers", "2")
RULES += ("--seed", "0")  # so that leagues can be compared
COMMAND = (sys.executable, "-m", "tournament", "run")


class Said(NamedTuple):
    """What a command answers."""

    code: int
    out: str
    errors: str

    @property
    def refusal(self) -> str:
        """The one sentence of a command that does nothing else."""
        assert (self.code, self.out, self.errors.count("\n")) == (2, "", 1), self
        return self.errors


def start(league: Path, *options: str, **settings) -> subprocess.Popen:
    """Begins a run of a league; `settings` are Popen's."""
    return subprocess.Popen(
        [*COMMAND, "--league", str(league), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **settings,
    )


def run(league: Path, *options: str) -> Said:
    """Runs a league to its end from this process; its workers are processes as ever."""
    return command(league, "run", *options)


def num_games(league: Path) -> int:
    with sqlite3.connect(f"file:{league / 'league.sqlite'}?mode=ro", uri=True) as database:
        return database.execute("SELECT count(*) FROM games").fetchone()[0]


def wait_for_games(league: Path, count: int, process: subprocess.Popen) -> None:
    while num_games(league) < count and process.poll() is None:
        time.sleep(0.005)


def decided(league: Path) -> dict:
    """All that the seeds decide, by game; the order of games and the CPU seconds are not."""
    return {
        game.game_id: (
            (game.black, game.white, game.result, game.kind, game.opening, game.seed),
            [(move.point, move.num_visits, move.value_white) for move in game.moves],
        )
        for game in League(league).games.all()
    }


def command(league: Path, name: str, *options: str) -> Said:
    return tournament(name, "--league", league, *options)


def tournament(*arguments: str | Path) -> Said:
    """Calls a command of the arena in this process."""
    return called(main, *arguments)


def called(main: Callable[[list[str]], int], *arguments: object) -> Said:
    """Calls a command in this process."""
    out, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(errors):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stop:  # wrong arguments
            code = stop.code
    return Said(code, out.getvalue(), errors.getvalue())
