"""Writes the book of openings from a packed file of games.

python -m data.make_openings data/katago_b6.games > data/openings.txt
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from golois.constants import PASS
from golois.errors import GoloisError
from golois.go.coords import point_to_sgf
from golois.records.packed_file import GameFile, Record
from tournament.running.opening_book import distinct

BOOK_PLIES = 8
DISTINCT_PLIES = 6
EVEN_PERCENT = (46, 54)

HEADER = f"""\
# Openings of {BOOK_PLIES} plies, one a line, Black first, as SGF points (column, row from the top).
# First plies of the games in data/katago_b6.games (data/README.md has their provenance) that are
# even: before each of these plies and after the last one, KataGo 1.17.2 with the network
# g170-b6c96-s175395328 judged P(White wins) from {EVEN_PERCENT[0]} to {EVEN_PERCENT[1]} %,
# at komi 7.5 and one visit.
# No two lines lead to the same position after {DISTINCT_PLIES} plies, symmetries included.
# Written by python -m data.make_openings."""


def even_openings(records: Iterable[Record]) -> Iterator[tuple[int, ...]]:
    """The first plies of those games that were even from the start and have no pass there."""
    low, high = EVEN_PERCENT
    for record in records:
        opening = tuple(int(point) for point in record.points[:BOOK_PLIES])
        percents = np.rint(100 * record.values[: BOOK_PLIES + 1])
        is_even = len(percents) > BOOK_PLIES and np.all((low <= percents) & (percents <= high))
        if is_even and PASS not in opening:
            yield opening


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the book made from a packed file of games."""
    parser = argparse.ArgumentParser("python -m data.make_openings", description=main.__doc__)
    parser.add_argument("games", type=Path, help="a packed file of games, .games")
    try:
        games = GameFile.open(parser.parse_args(arguments).games)
    except (GoloisError, OSError) as error:
        print(f"make_openings: {error}", file=sys.stderr)
        return 2
    print(HEADER)
    for opening in distinct(even_openings(games), DISTINCT_PLIES):
        print(*map(point_to_sgf, opening))
    return 0


if __name__ == "__main__":
    sys.exit(main())
