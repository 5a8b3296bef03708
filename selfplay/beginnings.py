"""How a network begins a game, what it thinks of it, and by how much games of Go were won."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import starmap
from pathlib import Path

import numpy as np

from golois.games.game import Game
from golois.games.rules import Go, Rules
from golois.go.coords import BLACK, point_to_gtp
from golois.records.packed_file import GameFile
from golois.search.options import SearchOptions
from golois.search.tree import Tree
from tournament.networks.evaluator import Evaluator
from tournament.players.fresh_search import BATCH_SIZE

SEARCHES = 20


@dataclass(frozen=True)
class Beginning:
    """First moves of searches under different symmetries, and their mean P(Black wins).

    line: the moves that the first search expects.
    """

    moves: Counter[int]
    value_black: float
    line: Sequence[int] = ()

    def in_words(self, size: int) -> str:
        """The moves by their names, the most frequent first."""
        names = (f"{point_to_gtp(move, size)} {count}" for move, count in self.moves.most_common())
        return (
            f"first moves of {self.moves.total()} searches: {', '.join(names)}; Black wins with "
            f"{self.value_black:.1%}"
        )


def beginning(
    rules: Rules,
    evaluator: Evaluator,
    search: SearchOptions,
    simulations: int,
    after: Sequence[int] = (),
) -> Beginning:
    """Search the position after some moves, each time with other symmetries."""
    game = after_moves(rules, after)
    moves, values, lines = Counter[int](), [], []
    for seed in range(SEARCHES):
        tree = Tree(game, options=search, seed=seed)
        batch_size = min(BATCH_SIZE, evaluator.batch_size)
        tree.search(evaluator.evaluate, simulations + 1, batch_size)
        moves[tree.best_move()] += 1
        lines.append(tree.principal_variation())
        values.append((1 + tree.root_value_to_play) / 2)
    value = float(np.mean(values))
    return Beginning(moves, value if game.to_play == BLACK else 1 - value, lines[0])


def leads_black(games: Iterable[tuple[Rules, Sequence[int]]]) -> list[int]:
    """Black's area less White's, without komi, of each game of Go that was played out."""
    return [game.board().score_black() for game in starmap(after_moves, games) if game.is_over]


def stored_games(
    shards: Iterable[Path], max_moves: int | None
) -> Iterable[tuple[Rules, Sequence[int]]]:
    """The rules and moves of all games of Go of some shards, which end at `max_moves`."""
    for games in map(GameFile.open, shards):
        for index in range(len(games)):
            rules = games.rules_of(index)
            assert isinstance(rules, Go)
            yield replace(rules, max_moves=max_moves), games[index].points.tolist()


def after_moves(rules: Rules, moves: Sequence[int]) -> Game:
    """The game that has these moves."""
    game = Game(rules)
    for move in moves:
        game.play(move)
    return game
