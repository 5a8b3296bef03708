"""A network as a player: PUCT under a clock of CPU time, or to a number of visits.

The clock is the CPU time, user and system, of the whole process (CLOCK_PROCESS_CPUTIME_ID): a
neighbour that slows the machine down takes no thinking time away, and threads bring none. It is
read between batches of evaluations; a batch that would probably pass the limit is not begun.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from golois.board import Board
from golois.coords import WHITE
from golois.errors import ArgumentError
from golois.search import SearchOptions, Tree
from golois.shapes import NUM_POINTS
from tournament.errors import NetworkError
from tournament.evaluator import Evaluator
from tournament.options import Limits

POLICY_SUM_TOLERANCE = 0.01
# How fast the expected duration of a batch follows faster batches; slower ones count at once.
BATCH_DECAY = 0.9


@dataclass(frozen=True)
class Choice:
    """A move and what it cost.

    point: 0 … 360, or 361 for a pass.
    num_visits: of the root, those kept from the move before included.
    cpu_seconds: of the process, from the first look at the board to the decision.
    value_white: P(White wins) as the search sees it.
    """

    point: int
    num_visits: int
    cpu_seconds: float
    value_white: float


class Player:
    """Chooses moves by searching with one network; keeps its tree between the moves of a game.

    It never resigns, and passes exactly where docs/rules.md lets the tree pass.

    Args:
        name: the network's public name.
        evaluator: the network.
        search_options: constants of the search.
        limits: what a move may cost.
        seed: decides, with the positions, the symmetries that the network sees.
        clock: CPU seconds so far; tests bring their own.
    """

    def __init__(
        self,
        name: str,
        evaluator: Evaluator,
        search_options: SearchOptions,
        limits: Limits,
        seed: int = 0,
        clock: Callable[[], float] = time.process_time,
    ):
        self.name = name
        self._evaluator = evaluator
        self._options = search_options
        self._limits = limits
        self._seed = seed
        self._clock = clock
        self._batch_seconds = 0.0
        self._tree: Tree | None = None
        self._moves: list[tuple[int, int]] = []
        self._komi = 0.0

    def warm_up(self) -> None:
        """Evaluates twice outside the clock: first to set the runtime up, then to time a batch.

        Raises:
            NetworkError: the network failed.
        """
        planes = self._evaluator.planes
        self._ask(planes)
        started = self._clock()
        self._ask(planes)
        self._batch_seconds = self._clock() - started

    def choose(self, board: Board, komi: float) -> Choice:
        """Thinks, and says where to play; leaves the board as it is.

        Args:
            board: the game so far; a continuation of the last one keeps its tree.
            komi: points for White.

        Raises:
            NetworkError: the network failed, or answered with no policy or no value.
        """
        started = self._clock()
        tree = self._tree_at(board, komi)
        while (num_playouts := self._num_playouts(tree, started)) > 0:
            batch_started = self._clock()
            self._search_batch(tree, num_playouts)
            duration = self._clock() - batch_started
            self._batch_seconds = max(duration, BATCH_DECAY * self._batch_seconds)
        value_to_play = tree.root_value_to_play
        value_white = (1 + value_to_play) / 2 if board.to_play == WHITE else (1 - value_to_play) / 2
        point = tree.best_move()
        return Choice(point, tree.num_visits, self._clock() - started, value_white)

    def _tree_at(self, board: Board, komi: float) -> Tree:
        known = len(self._moves)
        if self._tree is None or komi != self._komi or board.moves[:known] != self._moves:
            self._tree = Tree(board, komi, self._options, self._seed)
        else:
            for _, point in board.moves[known:]:
                self._tree.advance(point)
        self._moves = list(board.moves)
        self._komi = komi
        return self._tree

    def _num_playouts(self, tree: Tree, started: float) -> int:
        """How many playouts the next batch may run; 0 to stop. A move needs one evaluation, and a
        move without alternative no more than that.
        """
        if tree.num_candidates == 1:
            return 0
        if self._limits.visits is not None:
            return min(self._evaluator.batch_size, self._limits.visits - tree.num_visits)
        expected = self._clock() - started + self._batch_seconds
        if tree.num_visits > 0 and expected > self._limits.seconds:
            return 0
        return self._evaluator.batch_size

    def _search_batch(self, tree: Tree, num_playouts: int) -> None:
        planes = self._evaluator.planes[:num_playouts]
        num_leaves = tree.select(planes)
        if num_leaves:
            policy, value_white = self._ask(planes[:num_leaves])
            _check_policy(policy)
        else:
            policy, value_white = np.empty((0, NUM_POINTS)), np.empty(0)
        try:
            tree.apply(policy, value_white)
        except ArgumentError as error:
            raise NetworkError(f"the network answered wrongly: {error}") from error

    def _ask(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        try:
            return self._evaluator.evaluate(planes)
        except (MemoryError, NetworkError):
            raise
        except Exception as error:
            raise NetworkError(f"the network failed: {type(error).__name__}: {error}") from error


def _check_policy(policy: np.ndarray) -> None:
    sums = np.sum(policy, axis=-1)
    if not np.all(np.abs(sums - 1) <= POLICY_SUM_TOLERANCE):
        raise NetworkError(
            "the network answered wrongly: "
            f"expected a policy that sums to 1: got {np.ravel(sums)[0]:.4g}"
        )
