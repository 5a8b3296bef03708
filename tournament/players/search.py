"""A network that searches under a clock of CPU time, or to a number of visits.

The clock is the CPU time of the whole process (CLOCK_PROCESS_CPUTIME_ID), so neither a busy machine
nor threads change it. A batch that would probably exceed the limit is not started.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from golois.constants import MAX_INT32
from golois.errors import ArgumentError
from golois.games.game import Game
from golois.games.rules import Rules
from golois.go.board import Board
from golois.go.coords import BLACK, WHITE, opponent
from golois.search.tree import RootMoves, SearchOptions, Tree, arena_game
from tournament.errors import NetworkError
from tournament.networks.evaluator import Evaluator
from tournament.players.limits import Limits
from tournament.players.protocol import Choice
from tournament.players.time_plan import MoveTime

# The expected result, 0 … 1, from which on a time plan takes the game for decided.
DECIDED_VALUE = 0.94
# Leaves of a batch are chosen without each other's values. So they share one only where the tree
# has so many visits for each of them; before, they go one at a time (benchmarks/RESULTS.md).
VISITS_PER_LEAF = 8

GoOn = Callable[[Tree], bool]
"""Asked before each batch and at the end of a search; False ends it."""


def to_the_limit(tree: Tree) -> bool:
    """Let a search use all that the move may cost."""
    return True


class Search:
    """One network's tree through a game, and what a move may still cost.

    Its player decides where to look and what to play. The seed decides, with the positions, the
    symmetries. `clock` gives CPU seconds.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        options: SearchOptions,
        limits: Limits,
        seed: int,
        clock: Callable[[], float],
    ):
        self._evaluator = self._asked = evaluator
        self._options = options
        self._usual_limits = self._limits = limits
        self._seed = seed
        self._clock = clock
        self._time = MoveTime(evaluator.batch_size)
        self._budget_seconds: float | None = None
        self._tree: Tree | None = None
        self._moves: list[tuple[int, int]] = []
        self._rules: Rules | float | None = None
        self._to_play = BLACK
        self._num_candidates = 0

    def warm_up(self) -> None:
        """Set up the runtime, and time a leaf and a batch; raise NetworkError on a failure."""
        planes = self._evaluator.planes
        self._time.learn(self._timed(_first_rows(planes, 1)), self._timed(planes))

    def _timed(self, planes: np.ndarray) -> list[float]:
        readings = [self._clock()]
        for _ in range(2):
            self._ask(planes)
            readings.append(self._clock())
        return [end - start for start, end in pairwise(readings)]

    def begin(
        self, root: Game | Board, komi: float | None = None, limits: Limits | None = None
    ) -> Tree:
        """Start the clock of a move, and return its tree, which a continuation of the game keeps.

        Komi, points for White, is of a board only. `limits` replace the usual limits for this move.
        """
        self._time.begin(self._clock())
        self._limits = limits or self._usual_limits
        rules = root.rules if isinstance(root, Game) else komi
        if self._tree is None or rules != self._rules or not self._leads_to(root):
            game = root if isinstance(root, Game) else arena_game(root, komi)
            self._asked, seen = self._evaluator.of_game(game)
            self._tree = Tree(seen, None, self._options, self._seed)
        else:
            for _, point in root.moves[len(self._moves) :]:
                self._tree.advance(point)
        self._moves = list(root.moves)
        self._rules = rules
        self._to_play = root.to_play
        self._num_candidates = self._tree.num_candidates
        is_decided = abs(self._tree.root_value_to_play) >= DECIDED_VALUE
        self._budget_seconds = self._limits.seconds_of_move(root.num_moves, is_decided)
        if self._budget_seconds is not None:
            self._time.allow(self._budget_seconds, self._clock())
        return self._tree

    def think(
        self,
        root: Game | Board,
        komi: float | None = None,
        limits: Limits | None = None,
        go_on: GoOn = to_the_limit,
    ) -> Tree:
        """Search by PUCT within the limits, with the arguments of `begin`, while `go_on` says yes.

        Raises:
            NetworkError: the network failed.
        """
        tree = self.begin(root, komi, limits)
        while go_on(tree) and (num_playouts := self.playouts_left()) > 0:
            self.run(num_playouts)
        return tree

    @property
    def _begun(self) -> Tree:
        assert self._tree is not None
        return self._tree

    def _leads_to(self, root: Game | Board) -> bool:
        """Return whether alternating moves lead from the tree's root to another one."""
        known = len(self._moves)
        turns = [colour for colour, _ in root.moves[known:]] + [root.to_play]
        in_turn = (self._to_play, opponent(self._to_play))
        alternates = all(turn == in_turn[i % 2] for i, turn in enumerate(turns))
        return root.moves[:known] == self._moves and alternates

    def playouts_left(self) -> int:
        """Return how many playouts the move may still cost.

        Under a clock, only playouts count that probably end in time: single leaves while the tree
        is small, then full batches. A move needs one evaluation; a sole candidate needs no more.
        """
        if self._num_candidates == 1:
            return 0
        num_visits = self._begun.num_visits
        if self._limits.visits is not None:
            return max(0, self._limits.visits - num_visits)
        num_single = max(0, VISITS_PER_LEAF * self._evaluator.batch_size - num_visits)
        return max(self._time.playouts_left(num_single), 0 if num_visits else 1)

    def run(self, num_playouts: int, in_race: bool = False) -> None:
        """Run one batch of at most `num_playouts`, single leaves while the tree is small.

        In a race, `num_playouts` is all that are left, and the tree's race chooses the root's moves
        instead of PUCT. A network that fails or gives no policy or value raises a NetworkError.
        """
        batch_size = self._evaluator.batch_size
        is_small = self._begun.num_visits < VISITS_PER_LEAF * batch_size
        planes = _first_rows(self._evaluator.planes, 1 if is_small else num_playouts)
        if in_race:
            num_leaves = self._begun.select_race(planes, num_playouts)
        else:
            num_leaves = self._begun.select(planes)
        if num_leaves:
            answers = self._answers(_first_rows(planes, num_leaves))
            try:
                self._begun.apply(*answers)
            except ArgumentError as error:
                raise NetworkError(f"the network answered wrongly: {error}") from error
        if self._num_candidates == 0:
            self._num_candidates = self._begun.num_candidates
        self._time.add_batch(num_leaves, self._clock())

    def choice(self, point: int, value_to_play: float) -> Choice:
        """Return the move and its cost; `value_to_play`, −1 … 1, is the side to move's."""
        value_white = (1 + value_to_play) / 2 if self._to_play == WHITE else (1 - value_to_play) / 2
        cpu_seconds = self._time.used(self._clock())
        return Choice(point, self._begun.num_visits, cpu_seconds, value_white, self._budget_seconds)

    def _answers(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        try:
            return self._ask(planes)
        except Exception:
            self._tree = None  # otherwise it would wait for these answers forever
            raise

    def _ask(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        try:
            return self._asked.evaluate(planes)
        except (MemoryError, NetworkError):
            raise
        except Exception as error:
            raise NetworkError(f"the network failed: {type(error).__name__}: {error}") from error


def shown_moves(tree: Tree, most: int = MAX_INT32) -> RootMoves:
    """Return the most visited candidates with visits; a sole candidate has the root's value."""
    moves = tree.root_moves()
    num_visited = int((moves.visits > 0).sum())
    shown = slice(min(most, max(num_visited, len(moves.points) == 1)))
    values = np.where(moves.visits > 0, moves.values_to_play, tree.root_value_to_play)
    return RootMoves(moves.points[shown], moves.priors[shown], moves.visits[shown], values[shown])


def _first_rows(planes: np.ndarray, num_rows: int) -> np.ndarray:
    """Return the first rows, or the array itself if it has no others, which saves a check."""
    return planes if num_rows >= len(planes) else planes[:num_rows]
