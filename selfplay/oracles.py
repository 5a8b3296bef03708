"""What is known of solved games: positions in which the side to move wins, and by which moves."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from math import nan
from pathlib import Path
from random import Random

import numpy as np

from golois.games.game import Game, after_moves
from golois.games.rules import Rules
from golois.go.symmetry import point_table
from golois.kit.run_folder import read_json, write_json
from tournament.networks.evaluator import Evaluator

GAMES_WITHOUT_NEWS = 1000
"""Random games in a row whose position was known, after which all are taken to be."""


@dataclass(frozen=True)
class Won:
    """A position that the side to move wins: moves to it, winning moves, number of legal moves."""

    moves: list[int]
    wins: list[int]
    choices: int


@dataclass(frozen=True)
class Kept:
    """In what share of won positions, all or decisive, the policy alone keeps the win."""

    share: float
    of_decisive: float
    positions: int


def won_positions(
    rules: Rules, count: int, seed: int = 0, before_each: Callable[[], None] = lambda: None
) -> list[Won]:
    """Sample positions of random games that the side to move wins, no two alike up to symmetry.

    They are `count` at most; a position is drawn from all of its game with equal chance. The rules
    are of a game that `is_solvable`. What `before_each` raises ends the search.
    """
    random, known = Random(seed), 0
    seen: set[tuple] = set()
    found: list[Won] = []
    while len(found) < count and known < GAMES_WITHOUT_NEWS:
        before_each()
        game = _random_position(rules, random)
        key = _key(game)
        known = known + 1 if key in seen else 0
        if key in seen:
            continue
        seen.add(key)
        if wins := game.winning_moves():
            moves = [move for _, move in game.moves]
            found.append(Won(moves, wins, len(game.candidates())))
    return found


def read_or_sample(
    path: Path, rules: Rules, count: int, before_each: Callable[[], None] = lambda: None
) -> list[Won]:
    """Read a run's positions, or sample and write them; CheckpointError: the file is damaged."""
    if path.exists():
        return [Won(**entry) for entry in read_json(path)]
    found = won_positions(rules, count, before_each=before_each)
    write_json(path, [asdict(won) for won in found], indent=None)
    return found


def kept_wins(rules: Rules, positions: list[Won], evaluator: Evaluator) -> Kept:
    """Ask a network for the likeliest legal move of each position, without search."""
    keeps = np.array(list(_keeps(rules, positions, evaluator)))
    is_decisive = np.array([len(won.wins) < won.choices for won in positions])
    decisive = keeps[is_decisive]
    return Kept(
        share=float(keeps.mean()),
        of_decisive=float(decisive.mean()) if len(decisive) else nan,
        positions=len(positions),
    )


def kept_at_random(positions: list[Won]) -> float:
    """The share of wins that a player of random legal moves keeps."""
    return float(np.mean([len(won.wins) / won.choices for won in positions]))


def _keeps(rules: Rules, positions: list[Won], evaluator: Evaluator) -> Iterator[bool]:
    for first in range(0, len(positions), evaluator.batch_size):
        part = positions[first : first + evaluator.batch_size]
        games = [after_moves(rules, won.moves) for won in part]
        policies, _ = evaluator.evaluate(np.stack([game.planes() for game in games]))
        for game, won, policy in zip(games, part, policies, strict=True):
            legal = game.candidates()
            yield legal[int(policy[legal].argmax())] in won.wins


def _random_position(rules: Rules, random: Random) -> Game:
    game = Game(rules)
    while not game.is_over:
        game.play(random.choice(game.candidates()))
    for _ in range(random.randrange(game.num_moves) + 1):
        game.take_back()
    return game


def _key(game: Game) -> tuple:
    """Alike for positions that a symmetry of the game makes alike."""
    stones = game.stones().ravel()
    inverse = point_table(game.size)[list(game.symmetries)]
    is_second = game.num_moves == 1  # when there may be a swap
    return game.to_play, is_second, min(stones[points].tobytes() for points in inverse)
