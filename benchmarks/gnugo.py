"""How a network plays against GNU Go, over GTP on both sides, with our rules as the referee.

Named peer: GNU Go 3.8 (Debian: apt install gnugo) by Chinese rules with positional superko, which
captures dead stones before it passes, so that the count of docs/rules.md is the count. Colours
alternate. A game that breaks the protocol or the rules of either side is reported and not counted.

    python benchmarks/gnugo.py NET.h5 --games 20 --level 10 --seconds 1 --out games
"""

import argparse
import os
import shutil
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from golois.coords import point_to_sgf
from tournament.errors import EngineError
from tournament.files import write_whole
from tournament.gtp.client import GtpClient
from tournament.gtp.referee import RefereedGame, play_gtp_game
from tournament.rating import wilson_interval
from tournament.sgf_out import Node, root_node, tree_text

KOMI = 7.5


def gnugo_command(level: int, seed: int) -> list[str]:
    """How GNU Go is started, wherever Debian has put it."""
    path = shutil.which("gnugo", path=f"{os.environ['PATH']}:/usr/games")
    if path is None:
        sys.exit("benchmarks/gnugo.py: expected GNU Go: got none; apt install gnugo")
    return [
        path, "--mode", "gtp", "--level", str(level), "--seed", str(seed), "--chinese-rules",
        "--positional-superko", "--play-out-aftermath", "--capture-all-dead",
    ]  # fmt: skip


def network_command(options: argparse.Namespace, seed: int) -> list[str]:
    limit = ["--visits", str(options.visits)] if options.visits else []
    limit = limit or ["--seconds", str(options.seconds)]
    command = [sys.executable, "-m", "tournament", "gtp", str(options.network), *limit]
    return [*command, "--seed", str(seed), "--no-resign"]


def played(options: argparse.Namespace, number: int) -> tuple[RefereedGame, bool]:
    """A game, and whether the network was Black; raises EngineError."""
    is_black = number % 2 == 0
    with (
        GtpClient(options.network.stem, network_command(options, number)) as network,
        GtpClient("GNU Go", gnugo_command(options.level, number + 1)) as gnugo,
    ):
        pair = (network, gnugo) if is_black else (gnugo, network)
        return play_gtp_game(*pair, KOMI), is_black


def sgf_of(game: RefereedGame, black: str, white: str) -> str:
    last = root = root_node(
        PB=black, PW=white, KM=f"{KOMI:g}", RU="Chinese", RE=game.result, DT=time.strftime("%F")
    )
    for ply, point in enumerate(game.moves):
        last.children.append(Node({"BW"[ply % 2]: [point_to_sgf(point)]}))
        last = last.children[0]
    return tree_text(root)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("network", type=Path, nargs="?", metavar="NET.h5")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--level", type=int, default=10, help="of GNU Go, 1 … 10")
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU seconds a move")
    parser.add_argument("--visits", type=int, help="visits a move instead")
    parser.add_argument("--out", type=Path, help="folder for the games as SGF")
    options = parser.parse_args()
    if options.network is None:
        print("a match against GNU Go takes hours and a trained network: name an .h5")
        return
    console, wins, counted, agreed = Console(), 0, 0, 0
    table = Table("game", "network", "result", "each side's count", "moves", "minutes")
    for number in range(options.games):
        started = time.monotonic()
        try:
            game, is_black = played(options, number)
        except EngineError as error:
            table.add_row(str(number + 1), "", "not counted", str(error), "", "")
            console.print(f"game {number + 1}: not counted: {error}")
            continue
        names = [options.network.stem, "GNU Go"][:: 1 if is_black else -1]
        if options.out:
            write_whole(options.out / f"{number + 1:03}.sgf", sgf_of(game, *names).encode())
        counted += 1
        agreed += set(game.claims) == {game.result}
        wins += game.result.startswith("B" if is_black else "W")
        minutes = (time.monotonic() - started) / 60
        claims = " / ".join(str(claim) for claim in game.claims)
        row = ("Black" if is_black else "White", game.result, claims, str(len(game.moves)))
        table.add_row(str(number + 1), *row, f"{minutes:.1f}")
        console.print(f"game {number + 1}: {row[0]} {game.result} ({claims}) in {minutes:.1f} min")
    console.print(table)
    if counted:
        low, high = wilson_interval(wins, counted)
        console.print(
            f"{options.network.stem} won {wins} of {counted}: {wins / counted:.0%} "
            f"(95 %: {low:.0%} to {high:.0%}); all counts agree in {agreed}"
        )


if __name__ == "__main__":
    main()
