"""Names of points: GTP and SGF, there and back."""

import pytest

from golois.constants import PASS
from golois.errors import ArgumentError
from golois.go.coords import (
    BLACK,
    WHITE,
    gtp_to_point,
    opponent,
    point_to_gtp,
    point_to_sgf,
    sgf_to_point,
)

NAMES = (
    (0, "A19", "aa"),
    (7, "H19", "ha"),
    (8, "J19", "ia"),
    (18, "T19", "sa"),
    (72, "Q16", "pd"),
    (180, "K10", "jj"),
    (342, "A1", "as"),
    (360, "T1", "ss"),
    (PASS, "pass", ""),
)


@pytest.mark.parametrize(("point", "gtp", "sgf"), NAMES)
def test_names_of_known_points(point, gtp, sgf):
    assert (point_to_gtp(point), point_to_sgf(point)) == (gtp, sgf)
    assert gtp_to_point(gtp) == gtp_to_point(f" {gtp.lower()} ") == point
    assert sgf_to_point(sgf) == point


@pytest.mark.parametrize("size", range(2, 20))
def test_every_point_of_every_size_comes_back(size):
    points = range(size * size + 1)
    assert [gtp_to_point(point_to_gtp(point, size), size) for point in points] == list(points)
    assert [sgf_to_point(point_to_sgf(point, size), size) for point in points] == list(points)


def test_tt_is_the_old_pass():
    assert sgf_to_point("tt") == PASS
    assert sgf_to_point("tt", 9) == 81


NO_VERTICES = ["", "I5", "Z1", "A0", "A20", "A", "19", "A-1", "A1x", "A²", "é1", "A" + 5000 * "1"]


@pytest.mark.parametrize(
    ("read", "size", "texts", "words"),
    [
        (gtp_to_point, 19, NO_VERTICES, "a GTP vertex of a 19×19"),
        (gtp_to_point, 9, ["K1"], "a GTP vertex of a 9×9"),
        (sgf_to_point, 19, ["a", "aaa", "at", "ta", "AA", "a1", "  "], "an SGF point of a 19×19"),
        (sgf_to_point, 9, ["ja"], "an SGF point of a 9×9"),
    ],
)
def test_what_is_no_point_is_refused(read, size, texts, words):
    for text in texts:
        with pytest.raises(ArgumentError, match=f"is not {words} board"):
            read(text, size)


@pytest.mark.parametrize("name", [point_to_gtp, point_to_sgf])
@pytest.mark.parametrize("point", [-1, 362])
def test_points_off_the_board_have_no_name(name, point):
    with pytest.raises(ArgumentError, match=f"must be from 0 to 361, not {point}"):
        name(point)


def test_opponents():
    assert (opponent(BLACK), opponent(WHITE)) == (WHITE, BLACK)
