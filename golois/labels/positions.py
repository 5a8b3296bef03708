"""Which positions of games are labelled, and what of them a network sees and a file keeps.

Searches from positions go side by side, so that batches are full.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from golois.constants import BOARD_SIZE, MAX_INT32
from golois.errors import ArgumentError, require_range
from golois.games.game import Game
from golois.games.rules import Go
from golois.go.board import Board
from golois.go.coords import WHITE
from golois.go.symmetry import NUM_SYMMETRIES
from golois.katago.answers import Answers
from golois.katago.inputs import Inputs, KatagoRules, game_inputs, joined, search_inputs
from golois.records.finished_games import LEAST_SHARE, MOST_MOVES
from golois.records.importing import require_least_share
from golois.records.packed_file import GameFile, Record, first_of_every
from golois.records.targets import MAX_TENTHS, Targets
from golois.search.options import SearchOptions
from golois.search.tree import Tree

Ask = Callable[[Inputs], Answers]


@dataclass(frozen=True)
class LabelOptions:
    """How games are labelled; ArgumentError: a number out of its range.

    every: of each game each `every`-th training position, see `GameFile.training_plies`.
    symmetries: 1 for the position as it is, 8 for the mean of its eight views.
    visits: 1 for what the network says, more for a search of so many evaluations.
    ownership: keep also the network's ownership of each point, of the position without a search.
    least_share: of a policy, that a move needs to be kept; at most 32 moves are.
    batch_size: positions that are evaluated at once.
    """

    every: int = 1
    symmetries: int = 1
    least_share: float = LEAST_SHARE
    batch_size: int = 8
    visits: int = 1
    ownership: bool = False

    def __post_init__(self) -> None:
        require_range("every", self.every, 1, MAX_INT32)
        if self.symmetries not in (1, NUM_SYMMETRIES):
            raise ArgumentError(f"symmetries must be 1 or {NUM_SYMMETRIES}, not {self.symmetries}")
        require_range("visits", self.visits, 1, MAX_INT32)
        require_least_share(self.least_share)


class Sample:
    """Each `every`-th training position of a file's games, numbered from 0 through all games."""

    def __init__(self, games: GameFile, every: int) -> None:
        self._games = games
        self._every = every
        counts = games.rows["num_positions"].astype(np.int64)
        counts -= first_of_every(np.arange(len(games)), counts, every)
        counts = -(-counts // every)
        self._starts = np.concatenate([[0], np.cumsum(counts)])

    def __len__(self) -> int:
        return int(self._starts[-1])

    def turns(self, number: int, record: Record) -> np.ndarray:
        """Return how many moves were made before each labelled position of a game, int64."""
        return self._games.training_plies(number, record, self._every)

    def inputs(self, start: int, stop: int, pass_alive: bool) -> Inputs:
        """Return what a network sees of the positions from `start` to before `stop`."""
        return joined(
            game_positions(record, turns, pass_alive) for record, turns in self._within(start, stop)
        )

    def spread(self, count: int, shift: float, pass_alive: bool) -> Inputs:
        """Return what a network sees of at most `count` positions that lie evenly apart.

        `shift`, at least 0 and below 1, moves them on by this part of their distance.
        """
        numbers = ((np.arange(count) + shift) * len(self) / count).astype(np.int64)
        rows = np.unique(numbers).tolist()
        return joined(self.inputs(row, row + 1, pass_alive) for row in rows)

    def games(self, start: int, stop: int) -> list[Game]:
        """Return the games at these positions, for searches."""
        parts = self._within(start, stop)
        return [game for record, turns in parts for game in games_before(record, turns)]

    def _within(self, start: int, stop: int) -> Iterator[tuple[Record, np.ndarray]]:
        """Yield games and their turns; a game without a position in the range is left out."""
        first, last = np.searchsorted(self._starts, [start, stop - 1], "right") - 1
        for game in range(int(first), int(last) + 1):
            record, begin = self._games[game], int(self._starts[game])
            turns = self.turns(game, record)[max(start - begin, 0) : stop - begin]
            if len(turns):
                yield record, turns


def game_positions(
    record: Record, turns: np.ndarray, pass_alive: bool, hide_end: bool = True
) -> Inputs:
    """Return what a network sees of a game before the moves with these numbers.

    Where one colour moves twice the history begins again; handicap stones are none. The rules are a
    tournament's; a komi of quarters counts as the nearest half, an unknown komi as a tournament's.
    `hide_end` hides a pass that would end the game, as at the root of KataGo's searches.
    """
    rules = KatagoRules(record.half_komi)
    board, parts = Board(), []
    for begin, end in pairwise(_borders(record.colours)):
        wanted = turns[(turns >= begin) & (turns < end)]
        if len(wanted):
            stones = board.stones().ravel()
            parts.append(
                game_inputs(
                    record.points[begin:end],
                    wanted - begin,
                    rules,
                    setup=[(int(stones[p]), int(p)) for p in np.flatnonzero(stones)],
                    first=int(record.colours[begin]),
                    hide_end=hide_end,
                    pass_alive=pass_alive,
                )
            )
        if end < record.num_moves:
            for colour, point in record.moves[begin:end]:
                board.play_unchecked(point, colour)
    return joined(parts)


def games_before(record: Record, turns: np.ndarray) -> Iterator[Game]:
    """Yield a game before the moves with these numbers, for searches with KataGo's planes.

    The rules are those of `game_positions`. Here the last handicap stone counts as a move.
    """
    rules, board = Go(BOARD_SIZE, record.half_komi, planes="katago"), Board()
    moves = record.moves
    for turn in turns.tolist():
        for colour, point in moves[board.num_moves : turn]:
            board.play_unchecked(point, colour)
        board.to_play, _ = moves[turn]
        yield Game(rules, board)


def _borders(colours: np.ndarray) -> list[int]:
    """Return where histories begin, and the number of moves; several first stones have none."""
    again = np.flatnonzero(colours[1:] == colours[:-1]) + 1
    others = np.flatnonzero(colours != colours[0])[:1]
    behind = others if others.size and others[0] > 1 else again[:0]
    return sorted({0, *again.tolist(), *behind.tolist(), len(colours)})


def searched(ask: Ask, games: Sequence[Game], known: Answers, num_visits: int) -> Answers:
    """Return what searches say: the shares of the visits as policy, and the mean value.

    `games` have KataGo's planes, and `known` is what the network says of their positions: the first
    visit of each search, and the answer where the game is over. The lead and the rest stay the
    network's. All searches grow by a leaf at a time, and `ask` answers a leaf of each. The same
    games and answers give the same searches.
    """
    options = SearchOptions(random_symmetry=False, cache_positions=num_visits)
    trees = [Tree(game, options=options) for game in games]
    for i, tree in enumerate(trees):
        if tree.select(np.empty((1, *tree.planes_shape), np.float32)):
            tree.apply(known.policy[i : i + 1], known.white_wins[i : i + 1])
    komis = [game.rules.komi for game in games if isinstance(game.rules, Go)]
    _grow(ask, trees, komis, num_visits)
    policy, white_wins = known.policy.copy(), known.white_wins.copy()
    for i, tree in enumerate(trees):
        visits = tree.visits()
        if visits.any():
            policy[i] = visits / visits.sum()
            ahead = tree.root_value_to_play * (1 if games[i].to_play == WHITE else -1)
            white_wins[i] = (1 + ahead) / 2
    return known._replace(policy=policy, white_wins=white_wins)


def _grow(ask: Ask, trees: Sequence[Tree], komis: Sequence[float], num_visits: int) -> None:
    rows = [np.empty((1, *tree.planes_shape), np.float32) for tree in trees]
    while growing := [i for i, tree in enumerate(trees) if tree.num_visits < num_visits]:
        if leaves := [i for i in growing if trees[i].select(rows[i])]:
            answers = ask(joined(search_inputs(rows[i], komis[i]) for i in leaves))
            for row, i in enumerate(leaves):
                trees[i].apply(answers.policy[row : row + 1], answers.white_wins[row : row + 1])


def targets_of(answers: Answers, least_share: float, ownership: bool = False) -> Targets:
    """Return what a packed file keeps of answers; of each policy at least the largest move."""
    policies = answers.policy
    least = np.minimum(least_share, policies.max(axis=1, keepdims=True))
    kept = np.where(policies >= least, policies, 0)
    smaller = np.argsort(-policies, axis=1, kind="stable")[:, MOST_MOVES:]
    np.put_along_axis(kept, smaller, 0, axis=1)
    most = MAX_TENTHS / 10
    values, leads = np.clip(answers.white_wins, 0, 1), np.clip(answers.lead, -most, most)
    return Targets(kept, values, leads, answers.ownership if ownership else None)


def labelled(record: Record, turns: np.ndarray, targets: Targets) -> Record:
    """Return a game with a teacher's labels; positions without one are not training positions."""
    values = np.full(record.num_moves, np.nan, np.float32)
    values[turns] = targets.values
    return replace(record, values=values, targets=targets)
