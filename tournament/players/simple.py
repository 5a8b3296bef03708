"""Players without a network: at random, one move ahead, random games, solved games."""

from random import Random

from golois.games.game import Game
from golois.games.rules import Go, Rules
from golois.go.chains import all_chains, neighbours
from golois.go.coords import BLACK, WHITE, opponent
from tournament.players.protocol import Choice, Player

MOST_POINTS_SOLVED = 16


class SimplePlayer(Player):
    """Remembers nothing from one move to the next; its seed decides what is left to chance."""

    def __init__(self, seed: int = 0):
        self._seed = seed

    def choose(self, game: Game) -> Choice:
        """See Player."""
        return Choice(self._move(game))

    def _move(self, game: Game) -> int:
        raise NotImplementedError

    def _drawn(self, moves: list[int], game: Game) -> int:
        return Random(self._number(game)).choice(moves)

    def _number(self, game: Game) -> int:
        return Random(f"{self._seed} {game.num_moves}").getrandbits(64)


class AtRandom(SimplePlayer):
    """Every point that may be played has the same chance; it passes where there is none."""

    def _move(self, game: Game) -> int:
        return self._drawn(_points(game) or [game.pass_point], game)


class AverageLib(SimplePlayer):
    """Looks one move ahead for the most liberties a chain, less the opponent's; draws equal moves.

    A colour has ten times its liberties over its chains, rounded down; shared liberties count
    twice. In Go it fills no point whose neighbours are all its own.
    Source: SpAveragePlayer of Fuego, whose further filter of bad moves is left out.
    """

    def _move(self, game: Game) -> int:
        scores = {point: _score_after(game, point) for point in useful_points(game)}
        best = max(scores.values(), default=0)
        equals = [point for point, score in scores.items() if score == best]
        return self._drawn(equals or [game.pass_point], game)


class Rollouts(SimplePlayer):
    """UCT with `playouts` random games a move, without a network."""

    def __init__(self, playouts: int, seed: int = 0):
        super().__init__(seed)
        self._playouts = playouts

    def _move(self, game: Game) -> int:
        return game.rollout_move(self._playouts, self._number(game))


class Perfect(SimplePlayer):
    """Keeps each win; draws among the winning moves, or among all moves in a lost position."""

    def _move(self, game: Game) -> int:
        return self._drawn(game.winning_moves() or game.candidates(), game)


def useful_points(game: Game) -> list[int]:
    """The points that may be played; in Go without those whose neighbours are all the mover's."""
    points = _points(game)
    if isinstance(game.rules, Go):
        points = [point for point in points if not _is_surrounded(game, point)]
    return points


def _points(game: Game) -> list[int]:
    return [move for move in game.candidates() if move != game.pass_point]


def _is_surrounded(game: Game, point: int) -> bool:
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
    return 10 * sum(liberties) // max(1, len(liberties))


def is_solvable(rules: Rules) -> bool:
    """Whether the game can be solved from every position in seconds."""
    return not isinstance(rules, Go) and rules.size**2 <= MOST_POINTS_SOLVED
