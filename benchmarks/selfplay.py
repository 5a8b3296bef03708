"""How fast a network plays against itself, and how many games an hour a whole run gets through.

A pool of games in lockstep, on one core: moves, simulations and evaluations a second, by the game,
the network and the simulations. Networks are untrained residual ones, as selfplay.py makes and
bakes them. Time is processor time; `in network` is the evaluator's part of it. A simulation costs
no evaluation where it ends the game, or where the search before had the position.

With --runs, whole runs of selfplay.py, training and baking included: two iterations from the
command on, without a gate. `an hour` is by the journal's time on the clock, on as many cores as
there are processes that play; `a CPU hour` is by the processor time of all processes, their start
and the making of graphs included, and is the figure to compare on a machine with other work.
RESULTS.md has what other systems reached.

    python -m benchmarks.selfplay [--seconds 5] [--networks 2x16 3x32] [--simulations 16 64]
                                  [--games go-5 …] [--parallel 64]
    python -m benchmarks.selfplay --runs [go-5 …] [--num-games 64] [--workers 2]
"""

import argparse
import csv
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.report import ROOT, children_seconds, show, stay_on_one_core

GAMES = {
    **{f"go-{size}": dict(game="go", size=size, planes="zero") for size in (5, 7, 9)},
    "nogo-9": dict(game="nogo", size=9),
    "hex-11": dict(game="hex", size=11),
}
RUNS = {
    "go-5": "--game go --size 5 --planes zero --set blocks=2 --set filters=16 --simulations 32",
    "go-9": "--game go --size 9 --planes zero --set blocks=3 --set filters=32 --simulations 64",
    "nogo-9": "--preset nogozero9 --simulations 64",
}
RUNS["go-9-bf16"] = f"{RUNS['go-9']} --precision bf16"
ALIKE = "--set perspective=mover --iterations 2 --gate-games 0 --games-per-shard 16 --parallel 16"


@dataclass(frozen=True)
class Pool:
    """What is played in lockstep: a name of GAMES, blocks x filters, simulations a move, games."""

    game: str
    network: str
    simulations: int
    parallel: int


def pool_rows(pools: list[Pool], seconds: float) -> Iterator[list[str]]:
    """A row for each pool."""
    from golois.games.game import Game
    from golois.search.selfplay import SelfPlay
    from models.training.quiet import import_keras_quietly

    import_keras_quietly()
    from selfplay.learner import Learner
    from selfplay.networks import open_network
    from selfplay.options import Options
    from selfplay.shards import TimedNetwork
    from tournament.intake.own_network import bake_own_network

    for pool in pools:
        blocks, filters = pool.network.split("x")
        shape = dict(blocks=blocks, filters=filters, perspective="mover")
        options = Options(set=shape, simulations=pool.simulations, **GAMES[pool.game])
        with tempfile.TemporaryDirectory() as folder:
            saved = Path(folder) / "net.h5"
            Learner(options).save_network(saved)
            artefact = bake_own_network(saved, Game(options.rules()))
            network = TimedNetwork(open_network(artefact, options, pool.parallel))
        games = SelfPlay(options.rules(), options.of_games(), num_parallel=pool.parallel, seed=1)
        yield pool_row(pool, games, network, seconds)


def pool_row(pool: Pool, games, network, seconds: float) -> list[str]:
    """Cells of the table, after a quarter of the time to warm up."""
    steps = network.play(games)

    def play_for(seconds: float) -> tuple[float, ...]:
        """Moves, evaluations, and processor seconds in all and in the network."""
        before = games.num_moves, network.evaluations, time.process_time(), network.seconds
        while time.process_time() < before[2] + seconds:
            next(steps)
        after = games.num_moves, network.evaluations, time.process_time(), network.seconds
        return tuple(one - other for one, other in zip(after, before, strict=True))

    play_for(seconds / 4)
    moves, evaluations, passed, in_network = play_for(seconds)
    return [
        pool.game,
        pool.network,
        str(pool.simulations),
        f"{moves / passed:,.0f}",
        f"{moves * pool.simulations / passed:,.0f}",
        f"{evaluations / passed:,.0f}",
        f"{in_network / passed:.0%}",
    ]


def run_row(name: str, games: int, workers: int) -> list[str]:
    """Run selfplay.py; return cells of its journal, and by processor seconds of all processes."""
    before = children_seconds()
    with tempfile.TemporaryDirectory() as folder:
        given = f"{RUNS[name]} {ALIKE} --games-per-iteration {games} --workers {workers}".split()
        command = [sys.executable, str(ROOT / "selfplay.py"), *given, "--out", f"{folder}/run"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with Path(folder, "run", "journal.csv").open(newline="") as file:
            _untrained, *rows = csv.DictReader(file)

    def total(name: str) -> float:
        return sum(float(row[name]) for row in rows)

    num_games, seconds = float(rows[-1]["games"]), total("seconds")
    return [
        name,
        f"{num_games:.0f}",
        f"{total('seconds_playing') / seconds:.0%}",
        f"{total('seconds_training') / seconds:.0%}",
        f"{3600 * num_games / seconds:,.0f}",
        f"{3600 * num_games / (children_seconds() - before):,.0f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--seconds", type=float, default=5.0, help="of processor time, for each row"
    )
    parser.add_argument("--networks", nargs="+", default=["2x16", "3x32"], metavar="BLOCKSxFILTERS")
    parser.add_argument("--simulations", nargs="+", type=int, default=[16, 64])
    parser.add_argument("--games", nargs="+", default=list(GAMES), choices=list(GAMES))
    parser.add_argument("--parallel", type=int, default=64, help="games in lockstep")
    parser.add_argument("--runs", nargs="*", metavar="RUN", help=f"of {', '.join(RUNS)}; or all")
    parser.add_argument("--num-games", type=int, default=64, help="an iteration, a multiple of 16")
    parser.add_argument("--workers", type=int, default=2, help="processes that play")
    options = parser.parse_args()
    if unclear := [one for one in options.networks if not re.fullmatch(r"[1-9]\d*x[1-9]\d*", one)]:
        parser.error(f"--networks: expected BLOCKSxFILTERS such as 2x16: got {unclear[0]}")
    if min(options.simulations) < 1:
        parser.error("--simulations: expected 1 or more")
    if options.runs is not None:
        if unknown := set(options.runs) - set(RUNS):
            parser.error(f"--runs: expected some of {', '.join(RUNS)}: got {unknown.pop()}")
        show(
            f"selfplay.py, {options.workers} processes that play",
            "run | games | playing | training | games an hour | games a CPU hour",
            [run_row(name, options.num_games, options.workers) for name in options.runs or RUNS],
        )
        return
    stay_on_one_core()
    pools = [
        Pool(game, network, count, options.parallel)
        for game in options.games
        for network in options.networks
        for count in options.simulations
    ]
    show(
        f"{options.parallel} games in lockstep, one core",
        "game | network | simulations | moves/s | simulations/s | evaluations/s | in network",
        pool_rows(pools, options.seconds),
        words=2,
    )


if __name__ == "__main__":
    main()
