"""Games of one player against another, with draws that count half."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue

from golois.games.rules import Rules
from golois.kit.signals import StopRequest, raise_if_stopped
from tournament.game.loop import play_out
from tournament.matches.games import KeptGames, MatchGame
from tournament.matches.openings import OPENING_MOVES, Opening, drawn_openings
from tournament.players.protocol import NewPlayer
from tournament.ratings.ranking import Score

Players = tuple[NewPlayer, NewPlayer]
FIRST, SECOND = "first", "second"


def score_of(games: Iterable[MatchGame], name: str = FIRST) -> Score:
    """Count the games of a player."""
    points = list(results_of(name, games))
    return Score(points.count(1), points.count(0), points.count(0.5))


def results_of(name: str, games: Iterable[MatchGame]) -> Iterator[float]:
    """The points of a player in each of its games: 1, 0, or a half for a draw."""
    return (game.points(name) for game in games if name in (game.black, game.white))


@dataclass(frozen=True)
class Match:
    """What two players play: `games` from each opening, the first player with `colour`.

    `colour` is "black", "white" or "both" in turn. `seed` decides what the players leave to chance.
    """

    rules: Rules
    openings: Sequence[Opening]
    games: int = 2
    seed: int = 0
    colour: str = "both"
    names: tuple[str, str] = (FIRST, SECOND)

    @classmethod
    def of_pairs(
        cls,
        rules: Rules,
        num_games: int,
        seed: int,
        opening_moves: int = OPENING_MOVES,
        names: tuple[str, str] = (FIRST, SECOND),
    ) -> "Match":
        """Return a match of pairs: two games from an own opening, with swapped colours.

        Raises:
            UsageError: an opening is a whole game.
        """
        openings = drawn_openings(rules, num_games // 2, seed, opening_moves)
        return cls(rules, openings, seed=seed, names=names)

    def play(
        self,
        opened: Callable[[], Players],
        stop: StopRequest,
        *,
        kept: KeptGames | None = None,
        workers: int = 1,
        on_game: Callable[[], None] = lambda: None,
    ) -> list[MatchGame]:
        """Play what was not kept yet, and keep it game by game, in `workers` threads.

        `opened` returns the first player and the second, once for each worker that has a game.
        `on_game` is called after each game, in their order. A signal raises Stopped between moves;
        the same call continues from the kept games.
        """
        free: SimpleQueue[Players | None] = SimpleQueue()
        for _ in range(workers):
            free.put(None)

        def play(number: int) -> MatchGame:
            if known := kept and kept.find(*self._place(number)):
                return known
            players = free.get()
            try:
                players = players or opened()
                return self._play_one(players, number, stop)
            finally:
                free.put(players)

        games: list[MatchGame] = []
        with ThreadPoolExecutor(workers) as pool:
            all_numbers = range(len(self.openings) * self.games)
            for game in (pool.map if workers > 1 else map)(play, all_numbers):
                if kept and not kept.find(game.opening, game.game):
                    kept.add(game)
                games.append(game)
                on_game()
        return games

    def _place(self, number: int) -> tuple[str, int]:
        place, game = divmod(number, self.games)
        return self.openings[place].name, game

    def _play_one(self, players: Players, number: int, stop: StopRequest) -> MatchGame:
        opening, place = self._place(number)
        first_is_black = self.colour == "black" or (self.colour == "both" and place % 2 == 0)
        sides = list(zip(self.names, players, strict=True))
        (black_name, new_black), (white_name, new_white) = sides if first_is_black else sides[::-1]
        seed = self.seed + number
        game = self.openings[number // self.games].game(self.rules)
        outcome = play_out(
            game, new_black(seed), new_white(seed), on_choice=lambda _: raise_if_stopped(stop)
        )
        moves = tuple(move for _, move in game.moves)
        return MatchGame(opening, place, black_name, white_name, outcome.winner, moves)
