"""How a network plays against GNU Go, over GTP on both sides, with our rules as the referee.

Named peer: GNU Go 3.8 (Debian: apt install gnugo) by Chinese rules with positional superko, which
captures dead stones before it passes, so that the count of docs/rules.md is the count. Colours
alternate. The network resigns when its estimate is below 3 % for ten of its moves. GNU Go resigns
when it chooses to, and when for ten of its moves it counts itself 20 points behind and the network
agrees. A game that breaks the protocol or the rules of either side, or on whose winner the two
don't agree, is reported and not counted; the points are ours, GNU Go takes off its own dead stones.
The same command plays what is missing; another network, level or limit has a folder of its own.

    python benchmarks/gnugo.py NET.h5 --games 20 --level 10 --seconds 1 --out games
"""

import argparse
import os
import re
import shutil
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from golois.games import Game
from golois.kit.files import write_whole
from golois.rules import Go
from golois.sgf import SgfGame, read_sgf
from golois.sgf_writing import Node, root_node, tree_text
from golois.shapes import BOARD_SIZE
from tournament.board.networks import names_of
from tournament.errors import EngineError
from tournament.game.loop import play_out
from tournament.players.program import ProgramPlayer
from tournament.programs.client import GtpClient
from tournament.ratings.bradley_terry import wilson_interval

KOMI = 7.5
RESIGN = "resign"
GNUGO = "GNU Go"
BEHIND_POINTS = 20
HOPELESS_PERCENT = 3
HOPELESS_MOVES = 10


class ConcedingGnuGo(GtpClient):
    """GNU Go that resigns a game which both sides consider lost; see the text above.

    Args:
        command: how to start it.
        network: the other side, asked what it gives GNU Go.
    """

    def __init__(self, command: Sequence[str], network: GtpClient):
        super().__init__(GNUGO, command)
        self._network = network
        self._hopeless_moves = 0

    def ask(self, command: str) -> str:
        """As any program's; a move is asked for after the question whether the game is lost."""
        if not command.startswith("genmove"):
            return super().ask(command)
        is_hopeless = self._is_behind(command.split()[1]) and self._has_no_chance()
        self._hopeless_moves = self._hopeless_moves + 1 if is_hopeless else 0
        return RESIGN if self._hopeless_moves == HOPELESS_MOVES else super().ask(command)

    def _is_behind(self, letter: str) -> bool:
        lead = re.match(r"([BW])\+([\d.]+)", super().ask("estimate_score"))
        return bool(lead) and lead[1].lower() != letter and float(lead[2]) >= BEHIND_POINTS

    def _has_no_chance(self) -> bool:
        answer = self._network.ask("golois-value")
        return float(answer.partition("%")[0]) < HOPELESS_PERCENT


def gnugo_command(level: int, seed: int) -> list[str]:
    """The command that starts GNU Go, wherever Debian installs it."""
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
    return [*command, "--seed", str(seed)]


def network_name(options: argparse.Namespace) -> str:
    return names_of([options.network.resolve()])[0]


def games_folder(options: argparse.Namespace) -> Path:
    """Where the games are kept, unless told: apart from those of any other match."""
    limit = f"{options.visits}_visits" if options.visits else f"{options.seconds:g}_s"
    match = f"{network_name(options)}_level_{options.level}_{limit}"
    return options.out or Path("runs") / "gnugo" / match


def sgf_path(options: argparse.Namespace, number: int) -> Path:
    return options.out / f"{number + 1:03}.sgf"


def play(options: argparse.Namespace, number: int) -> None:
    """Plays and keeps a game, and says how it went."""
    started = time.monotonic()
    try:
        game, result = refereed(options, number)
    except EngineError as error:
        print(f"game {number + 1}: not counted: {error}", flush=True)
        return
    write_whole(sgf_path(options, number), sgf_of(game, result, *names(options, number)).encode())
    print(
        f"game {number + 1}: {' – '.join(names(options, number))}: {result} after "
        f"{len(game.moves)} moves in {(time.monotonic() - started) / 60:.1f} min",
        flush=True,
    )


def names(options: argparse.Namespace, number: int) -> tuple[str, str]:
    """Who is Black and who is White."""
    network = network_name(options)
    return (network, GNUGO) if number % 2 == 0 else (GNUGO, network)


def refereed(options: argparse.Namespace, number: int) -> tuple[Game, str]:
    """The game and its result; raises EngineError, also where the two don't agree on the winner."""
    game = Game(Go(BOARD_SIZE, KOMI, max_moves=2 * BOARD_SIZE**2))
    with (
        GtpClient("the network", network_command(options, number)) as network,
        ConcedingGnuGo(gnugo_command(options.level, number + 1), network) as gnugo,
    ):
        clients = (network, gnugo) if number % 2 == 0 else (gnugo, network)
        players = [ProgramPlayer(client) for client in clients]
        outcome = play_out(game, *players)
        for client, player in zip(clients, players, strict=True):
            if game.is_over:
                player.show(game)
                claim = client.ask("final_score")
                if claim[0] != outcome.result[0]:
                    raise EngineError(f"expected {outcome.result}: {client.name} says {claim}")
    return game, outcome.result


def sgf_of(game: Game, result: str, black: str, white: str) -> str:
    last = root = root_node(
        PB=black, PW=white, KM=KOMI, RU="Chinese", RE=result, DT=time.strftime("%F")
    )
    for colour, point in game.moves:
        last.children.append(Node({" BW"[colour]: point}))
        last = last.children[0]
    return tree_text(root)


def is_won(game: SgfGame) -> bool:
    """Whether the network won."""
    return game.result[0] == ("W" if game.black == GNUGO else "B")


def share(games: list[SgfGame]) -> str:
    if not games:
        return "none played"
    wins = sum(map(is_won, games))
    low, high = wilson_interval(wins, len(games))
    return f"{wins} of {len(games)} won, {wins / len(games):.0%} (95 %: {low:.0%} to {high:.0%})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("network", type=Path, nargs="?", metavar="NET.h5")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1, help="games at once, a core each")
    parser.add_argument("--level", type=int, default=10, help="of GNU Go, 1 … 10")
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU seconds a move")
    parser.add_argument("--visits", type=int, help="visits a move instead")
    parser.add_argument("--out", type=Path, help="folder of the games [runs/gnugo/MATCH]")
    options = parser.parse_args()
    if options.network is None:
        print("a match against GNU Go takes hours and a trained network: name an .h5")
        return
    options.network = options.network.resolve()  # a file is known by its folder's name
    options.out = games_folder(options)
    options.out.mkdir(parents=True, exist_ok=True)
    missing = [number for number in range(options.games) if not sgf_path(options, number).exists()]
    with ThreadPoolExecutor(options.jobs) as pool:
        try:
            list(pool.map(partial(play, options), missing))
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            sys.exit(130)
    games = [read_sgf(path.read_bytes()) for path in sorted(options.out.glob("*.sgf"))]
    print(share(games))
    print("as Black:", share([game for game in games if game.white == GNUGO]))
    print("as White:", share([game for game in games if game.black == GNUGO]))


if __name__ == "__main__":
    main()
