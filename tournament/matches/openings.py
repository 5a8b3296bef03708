"""What games begin with: moves that are drawn, or read from files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from golois.constants import BOARD_SIZE
from golois.errors import ArgumentError, DataFormatError, IllegalMoveError
from golois.games.game import Game, after_moves
from golois.games.rules import Go, Rules
from golois.go.coords import gtp_to_point
from golois.kit.command import UsageError, escaped
from golois.sgf.reading import read_sgf

OPENING_MOVES = 2


@dataclass(frozen=True)
class Opening:
    """A name and the moves to begin with."""

    name: str
    moves: tuple[int, ...]

    def game(self, rules: Rules) -> Game:
        """The game after them."""
        return after_moves(rules, self.moves)


def drawn_openings(
    rules: Rules, count: int, seed: int, num_moves: int = OPENING_MOVES
) -> list[Opening]:
    """Return random openings of some moves on points; raise UsageError if an opening is a game."""
    games = [_drawn(rules, Random(f"{seed} {number}"), num_moves) for number in range(count)]
    if any(game.is_over for game in games):
        raise UsageError(f"{num_moves} drawn moves can be a whole game of {rules}: draw fewer")
    return [
        Opening(f"drawn {number}", tuple(move for _, move in game.moves))
        for number, game in enumerate(games, start=1)
    ]


def _drawn(rules: Rules, random: Random, num_moves: int) -> Game:
    game = Game(rules)
    for _ in range(num_moves):
        points = [move for move in game.candidates() if move != game.pass_point]
        if points:
            game.play(random.choice(points))
    return game


def read_openings(paths: Sequence[Path], rules: Rules) -> list[Opening]:
    """Read openings from .sgf files of 19×19 Go, and from text with an opening on each line.

    Raises:
        UsageError: a file without openings, or with an opening that cannot be played.
    """
    openings = [opening for path in paths for opening in _read(path, rules)]
    names = [opening.name for opening in openings]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"two openings are called {twice[0]}: rename a file")
    for opening in openings:
        try:
            is_over = opening.game(rules).is_over
        except (IllegalMoveError, ArgumentError) as error:
            raise UsageError(f"the opening {opening.name} cannot be played: {error}") from error
        if is_over:
            raise UsageError(f"the opening {opening.name} is a whole game")
    return openings


def _read(path: Path, rules: Rules) -> list[Opening]:
    try:
        data = path.read_bytes()
        if path.suffix == ".sgf":
            return [_of_sgf(path, data, rules)]
        lines = (line.partition("#")[0].split() for line in data.decode().splitlines())
        found = [
            Opening(
                f"{escaped(path.stem)} {number}",
                tuple(gtp_to_point(name, rules.size) for name in names),
            )
            for number, names in enumerate(filter(None, lines), start=1)
        ]
    except (OSError, UnicodeDecodeError, ArgumentError, DataFormatError) as error:
        raise UsageError(f"{path} has no openings that can be read: {error}") from error
    if not found:
        raise UsageError(f"{path} has no opening: write the points of one on each line")
    return found


def _of_sgf(path: Path, data: bytes, rules: Rules) -> Opening:
    if not isinstance(rules, Go) or rules.size != BOARD_SIZE:
        raise UsageError(f"{path} is for Go on 19×19: give openings of {rules} as text")
    game = read_sgf(data)
    if game.set_up:
        raise UsageError(f"{path} begins with stones on the board, not with moves")
    return Opening(escaped(path.stem), tuple(move for _, move in game.moves))
