"""The book of openings: short, even beginnings of real games, distinct up to symmetry.

`data/openings.txt` holds one opening a line, Black first, as SGF points. It was written by

    python -m tournament.openings data/katago_b6.games > data/openings.txt
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from golois.coords import point_to_sgf, sgf_to_point
from golois.records import GameFile, Record
from golois.shapes import PASS
from golois.symmetry import NUM_SYMMETRIES, transform_point
from tournament.errors import OptionsError

BOOK = Path(__file__).resolve().parent.parent / "data" / "openings.txt"
BOOK_PLIES = 8
DISTINCT_PLIES = 6
EVEN_PERCENT = (46, 54)

HEADER = f"""\
# Openings of {BOOK_PLIES} plies, one a line, Black first, as SGF points (column letter, row letter from the top).
# The first plies of the games in data/katago_b6.games (data/README.md has their provenance), where KataGo
# judged P(White wins) from {EVEN_PERCENT[0]} to {EVEN_PERCENT[1]} % all along. No two lines lead to the same position
# after {DISTINCT_PLIES} plies, symmetries included. Written by: python -m tournament.openings data/katago_b6.games"""


def load_openings(plies: int, path: Path = BOOK) -> list[tuple[int, ...]]:
    """The openings of the book cut to `plies` plies, no two the same position up to symmetry.

    Raises:
        OptionsError: the book's openings are shorter than that.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    book = [tuple(map(sgf_to_point, line.split())) for line in lines if not line.startswith("#")]
    longest = min(map(len, book))
    if not 0 <= plies <= longest:
        raise OptionsError(f"expected opening plies from 0 to {longest}: got {plies}")
    return list(_distinct(opening[:plies] for opening in book))


def even_openings(records: Iterable[Record]) -> Iterator[tuple[int, ...]]:
    """The first plies of those games that were even from the start, distinct up to symmetry."""
    low, high = EVEN_PERCENT
    for record in records:
        opening = tuple(int(point) for point in record.points[:BOOK_PLIES])
        percents = np.rint(100 * record.values[: BOOK_PLIES + 1])
        is_even = len(percents) > BOOK_PLIES and np.all((low <= percents) & (percents <= high))
        if is_even and PASS not in opening:
            yield opening


def canonical(opening: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The opening's position, the same for all eight symmetries of it.

    Does not play it: openings have no captures.

    Returns:
        the sorted points of Black and of White, least of the eight.
    """
    symmetries = range(NUM_SYMMETRIES)
    turned = ([transform_point(point, symmetry) for point in opening] for symmetry in symmetries)
    return min((tuple(sorted(points[::2])), tuple(sorted(points[1::2]))) for points in turned)


def _distinct(
    openings: Iterable[tuple[int, ...]], plies: int | None = None
) -> Iterator[tuple[int, ...]]:
    seen = set()
    for opening in openings:
        position = canonical(opening[:plies])
        if position not in seen:
            seen.add(position)
            yield opening


def main(path: str) -> None:
    """Prints the book made from a packed file of games."""
    print(HEADER)
    for opening in _distinct(even_openings(GameFile.open(path)), DISTINCT_PLIES):
        print(*map(point_to_sgf, opening))


if __name__ == "__main__":
    main(*sys.argv[1:])
