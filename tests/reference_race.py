"""A race of the root's moves in plain Python, written from mctx: the slow oracle of Tree.race."""

import math
from dataclasses import dataclass

import numpy as np

from benchmarks.search import PlainNode, best_move, unvisited_children
from golois.games.game import Game
from golois.search.options import RaceOptions, SearchOptions


def considered_visits(num_considered: int, num_simulations: int) -> list[int]:
    """How many simulations a move must have had to get the next one, for each of them."""
    if num_considered <= 1:
        return list(range(num_simulations))
    num_rounds = math.ceil(math.log2(num_considered))
    schedule: list[int] = []
    visits = [0] * num_considered
    while len(schedule) < num_simulations:
        for _ in range(max(1, num_simulations // (num_rounds * num_considered))):
            schedule += visits[:num_considered]
            visits[:num_considered] = [count + 1 for count in visits[:num_considered]]
        num_considered = max(2, num_considered // 2)
    return schedule[:num_simulations]


@dataclass
class Arms:
    """What is known of a root's moves; values are for the side to move, −1 … 1."""

    priors: np.ndarray
    visits: np.ndarray
    values: np.ndarray
    own_value: float

    def completed_values(self) -> np.ndarray:
        """Mean values, and for moves without visits the mixed value of the paper's appendix D."""
        seen = self.visits > 0
        priors = np.maximum(self.priors, np.finfo(np.float32).tiny)
        expected = priors[seen] @ self.values[seen] / priors[seen].sum() if seen.any() else 0.0
        num_visits = self.visits.sum()
        mixed = (self.own_value + num_visits * expected) / (1 + num_visits)
        return np.where(seen, self.values, mixed)

    def improved_logits(self, options: RaceOptions) -> np.ndarray:
        priors = np.maximum(self.priors, np.finfo(np.float32).tiny)
        weight = (options.c_visit + self.visits.max()) * options.c_scale
        return np.log(priors) + weight * (1 + self.completed_values()) / 2


def best_arm(arms: Arms, noise: np.ndarray, num_simulations: int, options: RaceOptions) -> int:
    """The best of those with so many simulations."""
    scores = noise + arms.improved_logits(options)
    return int(np.argmax(np.where(arms.visits == num_simulations, scores, -np.inf)))


def softmax(logits: np.ndarray) -> np.ndarray:
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


class PlainRace:
    """A race over a search tree that copies its game for each playout.

    Args:
        game: where to search.
        evaluate: answers planes [n, n, planes] with a policy and P(White wins).
        options: constants of PUCT below the root.
        race: constants of the race.
        noise: a number for each move and the pass.
    """

    def __init__(
        self, game: Game, evaluate, options: SearchOptions, race: RaceOptions, noise: np.ndarray
    ):
        self._game, self._evaluate = game, evaluate
        self._options, self._race = options, race
        self._root = PlainNode(1.0)
        self._run(None)
        self.moves = sorted(self._root.children)
        self._noise = noise[self.moves]

    def run(self, num_simulations: int) -> None:
        num_considered = min(self._race.num_considered, len(self.moves))
        for count in considered_visits(num_considered, num_simulations):
            self._run(self.moves[best_arm(self.arms(), self._noise, count, self._race)])

    def winner(self) -> int:
        most = max(child.visits for child in self._root.children.values())
        return self.moves[best_arm(self.arms(), self._noise, most, self._race)]

    def policy(self) -> np.ndarray:
        return softmax(self.arms().improved_logits(self._race))

    def arms(self) -> Arms:
        to_play = self._game.to_play
        children = [self._root.children[move] for move in self.moves]
        values = [child.value_for(to_play) if child.visits else 0.0 for child in children]
        visits = np.array([child.visits for child in children])
        own_value = self._root.value_for(to_play) * self._root.visits - visits @ values
        priors = np.array([child.prior for child in children])
        return Arms(priors, visits, np.array(values), own_value)

    def _run(self, first_move: int | None) -> None:
        position, path = self._game.copy(), [self._root]
        while path[-1].children:
            is_root = len(path) == 1
            move = first_move if is_root else best_move(path[-1], position.to_play, self._options)
            position.play(move)
            path.append(path[-1].children[move])
        if position.is_over:
            value_white = position.outcome_white
        else:
            policy, value_white = self._evaluate(position.planes())
            path[-1].children = unvisited_children(position.candidates(), policy)
        for node in path:
            node.visits += 1
            node.value_white_sum += value_white
