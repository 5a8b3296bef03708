"""A network that searches each position afresh, as self-play measures its networks."""

from time import process_time

from golois.games.game import Game, after_moves
from golois.games.rules import Rules
from golois.search.options import SearchOptions
from golois.search.tree import Tree
from tournament.networks.evaluator import Evaluator
from tournament.players.protocol import Choice, Player

BATCH_SIZE = 8


class FreshSearch(Player):
    """Plays the most visited move of a new tree after `simulations` playouts and the root.

    The seed decides, with the positions, the symmetries that the network sees. `rules` None means
    the rules of the game that is played.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        search: SearchOptions,
        simulations: int,
        rules: Rules | None = None,
        seed: int = 0,
    ):
        self._evaluator = evaluator
        self._options = search
        self._simulations = simulations
        self._rules = rules
        self._seed = seed

    def choose(self, game: Game) -> Choice:
        """See Player."""
        started = process_time()
        evaluator, tree = self._tree(game)
        _search_on(evaluator, tree, self._simulations + 1)
        return Choice(tree.best_move(), tree.num_visits, process_time() - started)

    def choose_within(self, game: Game, seconds: float) -> Choice:
        """Return the most visited move after so many CPU seconds of the process.

        The position is evaluated even without time, and the last batch is taken to its end.
        """
        started = process_time()
        evaluator, tree = self._tree(game)
        _search_on(evaluator, tree, 1)
        while process_time() - started < seconds:
            _search_on(evaluator, tree, tree.num_visits + BATCH_SIZE)
        used = process_time() - started
        return Choice(tree.best_move(), tree.num_visits, used, budget_seconds=seconds)

    def _tree(self, game: Game) -> tuple[Evaluator, Tree]:
        evaluator, seen = self._evaluator.of_game(self._as_seen(game))
        return evaluator, Tree(seen, options=self._options, seed=self._seed)

    def _as_seen(self, game: Game) -> Game:
        if self._rules is None or self._rules == game.rules:
            return game
        return after_moves(self._rules, (move for _, move in game.moves))


def _search_on(evaluator: Evaluator, tree: Tree, num_visits: int) -> None:
    tree.search(evaluator.evaluate, num_visits, min(BATCH_SIZE, evaluator.batch_size))
