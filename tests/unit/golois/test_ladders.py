"""Ladders drawn by moves: what planes 1 to 4 say, natively and by the slow reader."""

from dataclasses import dataclass

import numpy as np
import pytest

from golois.go.coords import gtp_to_point
from tests.diagrams import board_after, moves_of
from tests.reference_planes import ladder_planes


@dataclass(frozen=True)
class LadderRow:
    """Stones put on the board; what is lost, or taken by a ladder, and behind "by" its enemies."""

    name: str
    stones: str
    lost: str = ""
    taken: str = ""


RUN = "W D4, B C4, B D3, B E3"

LADDER_ROWS = (
    LadderRow("a stone alone in the corner", "B A1", taken="A1"),
    LadderRow("a stone alone on the edge", "B A10"),
    LadderRow("a ladder across the whole board", RUN, taken="D4 by C4 D3 E3"),
    LadderRow("a stone of the runner on the way breaks it", f"{RUN}, W Q16"),
    LadderRow("a runner's stone beside the way does not", f"{RUN}, W S3", taken="D4 by C4 D3 E3"),
    LadderRow("under way, the runner in atari is lost", f"{RUN}, B D5", lost="D4 by C4 D3 E3 D5"),
    LadderRow("under way with a breaker, the runner is safe", f"{RUN}, B D5, W Q16"),
    LadderRow("in atari in the corner it is lost", "W A1, B B1, B A3, B B3", lost="A1 by B1"),
    LadderRow("1,477 nodes of a crawl on the edge are too many: not lost", "W A1, B B1"),
    LadderRow("1,001 nodes are more than the budget too", "W A1, B B1, B A12"),
    LadderRow("1,000 nodes are within it", "W A1, B B1, B B12", lost="A1 by B1"),
    LadderRow("both in atari: whoever moves takes, neither is lost", "W A1, B B1, W B2, W C1"),
    LadderRow("a chain of three liberties is never read", "W K10, B J10"),
    LadderRow("no way out on the edge", "W A10, B B10, B A11, B B8", lost="A10 by B10 A11"),
    LadderRow(
        "the whole of the hunters' chains is marked",
        f"{RUN}, B C5, B C6, B F3",
        taken="D4 by C4 C5 C6 D3 E3 F3",
    ),
)


def points_of(vertices: str) -> list[int]:
    return sorted(gtp_to_point(vertex) for vertex in vertices.split())


@pytest.mark.parametrize("row", LADDER_ROWS, ids=lambda row: row.name)
def test_ladder_planes_mark_the_drawn_chains(row):
    board = board_after(moves_of(row.stones, 19))
    slow = ladder_planes(tuple(board.stones().reshape(-1).tolist()))
    marked = [np.flatnonzero(slow[:, :, plane]).tolist() for plane in range(4)]
    drawn = [part for text in (row.lost, row.taken) for part in text.partition("by")[::2]]
    assert marked == [points_of(vertices) for vertices in drawn]
    np.testing.assert_array_equal(board.planes(7.5)[:, :, 1:5], slow)
