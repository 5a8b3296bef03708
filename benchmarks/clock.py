"""How far moves overshoot their CPU seconds, with one game and with one on each core at once.

The games are played as a league plays them: by workers on cores of their own. Named peer: the
budget itself. Overshoot is what a move took beyond its budget, as a share of it; wall seconds say
how busy the machine was.

    python benchmarks/clock.py [NET.h5] [--seconds 2] [--moves 40] [--games 1 2]
                                                    without a file: the registry's resnet, untrained
"""

import argparse
import itertools
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from tournament.game.job import Entrant
from tournament.game.record import GameRecord
from tournament.game.rules import EventOptions
from tournament.intake import judge
from tournament.league.league import League
from tournament.running.local_engine import LocalEngine
from tournament.running.schedule import pairings

ROOT = Path(__file__).resolve().parent.parent
SAVE_RESNET = "import sys, models; models.build('resnet').save(sys.argv[1])"


class Run(NamedTuple):
    """The moves' overshoots and visits, and the wall seconds that a move took."""

    overshoots: np.ndarray
    visits: np.ndarray
    wall_seconds: float


def file_network(path: Path, league: League) -> Entrant:
    """The network's artefact, in a league of its own."""
    verdict = judge(path, work_dir=league.folder)
    filed = league.submissions.add("Ada", path, verdict)
    return Entrant(filed.name, filed.sha256)


def play(league: League, entrant: Entrant, options: EventOptions, num_games: int) -> Run:
    """Plays so many games at once, each of the network against itself."""
    rival = Entrant("Grace", entrant.sha256)
    jobs = itertools.islice(pairings([entrant, rival], num_games, 0, [()]), num_games)
    engine = LocalEngine(league.folder / "artefacts", options, num_games)
    started = time.perf_counter()
    events = list(engine.play([job] for job in jobs))
    wall_seconds = time.perf_counter() - started
    records = [event for event in events if isinstance(event, GameRecord)]
    moves = [move for record in records for move in record.moves]
    return Run(
        np.array([move.overshoot for move in moves]),
        np.array([move.num_visits for move in moves]),
        wall_seconds * num_games / len(moves),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("network", nargs="?", type=Path)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--moves", type=int, default=40, help="of each game")
    parser.add_argument("--games", type=int, nargs="+", default=[1, 2], help="at once")
    arguments = parser.parse_args()

    options = EventOptions(
        seconds=arguments.seconds, max_plies=arguments.moves, opening_plies=0, resign_plies=0
    )
    table = Table(title=f"overshoot of {arguments.seconds:g} CPU seconds a move")
    for column in ("games at once", "moves", "median", "99 %", "most", "visits", "wall s a move"):
        table.add_column(column, justify="right")
    with tempfile.TemporaryDirectory() as folder:
        network = arguments.network or Path(folder) / "resnet.h5"
        if arguments.network is None:
            command = [sys.executable, "-c", SAVE_RESNET, network]
            subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
        league = League(Path(folder) / "league")
        entrant = file_network(network, league)
        for num_games in arguments.games:
            run = play(league, entrant, options, num_games)
            quantiles = np.quantile(run.overshoots, [0.5, 0.99, 1])
            table.add_row(
                str(num_games),
                str(len(run.overshoots)),
                *(f"{quantile:+.2%}" for quantile in quantiles),
                f"{np.median(run.visits):.0f}",
                f"{run.wall_seconds:.2f}",
            )
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
