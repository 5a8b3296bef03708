"""Games that a CSV file keeps one by one, so that a command that stops goes on where it was."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import IO, Any

from golois.coords import BLACK, EMPTY, WHITE, gtp_to_point, point_to_gtp
from golois.kit.command import UsageError
from golois.kit.files import lock, write_whole

COLOURS = {BLACK: "black", WHITE: "white", EMPTY: "nobody"}


@dataclass(frozen=True)
class Played:
    """A game of an attacker.

    Attributes:
        opening: name of what it begins with.
        game: its number among those from this opening, from 0.
        attacker: its colour.
        winner: a colour, or "nobody".
        moves: from the empty board on.
    """

    opening: str
    game: int
    attacker: str
    winner: str
    moves: tuple[int, ...] = ()

    @property
    def is_attacked(self) -> bool:
        """Whether the attacker won."""
        return self.attacker == self.winner


HEADER = ",".join(field.name for field in fields(Played)).encode() + b"\n"


class KeptGames:
    """The games of a file that nobody else writes.

    Args:
        file: where more are added.
        size: of the board.
        known: games of the file.
    """

    def __init__(self, file: IO[bytes], size: int, known: Sequence[Played]) -> None:
        self._file = file
        self._size = size
        self._known = {(game.opening, game.game): game for game in known}

    def find(self, opening: str, game: int) -> Played | None:
        """The game of an opening that has this number; None if it was not played yet."""
        return self._known.get((opening, game))

    def add(self, game: Played) -> None:
        """Write a game down."""
        moves = " ".join(point_to_gtp(move, self._size) for move in game.moves)
        line = io.StringIO()
        writer = csv.writer(line, lineterminator="\n")
        writer.writerow((game.opening, game.game, game.attacker, game.winner, moves))
        self._file.write(line.getvalue().encode())
        self._file.flush()


@contextmanager
def kept_games(path: Path, settings: Mapping[str, Any], size: int) -> Iterator[KeptGames]:
    """Open and lock a file of games, which is made when missing; a line that a kill cut is removed.

    Args:
        path: of the file; what its games are of lies beside it, as .json.
        settings: what they are of.
        size: of the board.

    Raises:
        UsageError: the file is no such file, is damaged, or has games of other settings, or another
            process writes it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+b") as file:
        _lock(file, path)
        known = _read(file, path, size)
        _require_same(path.with_suffix(".json"), settings, path if known else None)
        yield KeptGames(file, size, known)


def read_kept(path: Path, size: int) -> tuple[dict[str, Any], list[Played]]:
    """Read what a file's games are of, and those that are whole; others may be added meanwhile.

    Args:
        path: of the file.
        size: of the board.

    Raises:
        UsageError: the file is damaged, or what `read_settings` raises.
    """
    return read_settings(path), _whole_games(path.read_bytes(), path, size)


def read_settings(path: Path) -> dict[str, Any]:
    """Read what a file's games are of.

    Raises:
        UsageError: the file is no such file, or the .json beside it is missing or damaged.
    """
    with open(path, "rb") as file:
        is_kept = file.read(len(HEADER)) == HEADER
    try:
        if is_kept:
            return json.loads(path.with_suffix(".json").read_text())
    except (FileNotFoundError, ValueError):
        pass
    raise UsageError(f"{path} is no file of games as they are kept")


def _lock(file: IO[bytes], path: Path) -> None:
    with suppress(OSError):  # a file system without locks
        if not lock(file):
            raise UsageError(f"another process plays into {path}: wait for it, or stop it")


def _read(file: IO[bytes], path: Path, size: int) -> list[Played]:
    """Read the games; the file ends with a whole line then."""
    file.seek(0)
    content = file.read()
    if not content.startswith(HEADER):
        if not HEADER.startswith(content):
            raise UsageError(f"{path} is no file of games as they are kept: choose another file")
        file.truncate(0)
        file.write(HEADER)
        file.flush()
        return []
    file.truncate(content.rfind(b"\n") + 1)
    return _whole_games(content, path, size)


def _whole_games(content: bytes, path: Path, size: int) -> list[Played]:
    """Those of all lines but one that a kill, or who writes now, has cut."""
    lines = content[len(HEADER) : content.rfind(b"\n") + 1].splitlines()
    return [_game_of(line, f"line {i} of {path}", size) for i, line in enumerate(lines, start=2)]


def _game_of(line: bytes, place: str, size: int) -> Played:
    try:
        (row,) = csv.reader([line.decode()], strict=True)
        opening, number, attacker, winner, moves = row
        if attacker not in ("black", "white") or winner not in COLOURS.values():
            raise ValueError("no such colour")
        points = tuple(gtp_to_point(name, size) for name in moves.split())
        return Played(opening, int(number), attacker, winner, points)
    except (ValueError, csv.Error) as error:
        raise UsageError(
            f"{place} is damaged: remove this line, and its game is played again"
        ) from error


def _require_same(known: Path, settings: Mapping[str, Any], games: Path | None) -> None:
    """Write what the games of a file are of, or refuse a file that has games of something else."""
    text = json.dumps(settings, indent=2) + "\n"
    if games is None:
        write_whole(known, text.encode(), durable=False)
    elif not known.exists() or known.read_text() != text:
        raise UsageError(f"{games} has games of other players or settings: choose another file")
