"""How fast a network plays against itself: moves, simulations and evaluations a second of one core.

Named peers, in the same run on the same core: pgx and mctx, compiled by JAX, as in pgx's AlphaZero
example (64 games in lockstep, Gumbel search with the same simulations); and OpenSpiel's Python
MCTS, which its AlphaZero uses, one position at a time with the same OpenVINO network. A peer that
is not installed is left out with a message: `pip install mctx pgx open_spiel`.

Networks have b residual blocks of f filters, a convolutional policy head and random weights. Time
is processor time of the process, which is kept on one core. `in network` is the evaluator's part of
it. A simulation costs no evaluation where it ends the game, or where the search before had the
position; so there are fewer evaluations than simulations.

`benchmarks/selfplay_hours.py` has the games an hour of whole runs, training included.

    python benchmarks/selfplay.py [--seconds 5] [--networks 2x16 3x32] [--simulations 16 64]
                                  [--games go-5 …] [--parallel 64] [--no-peers]
"""

import argparse
import os

if hasattr(os, "sched_setaffinity"):  # before libraries count the cores
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

from rich.console import Console
from rich.table import Table
from selfplay_networks import Network, Shape
from selfplay_peers import Figures, peers_of, timed

from golois.games import Game
from golois.rules import Go, Hex, NoGo, Rules
from golois.selfplay import SelfPlay, SelfPlayOptions

GAMES: dict[str, Rules] = {
    **{f"go-{size}": Go(size, max_moves=2 * size**2, planes="zero") for size in (5, 7, 9)},
    "nogo-9": NoGo(9),
    "hex-11": Hex(11),
}


def play_here(
    rules: Rules, blocks: int, filters: int, num_simulations: int, options: argparse.Namespace
) -> Figures:
    """The kit's self-play, after a quarter of the time to warm up."""
    game = Game(rules)
    shape = Shape(blocks, filters, game.size, game.planes_shape[-1], game.policy_size)
    network = Network(shape, options.parallel)
    games = SelfPlay(
        rules,
        SelfPlayOptions(num_simulations=num_simulations),
        num_parallel=options.parallel,
        seed=1,
    )
    num_rows = 0

    def step() -> None:
        """Play on until there is a move more for each game; they move at about the same time."""
        nonlocal num_rows
        wanted = games.num_moves + options.parallel
        while games.num_moves < wanted:
            num_rows += games.collect(network.planes)
            games.answer(*network())
        games.finished()

    timed(step, options.seconds / 4)
    moves, num_rows, network.seconds = games.num_moves, 0, 0.0
    seconds = timed(step, options.seconds)
    moves = games.num_moves - moves
    return Figures(moves, moves * num_simulations, num_rows, seconds, network.seconds)


def row(
    name: str, what: str, network: str, num_simulations: int, figures: Figures, first: float
) -> list[str]:
    """Cells of the table; `first` has the kit's moves a second."""
    per_second = figures.moves / figures.seconds
    share = figures.network_seconds
    return [
        name,
        what,
        network,
        str(num_simulations),
        f"{per_second:,.0f}" if per_second >= 10 else f"{per_second:.2g}",
        f"{figures.simulations / figures.seconds:,.0f}",
        f"{figures.evaluations / figures.seconds:,.0f}",
        "" if share is None else f"{share / figures.seconds:.0%}",
        f"{first / per_second:,.1f}×",
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
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    console = Console(width=110)
    table = Table(title=f"{options.parallel} games in lockstep, one core")
    for column in ("game", "what", "network"):
        table.add_column(column)
    for column in (
        "simulations",
        "moves/s",
        "simulations/s",
        "evaluations/s",
        "in network",
        "gain",
    ):
        table.add_column(column, justify="right")
    for name in options.games:
        peers = {} if options.no_peers else peers_of(name, console)
        for network in options.networks:
            blocks, filters = map(int, network.split("x"))
            for count in options.simulations:
                here = play_here(GAMES[name], blocks, filters, count, options)
                first = here.moves / here.seconds
                table.add_row(*row(name, "golois", network, count, here, first))
                for peer, play in peers.items():
                    figures = play(name, blocks, filters, count, options)
                    table.add_row(*row(name, peer, network, count, figures, first))
    console.print(table)


if __name__ == "__main__":
    main()
