"""Searches from the positions that are labelled, side by side, so that batches are full."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from golois.games.game import Game
from golois.games.rules import Go
from golois.go.coords import WHITE
from golois.katago.answers import Answers, Positions, joined, search_positions
from golois.search.options import SearchOptions
from golois.search.tree import Tree

Ask = Callable[[Positions], Answers]


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
    return replace(known, policy=policy, white_wins=white_wins, black_wins=1 - white_wins)


def _grow(ask: Ask, trees: Sequence[Tree], komis: Sequence[float], num_visits: int) -> None:
    rows = [np.empty((1, *tree.planes_shape), np.float32) for tree in trees]
    while growing := [i for i, tree in enumerate(trees) if tree.num_visits < num_visits]:
        if leaves := [i for i in growing if trees[i].select(rows[i])]:
            answers = ask(joined(search_positions(rows[i], komis[i]) for i in leaves))
            for row, i in enumerate(leaves):
                trees[i].apply(answers.policy[row : row + 1], answers.white_wins[row : row + 1])
