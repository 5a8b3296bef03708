"""A Go board with the rules of the kit: area scoring, positional superko, no suicide."""

import numpy as np

from golois.constants import BOARD_SIZE, NUM_PLANES
from golois.errors import ArgumentError, GoloisError, IllegalMoveError
from golois.go.coords import BLACK, EMPTY, GTP_COLUMNS, WHITE, point_to_gtp
from golois.native import Exclusive, buffer, check, ffi, last_error, lib

REASONS = (
    "legal",
    "not on the board",
    "occupied",
    "suicide",
    "ko",
    "superko",
    "it captures",
    "there is no pass",
)
SYMBOLS = {EMPTY: ".", BLACK: "X", WHITE: "O"}
NAMES = {BLACK: "Black", WHITE: "White"}


class Board:
    """A position and its past: stones, side to move, simple ko and positional superko.

    It doesn't end a game after two passes and doesn't know komi. It belongs to one thread at a
    time: two calls at once raise ConcurrentUseError. Raises ArgumentError: a size out of 2 … 19.
    """

    def __init__(self, size: int = BOARD_SIZE):
        self._adopt(lib.golois_board_create(size), [])

    @classmethod
    def adopt(cls, handle, moves: list[tuple[int, int]]) -> "Board":
        """The board of a native handle and its moves; ArgumentError, in the core's words: NULL."""
        board = object.__new__(cls)
        board._adopt(handle, moves)
        return board

    def _adopt(self, handle, moves: list[tuple[int, int]]) -> None:
        if handle == ffi.NULL:
            raise ArgumentError(last_error())
        self._exclusive = Exclusive(ffi.gc(handle, lib.golois_board_destroy), "Board")
        self.size: int = lib.golois_board_size(handle)
        self.moves = moves

    def copy(self) -> "Board":
        """An independent board with the same position and past."""
        with self._exclusive as handle:
            return Board.adopt(lib.golois_board_clone(handle), list(self.moves))

    @property
    def exclusive(self) -> Exclusive:
        """The native handle, for the rest of golois."""
        return self._exclusive

    @property
    def to_play(self) -> int:
        """BLACK or WHITE: the opponent of the last mover, Black on the empty board; can be set."""
        with self._exclusive as handle:
            return lib.golois_board_to_play(handle)

    @to_play.setter
    def to_play(self, colour: int) -> None:
        with self._exclusive as handle:
            lib.golois_board_set_to_play(handle, _colour(colour, handle))

    @property
    def num_moves(self) -> int:
        """Moves played so far, passes included."""
        with self._exclusive as handle:
            return lib.golois_board_num_moves(handle)

    @property
    def ko_point(self) -> int | None:
        """The point that simple ko forbids now, or None."""
        with self._exclusive as handle:
            point = lib.golois_board_ko_point(handle)
        return None if point < 0 else point

    @property
    def key(self) -> int:
        """The Zobrist key of the stones, 64 bits; it knows neither ko nor the side to move."""
        with self._exclusive as handle:
            return lib.golois_board_key(handle)

    @property
    def pass_point(self) -> int:
        """The number that stands for a pass: size²."""
        return self.size * self.size

    def play(self, point: int, colour: int | None = None) -> None:
        """Play a move of a colour, by default the side to move, or leave the board unchanged.

        Points are 0 … size² − 1, row-major with row 0 at the top; size² is a pass. Raises
        IllegalMoveError: occupied, suicide, ko, superko or not on the board.
        """
        with self._exclusive as handle:
            colour = _colour(colour, handle)
            reason = lib.golois_board_play(handle, point, colour)
            if reason == 0:
                self.moves.append((colour, point))
                return
            if reason < 0:
                raise GoloisError(last_error())
        raise IllegalMoveError(
            f"{NAMES[colour]} cannot play {named(point, self.size)} as move {self.num_moves + 1}: "
            f"{REASONS[reason]}"
        )

    def play_unchecked(self, point: int, colour: int | None = None) -> None:
        """Play a move that `is_legal` allows, without asking again; others corrupt the board."""
        with self._exclusive as handle:
            colour = _colour(colour, handle)
            check(lib.golois_board_play_unchecked(handle, point, colour))
            self.moves.append((colour, point))

    def is_legal(self, point: int, colour: int | None = None) -> bool:
        """Whether `play` would accept the move."""
        with self._exclusive as handle:
            return lib.golois_board_legality(handle, point, _colour(colour, handle)) == 0

    def refusal(self, point: int, colour: int | None = None) -> str:
        """Why `play` would refuse the move, in the words of REASONS; "legal" if it would not."""
        with self._exclusive as handle:
            return REASONS[lib.golois_board_legality(handle, point, _colour(colour, handle))]

    def legal_moves(self, colour: int | None = None) -> np.ndarray:
        """Whether each move is legal: bool [size² + 1], the last one is the pass (always True)."""
        legal = np.empty(self.pass_point + 1, np.uint8)
        target = buffer(legal, "uint8_t[]")
        with self._exclusive as handle:
            check(lib.golois_board_legal_moves(handle, _colour(colour, handle), target, legal.size))
        return legal.astype(bool)

    def stones(self) -> np.ndarray:
        """The stones: uint8 [size, size] of EMPTY, BLACK and WHITE."""
        return self._per_point(lib.golois_board_stones, np.uint8, "uint8_t[]")

    def num_liberties(self) -> np.ndarray:
        """The liberties of each stone's chain: int16 [size, size], 0 on empty points."""
        return self._per_point(lib.golois_board_num_liberties, np.int16, "int16_t[]")

    def area(self) -> np.ndarray:
        """Whose each point is in the count: uint8 [size, size] of EMPTY, BLACK and WHITE.

        Tromp–Taylor, without the enemy stones on settled points; all other stones count as alive.
        Source: https://tromp.github.io/go.html.
        """
        return self._per_point(lib.golois_board_area, np.uint8, "uint8_t[]")

    def settled(self) -> np.ndarray:
        """The points that stay a colour's even if it never answers: uint8 [size, size] as `area`.

        They are chains that live unconditionally, and regions that only such chains border, with at
        most one point that is not beside a stone of the colour. Stones in seki or ko, and empty
        territory with room for two eyes, are not included. Source: Benson, "Life in the game of
        Go", 1976; the territory as in KataGo.
        """
        return self._per_point(lib.golois_board_settled, np.uint8, "uint8_t[]")

    def score_black(self) -> int:
        """Black's area minus White's in points, without komi."""
        owners = self.area()
        return int((owners == BLACK).sum()) - int((owners == WHITE).sum())

    def planes(self, komi: float, symmetry: int = 0) -> np.ndarray:
        """What a network sees of this board: float32 [size, size, 31] of 0 and 1.

        Only the whole part of komi shows, within 0 … 9, and no legality
        (docs/maintainer/formats.md). Raises ArgumentError: no such symmetry.
        """
        planes = np.empty((self.size, self.size, NUM_PLANES), np.float32)
        target = buffer(planes, "float[]")
        with self._exclusive as handle:
            status = lib.golois_board_planes(handle, komi, symmetry, target, planes.size)
        check(status, ArgumentError)
        return planes

    def is_consistent(self) -> bool:
        """Whether the incremental state equals a fresh set-up of the same stones; for tests."""
        with self._exclusive as handle:
            return lib.golois_board_is_consistent(handle)

    def __str__(self) -> str:
        return drawn(self.stones())

    def _per_point(self, function, dtype, ctype: str) -> np.ndarray:
        values = np.empty((self.size, self.size), dtype)
        with self._exclusive as handle:
            check(function(handle, buffer(values, ctype), values.size))
        return values


def drawn(stones: np.ndarray, slant: str = "") -> str:
    """Draw stones [size, size] between the names of lines; each row begins a `slant` later."""
    size = len(stones)
    rows = [
        f"{slant * row}{size - row:2} " + " ".join(SYMBOLS[int(stone)] for stone in of_row)
        for row, of_row in enumerate(stones)
    ]
    return "\n".join([*rows, f"{slant * size}   {' '.join(GTP_COLUMNS[:size])}"])


def named(point: int, size: int) -> str:
    """Name any number that was given as a point, for an error."""
    return point_to_gtp(point, size) if 0 <= point <= size * size else f"point {point}"


def _colour(colour: int | None, handle) -> int:
    if colour is None:
        return lib.golois_board_to_play(handle)
    if colour not in NAMES:
        raise ArgumentError(f"colour must be BLACK (1) or WHITE (2), not {colour!r}")
    return colour
