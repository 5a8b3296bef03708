"""What a network is measured against: players that choose a move of a position, by name."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from random import Random
from typing import Protocol

import numpy as np

from golois.board import Board
from golois.coords import BLACK, WHITE, gtp_to_point, opponent, point_to_gtp
from golois.games import Game
from golois.rules import Go, Hex, Rules
from golois.search import Tree
from golois.search_options import SearchOptions
from models.training.command_line import UsageError
from selfplay.oracles import is_solvable
from tournament.gtp.client import GtpClient
from tournament.networks.evaluator import Evaluator

BATCH_SIZE = 8
GNUGO_SIZES = range(5, 20)
COLOURS = {BLACK: "black", WHITE: "white"}


class Player(Protocol):
    """Chooses moves, and remembers nothing from one to the next."""

    def move(self, game: Game, seed: int) -> int | None:
        """A move of the side to move, or None to resign; the game is left as it is.

        Args:
            game: not over.
            seed: decides what is left to chance.
        """
        ...


class Searching:
    """A network that searches.

    Args:
        evaluator: the network.
        search: constants of the search.
        simulations: playouts of a search after the root's evaluation.
    """

    def __init__(self, evaluator: Evaluator, search: SearchOptions, simulations: int) -> None:
        self._evaluator = evaluator
        self._search = search
        self._simulations = simulations

    def move(self, game: Game, seed: int) -> int:
        """See Player: the most visited move."""
        tree = Tree(game, options=self._search, seed=seed)
        batch_size = min(BATCH_SIZE, self._evaluator.batch_size)
        tree.search(self._evaluator.evaluate, self._simulations + 1, batch_size)
        return tree.best_move()


class AtRandom:
    """Every point that may be played has the same chance; it passes where there is none."""

    def move(self, game: Game, seed: int) -> int:
        """See Player."""
        return _drawn(_points(game) or [game.pass_point], game, seed)


class AverageLib:
    """Looks one move ahead for the most liberties a chain.

    A position counts ten times the liberties of a colour over its chains, rounded down, less the
    same of the other colour; the liberties of two chains at one point count twice. In Go it fills
    no point whose neighbours are all its own. Equals are drawn.

    Source: SpAveragePlayer of Fuego, whose further filter of bad moves is left out.
    """

    def move(self, game: Game, seed: int) -> int:
        """See Player."""
        points = _points(game)
        if isinstance(game.rules, Go):
            points = [point for point in points if not _is_surrounded(game, point)]
        scores = {point: _score_after(game, point) for point in points}
        best = max(scores.values(), default=0)
        return _drawn(
            [point for point, score in scores.items() if score == best] or [game.pass_point],
            game,
            seed,
        )


class Rollouts:
    """UCT with random games, without a network.

    Args:
        playouts: of a move.
    """

    def __init__(self, playouts: int) -> None:
        self._playouts = playouts

    def move(self, game: Game, seed: int) -> int:
        """See Player."""
        return game.rollout_move(self._playouts, _mixed(seed, game))


class Perfect:
    """Keeps each win, and draws a move in a lost position and among those that win."""

    def move(self, game: Game, seed: int) -> int:
        """See Player."""
        return _drawn(game.winning_moves() or game.candidates(), game, seed)


class GnuGo:
    """GNU Go, which is shown the whole game before each of its moves.

    Args:
        program: the process.
    """

    def __init__(self, program: GtpClient) -> None:
        self._program = program

    def move(self, game: Game, seed: int) -> int | None:
        """See Player."""
        assert isinstance(game.rules, Go)
        ask = self._program.ask
        for command in (
            f"boardsize {game.size}",
            "clear_board",
            f"komi {game.rules.komi:g}",
            f"set_random_seed {_mixed(seed, game) % 2**31}",
        ):
            ask(command)
        for colour, move in game.moves:
            ask(f"play {COLOURS[colour]} {point_to_gtp(move, game.size)}")
        answer = ask(f"genmove {COLOURS[game.to_play]}")
        return None if answer.lower() == "resign" else gtp_to_point(answer, game.size)


@dataclass(frozen=True)
class Opponent:
    """A player that a run is measured against.

    Attributes:
        idea: how it plays, in a few words.
        plays: whether it plays a game.
        opened: makes one with a number, for as long as the context lasts.
        number: what the number after its name stands for; None if it takes none.
        default: that number where it is left out.
    """

    idea: str
    plays: Callable[[Rules], bool]
    opened: Callable[[int], AbstractContextManager[Player]]
    number: str | None = None
    default: int = 0


def gnugo_command(level: int) -> list[str]:
    """The command that starts GNU Go by area scoring, wherever Debian installs it.

    Raises:
        UsageError: it is not installed.
    """
    path = shutil.which("gnugo", path=f"{os.environ['PATH']}:/usr/games")
    if path is None:
        raise UsageError("GNU Go is not installed: apt install gnugo, or choose another opponent")
    return [
        path, "--mode", "gtp", "--level", str(level), "--chinese-rules", "--positional-superko",
        "--play-out-aftermath", "--capture-all-dead",
    ]  # fmt: skip


@contextmanager
def _gnugo(level: int) -> Iterator[Player]:
    with GtpClient("GNU Go", gnugo_command(level)) as program:
        yield GnuGo(program)


OPPONENTS: Mapping[str, Opponent] = {
    "random": Opponent("any legal point", lambda _: True, lambda _: nullcontext(AtRandom())),
    "averagelib": Opponent(
        "one move ahead, for liberties",
        lambda rules: not isinstance(rules, Hex),
        lambda _: nullcontext(AverageLib()),
    ),
    "rollouts": Opponent(
        "UCT with random games",
        lambda rules: not isinstance(rules, Go),
        lambda playouts: nullcontext(Rollouts(playouts)),
        "playouts",
        1000,
    ),
    "perfect": Opponent("keeps each win", is_solvable, lambda _: nullcontext(Perfect())),
    "gnugo": Opponent(
        "GNU Go 3.8",
        lambda rules: isinstance(rules, Go) and rules.size in GNUGO_SIZES,
        _gnugo,
        "level",
        1,
    ),
}


def described(name: str) -> str:
    """How an opponent is named, and what it does."""
    opponent = OPPONENTS[name]
    number = f"[:{opponent.number.upper()}]" if opponent.number else ""
    return f"{name}{number}, {opponent.idea}"


def opened_opponent(name: str, rules: Rules) -> AbstractContextManager[Player]:
    """Make an opponent by its name, such as random or rollouts:1000.

    Raises:
        UsageError: there is none of this name, it doesn't play this game, or a wrong number.
    """
    kind, _, number = name.partition(":")
    if kind not in OPPONENTS:
        raise UsageError(f"--against must be one of {', '.join(OPPONENTS)}, not {kind!r}")
    opponent = OPPONENTS[kind]
    if not opponent.plays(rules):
        raise UsageError(f"{kind} does not play {rules}: choose another --against")
    if number and (opponent.number is None or not number.isdecimal() or int(number) < 1):
        wanted = f"a number of {opponent.number}, 1 or more," if opponent.number else "nothing"
        raise UsageError(f"--against {kind} takes {wanted} after a colon, not {number!r}")
    return opponent.opened(int(number or opponent.default))


def _points(game: Game) -> list[int]:
    return [move for move in game.candidates() if move != game.pass_point]


def _mixed(seed: int, game: Game) -> int:
    """A number of its own for each move of each game."""
    return Random(f"{seed} {game.num_moves}").getrandbits(64)


def _drawn(moves: list[int], game: Game, seed: int) -> int:
    return Random(_mixed(seed, game)).choice(moves)


def _is_surrounded(game: Game, point: int) -> bool:
    """Whether all neighbours of a point are stones of the side to move."""
    stones = np.pad(game.stones(), 1, constant_values=game.to_play)
    row, column = divmod(point, game.size)
    around = stones[row : row + 3, column : column + 3]
    return bool((around[[0, 1, 1, 2], [1, 0, 2, 1]] == game.to_play).all())


def _score_after(game: Game, point: int) -> int:
    mover = game.to_play
    game.play(point)
    board = game.board()
    game.take_back()
    return _average_liberties(board, mover) - _average_liberties(board, opponent(mover))


def _average_liberties(board: Board, colour: int) -> int:
    """Ten times the liberties of a colour's chains over their number, rounded down."""
    chains = _chains(board.stones(), colour)
    liberties = board.num_liberties().ravel()
    return 10 * sum(int(liberties[chain]) for chain in chains) // max(1, len(chains))


def _chains(stones: np.ndarray, colour: int) -> list[int]:
    """A stone of each chain of a colour."""
    size = len(stones)
    left = set(np.flatnonzero(stones == colour).tolist())
    chains = []
    while left:
        waiting = [left.pop()]
        chains.append(waiting[0])
        while waiting:
            point = waiting.pop()
            for step in (-size, size, -1, 1):
                other = point + step
                if other in left and (abs(step) > 1 or other // size == point // size):
                    left.discard(other)
                    waiting.append(other)
    return chains
