"""The book of openings, `data/openings.txt`: short, even beginnings of real games.

One opening a line, Black first, as SGF points; its header says where they come from.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from golois.constants import PASS
from golois.errors import GoloisError
from golois.go.board import Board
from golois.go.coords import sgf_to_point
from golois.go.symmetry import NUM_SYMMETRIES, transform_point
from tournament.errors import OptionsError

BOOK = Path(__file__).resolve().parents[2] / "data" / "openings.txt"


def load_openings(plies: int, path: Path = BOOK) -> list[tuple[int, ...]]:
    """Return a book's openings cut to `plies` plies, no two the same position up to symmetry.

    Raises:
        OptionsError: no book, or openings that are too short, have passes or cannot be played.
        OSError: the file cannot be read.
    """
    book = _read_book(path)
    longest = min(map(len, book))
    if not 0 <= plies <= longest:
        raise OptionsError(f"opening plies must be from 0 to {longest}, not {plies}")
    return list(distinct((opening[:plies] for opening in book), plies))


def _read_book(path: Path) -> list[tuple[int, ...]]:
    book = []
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                book.append(tuple(map(sgf_to_point, line.split())))
                board = Board()
                for point in book[-1]:
                    board.play(point)
    except (UnicodeDecodeError, GoloisError) as error:
        raise OptionsError(f"{path} is not a book of openings: {error}") from error
    if any(PASS in opening for opening in book):
        raise OptionsError(f"{path} is not a book of openings: one of them has a pass")
    if not book:
        raise OptionsError(f"there are no openings in {path}")
    return book


def distinct(openings: Iterable[tuple[int, ...]], plies: int) -> Iterator[tuple[int, ...]]:
    """Return the openings with distinct positions after `plies` plies, up to symmetry."""
    seen = set()
    for opening in openings:
        position = canonical(opening[:plies])
        if position not in seen:
            seen.add(position)
            yield opening


def canonical(opening: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the sorted points of Black and of White, the least of the eight symmetries.

    It does not play the opening: openings have no captures.
    """
    symmetries = range(NUM_SYMMETRIES)
    turned = ([transform_point(point, symmetry) for point in opening] for symmetry in symmetries)
    return min((tuple(sorted(points[::2])), tuple(sorted(points[1::2]))) for points in turned)
