"""Searches every position of a game, and measures what each move cost its player."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from golois.constants import NUM_POINTS, PASS
from golois.go.coords import WHITE
from golois.search.tree import SearchOptions, Tree
from golois.sgf.reading import SgfGame
from tournament.errors import OptionsError
from tournament.networks.evaluator import Evaluator
from tournament.players.limits import Limits
from tournament.players.search import Search, shown_moves

LINE_LENGTH = 10
LEAST_LOSS = 0.01  # of P(win), that is worth naming


@dataclass(frozen=True)
class ReviewOptions:
    """How a game is looked at; a value out of range raises an OptionsError.

    visits: of each position.
    threshold: P(win) that a move must lose to count as a mistake, 0 … 1.
    num_candidates: the most visited of each position that are kept.
    """

    visits: int = 100
    threshold: float = 0.1
    num_candidates: int = 3
    seed: int = 0

    def __post_init__(self):
        for name in ("visits", "num_candidates"):
            if getattr(self, name) < 1:
                raise OptionsError(f"{name} must be 1 or more, not {getattr(self, name)}")
        if not 0 < self.threshold <= 1:
            raise OptionsError(f"threshold must be above 0, at most 1, not {self.threshold}")


@dataclass(frozen=True)
class Candidate:
    """A move that the search looked at.

    point: 0 … 360, or 361 for a pass.
    prior: its share of the network's policy over the candidates, 0 … 1.
    value_white: P(White wins) after it.
    line: how the search expects play to go on, this move included.
    """

    point: int
    num_visits: int
    prior: float
    value_white: float
    line: tuple[int, ...]


@dataclass(frozen=True)
class PositionReview:
    """A position as the search sees it.

    value_white: P(White wins).
    policy: the network's policy over the candidates, float32 [361], without the pass.
    candidates: the most visited first.
    """

    to_play: int
    value_white: float
    policy: np.ndarray
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class MoveReview:
    """A move of the game, numbered from 1, between the positions before and after it.

    `loss`, −1 … 1, is what its player's P(win) lost by it; some hundredths are no more than noise.
    """

    number: int
    colour: int
    point: int
    before: PositionReview
    after: PositionReview
    loss: float

    def is_mistake(self, threshold: float) -> bool:
        """Return whether it lost the threshold or more and the search preferred another move."""
        candidates = self.before.candidates
        return self.loss >= threshold and bool(candidates) and candidates[0].point != self.point


def value_for(colour: int, value_white: float) -> float:
    """Return P(a colour wins)."""
    return value_white if colour == WHITE else 1 - value_white


def review_positions(
    game: SgfGame, komi: float, evaluator: Evaluator, options: ReviewOptions
) -> Iterator[PositionReview]:
    """Search the position before the first move and the position after each.

    The same game, network, options and seed give the same reviews.

    Raises:
        IllegalMoveError: a move that docs/teacher/rules.md forbids.
        NetworkError: the network failed.
    """
    limits = Limits(visits=options.visits)
    search = Search(evaluator, SearchOptions(), limits, options.seed, time.process_time)
    for board in game.boards():
        tree = search.think(board, komi)
        yield position_review(tree, board.to_play, options.num_candidates)


def review_moves(game: SgfGame, positions: Sequence[PositionReview]) -> list[MoveReview]:
    """Return what each move cost, from the positions of `review_positions`."""
    return [
        _move(number, move, *positions[number - 1 : number + 1])
        for number, move in enumerate(game.moves, start=1)
    ]


def mistakes(moves: Sequence[MoveReview], threshold: float) -> list[MoveReview]:
    """Return the mistakes, the worst first."""
    found = [move for move in moves if move.is_mistake(threshold)]
    return sorted(found, key=lambda move: (-move.loss, move.number))


def largest_losses(moves: Sequence[MoveReview], num_moves: int = 3) -> list[MoveReview]:
    """Return the moves that lost most, the worst first, whether or not they are mistakes."""
    found = [move for move in moves if move.loss >= LEAST_LOSS]
    return sorted(found, key=lambda move: (-move.loss, move.number))[:num_moves]


def position_review(tree: Tree, to_play: int, num_candidates: int) -> PositionReview:
    """Return what a search has found from an evaluated root, with the most visited candidates."""
    moves = tree.root_moves()
    policy = np.zeros(NUM_POINTS, np.float32)
    is_point = moves.points != PASS
    policy[moves.points[is_point]] = moves.priors[is_point]
    kept = shown_moves(tree, num_candidates)
    candidates = tuple(
        Candidate(
            point=int(kept.points[i]),
            num_visits=int(kept.visits[i]),
            prior=float(kept.priors[i]),
            value_white=_value_white(float(kept.values_to_play[i]), to_play),
            line=tuple(tree.principal_variation(int(kept.points[i]), LINE_LENGTH)),
        )
        for i in range(len(kept.points))
    )
    value_white = _value_white(tree.root_value_to_play, to_play)
    return PositionReview(to_play, value_white, policy, candidates)


def _value_white(value_to_play: float, to_play: int) -> float:
    return value_for(to_play, (1 + value_to_play) / 2)


def _move(
    number: int, move: tuple[int, int], before: PositionReview, after: PositionReview
) -> MoveReview:
    colour, point = move
    loss = value_for(colour, before.value_white) - value_for(colour, after.value_white)
    return MoveReview(number, colour, point, before, after, loss)
