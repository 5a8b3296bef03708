"""Players of the kit: they choose a move of a position, and remember nothing."""

from random import Random
from time import process_time
from typing import Protocol

from golois.chains import all_chains, neighbours
from golois.coords import BLACK, WHITE, opponent
from golois.games import Game
from golois.rules import Go, Rules
from golois.search import Tree
from golois.search_options import SearchOptions
from tournament.networks.evaluator import Evaluator

BATCH_SIZE = 8


class Player(Protocol):
    """Chooses moves, and remembers nothing from one to the next."""

    def move(self, game: Game, seed: int) -> int | None:
        """A move of the side to move, or None to resign; the game is left as it is.

        Args:
            game: not over.
            seed: decides what is left to chance.
        """
        ...


class Searching:
    """A network that searches.

    Args:
        evaluator: the network.
        search: constants of the search.
        simulations: playouts of a search after the root's evaluation.
        rules: whose planes the network sees; None for those of the game that is played.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        search: SearchOptions,
        simulations: int,
        rules: Rules | None = None,
    ) -> None:
        self._evaluator = evaluator
        self._search = search
        self._simulations = simulations
        self._rules = rules

    def move(self, game: Game, seed: int) -> int:
        """See Player: the most visited move."""
        tree = Tree(self._as_seen(game), options=self._search, seed=seed)
        self._search_on(tree, self._simulations + 1)
        return tree.best_move()

    def move_within(self, game: Game, seconds: float, seed: int) -> int:
        """The most visited move after so many CPU seconds of the process.

        The position is evaluated even without time, and the last batch is taken to its end.

        Args:
            game: as for `move`.
            seconds: that it may use.
            seed: as for `move`.
        """
        started = process_time()
        tree = Tree(self._as_seen(game), options=self._search, seed=seed)
        self._search_on(tree, 1)
        while process_time() - started < seconds:
            self._search_on(tree, tree.num_visits + BATCH_SIZE)
        return tree.best_move()

    def _search_on(self, tree: Tree, num_visits: int) -> None:
        batch_size = min(BATCH_SIZE, self._evaluator.batch_size)
        tree.search(self._evaluator.evaluate, num_visits, batch_size)

    def _as_seen(self, game: Game) -> Game:
        if self._rules is None or self._rules == game.rules:
            return game
        seen = Game(self._rules)
        for _, move in game.moves:
            seen.play(move)
        return seen


class AtRandom:
    """Every point that may be played has the same chance; it passes where there is none."""

    def move(self, game: Game, seed: int) -> int:
        """See Player."""
        return _drawn(_points(game) or [game.pass_point], game, seed)


class AverageLib:
    """Looks one move ahead for the most liberties a chain.

    A position counts ten times the liberties of a colour over its chains, rounded down, less the
    same of the other colour; the liberties of two chains at one point count twice. In Go it fills
    no point whose neighbours are all its own. Equals are drawn.

    Source: SpAveragePlayer of Fuego, whose further filter of bad moves is left out.
    """

    def move(self, game: Game, seed: int) -> int:
        """See Player."""
        points = _points(game)
        if isinstance(game.rules, Go):
            points = [point for point in points if not _is_surrounded(game, point)]
        scores = {point: _score_after(game, point) for point in points}
        best = max(scores.values(), default=0)
        return _drawn(
            [point for point, score in scores.items() if score == best] or [game.pass_point],
            game,
            seed,
        )


class Rollouts:
    """UCT with random games, without a network.

    Args:
        playouts: of a move.
    """

    def __init__(self, playouts: int) -> None:
        self._playouts = playouts

    def move(self, game: Game, seed: int) -> int:
        """See Player."""
        return game.rollout_move(self._playouts, mixed(seed, game))


class Perfect:
    """Keeps each win, and draws a move in a lost position and among those that win."""

    def move(self, game: Game, seed: int) -> int:
        """See Player."""
        return _drawn(game.winning_moves() or game.candidates(), game, seed)


def _points(game: Game) -> list[int]:
    return [move for move in game.candidates() if move != game.pass_point]


def mixed(seed: int, game: Game) -> int:
    """Give a number of its own for each move of each game."""
    return Random(f"{seed} {game.num_moves}").getrandbits(64)


def _drawn(moves: list[int], game: Game, seed: int) -> int:
    return Random(mixed(seed, game)).choice(moves)


def _is_surrounded(game: Game, point: int) -> bool:
    """Whether all neighbours of a point are stones of the side to move."""
    stones = game.stones().ravel()
    return all(stones[near] == game.to_play for near in neighbours(game.size)[point])


def _score_after(game: Game, point: int) -> int:
    mover = game.to_play
    game.play(point)
    stones = game.stones().ravel().tolist()
    game.take_back()
    liberties: dict[int, list[int]] = {BLACK: [], WHITE: []}
    for chain, around in all_chains(stones):
        liberties[stones[min(chain)]].append(len(around))
    return _average(liberties[mover]) - _average(liberties[opponent(mover)])


def _average(liberties: list[int]) -> int:
    """Ten times the liberties of some chains over their number, rounded down."""
    return 10 * sum(liberties) // max(1, len(liberties))
