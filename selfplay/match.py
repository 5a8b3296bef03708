"""Games between two networks, in pairs: each opening with both colours."""

from dataclasses import dataclass
from math import sqrt
from random import Random

from golois.coords import BLACK, EMPTY
from golois.games import Game
from golois.rules import Rules
from golois.search import Tree
from golois.search_options import SearchOptions
from models.training.steps import StopRequest
from selfplay.actors import Stopped
from tournament.networks.evaluator import Evaluator

OPENING_MOVES = 2
BATCH_SIZE = 8


@dataclass(frozen=True)
class Score:
    """What the first of two networks scored.

    Attributes:
        wins, draws, losses: games.
    """

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """All games."""
        return self.wins + self.draws + self.losses

    @property
    def share(self) -> float:
        """Points by games, a draw half a point."""
        return (self.wins + self.draws / 2) / self.games

    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share; pairs are taken for independent games."""
        z, n, share = 1.96, self.games, self.share
        middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)


def play_match(
    networks: tuple[Evaluator, Evaluator],
    rules: Rules,
    search: SearchOptions,
    simulations: int,
    num_games: int,
    seed: int,
    stop: StopRequest,
) -> Score:
    """Play an even number of games; each pair begins with two random moves of its own.

    Args:
        networks: whose score is returned, and its opponent.
        rules: what is played.
        search: constants of both searches.
        simulations: playouts of a search after the root's evaluation.
        num_games: even.
        seed: decides openings and symmetries; the same match comes to the same score.
        stop: a request to stop, looked at between moves.

    Raises:
        Stopped: by a signal.
    """
    wins = draws = losses = 0
    for number in range(num_games):
        opening = _opening(rules, Random(f"{seed} {number // 2}"))
        first_is_black = number % 2 == 0
        players = networks if first_is_black else networks[::-1]
        winner = _winner(opening, players, search, simulations, seed + number, stop)
        draws += winner == EMPTY
        wins += winner != EMPTY and (winner == BLACK) == first_is_black
        losses += winner != EMPTY and (winner == BLACK) != first_is_black
    return Score(wins, draws, losses)


def _opening(rules: Rules, random: Random) -> Game:
    game = Game(rules)
    for _ in range(OPENING_MOVES):
        points = [move for move in game.candidates() if move != game.pass_point]
        if points:
            game.play(random.choice(points))
    return game


def _winner(
    game: Game,
    players: tuple[Evaluator, Evaluator],
    search: SearchOptions,
    simulations: int,
    seed: int,
    stop: StopRequest,
) -> int:
    while not game.is_over:
        tree = Tree(game, options=search, seed=seed)
        player = players[0] if game.to_play == BLACK else players[1]
        tree.search(player.evaluate, simulations + 1, min(BATCH_SIZE, player.batch_size))
        game.play(tree.best_move())
        if stop.signal:
            raise Stopped
    winner = game.winner
    assert winner is not None
    return winner
