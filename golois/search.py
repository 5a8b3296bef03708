"""PUCT: which positions a network should evaluate next, and what its answers add up to.

Values have one sign each, and it stands in the name: `value_white` is P(White wins) in [0, 1], as
networks give it; `value_to_play` is the expected result for the side to move, −1 … 1. The native
tree keeps White's values and turns them where a move is chosen; docs/search.md draws it.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from golois.board import Board
from golois.errors import ArgumentError, GoloisError
from golois.games import Game
from golois.native import Exclusive, buffer, check, ffi, last_error, lib
from golois.rules import Go

Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]

_FLOAT32 = np.dtype(np.float32)
_ANY_MOVE = -1
_MAX_CACHE_POSITIONS = 2**31 - 1  # an int32 in the core


@dataclass(frozen=True)
class SearchOptions:
    """Constants of the search; docs/search.md has the formulas that they stand in.

    Sources: Silver et al. 2017 (AlphaGo Zero), Wu 2019 (KataGo), NoGoZero+, Liu et al. 2020
    ("Watch the unobserved", parallel search).

    c_puct: weight of the exploration term; KataGo and NoGoZero+ take 1.1.
    c_puct_log, c_puct_base: its growth with visits N, c_puct_log · ln((N + base) / base): KataGo.
    fpu_reduction: first-play urgency, an unvisited move is worth its parent minus
        fpu_reduction · √(prior mass of the visited moves): KataGo, 0.2.
    root_fpu_reduction: the same at the root; KataGo takes 0 where it adds noise.
    virtual_loss: losses that a playout under way counts for in a move's mean value, so that a
        batch spreads out: 1 in KataGo, none in Liu et al. 2020 (WU-UCT). The exploration term
        counts it as a visit. A tenth hardly changes where a search looks, and keeps batches full
        (benchmarks/RESULTS.md).
    root_policy_temperature: the root's priors become prior^(1 / temperature), normalised; KataGo
        and NoGoZero+ take 1.03 when they play against themselves to learn.
    root_noise: share of Dirichlet noise in the root's priors, after the temperature; 0.25 in
        AlphaGo Zero, KataGo and NoGoZero+ when they play to learn, 0 in matches.
    root_noise_concentration: sum of the noise's parameters, shared out over the root's moves:
        KataGo, 10.83 = 0.03 · 361.
    random_symmetry: show each position in one of the game's symmetries, decided by seed and
        position; else always as it is.
    cache_positions: evaluations that are kept and used again where a network would see the same,
        at about 1.5 kB each on 19×19; the later of two takes the place of the earlier. 0 for none.

    Raises:
        ArgumentError: a value out of range.
    """

    c_puct: float = 1.1
    c_puct_log: float = 0.45
    c_puct_base: float = 500.0
    fpu_reduction: float = 0.2
    root_fpu_reduction: float = 0.2
    virtual_loss: float = 0.1
    root_policy_temperature: float = 1.0
    root_noise: float = 0.0
    root_noise_concentration: float = 10.83
    random_symmetry: bool = True
    cache_positions: int = 4096

    def __post_init__(self):
        above_zero = ("c_puct_base", "root_policy_temperature", "root_noise_concentration")
        for name, value in vars(self).items():
            if not 0 <= value < float("inf"):
                raise ArgumentError(f"{name} must be a finite number from 0, not {value}")
            if name in above_zero and value == 0:
                raise ArgumentError(f"{name} must be above 0, not {value}")
        if self.cache_positions > _MAX_CACHE_POSITIONS:
            raise ArgumentError(
                f"cache_positions must be up to {_MAX_CACHE_POSITIONS}, not {self.cache_positions}"
            )
        if self.root_noise > 1:
            raise ArgumentError(f"root_noise is a share: it must be up to 1, not {self.root_noise}")


@dataclass(frozen=True)
class RootMoves:
    """The candidates of a tree's root, the most visited first, the likelier of equals before.

    points: int32 [n], 0 … size² − 1, or size² for a pass.
    priors: float32 [n], the network's policy over the candidates, normalised, with the root's
        temperature and noise.
    visits: int32 [n].
    values_to_play: float32 [n], mean value for the root's side to move, −1 … 1; NaN where there
        is no visit.
    """

    points: np.ndarray
    priors: np.ndarray
    visits: np.ndarray
    values_to_play: np.ndarray


class Tree:
    """A search tree over a game, from any of its positions on.

    `select` and `apply` alternate: the first writes the planes of positions that want an
    evaluation, the second takes the evaluations in the same order; `search` does both. It doesn't
    use a clock. Its moves are `Game.candidates`.

    Args:
        root: a game; or a board, whose game goes on as in the arena (docs/rules.md): no own true
            eye is filled, and a player passes only where it wins, where nothing is left, or where
            every other move gives something away. Copied.
        komi: points for White; of a board only, since a game has its own.
        options: constants of the search.
        seed: decides symmetries and noise; equal seeds and evaluations give equal trees.

    Raises:
        ArgumentError: a board without komi, or a game with one.
    """

    def __init__(
        self,
        root: Game | Board,
        komi: float | None = None,
        options: SearchOptions | None = None,
        seed: int = 0,
    ):
        game = root if isinstance(root, Game) else _arena_game(root, komi)
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
        """Run playouts until the root has so many visits; `advance` may have kept more.

        Args:
            evaluate: answers planes, float32 [k, *planes_shape], with what `apply` takes.
            num_visits: of the root, its own evaluation included.
            batch_size: positions at most that are evaluated at once.

        Raises:
            ArgumentError: an answer that `apply` refuses, or a batch size below 1.
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

        Playouts that end in a finished game, or in a position whose evaluation the cache has, are
        counted at once and want no row; playouts that meet a position already waiting in this batch
        are dropped. `apply` must follow where a row was written.

        Args:
            planes: float32 [n, *planes_shape], C-contiguous; the first rows are overwritten.
            first_move: the root's move that every playout begins with, one of `root_moves`; what
                follows it is free. A root without evaluation is evaluated first. None lets PUCT
                choose.

        Raises:
            ArgumentError: other planes; a first move that is no candidate of the root; no `apply`
                since the last `select`.
            ConcurrentUseError: another thread is using the tree.
        """
        if planes is not self._planes:
            self._rows = _rows(planes, self.planes_shape)
            self._planes = planes
        move = _ANY_MOVE if first_move is None else self._move(first_move)
        with self._exclusive as handle:
            num_leaves = lib.golois_tree_select(handle, len(planes), move, self._rows)
        if num_leaves < 0:
            raise ArgumentError(last_error())
        return num_leaves

    def apply(self, policy: np.ndarray, value_white: np.ndarray) -> None:
        """Take the evaluations of the rows of the last `select`.

        Args:
            policy: [k, policy_size], probabilities of the points on the board as the row showed
                it, and of a pass last where the policy has one; they sum to 1, or to 0.99 at least
                and 1.01 at most.
            value_white: [k], P(White wins) in [0, 1].

        Raises:
            ArgumentError: other shapes, a number that is not finite, a negative prior or a value
                outside [0, 1]; those playouts are forgotten.
            ConcurrentUseError: another thread is using the tree.
        """
        num_leaves = len(value_white)
        if policy.shape != (num_leaves, self.policy_size) or value_white.size != num_leaves:
            raise ArgumentError(
                f"expected a policy [{num_leaves}, {self.policy_size}] and values [{num_leaves}]: "
                f"got {list(policy.shape)} and {list(value_white.shape)}"
            )
        policies, values = _floats(policy), _floats(value_white)
        with self._exclusive as handle:
            status = lib.golois_tree_apply(handle, policies, values, num_leaves)
        check(status, ArgumentError)

    def advance(self, point: int) -> None:
        """Play a move at the root and keep what was found below it.

        Raises:
            ArgumentError: an illegal move; the tree stays as it is.
            ConcurrentUseError: another thread is using the tree.
        """
        with self._exclusive as handle:
            check(lib.golois_tree_advance(handle, point), ArgumentError)

    def visits(self) -> np.ndarray:
        """Visits of the root's moves: int32 [size² + 1], the last one is the pass."""
        num_visits = np.empty(self._pass + 1, np.int32)
        with self._exclusive as handle:
            check(
                lib.golois_tree_root_visits(
                    handle, buffer(num_visits, "int32_t[]"), num_visits.size
                )
            )
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

        It ends before the first move without a visit, and is empty before the root's evaluation.

        Args:
            first_move: the candidate of the root to begin with, visited or not; None for the most
                visited one.
            max_length: moves at most.

        Raises:
            ArgumentError: a first move that is no candidate of the root.
        """
        move = _ANY_MOVE if first_move is None else self._move(first_move)
        points = np.empty(max_length, np.int32)
        num_points = ffi.new("int32_t *")
        with self._exclusive as handle:
            check(
                lib.golois_tree_principal_variation(
                    handle, move, buffer(points, "int32_t[]"), max_length, num_points
                ),
                ArgumentError,
            )
        return points[: num_points[0]].tolist()

    @property
    def num_visits(self) -> int:
        """Playouts counted at the root, those that `advance` kept included."""
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
        """Whether visits and priors of all nodes add up and no playout is under way; for tests.

        To be asked after `apply`.
        """
        with self._exclusive as handle:
            return lib.golois_tree_is_consistent(handle)

    def best_move(self) -> int:
        """The most visited move, the likelier of equals; size² for a pass.

        Raises:
            GoloisError: no evaluation has come back yet.
        """
        point = ffi.new("int32_t *")
        with self._exclusive as handle:
            check(lib.golois_tree_best_move(handle, point), GoloisError)
        return point[0]

    def _move(self, first_move: int) -> int:
        if not 0 <= first_move <= self._pass:
            raise ArgumentError(f"first_move must be from 0 to {self._pass}, not {first_move}")
        return first_move


def _arena_game(board: Board, komi: float | None) -> Game:
    if komi is None:
        raise ArgumentError("a tree of a board needs komi")
    return Game(Go(board.size, komi, passes="arena"), board)


def _rows(planes: np.ndarray, shape: tuple[int, ...]):
    """A writable C view of planes, checked."""
    if planes.dtype != np.float32 or planes.shape[1:] != shape or not planes.flags.c_contiguous:
        raise ArgumentError(
            f"expected C-contiguous float32 planes [n, {', '.join(map(str, shape))}]: "
            f"got {planes.dtype} {list(planes.shape)}"
        )
    return buffer(planes, "float[]")


def _floats(array: np.ndarray):
    """A C view of an array, of a float32 copy where it is something else."""
    if array.dtype is not _FLOAT32 or not array.flags.c_contiguous:
        array = np.ascontiguousarray(array, _FLOAT32)
    return ffi.from_buffer("float[]", array)
