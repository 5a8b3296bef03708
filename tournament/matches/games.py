"""Games that a CSV file keeps one by one, so that a command that stops goes on where it was."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import IO, Any, ClassVar

from golois.games.rules import Rules
from golois.go.coords import gtp_to_point, point_to_gtp
from golois.kit.command import UsageError
from golois.kit.files import lock, write_whole

NOBODY = "nobody"


@dataclass(frozen=True)
class MatchGame:
    """A game of a match, which `tournament.ratings` can rate.

    `game` counts the games of an opening, from 0. `winner` is "black", "white", or None for a draw.
    """

    opening: str
    game: int
    black: str
    white: str
    winner: str | None
    moves: tuple[int, ...] = ()
    kind: ClassVar[str] = "played"

    @property
    def pair_id(self) -> str:
        """The same for two games with one opening and the colours swapped."""
        first, second = sorted((self.black, self.white))
        return f"{first}-{second}-{self.opening}-{self.game // 2}"

    def points(self, name: str) -> float:
        """Of one of the two players: 1, 0, or a half for a draw."""
        if self.winner is None:
            return 0.5
        return float((self.black if self.winner == "black" else self.white) == name)


COLUMNS = ("rules", *(item.name for item in fields(MatchGame)))
HEADER = ",".join(COLUMNS).encode() + b"\n"


class KeptGames:
    """The games of a file that nobody else writes."""

    def __init__(self, file: IO[bytes], rules: Rules, known: Sequence[MatchGame]) -> None:
        self._file = file
        self._rules = rules
        self._known = {(game.opening, game.game): game for game in known}

    def find(self, opening: str, game: int) -> MatchGame | None:
        """The game of an opening that has this number; None if it was not played yet."""
        return self._known.get((opening, game))

    def add(self, game: MatchGame) -> None:
        """Write a game down."""
        moves = " ".join(point_to_gtp(move, self._rules.size) for move in game.moves)
        line = io.StringIO()
        writer = csv.writer(line, lineterminator="\n")
        players = (game.black, game.white, game.winner or NOBODY)
        writer.writerow((self._rules, game.opening, game.game, *players, moves))
        self._file.write(line.getvalue().encode())
        self._file.flush()
        self._known[game.opening, game.game] = game


@contextmanager
def kept_games(
    path: Path, settings: Mapping[str, Any], rules: Rules, *, anew: bool = False
) -> Iterator[KeptGames]:
    """Open and lock a file of games, made when missing; a line that a kill cut is removed.

    Its settings lie beside it, as .json. `anew` replaces a damaged file or one of other settings.

    Raises:
        UsageError: the file is no such file, is damaged, has games of other settings, another
            process writes it, or the .json is of something else.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    own = path.with_suffix(".json")
    is_new = not anew and not path.exists()
    if is_new and own.exists() and own.read_bytes() != _text(settings).encode():
        raise UsageError(f"{own} would be overwritten: choose another file, or remove it")
    with open(path, "a+b") as file:
        _lock(file, path)
        try:
            known = _known(file, path, settings, rules)
        except UsageError:
            if not anew:
                raise
            file.truncate(0)
            known = _known(file, path, settings, rules)
        yield KeptGames(file, rules, known)


def read_kept(path: Path, rules: Rules) -> tuple[dict[str, Any], list[MatchGame]]:
    """Read a file's settings and its whole games, while others may add more.

    Raises:
        UsageError: the file or its settings are missing or damaged.
    """
    return read_settings(path), _whole_games(path.read_bytes(), path, rules)


def read_settings(path: Path) -> dict[str, Any]:
    """Read a file's settings; raise UsageError if the .json beside it is missing or damaged."""
    with open(path, "rb") as file:
        is_kept = file.read(len(HEADER)) == HEADER
    try:
        if is_kept:
            return json.loads(path.with_suffix(".json").read_text())
    except (FileNotFoundError, ValueError):
        pass
    raise UsageError(f"{path} is not a file of games of this version")


def _known(
    file: IO[bytes], path: Path, settings: Mapping[str, Any], rules: Rules
) -> list[MatchGame]:
    """Read the games; write what they are of, or refuse a file that has games of something else."""
    known, own, text = _read(file, path, rules), path.with_suffix(".json"), _text(settings)
    if not known:
        write_whole(own, text.encode(), durable=False)
    elif not own.exists() or own.read_text() != text:
        raise UsageError(f"{path} has games of other players or settings: choose another file")
    return known


def _lock(file: IO[bytes], path: Path) -> None:
    with suppress(OSError):  # a file system without locks
        if not lock(file):
            raise UsageError(f"another process plays into {path}: wait for it, or stop it")


def _read(file: IO[bytes], path: Path, rules: Rules) -> list[MatchGame]:
    """Read the games; the file ends with a whole line then."""
    file.seek(0)
    content = file.read()
    if not content.startswith(HEADER):
        if not HEADER.startswith(content):
            raise UsageError(
                f"{path} is not a file of games of this version: choose another file, or "
                "remove this file to begin again"
            )
        file.truncate(0)
        file.write(HEADER)
        file.flush()
        return []
    file.truncate(content.rfind(b"\n") + 1)
    return _whole_games(content, path, rules)


def _whole_games(content: bytes, path: Path, rules: Rules) -> list[MatchGame]:
    """The games of all lines except a line that a kill, or another writer, has cut."""
    lines = content[len(HEADER) : content.rfind(b"\n") + 1].splitlines()
    return [_game_of(line, f"line {i} of {path}", rules) for i, line in enumerate(lines, start=2)]


def _game_of(line: bytes, place: str, rules: Rules) -> MatchGame:
    try:
        (row,) = csv.reader([line.decode()], strict=True)
        played, opening, number, black, white, winner, moves = row
        if played != str(rules) or winner not in ("black", "white", NOBODY):
            raise ValueError("other rules, or no such colour")
        points = tuple(gtp_to_point(name, rules.size) for name in moves.split())
        won = None if winner == NOBODY else winner
        return MatchGame(opening, int(number), black, white, won, points)
    except (ValueError, csv.Error) as error:
        raise UsageError(
            f"{place} is damaged: remove this line, and its game is played again"
        ) from error


def _text(settings: Mapping[str, Any]) -> str:
    return json.dumps(settings, indent=2) + "\n"
