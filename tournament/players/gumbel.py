"""Gumbel search: the root's moves race by sequential halving; below them it is PUCT.

Each candidate scores its logit, log prior, and what is known of its value; a value that is not
known yet is completed from those that are. Without noise the best score is played. With it, a
Gumbel number on each logit makes the choice a draw from a policy that improves on the network's.

Source: Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning with Gumbel",
ICLR 2022, with PUCT in place of its own rule below the root.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from golois.board import Board
from golois.search import RootMoves, SearchOptions, Tree
from golois.shapes import PASS
from tournament.errors import OptionsError
from tournament.networks.evaluator import Evaluator
from tournament.players.halving import sequential_halving
from tournament.players.limits import Limits
from tournament.players.protocol import Choice
from tournament.players.search import Search


@dataclass(frozen=True)
class GumbelOptions:
    """Constants of the choice at the root.

    num_considered: moves that enter the race; 16 in Danihelka et al.
    c_visit, c_scale: a win probability q weighs (c_visit + most visits of a move) · c_scale · q
        beside the logit; 50 and 1 in Danihelka et al.
    noise: draw Gumbel numbers, by seed and position; for games that train, not for matches.

    Raises:
        OptionsError: a value out of range.
    """

    num_considered: int = 16
    c_visit: float = 50.0
    c_scale: float = 1.0
    noise: bool = False

    def __post_init__(self):
        if self.num_considered < 2:
            raise OptionsError(f"expected num_considered of 2 or more: got {self.num_considered}")
        for name in ("c_visit", "c_scale"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise OptionsError(f"expected {name} of 0 or more: got {getattr(self, name)}")


class GumbelPlayer:
    """Chooses moves by Gumbel search; keeps its tree between the moves of a game.

    A batch holds playouts of one root move only, so a limit of few visits leaves batches unfilled.

    Args:
        name: the network's public name.
        evaluator: the network.
        options: constants of the search below the root.
        gumbel: constants of the choice at the root.
        limits: what a move may cost.
        seed: decides, with the positions, the noise and the symmetries that the network sees.
        clock: CPU seconds so far; tests bring their own.
    """

    def __init__(
        self,
        name: str,
        evaluator: Evaluator,
        options: SearchOptions,
        gumbel: GumbelOptions,
        limits: Limits,
        seed: int = 0,
        clock: Callable[[], float] = time.process_time,
    ):
        self.name = name
        self._search = Search(evaluator, options, limits, seed, clock)
        self._gumbel = gumbel
        self._seed = seed

    def warm_up(self) -> None:
        """See Player."""
        self._search.warm_up()

    def choose(self, board: Board, komi: float) -> Choice:
        """See Player; the value is that of the improved policy."""
        tree = self._search.begin(board, komi)
        if tree.num_visits == 0:
            self._search.run(1)
        root = _Root(self._search, tree, self._gumbel, self._noise(board))
        point = root.points[sequential_halving(root, self._gumbel.num_considered)]
        return self._search.choice(int(point), root.improved_value())

    def _noise(self, board: Board) -> np.ndarray:
        """Return a number for each point and the pass: float64 [362]."""
        if not self._gumbel.noise:
            return np.zeros(PASS + 1)
        return np.random.default_rng((self._seed, board.key, board.num_moves)).gumbel(size=PASS + 1)


class _Root:
    """The root's candidates as the arms of a bandit, in the order of their points."""

    def __init__(self, search: Search, tree: Tree, gumbel: GumbelOptions, noise: np.ndarray):
        self._search = search
        self._tree = tree
        self._gumbel = gumbel
        self.points = np.sort(tree.root_moves().points)
        self._noise = noise[self.points]

    def scores(self) -> np.ndarray:
        return self._noise + improved_logits(*self._moves_and_values(), self._gumbel)

    def pulls_left(self) -> int:
        return self._search.playouts_left()

    def pull(self, arm: int, num_pulls: int) -> None:
        wanted = self._tree.num_visits + num_pulls
        while (left := min(self.pulls_left(), wanted - self._tree.num_visits)) > 0:
            self._search.run(left, int(self.points[arm]))

    def improved_value(self) -> float:
        """Return the value of the search's improved policy for the side to move, −1 … 1."""
        moves, values = self._moves_and_values()
        logits = improved_logits(moves, values, self._gumbel)
        policy = np.exp(logits - logits.max())
        return float(policy @ values / policy.sum())

    def _moves_and_values(self) -> tuple[RootMoves, np.ndarray]:
        found = self._tree.root_moves()
        order = np.argsort(found.points)
        moves = RootMoves(
            found.points[order],
            found.priors[order],
            found.visits[order],
            found.values_to_play[order],
        )
        return moves, completed_values(moves, self._tree.root_value_to_play)


def completed_values(moves: RootMoves, root_value_to_play: float) -> np.ndarray:
    """Return each move's mean value, estimated for unvisited moves: float64 [n], −1 … 1.

    The estimate mixes the network's own value of the root, counted once, with the values of the
    visited moves, weighed by their priors and counted as often as they were visited.

    Args:
        moves: the root's candidates.
        root_value_to_play: mean over the root's visits, of which the first was its own evaluation.

    Source: Danihelka et al. 2022, appendix D.
    """
    visited = moves.visits > 0
    visits, priors = moves.visits[visited].astype(np.float64), _priors(moves)[visited]
    values = moves.values_to_play[visited].astype(np.float64)
    own_value = root_value_to_play * (1 + visits.sum()) - visits @ values
    expected = priors @ values / priors.sum() if len(values) else 0.0
    completed = np.full(len(visited), (own_value + visits.sum() * expected) / (1 + visits.sum()))
    completed[visited] = values
    return completed


def improved_logits(moves: RootMoves, values: np.ndarray, options: GumbelOptions) -> np.ndarray:
    """Return the logits of the improved policy: float64 [n].

    Args:
        moves: the root's candidates.
        values: of each, for the side to move, −1 … 1.
        options: how much values weigh.

    Source: Danihelka et al. 2022, with values on the scale of win probabilities, 0 … 1.
    """
    weight = (options.c_visit + moves.visits.max()) * options.c_scale
    return np.log(_priors(moves)) + weight * (1 + values) / 2


def _priors(moves: RootMoves) -> np.ndarray:
    """Return the priors, none of them quite 0: float64 [n]."""
    return np.maximum(moves.priors.astype(np.float64), np.finfo(np.float32).tiny)
