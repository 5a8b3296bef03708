"""`selfplay.py attack`: how often one player beats another from given openings.

ResTNet asks this of a network and the cyclic adversary, in 30 games from each of 24 openings.

Source: Wu, Wu, Shih, Ju and Wu, "ResTNet: Defense against Adversarial Policies via Transformer in
    Computer Go", 2025, table 7. Its openings are games of the adversary, which it does not print.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from golois.coords import gtp_to_point
from golois.errors import ArgumentError, DataFormatError, IllegalMoveError
from golois.games import Game
from golois.kit.command import UsageError
from golois.kit.options import check, option
from golois.kit.signals import StopRequest
from golois.rules import Go, Rules
from golois.sgf import read_sgf
from golois.shapes import BOARD_SIZE, TOURNAMENT_KOMI
from selfplay.kept_games import COLOURS, KeptGames, Played
from selfplay.match import OPENING_MOVES, drawn_opening, play_out
from selfplay.options import Options
from selfplay.players import Player


@dataclass(frozen=True)
class Attack:
    """What is played."""

    game: str = option("go", "what is played", choices=("go", "nogo", "hex"))
    size: int = option(9, "points on a side, 2 to 19")
    komi: float = option(TOURNAMENT_KOMI, "of Go")
    swap: bool = option(False, "of Hex: the second player may take the first stone")
    drawn: int = option(
        24, "openings of two moves drawn with equal chance, without --openings", least=1
    )
    games: int = option(30, "from each opening", least=1)
    attacker: str = option("both", "its colour", choices=("both", "black", "white"))
    simulations: int = option(64, "of a network's searches", least=1)
    victim_simulations: int = option(0, "of the victim's searches; 0: as --simulations", least=0)
    seed: int = option(0, "of the games")

    def __post_init__(self) -> None:
        check(self)
        if self.attacker == "both" and self.games % 2:
            raise UsageError(
                f"--games must be even, not {self.games}, unless --attacker names a colour"
            )

    def simulations_of_sides(self) -> tuple[int, int]:
        """Of the victim's searches, and of the attacker's."""
        return self.victim_simulations or self.simulations, self.simulations

    def colour(self, number: int) -> str:
        """The attacker's in a game of an opening."""
        return ("black", "white")[number % 2] if self.attacker == "both" else self.attacker

    def options(self) -> Options:
        """Rules and searches, as a run has them.

        Raises:
            UsageError: a value out of range.
        """
        return Options(game=self.game, size=self.size, komi=self.komi, swap=self.swap)


@dataclass(frozen=True)
class Opening:
    """A name and the moves to begin with."""

    name: str
    moves: tuple[int, ...]

    def game(self, rules: Rules) -> Game:
        """The game after them."""
        game = Game(rules)
        for move in self.moves:
            game.play(move)
        return game


def drawn_openings(
    rules: Rules, count: int, seed: int, num_moves: int = OPENING_MOVES
) -> list[Opening]:
    """Openings of some moves on points.

    Raises:
        UsageError: one of them is a whole game, which would count without having been played.
    """
    games = [drawn_opening(rules, f"{seed} {number}", num_moves) for number in range(count)]
    if any(game.is_over for game in games):
        raise UsageError(f"{num_moves} drawn moves can be a whole game of {rules}: draw fewer")
    return [
        Opening(f"drawn {number}", tuple(move for _, move in game.moves))
        for number, game in enumerate(games, start=1)
    ]


def read_openings(paths: Sequence[Path], rules: Rules) -> list[Opening]:
    """Read openings: .sgf of Go on 19×19, and text with the points of one on each line.

    Raises:
        UsageError: a file that has none, or one that cannot be played.
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


def play_attacks(
    attack: Attack,
    rules: Rules,
    openings: Sequence[Opening],
    players: tuple[Player, Player],
    kept: KeptGames,
    stop: StopRequest,
    on_done: Callable[[], None],
) -> list[Played]:
    """Play what was not kept yet, and keep it game by game.

    Args:
        attack: how many games from each opening, with which colours and seed.
        rules: what is played.
        openings: each for so many games.
        players: the victim and the attacker.
        kept: the games that are known.
        stop: a request to stop.
        on_done: called after each game.

    Raises:
        Stopped: by a signal; the same call goes on from here.
    """
    found = []
    for place, opening in enumerate(openings):
        for number in range(attack.games):
            played = kept.find(opening.name, number)
            if played is None:
                game, colour = opening.game(rules), attack.colour(number)
                pair = players if colour == "white" else players[::-1]
                seed = attack.seed + place * attack.games + number
                winner = COLOURS[play_out(game, pair, seed, stop)]
                moves = tuple(move for _, move in game.moves)
                played = Played(opening.name, number, colour, winner, moves)
                kept.add(played)
            found.append(played)
            on_done()
    return found


def _read(path: Path, rules: Rules) -> list[Opening]:
    try:
        data = path.read_bytes()
        if path.suffix == ".sgf":
            return [_of_sgf(path, data, rules)]
        lines = (line.partition("#")[0].split() for line in data.decode().splitlines())
        found = [
            Opening(
                f"{path.stem} {number}", tuple(gtp_to_point(name, rules.size) for name in names)
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
    return Opening(path.stem, tuple(move for _, move in game.moves))
