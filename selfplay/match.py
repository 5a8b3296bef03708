"""Games between two players, in pairs: each opening with both colours."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from random import Random

from golois.coords import BLACK, EMPTY, opponent
from golois.games import Game
from golois.kit.signals import Stopped, StopRequest
from golois.rules import Rules
from selfplay.options import Options
from selfplay.players import BATCH_SIZE, Player, Searching
from selfplay.shards import open_network
from tournament.networks.runtimes import FLOAT32
from tournament.ratings.bradley_terry import wilson_interval

OPENING_MOVES = 2


@dataclass(frozen=True)
class MatchGame:
    """A game of a match.

    Attributes:
        number: of the game, from 0; 2 k and 2 k + 1 have one opening.
        first_is_black: whether Black was the first of the two players.
        winner: BLACK, WHITE or EMPTY.
        moves: from the empty board on.
    """

    number: int
    first_is_black: bool
    winner: int
    moves: Sequence[int] = ()

    @property
    def points(self) -> float:
        """Of the first player: 1, 0, or a half for a draw."""
        if self.winner == EMPTY:
            return 0.5
        return float((self.winner == BLACK) == self.first_is_black)


@dataclass(frozen=True)
class Score:
    """What the first of two players scored.

    Attributes:
        wins, draws, losses: games.
    """

    wins: int
    draws: int
    losses: int

    @classmethod
    def of(cls, games: Iterable[MatchGame]) -> "Score":
        """Count games."""
        points = [game.points for game in games]
        return cls(points.count(1), points.count(0.5), points.count(0))

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
        return wilson_interval(self.wins + self.draws / 2, self.games)


def opened_player(
    artefact: Path, options: Options, simulations: int, precision: str = FLOAT32
) -> Searching:
    """A network of a run with a search for matches, in a precision of `open_network`.

    Raises:
        NetworkError: it cannot be opened, or is for another game.
    """
    network = open_network(artefact, options, BATCH_SIZE, precision)
    return Searching(network, options.of_matches(), simulations, options.rules())


def play_match(
    players: tuple[Player, Player],
    rules: Rules,
    num_games: int,
    seed: int,
    stop: StopRequest,
    opening_moves: int = OPENING_MOVES,
    on_game: Callable[[], None] = lambda: None,
) -> list[MatchGame]:
    """Play an even number of games; each pair begins with random moves of its own.

    Args:
        players: the first one, whose points are counted, and its opponent.
        rules: what is played.
        num_games: even.
        seed: decides openings and what the players leave to chance.
        stop: a request to stop, looked at between moves.
        opening_moves: drawn before each pair of games.
        on_game: called after each.

    Raises:
        Stopped: by a signal.
    """
    games = []
    for number in range(num_games):
        games.append(_play_game(players, rules, number, seed, stop, opening_moves))
        on_game()
    return games


def play_side_by_side(
    opened: Callable[[], tuple[Player, Player]],
    rules: Rules,
    num_games: int,
    seed: int,
    stop: StopRequest,
    workers: int,
    on_game: Callable[[], None] = lambda: None,
) -> list[MatchGame]:
    """Play the games of `play_match`, some at a time.

    Args:
        opened: opens the two players, once for each thread.
        rules: as for `play_match`.
        num_games: likewise.
        seed: likewise.
        stop: likewise.
        workers: threads.
        on_game: called after each game, in their order.

    Raises:
        Stopped: by a signal.
    """
    free: SimpleQueue[tuple[Player, Player]] = SimpleQueue()
    for _ in range(workers):
        free.put(opened())

    def play(number: int) -> MatchGame:
        players = free.get()
        try:
            return _play_game(players, rules, number, seed, stop, OPENING_MOVES)
        finally:
            free.put(players)

    games = []
    with ThreadPoolExecutor(workers) as pool:
        for game in pool.map(play, range(num_games)):
            games.append(game)
            on_game()
    return games


def _play_game(
    players: tuple[Player, Player],
    rules: Rules,
    number: int,
    seed: int,
    stop: StopRequest,
    opening_moves: int,
) -> MatchGame:
    game = drawn_opening(rules, f"{seed} {number // 2}", opening_moves)
    first_is_black = number % 2 == 0
    pair = players if first_is_black else players[::-1]
    winner = play_out(game, pair, seed + number, stop)
    return MatchGame(number, first_is_black, winner, [move for _, move in game.moves])


def drawn_opening(rules: Rules, seed: str, num_moves: int = OPENING_MOVES) -> Game:
    """A game after some moves on points, drawn with equal chance."""
    game, random = Game(rules), Random(seed)
    for _ in range(num_moves):
        points = [move for move in game.candidates() if move != game.pass_point]
        if points:
            game.play(random.choice(points))
    return game


def play_out(game: Game, players: tuple[Player, Player], seed: int, stop: StopRequest) -> int:
    """Play a game to its end; return BLACK, WHITE or EMPTY, who has won.

    Args:
        game: changed by this.
        players: Black first.
        seed: decides what the players leave to chance.
        stop: a request to stop, looked at between moves.

    Raises:
        Stopped: by a signal.
    """
    while not game.is_over:
        move = players[game.to_play != BLACK].move(game, seed)
        if move is None:
            return opponent(game.to_play)
        game.play(move)
        if stop.signal:
            raise Stopped
    winner = game.winner
    assert winner is not None
    return winner
