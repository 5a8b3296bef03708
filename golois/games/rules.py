"""What is played, on what board, and what a network sees of it: Go, NoGo and Hex."""

from dataclasses import dataclass
from typing import Literal

from golois.constants import BOARD_SIZE, MAX_INT32, TOURNAMENT_KOMI
from golois.errors import ArgumentError, ArgumentTypeError, require_one_of, require_range
from golois.go.board import Board
from golois.native import lib

PLANES = ("course", "zero", "katago")
"""The sets of planes of Go, in the core's order."""


@dataclass(frozen=True)
class Go:
    """The rules of Go: area scoring, positional superko, no suicide; two passes end the game.

    size: points on a side, 2 … 19.
    komi: points for White.
    passes: "free", where a pass is a move like others and the policy has size² + 1 numbers; or
        "arena", where the policy has size² and a player passes only as docs/teacher/rules.md says.
    max_moves: the game is scored after so many moves, passes included; None for no limit. Games
        between untrained networks need a limit: 2 · size².
    planes: "course", the 31 planes of docs/maintainer/formats.md; "zero", 18 planes with eight
        positions of history; or "katago", 28 planes that golois.katago.inputs.search_inputs turns
        into the inputs of KataGo's networks, on 19×19 only. Only "course" shows the komi.

    Raises ArgumentError: a value out of range.
    """

    size: int = 9
    komi: float = TOURNAMENT_KOMI
    passes: Literal["free", "arena"] = "free"
    max_moves: int | None = None
    planes: Literal["course", "zero", "katago"] = "course"

    def __post_init__(self):
        require_range("a board's size", self.size, 2, BOARD_SIZE)
        require_one_of("passes", self.passes, ("free", "arena"))
        require_one_of("planes", self.planes, PLANES)
        if self.planes == "katago" and self.size != BOARD_SIZE:
            raise ArgumentError(f"KataGo's planes need a board of size 19, not {self.size}")
        if not -float("inf") < self.komi < float("inf"):
            raise ArgumentError(f"komi must be a number of points, not {self.komi}")
        if self.max_moves is not None and not 1 <= self.max_moves <= MAX_INT32:
            raise ArgumentError(f"max_moves must be 1 or more, or None, not {self.max_moves}")

    def __str__(self) -> str:
        passes = ", with the arena's passes" if self.passes == "arena" else ""
        end = f", up to {self.max_moves} moves" if self.max_moves else ""
        return f"Go {self.size}×{self.size}, komi {self.komi:g}{passes}{end}"

    def create(self, board: Board | None = None):
        """A new native game; NULL on failure."""
        planes = PLANES.index(self.planes)
        options = (self.komi, self.passes == "free", self.max_moves or 0, planes)
        if board is None:
            return lib.golois_go_create(self.size, *options)
        if board.size != self.size:
            raise ArgumentError(f"the board has size {board.size}, and the rules {self.size}")
        with board.exclusive as handle:
            return lib.golois_go_from_board(handle, *options)


@dataclass(frozen=True)
class NoGo:
    """The rules of NoGo: no captures, no suicide, no pass; a player without a move has lost.

    size: 2 … 19 points on a side. planes: "nogo", 21 planes with the liberties of chains that have
    one or two; or "zero", 18. Raises ArgumentError: a value out of range.
    """

    size: int = 9
    planes: Literal["nogo", "zero"] = "nogo"

    def __post_init__(self):
        require_range("a board's size", self.size, 2, BOARD_SIZE)
        require_one_of("planes", self.planes, ("nogo", "zero"))

    def __str__(self) -> str:
        return f"NoGo {self.size}×{self.size}"

    def create(self):
        """A new native game; NULL on failure."""
        return lib.golois_nogo_create(self.size, self.planes == "zero")


@dataclass(frozen=True)
class Hex:
    """The rules of Hex: Black joins left and right, White top and bottom; no pass and no draw.

    Point (r, c) touches (r, c ± 1), (r ± 1, c), (r − 1, c + 1) and (r + 1, c − 1). The planes are
    four: own stones, the opponent's, Black to move, White to move. size: 2 … 19 points on a side.
    swap: White may answer the first stone, on (r, c), by playing on it: the stone then becomes
    White's, on (c, r). Raises ArgumentError: a size out of range.
    """

    size: int = 11
    swap: bool = False

    def __post_init__(self):
        require_range("a board's size", self.size, 2, BOARD_SIZE)

    def __str__(self) -> str:
        return f"Hex {self.size}×{self.size}{' with swap' if self.swap else ''}"

    def create(self):
        """A new native game; NULL on failure."""
        return lib.golois_hex_create(self.size, self.swap)


Rules = Go | NoGo | Hex


def require_rules(rules: object) -> None:
    """Raise ArgumentTypeError for anything else, such as a game's name."""
    if not isinstance(rules, Rules):
        raise ArgumentTypeError(f"rules must be Go(size), NoGo(size) or Hex(size), not {rules!r}")
