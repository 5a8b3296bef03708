"""Points and their names: index, (row, column), GTP, SGF.

Point p of a board of side n is n·row + column, row 0 at the top; a pass is n·n.

| point (19×19) | row, column | GTP | SGF |
|---|---|---|---|
| 0   | 0, 0   | A19 | aa |
| 18  | 0, 18  | T19 | sa |
| 342 | 18, 0  | A1  | as |
| 360 | 18, 18 | T1  | ss |
| 361 | pass   | pass | (empty) |
"""

from golois.constants import BOARD_SIZE
from golois.errors import ArgumentError

EMPTY, BLACK, WHITE = 0, 1, 2
COLOUR_LETTERS = {BLACK: "B", WHITE: "W"}

GTP_COLUMNS = "ABCDEFGHJKLMNOPQRST"
SGF_LETTERS = "abcdefghijklmnopqrs"
MOST_DIGITS = 9  # of a row in GTP; Python refuses to read numbers of thousands


def opponent(colour: int) -> int:
    """The other colour."""
    return BLACK + WHITE - colour


def point_to_gtp(point: int, size: int = BOARD_SIZE) -> str:
    """The point as GTP writes it, such as `Q16` or `pass`."""
    if point == size * size:
        return "pass"
    row, column = divmod(_checked(point, size), size)
    return f"{GTP_COLUMNS[column]}{size - row}"


def gtp_to_point(text: str, size: int = BOARD_SIZE) -> int:
    """The point of a GTP vertex, in either case; ArgumentError where it isn't on such a board."""
    name = text.strip().upper()
    if name == "PASS":
        return size * size
    column = GTP_COLUMNS[:size].find(name[:1]) if name else -1
    number = name[1:]
    row = size - int(number) if number.isdecimal() and len(number) <= MOST_DIGITS else -1
    if column < 0 or not 0 <= row < size:
        raise ArgumentError(f"{text!r} is not a GTP vertex of a {size}×{size} board")
    return size * row + column


def point_to_sgf(point: int, size: int = BOARD_SIZE) -> str:
    """The point as SGF FF[4] writes it, column letter first; a pass is empty."""
    if point == size * size:
        return ""
    row, column = divmod(_checked(point, size), size)
    return SGF_LETTERS[column] + SGF_LETTERS[row]


def sgf_to_point(text: str, size: int = BOARD_SIZE) -> int:
    """The point of an SGF value; empty, and `tt` up to 19×19, are passes. Else ArgumentError."""
    if text in ("", "tt"):
        return size * size
    column, row = (SGF_LETTERS[:size].find(letter) for letter in text[:2].ljust(2))
    if len(text) != 2 or column < 0 or row < 0:
        raise ArgumentError(f"{text!r} is not an SGF point of a {size}×{size} board")
    return size * row + column


def _checked(point: int, size: int) -> int:
    if not 0 <= point < size * size:
        raise ArgumentError(f"a point must be from 0 to {size * size}, not {point}")
    return point
