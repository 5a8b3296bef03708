"""`selfplay.py attack`: how often one player beats another from given openings.

ResTNet asks this of a network and the cyclic adversary, in 30 games from each of 24 openings.

Source: Wu, Wu, Shih, Ju and Wu, "ResTNet: Defense against Adversarial Policies via Transformer in
    Computer Go", 2025, table 7. Its openings are games of the adversary, which it does not print.
"""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from golois.coords import BLACK, EMPTY, WHITE, gtp_to_point
from golois.errors import ArgumentError, DataFormatError, IllegalMoveError
from golois.files import write_whole
from golois.games import Game
from golois.rules import Go, Rules
from golois.sgf import read_sgf
from golois.shapes import BOARD_SIZE, TOURNAMENT_KOMI
from models.training.command_line import UsageError, option
from models.training.steps import StopRequest
from selfplay.match import drawn_opening, play_out
from selfplay.options import Options
from selfplay.players import Player
from sweeps.layout import markdown_table
from tournament.ratings.bradley_terry import wilson_interval

COLOURS = {BLACK: "black", WHITE: "white", EMPTY: "nobody"}
COLUMNS = ("opening", "game", "attacker", "winner")


@dataclass(frozen=True)
class Attack:
    """What is played."""

    game: str = option("go", "what is played", choices=("go", "nogo", "hex"))
    size: int = option(9, "points on a side, 2 to 19")
    komi: float = option(TOURNAMENT_KOMI, "of Go")
    swap: bool = option(False, "of Hex: the second player may take the first stone")
    drawn: int = option(24, "openings of two moves drawn with equal chance, without --openings")
    games: int = option(30, "from each opening")
    attacker: str = option("both", "its colour", choices=("both", "black", "white"))
    simulations: int = option(64, "of a network's searches")
    seed: int = option(0, "of the games")

    def __post_init__(self) -> None:
        for name in ("drawn", "games", "simulations"):
            if getattr(self, name) < 1:
                raise UsageError(f"--{name} must be 1 or more, not {getattr(self, name)}")
        if self.attacker == "both" and self.games % 2:
            raise UsageError(
                f"--games must be even, not {self.games}, unless --attacker names a colour"
            )

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


@dataclass(frozen=True)
class Played:
    """A game, as the file keeps it: by the opening's name, its number there, and colours."""

    opening: str
    game: int
    attacker: str
    winner: str

    @property
    def is_attacked(self) -> bool:
        """Whether the attacker won."""
        return self.attacker == self.winner


def drawn_openings(rules: Rules, count: int, seed: int) -> list[Opening]:
    """Openings of two moves on points."""
    games = (drawn_opening(rules, f"{seed} {number}") for number in range(count))
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


def require_same(path: Path, settings: Mapping[str, Any]) -> None:
    """Write beside a file what its games are of, or refuse one with others.

    Raises:
        UsageError: its games are of other players or settings.
    """
    known = path.with_suffix(".json")
    text = json.dumps(settings, indent=2) + "\n"
    if not known.exists():
        write_whole(known, text.encode(), durable=False)
    elif known.read_text() != text:
        raise UsageError(f"{path} has games of other players or settings: choose another --out")


def play_attacks(
    attack: Attack,
    openings: Sequence[Opening],
    players: tuple[Player, Player],
    path: Path,
    stop: StopRequest,
    on_done: Callable[[], None],
) -> list[Played]:
    """Play what the file does not have yet, and add it there game by game.

    Args:
        attack: what is played.
        openings: each for so many games.
        players: the victim and the attacker.
        path: of the file.
        stop: a request to stop.
        on_done: called after each game.

    Raises:
        Stopped: by a signal; the same call goes on from here.
    """
    rules, known = attack.options().rules(), _read_played(path)
    found = []
    for place, opening in enumerate(openings):
        for number in range(attack.games):
            colour = attack.colour(number)
            played = known.get((opening.name, number))
            if played is None:
                pair = players if colour == "white" else players[::-1]
                seed = attack.seed + place * attack.games + number
                winner = play_out(opening.game(rules), pair, seed, stop)
                played = Played(opening.name, number, colour, COLOURS[winner])
                _append(path, played)
            found.append(played)
            on_done()
    return found


def attacks_table(played: Sequence[Played]) -> str:
    """How often the victim was beaten from each opening, and in all with its 95 % interval."""
    by_opening: dict[str, list[bool]] = {}
    for one in played:
        by_opening.setdefault(one.opening, []).append(one.is_attacked)
    cells = [
        [name, f"{sum(won)}", f"{len(won)}", f"{sum(won) / len(won):.2%}"]
        for name, won in by_opening.items()
    ]
    total = sum(one.is_attacked for one in played)
    low, high = wilson_interval(total, len(played))
    return (
        f"{markdown_table(['opening', 'attacked', 'games', 'rate'], cells)}\n\n"
        f"attacked in {total / len(played):.2%} of {len(played)} games, {low:.2%} to {high:.2%} at "
        "95 %"
    )


def _read(path: Path, rules: Rules) -> list[Opening]:
    try:
        data = path.read_bytes()
        if path.suffix == ".sgf":
            return [_of_sgf(path, data, rules)]
        lines = (line.partition("#")[0].split() for line in data.decode().splitlines())
        return [
            Opening(
                f"{path.stem} {number}", tuple(gtp_to_point(name, rules.size) for name in names)
            )
            for number, names in enumerate(filter(None, lines), start=1)
        ]
    except (OSError, UnicodeDecodeError, ArgumentError, DataFormatError) as error:
        raise UsageError(f"{path} has no openings that can be read: {error}") from error


def _of_sgf(path: Path, data: bytes, rules: Rules) -> Opening:
    if not isinstance(rules, Go) or rules.size != BOARD_SIZE:
        raise UsageError(f"{path} is for Go on 19×19: give openings of {rules} as text")
    game = read_sgf(data)
    if game.set_up:
        raise UsageError(f"{path} begins with stones on the board, not with moves")
    return Opening(path.stem, tuple(move for _, move in game.moves))


def _read_played(path: Path) -> dict[tuple[str, int], Played]:
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if None not in row.values()]
    games = [
        Played(row["opening"], int(row["game"]), row["attacker"], row["winner"]) for row in rows
    ]
    return {(game.opening, game.game): game for game in games}


def _append(path: Path, played: Played) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(COLUMNS)
        writer.writerow(vars(played).values())
