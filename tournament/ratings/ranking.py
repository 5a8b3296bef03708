"""A ranking: players from best to worst, with what each of them won."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tournament.ratings.bradley_terry import RatedGame, Ratings, wilson_interval, winrate_sigma


@dataclass(frozen=True)
class Score:
    """Games won, lost and drawn; void games are left out."""

    num_wins: int = 0
    num_losses: int = 0
    num_draws: int = 0

    def __add__(self, other: "Score") -> "Score":
        return Score(
            self.num_wins + other.num_wins,
            self.num_losses + other.num_losses,
            self.num_draws + other.num_draws,
        )

    def __str__(self) -> str:
        return f"{self.num_wins}–{self.num_losses}"

    @property
    def num_games(self) -> int:
        """All of them."""
        return self.num_wins + self.num_losses + self.num_draws

    @property
    def points(self) -> float:
        """Wins, and half of the draws."""
        return self.num_wins + self.num_draws / 2

    @property
    def winrate(self) -> float:
        """The share of games won, a draw half a win; 0 without a game."""
        return self.points / self.num_games if self.num_games else 0.0

    @property
    def sigma(self) -> float:
        """The standard error of the winrate, as the course prints it; 0 where all games are won."""
        return winrate_sigma(self.winrate, self.num_games)

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the winrate."""
        return wilson_interval(self.points, self.num_games)


@dataclass(frozen=True)
class Ranked:
    """A row of a ranking; rank 1 is best, and `elo_halfwidth` is half of the 95 % interval.

    as_black, as_white: the score by colour; `score` is their sum.
    num_forfeits: games among the losses that were lost by the player's own failure.
    """

    name: str
    rank: int
    elo: float
    elo_halfwidth: float
    as_black: Score
    as_white: Score
    num_forfeits: int

    @property
    def score(self) -> Score:
        """Over both colours."""
        return self.as_black + self.as_white


def ranked(ratings: Ratings, games: Iterable[RatedGame]) -> list[Ranked]:
    """Rank the players of a rating, best first, with their scores; void games don't count."""
    results: Counter[tuple[str, str, float]] = Counter()
    forfeits: Counter[str] = Counter()
    for game in games:
        if game.kind == "void":
            continue
        for name, colour in ((game.black, "black"), (game.white, "white")):
            points = 0.5 if game.winner is None else float(game.winner == colour)
            results[name, colour, points] += 1
            forfeits[name] += game.kind == "forfeit" and not points

    def score(name: str, colour: str) -> Score:
        return Score(*(results[name, colour, points] for points in (1, 0, 0.5)))

    rows = zip(ratings.names, ratings.elo, ratings.elo_halfwidth, strict=True)
    return [
        Ranked(
            name=name,
            rank=rank,
            elo=float(elo),
            elo_halfwidth=float(halfwidth),
            as_black=score(name, "black"),
            as_white=score(name, "white"),
            num_forfeits=forfeits[name],
        )
        for rank, (name, elo, halfwidth) in enumerate(rows, start=1)
    ]
