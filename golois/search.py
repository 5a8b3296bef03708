"""PUCT: which positions a network should look at next, and what its answers add up to.

Values have one sign each, and it stands in the name: `value_white` is P(White wins) in [0, 1], as
networks give it; `value_to_play` is the expected result for the side to move, −1 … 1. The native
tree keeps White's values and turns them where a move is chosen; docs/search.md draws it.
"""

from dataclasses import dataclass

import numpy as np

from golois.board import Board
from golois.errors import ArgumentError, GoloisError
from golois.native import Exclusive, buffer, check, ffi, last_error, lib
from golois.shapes import NUM_POINTS, PLANES_SHAPE


@dataclass(frozen=True)
class SearchOptions:
    """Constants of the search.

    c_puct: weight of the exploration term; NoGoZero+ and KataGo take 1.1.
    c_puct_log, c_puct_base: its growth with visits N, c_puct_log · ln((N + base) / base): KataGo.
    fpu_reduction: first-play urgency, an unvisited move is worth its parent minus
        fpu_reduction · √(prior mass of the visited moves): KataGo.
    virtual_loss: losses that a playout under way counts for, so that a batch spreads out.
    random_symmetry: show each position in one of its eight symmetries, decided by seed and
        position; else always as it is.
    """

    c_puct: float = 1.1
    c_puct_log: float = 0.45
    c_puct_base: float = 500.0
    fpu_reduction: float = 0.2
    virtual_loss: float = 1.0
    random_symmetry: bool = True

    def __post_init__(self):
        for name in ("c_puct", "c_puct_log", "fpu_reduction", "virtual_loss"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise ArgumentError(f"expected {name} of 0 or more: got {getattr(self, name)}")
        if not 0 < self.c_puct_base < float("inf"):
            raise ArgumentError(f"expected c_puct_base above 0: got {self.c_puct_base}")


class Tree:
    """A search tree over the game that begins at a board.

    `select` and `apply` alternate: the first writes the planes of positions that want an
    evaluation, the second takes the evaluations in the same order. It knows no clock and no
    network. Its moves are those of docs/rules.md: legal, no own true eye filled, a pass only where
    nothing else is left or where it wins at once.

    Args:
        board: the root, 19×19; copied.
        komi: points for White.
        options: constants of the search.
        seed: decides the symmetries; equal seeds and evaluations give equal trees.

    Raises:
        ArgumentError: a board of another size.
    """

    def __init__(
        self, board: Board, komi: float, options: SearchOptions | None = None, seed: int = 0
    ):
        options = options or SearchOptions()
        native_options = ffi.new(
            "golois_search_options *",
            {"komi": komi, "seed": seed % 2**64, **vars(options)},
        )
        with board.exclusive as root:
            handle = lib.golois_tree_create(root, native_options)
        if handle == ffi.NULL:
            raise ArgumentError(last_error())
        self._exclusive = Exclusive(ffi.gc(handle, lib.golois_tree_destroy), "Tree")

    def select(self, planes: np.ndarray) -> int:
        """Runs as many playouts as there are rows, and returns how many rows were written.

        Playouts that end in a finished game are counted at once and want no row; playouts that
        meet a position already waiting in this batch are dropped. `apply` must follow, also with
        no row.

        Args:
            planes: float32 [n, 19, 19, 31], C-contiguous; the first rows are overwritten.

        Raises:
            ArgumentError: other planes.
            ConcurrentUseError: another thread is using the tree.
        """
        if (
            planes.dtype != np.float32
            or planes.shape[1:] != PLANES_SHAPE
            or not planes.flags.c_contiguous
        ):
            raise ArgumentError(
                f"expected C-contiguous float32 planes [n, 19, 19, 31]: "
                f"got {planes.dtype} {list(planes.shape)}"
            )
        num_leaves = ffi.new("int32_t *")
        with self._exclusive as handle:
            check(
                lib.golois_tree_select(handle, len(planes), buffer(planes, "float[]"), num_leaves)
            )
        return num_leaves[0]

    def apply(self, policy: np.ndarray, value_white: np.ndarray) -> None:
        """Takes the evaluations of the rows of the last `select`.

        Args:
            policy: [k, 361], for the board as the row showed it; need not sum to 1.
            value_white: [k], P(White wins) in [0, 1].

        Raises:
            ArgumentError: other shapes, a number that is not finite, a negative prior or a value
                outside [0, 1]; those playouts are forgotten.
            ConcurrentUseError: another thread is using the tree.
        """
        policy = np.ascontiguousarray(policy, np.float32)
        value_white = np.ascontiguousarray(value_white, np.float32).reshape(-1)
        if policy.shape != (len(value_white), NUM_POINTS):
            raise ArgumentError(
                f"expected a policy [{len(value_white)}, 361]: got {list(policy.shape)}"
            )
        with self._exclusive as handle:
            check(
                lib.golois_tree_apply(
                    handle,
                    ffi.from_buffer("float[]", policy),
                    ffi.from_buffer("float[]", value_white),
                    len(value_white),
                ),
                ArgumentError,
            )

    def advance(self, point: int) -> None:
        """Plays a move at the root and keeps what was found below it.

        Raises:
            ArgumentError: an illegal move; the tree stays as it is.
            ConcurrentUseError: another thread is using the tree.
        """
        with self._exclusive as handle:
            check(lib.golois_tree_advance(handle, point), ArgumentError)

    def visits(self) -> np.ndarray:
        """Visits of the root's moves: int32 [362], the last one is the pass."""
        num_visits = np.empty(NUM_POINTS + 1, np.int32)
        with self._exclusive as handle:
            check(
                lib.golois_tree_root_visits(
                    handle, buffer(num_visits, "int32_t[]"), num_visits.size
                )
            )
        return num_visits

    @property
    def num_visits(self) -> int:
        """Playouts counted at the root, those that `advance` kept included."""
        with self._exclusive as handle:
            return lib.golois_tree_num_visits(handle)

    @property
    def num_candidates(self) -> int:
        """Moves that the root has to choose from; 0 before its evaluation has come back."""
        with self._exclusive as handle:
            return lib.golois_tree_num_candidates(handle)

    @property
    def root_value_to_play(self) -> float:
        """The root's mean value for the side to move, −1 … 1; 0 before the first playout."""
        with self._exclusive as handle:
            return lib.golois_tree_root_value_to_play(handle)

    def best_move(self) -> int:
        """The most visited move, the likelier of equals; 361 for a pass.

        Raises:
            GoloisError: no evaluation has come back yet.
        """
        point = ffi.new("int32_t *")
        with self._exclusive as handle:
            check(lib.golois_tree_best_move(handle, point), GoloisError)
        return point[0]
