"""PUCT: which positions a network should evaluate next, and what its answers add up to.

`value_white` is P(White wins) in [0, 1], as networks give it; `value_to_play` is the expected
result for the side to move, −1 … 1. The native tree keeps White's values
(docs/maintainer/search.md).
"""

from dataclasses import dataclass

import numpy as np

from golois.errors import ArgumentError, GoloisError, require_range
from golois.games.game import Game
from golois.games.rules import Go
from golois.go.board import Board
from golois.native import (
    Evaluate,
    Exclusive,
    answer_views,
    buffer,
    check,
    ffi,
    last_error,
    lib,
    planes_view,
)
from golois.search.options import RaceOptions, SearchOptions

_ANY_MOVE = -1


@dataclass(frozen=True)
class RootMoves:
    """The candidates of a tree's root: the most visited first; of equals, the likelier first.

    points: int32 [n], 0 … size² − 1, or size² for a pass.
    priors: float32 [n], the network's normalised policy, with the root's temperature and noise.
    visits: int32 [n].
    values_to_play: float32 [n], mean for the root's side to move, −1 … 1; NaN without visits.
    """

    points: np.ndarray
    priors: np.ndarray
    visits: np.ndarray
    values_to_play: np.ndarray


class Tree:
    """A search tree over a game, from any of its positions on, without a clock.

    `select` and `apply` alternate: the first writes the planes of positions that need an
    evaluation, the second takes the evaluations in the same order; `search` does both. `root` is a
    game; or a board with `komi`, in points for White, whose game goes on as in the arena
    (docs/teacher/rules.md); it is copied. Equal seeds and evaluations give equal trees. Raises
    ArgumentError: a board without komi, or a game with komi.
    """

    def __init__(
        self,
        root: Game | Board,
        komi: float | None = None,
        options: SearchOptions | None = None,
        seed: int = 0,
    ):
        game = root if isinstance(root, Game) else arena_game(root, komi)
        if game is root and komi is not None:
            raise ArgumentError("a game has a komi of its own: leave komi out")
        fields = vars(options or SearchOptions()) | {"seed": seed % 2**64}
        native_options = ffi.new("golois_search_options *", fields)
        with game.exclusive as native_game:
            handle = lib.golois_tree_create(native_game, native_options)
        if handle == ffi.NULL:
            raise GoloisError(last_error())
        self._exclusive = Exclusive(ffi.gc(handle, lib.golois_tree_destroy), "Tree")
        self.planes_shape = game.planes_shape
        self.policy_size = game.policy_size
        self._pass = game.pass_point
        self._planes: np.ndarray | None = None  # of the last select
        self._rows = None

    def search(self, evaluate: Evaluate, num_visits: int, batch_size: int = 8) -> None:
        """Run playouts until the root has `num_visits`, its own evaluation and kept ones included.

        `evaluate` answers up to `batch_size` planes, float32 [k, *planes_shape], with what `apply`
        takes. Raises ArgumentError: an answer that `apply` refuses, or a batch size below 1.
        """
        if batch_size < 1:
            raise ArgumentError(f"batch_size must be 1 or more, not {batch_size}")
        planes = np.empty((batch_size, *self.planes_shape), np.float32)
        while (missing := num_visits - self.num_visits) > 0:
            rows = planes[: min(batch_size, missing)]
            if num_leaves := self.select(rows):
                self.apply(*evaluate(rows[:num_leaves]))

    def select(self, planes: np.ndarray, first_move: int | None = None) -> int:
        """Run as many playouts as there are rows, and return how many rows were written.

        It overwrites the first rows of `planes`, float32 [n, *planes_shape], C-contiguous. Playouts
        that end in a finished game or in the cache need no row; playouts that meet a waiting
        position are dropped. `apply` must follow where a row was written. Every playout begins with
        `first_move`, one of `root_moves`; PUCT chooses for None. Raises ArgumentError: other
        planes; a first move that is not a candidate of the root; no `apply` since the last
        `select`; ConcurrentUseError: another thread is using the tree.
        """
        rows = self._view(planes)
        move = self._move(first_move)
        with self._exclusive as handle:
            num_leaves = lib.golois_tree_select(handle, len(planes), move, rows)
        if num_leaves < 0:
            raise ArgumentError(last_error())
        return num_leaves

    def apply(self, policy: np.ndarray, value_white: np.ndarray) -> None:
        """Take the evaluations of the last `select`: policy [k, policy_size], value_white [k].

        A policy has the probabilities of the points as the row showed them, and of the pass last; a
        row sums to 0.99 … 1.01. A value is P(White wins) in [0, 1]. Raises ArgumentError: other
        shapes or ranges: those playouts are forgotten; ConcurrentUseError: another thread is using
        the tree.
        """
        policies, values = answer_views(policy, value_white, self.policy_size)
        with self._exclusive as handle:
            status = lib.golois_tree_apply(handle, policies, values, len(value_white))
        check(status, ArgumentError)

    def race(
        self,
        evaluate: Evaluate,
        num_simulations: int,
        options: RaceOptions | None = None,
        noise: np.ndarray | None = None,
    ) -> int:
        """Search by sequential halving at the root, one leaf at a time; return the winner.

        `num_simulations` counts playouts after the root's own evaluation. `evaluate` is as for
        `search`, the rest and the errors as for `start_race`.
        """
        planes = np.empty((1, *self.planes_shape), np.float32)
        if self.num_visits == 0 and self.select(planes):
            self.apply(*evaluate(planes))
        self.start_race(options, noise)
        for num_left in range(num_simulations, 0, -1):
            if self.select_race(planes, num_left):
                self.apply(*evaluate(planes))
        return self.race_winner()

    def start_race(
        self, options: RaceOptions | None = None, noise: np.ndarray | None = None
    ) -> None:
        """Begin a race of the root's moves, as mctx's `gumbel_muzero_policy` runs a race.

        `select_race` and `apply` then alternate. The race ends with the next race, with the root
        (`advance`), and where `apply` refuses an answer. Earlier visits count in values only.
        `noise` is float [size² + 1], a Gumbel number for each point and the pass, or None. Raises
        ArgumentError: the root has no evaluation yet; noise of another shape or not finite.
        """
        native_options = ffi.new("golois_race_options *", vars(options or RaceOptions()))
        numbers = ffi.NULL if noise is None else self._noise(noise)
        with self._exclusive as handle:
            status = lib.golois_tree_start_race(handle, native_options, numbers, self._pass + 1)
        check(status, ArgumentError)

    def select_race(self, planes: np.ndarray, num_left: int) -> int:
        """Run playouts as `select` does, where the race says how each begins.

        It runs fewer than there are rows where their values decide which moves go on. `num_left` is
        the playouts left in all, 1 or more; with the same total throughout, the schedule is mctx's.
        Raises ArgumentError: other planes; nothing left; no race; no `apply` since the last call;
        ConcurrentUseError: another thread is using the tree.
        """
        rows = self._view(planes)
        with self._exclusive as handle:
            num_leaves = lib.golois_tree_select_in_race(handle, len(planes), num_left, rows)
        if num_leaves < 0:
            raise ArgumentError(last_error())
        return num_leaves

    def race_winner(self) -> int:
        """The best by score of the most played moves; size² is a pass. ArgumentError: no race."""
        point = ffi.new("int32_t *")
        with self._exclusive as handle:
            check(lib.golois_tree_race_winner(handle, point), ArgumentError)
        return point[0]

    def improved_policy(self) -> tuple[np.ndarray, float]:
        """What the race makes of the network's policy, and its value for the side to move, −1 … 1.

        The policy is the softmax of logits and completed values without noise: float64 [size² + 1],
        0 for no candidate. The value is its mean value. Raises ArgumentError: there is no race.
        """
        shares = np.empty(self._pass + 1)
        value = ffi.new("double *")
        target = buffer(shares, "double[]")
        with self._exclusive as handle:
            status = lib.golois_tree_improved_policy(handle, target, shares.size, value)
        check(status, ArgumentError)
        return shares, value[0]

    def advance(self, point: int) -> None:
        """Play a move at the root and keep what was found below it.

        Raises ArgumentError: an illegal move; ConcurrentUseError: another thread is using it.
        """
        with self._exclusive as handle:
            check(lib.golois_tree_advance(handle, point), ArgumentError)

    def visits(self) -> np.ndarray:
        """Visits of the root's moves: int32 [size² + 1], the last one is the pass."""
        num_visits = np.empty(self._pass + 1, np.int32)
        target = buffer(num_visits, "int32_t[]")
        with self._exclusive as handle:
            check(lib.golois_tree_root_visits(handle, target, num_visits.size))
        return num_visits

    def root_moves(self) -> RootMoves:
        """What is known of each candidate of the root; empty before the root's evaluation."""
        with self._exclusive as handle:
            num_moves = lib.golois_tree_num_candidates(handle)
            moves = RootMoves(
                np.empty(num_moves, np.int32),
                np.empty(num_moves, np.float32),
                np.empty(num_moves, np.int32),
                np.empty(num_moves, np.float32),
            )
            check(
                lib.golois_tree_root_moves(
                    handle,
                    buffer(moves.points, "int32_t[]"),
                    buffer(moves.priors, "float[]"),
                    buffer(moves.visits, "int32_t[]"),
                    buffer(moves.values_to_play, "float[]"),
                    num_moves,
                )
            )
        return moves

    def principal_variation(self, first_move: int | None = None, max_length: int = 16) -> list[int]:
        """The most visited move, the most visited answer to it, and so on, as points.

        It begins with `first_move`, visited or not, and ends before the first move without a visit.
        Raises ArgumentError: a first move that is not a candidate of the root.
        """
        move = self._move(first_move)
        points = np.empty(max_length, np.int32)
        num_points = ffi.new("int32_t *")
        target = buffer(points, "int32_t[]")
        with self._exclusive as handle:
            status = lib.golois_tree_principal_variation(
                handle, move, target, max_length, num_points
            )
        check(status, ArgumentError)
        return points[: num_points[0]].tolist()

    @property
    def num_visits(self) -> int:
        """Playouts counted at the root, together with the playouts that `advance` kept."""
        with self._exclusive as handle:
            return lib.golois_tree_num_visits(handle)

    @property
    def num_cache_hits(self) -> int:
        """Playouts since the tree was made that an evaluation of the cache answered."""
        with self._exclusive as handle:
            return lib.golois_tree_num_cache_hits(handle)

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

    def is_consistent(self) -> bool:
        """Whether, after `apply`, visits and priors of all nodes add up; for tests."""
        with self._exclusive as handle:
            return lib.golois_tree_is_consistent(handle)

    def best_move(self) -> int:
        """The most visited, likelier move; size² is a pass. GoloisError: no evaluation yet."""
        point = ffi.new("int32_t *")
        with self._exclusive as handle:
            check(lib.golois_tree_best_move(handle, point), GoloisError)
        return point[0]

    def _view(self, planes: np.ndarray):
        """The planes as the core writes them; checked when they are another array than before."""
        if planes is not self._planes:
            self._rows = planes_view(planes, self.planes_shape)
            self._planes = planes
        return self._rows

    def _noise(self, noise: np.ndarray):
        numbers = np.ascontiguousarray(noise, np.float64)
        if numbers.shape != (self._pass + 1,) or not np.isfinite(numbers).all():
            raise ArgumentError(
                f"noise must be {self._pass + 1} finite numbers, not {list(numbers.shape)}"
            )
        return ffi.from_buffer("double[]", numbers)

    def _move(self, first_move: int | None) -> int:
        if first_move is None:
            return _ANY_MOVE
        require_range("first_move", first_move, 0, self._pass)
        return first_move


def arena_game(board: Board, komi: float | None) -> Game:
    """Return the game that goes on from a board as in the arena; ArgumentError: without komi."""
    if komi is None:
        raise ArgumentError("a tree of a board needs komi")
    return Game(Go(board.size, komi, passes="arena"), board)
