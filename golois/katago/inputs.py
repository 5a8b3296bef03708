"""What KataGo's networks see of a position: inputs of version 7, for games and for searches.

    inputs = game_inputs([72, 288, 300], turns=[0, 3])
    inputs.planes.shape                         # (2, 19, 19, 22)

22 planes and 19 numbers, on 19×19 points under area scoring, as KataGo 1.17.2 computes them, bit
for bit. docs/maintainer/formats.md has their tables.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from golois.constants import BOARD_SIZE, NUM_POINTS, PASS, TOURNAMENT_KOMI, packed_size
from golois.errors import ArgumentError, require_one_of
from golois.go.board import NAMES
from golois.go.coords import BLACK, WHITE
from golois.native import buffer, check, ffi, lib

NUM_PLANES, NUM_GLOBALS = 22, 19
KO_RULES = ("positional", "situational", "simple")
PLANES_FORMATS = {
    "float32": (0, np.float32, (BOARD_SIZE, BOARD_SIZE, NUM_PLANES)),
    "uint8": (1, np.uint8, (BOARD_SIZE, BOARD_SIZE, NUM_PLANES)),
    "bits": (2, np.uint8, (packed_size(NUM_PLANES),)),
}
"""The core's number, type and shape. Bits are in the order [plane, row, column], highest first."""


@dataclass(frozen=True)
class KatagoRules:
    """Area scoring with komi for White, a ko rule of KO_RULES, and whether suicide is legal.

    Suicide is that of two stones or more. Raises ArgumentError: another ko rule, or a komi that is
    not a whole or a half number.
    """

    komi: float = TOURNAMENT_KOMI
    ko: str = "positional"
    suicide: bool = False

    def __post_init__(self):
        require_one_of("ko", self.ko, KO_RULES)
        if not float(2 * self.komi).is_integer():
            raise ArgumentError(f"komi must be a whole or half number, not {self.komi!r}")


class Inputs(NamedTuple):
    """What a network sees of N positions; everything is the side to move's.

    planes: float32 or uint8 [N, 19, 19, 22], or uint8 [N, 993] for bits
    globals: float32 [N, 19]
    legal: bool [N, 362]; the last one is the pass, which is always legal
    white_to_move: bool [N]
    """

    planes: np.ndarray
    globals: np.ndarray
    legal: np.ndarray
    white_to_move: np.ndarray


def game_inputs(
    moves: Sequence[int] | np.ndarray,
    turns: Sequence[int] | np.ndarray,
    rules: KatagoRules = KatagoRules(),  # noqa: B008 – it is immutable
    *,
    setup: Iterable[tuple[int, int]] = (),
    first: int = BLACK,
    hide_end: bool | Sequence[bool] | np.ndarray = False,
    pass_alive: bool = False,
    planes: str = "float32",
) -> Inputs:
    """Inputs of one game at some turns, in one pass over its moves and in this thread.

    Args:
        moves: points 0 … 360, row-major with row 0 at the top, 361 for a pass. Colours alternate. A
            move that ko or superko forbids is played all the same, since people's records have
            such moves.
        turns: how many moves were made before each wanted position, ascending.
        rules: what the network is told, and what is legal.
        setup: stones before the first move, as (colour, point); they are no moves.
        first: who makes the first move.
        hide_end: whether a pass that would end the game is hidden, of all turns or of each. KataGo
            does so at the root of a search.
        pass_alive: the flag of this name in the network's file.
        planes: float32, uint8 or bits.

    Raises:
        ArgumentError: an illegal move, turns that don't ascend or lie beyond the game, set-up
            chains without liberties, no such format.
    """
    turns = _integers(turns, "turns", len(moves), np.int64)
    points = _integers(moves, "moves", PASS, np.int16)
    colours = np.zeros(NUM_POINTS, np.uint8)
    for colour, point in setup:
        colours[_integers([point], "points", PASS - 1, np.int64)] = _colour(colour)
    inputs, rows = _empty(len(turns), planes)
    hides = np.array(hide_end, np.uint8)
    if hides.shape not in ((), turns.shape):
        raise ArgumentError("hide_end must be True or False, or a list of them for each turn")
    hides = np.ascontiguousarray(np.broadcast_to(hides, turns.shape))
    native = [rules.komi, KO_RULES.index(rules.ko), rules.suicide, pass_alive]
    check(
        lib.golois_katago_game_inputs(
            ffi.new("golois_katago_rules *", native),
            buffer(colours, "uint8_t[]"),
            _colour(first),
            buffer(points, "int16_t[]"),
            len(points),
            buffer(turns, "int64_t[]"),
            ffi.from_buffer("uint8_t[]", hides),
            len(turns),
            rows,
        ),
        ArgumentError,
    )
    inputs.white_to_move[:] = (turns % 2 == 0) == (first == WHITE)
    return inputs


def search_inputs(
    planes: np.ndarray, komi: float = TOURNAMENT_KOMI, policy_size: int = PASS + 1
) -> Inputs:
    """Turn what a Tree of `Go(19, komi, planes="katago")` asks into a network's inputs.

    Args:
        planes: float32 [N, 19, 19, 28], the leaves.
        komi: of the game, for White.
        policy_size: all moves below it count as legal.

    Returns:
        Those of `game_inputs` without its options: the area is that of a network whose file has no
        pass-alive flag.

    Raises ArgumentError: planes of another shape, another komi than KatagoRules takes.
    """
    if planes.ndim != 4 or planes.shape[1:] != (BOARD_SIZE, BOARD_SIZE, NUM_PLANES + 6):
        raise ArgumentError(f"expected planes [N, 19, 19, 28]: got {list(planes.shape)}")
    white_to_move, *passes = planes[:, 0, 0, NUM_PLANES:].T
    rules = KatagoRules(komi)
    black, white = (game_inputs([], [0], rules, first=colour).globals for colour in (BLACK, WHITE))
    numbers = np.where(white_to_move[:, None] == 1, white, black)
    numbers[:, :5] = np.transpose(passes)
    numbers[:, 14] = passes[0]
    legal = np.ones((len(planes), PASS + 1), bool)
    legal[:, policy_size:] = False
    shown = np.ascontiguousarray(planes[..., :NUM_PLANES])
    return Inputs(shown, numbers, legal, white_to_move == 1)


def joined(parts: Iterable[Inputs]) -> Inputs:
    """Return positions one after the other; at least one part is needed."""
    return Inputs(*map(np.concatenate, zip(*parts, strict=True)))


def _empty(num_rows: int, planes: str):
    """Arrays for so many rows, and the core's view of them."""
    require_one_of("planes", planes, PLANES_FORMATS)
    code, dtype, shape = PLANES_FORMATS[planes]
    inputs = Inputs(
        np.empty((num_rows, *shape), dtype),
        np.empty((num_rows, NUM_GLOBALS), np.float32),
        np.empty((num_rows, PASS + 1), bool),
        np.empty(num_rows, bool),
    )
    views = [
        ffi.from_buffer(inputs.planes),
        code,
        buffer(inputs.globals, "float[]"),
        buffer(inputs.legal, "uint8_t[]"),
        num_rows,
    ]
    return inputs, ffi.new("golois_katago_rows *", views)


def _integers(numbers, name: str, most: int, dtype) -> np.ndarray:
    array = np.asarray(numbers)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ArgumentError(f"{name} must be a list of whole numbers")
    if array.size and not 0 <= array.min() <= array.max() <= most:
        raise ArgumentError(f"{name} must be from 0 to {most}")
    return np.array(array, dtype)


def _colour(colour: int) -> int:
    if colour not in NAMES:
        raise ArgumentError(f"a colour must be BLACK (1) or WHITE (2), not {colour!r}")
    return colour
