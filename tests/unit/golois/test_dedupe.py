"""`--dedupe`: one game of several that differ in nothing but the way the board is turned."""

import pytest

from golois.constants import PASS
from golois.go.coords import point_to_sgf
from golois.go.symmetry import NUM_SYMMETRIES, transform_point
from golois.records.importing import import_games
from golois.records.packed_file import GameFile
from tests.games import HEAD, import_bytes

POINTS = (60, 288, 72, PASS, 181)


def sgf(points=POINTS, symmetry: int = 0, head: str = HEAD, first: str = "B") -> str:
    letters = "BW" if first == "B" else "WB"
    moves = (
        f";{letters[i % 2]}[{point_to_sgf(transform_point(point, symmetry))}]"
        for i, point in enumerate(points)
    )
    return head + "".join(moves) + ")\n"


@pytest.mark.parametrize("symmetry", range(NUM_SYMMETRIES))
def test_a_turned_game_is_a_duplicate(tmp_path, symmetry):
    first, second = tmp_path / "a.sgf", tmp_path / "b.sgf"
    first.write_text(sgf())
    second.write_text("\n\n" + sgf(symmetry=symmetry, head=HEAD.replace("7.5", "6.5")))
    summary = import_games([first, second], tmp_path / "out.games", dedupe=True)
    assert (summary.num_games, dict(summary.dropped)) == (1, {"duplicate": 1})
    assert summary.first_drops[0].startswith("b.sgf:3: duplicate: ")
    assert GameFile.open(summary.path)[0].komi == 7.5
    assert GameFile.open(summary.path).provenance["dropped"] == {"duplicate": 1}


def test_the_order_of_set_up_stones_makes_no_other_game(tmp_path):
    path, end = tmp_path / "games", ";W[dd];B[qq])\n"
    stones = ("AB[dp][pd]", "AB[pd][dp]", "AB[pd][pp]", "AB[dp]AW[pd]")
    path.write_text("".join(f"{HEAD}{text}{end}" for text in stones))
    assert import_games([path], tmp_path / "out.games", dedupe=True).num_games == 3


@pytest.mark.parametrize(
    "other",
    [
        sgf(POINTS[:-1]),
        sgf((*POINTS, PASS)),
        sgf((288, 60, 72, PASS, 181)),
        sgf((60, 288, 73, PASS, 181)),
        sgf(first="W"),
    ],
    ids=["shorter", "longer", "another order", "another point", "other colours"],
)
def test_other_games_are_none(tmp_path, other):
    path = tmp_path / "games"
    path.write_text(sgf() + other)
    assert import_games([path], tmp_path / "out.games", dedupe=True).num_games == 2


def test_a_dropped_game_does_not_count_as_seen(tmp_path):
    path = tmp_path / "games"
    path.write_text(sgf(head=HEAD.replace("B+R", "?")) + sgf() + sgf())
    summary = import_games([path], tmp_path / "out.games", dedupe=True)
    assert summary.num_games == 1
    assert dict(summary.dropped) == {"no result": 1, "duplicate": 1}


def test_duplicates_stay_unless_asked_for(tmp_path):
    assert import_bytes(tmp_path, sgf() + sgf()).num_games == 2


def test_many_games_are_told_apart(tmp_path):
    """More than the table of keys holds at first, twice."""
    path = tmp_path / "games"
    firsts = (1, 21, 41, 61)
    games = "".join(sgf((first, p)) for first in firsts for p in range(361) if p != first)
    path.write_text(games * 2)
    summary = import_games([path], tmp_path / "out.games", dedupe=True)
    assert summary.num_games + summary.dropped["duplicate"] == 2 * 4 * 360
    assert summary.num_games == 4 * 360  # no symmetry keeps a first move off the axes
