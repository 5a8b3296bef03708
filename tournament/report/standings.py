"""The ranking of a snapshot: ratings joined with what each network scored and spent."""

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from tournament.league.games import Effort, GameRow
from tournament.ratings.bradley_terry import Ratings, rate
from tournament.ratings.elo_update import update_elo
from tournament.ratings.ranking import Ranked, Score, ranked
from tournament.report.snapshot import Network, Snapshot

# Two neighbours are told apart when the better one is so with at least this probability.
SEPARATED = 0.95
# How many pairs of neighbours that are not told apart are named.
MAX_UNSURE = 4


@dataclass(frozen=True)
class Standing(Ranked):
    """A row of the report's ranking; without games its rating and its ranks mean nothing.

    rank_low, rank_high: the 95 % interval of the rank.
    elo_by_update: the rating of `tournament.ratings.elo_update`, which depends on the games' order.
    beats_next: P(better than the network one rank below); None for the last.
    """

    network: Network
    written: str
    rank_low: int
    rank_high: int
    elo_by_update: float
    beats_next: float | None
    effort: Effort

    @property
    def is_separated(self) -> bool:
        """Whether the network is told apart from the next one; the last always is."""
        return self.beats_next is None or self.beats_next >= SEPARATED

    @property
    def has_played(self) -> bool:
        """Whether the network has a game that counts."""
        return self.score.num_games > 0


@dataclass(frozen=True)
class Trophy:
    """A trophy and its winner.

    title: what it is given for, such as "Giant-killer".
    figure: what earned it: a squared error, a share of games, P(win), Elo or a distance.
    why: the figure in words.
    game: the game that earned it, if only one did.
    """

    title: str
    winner: Standing
    figure: float
    why: str
    game: GameRow | None = None

    def row(self) -> dict[str, Any]:
        """Return the trophy as plain data."""
        return {
            "trophy": self.title,
            "name": self.winner.name,
            "written_name": self.winner.written,
            "figure": round(self.figure, 4),
            "why": self.why,
            "game_id": self.game and self.game.game_id,
        }


class Standings:
    """The ranking of a snapshot and the scores between its networks.

    rows: from best to worst, then rows without games, by name; `played` has the rows with games.
    anchors: the ratings that fix the scale, by name.
    superiority: P(row is better than column), float64[n, n] in the order of `played`.
    trophies: what the site's builder awards after it has read the games.
    """

    trophies: tuple[Trophy, ...] = ()

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        games = [game for game in snapshot.games if game.winner]
        have_played = {name for game in games for name in (game.black, game.white)}
        self.anchors = {
            network.name: network.anchor_elo
            for network in snapshot.networks
            if network.anchor_elo is not None and network.name in have_played
        }
        self.ratings: Ratings = rate(have_played, games, anchors=self.anchors)
        self.superiority = self.ratings.superiority()
        # Wins of the first against the second.
        self._wins = Counter(
            (game.black, game.white) if game.winner == "black" else (game.white, game.black)
            for game in games
        )
        self.played = self._played(games)
        self.rows = (*self.played, *self._unplayed())

    def between(self, name: str, opponent: str) -> Score:
        """Return the score of `name` against `opponent`."""
        return Score(self._wins[name, opponent], self._wins[opponent, name])

    def scale(self) -> str:
        """Describe where the ratings' zero comes from; empty before the first game."""
        if not self.played:
            return ""
        if not self.anchors:
            return "The mean rating is 0."
        written = self.snapshot.written
        anchors = sorted(self.anchors.items())
        fixed = " and ".join(f"{written(name)} at {elo:g}" for name, elo in anchors)
        mean = "the mean of " if len(self.anchors) > 1 else ""
        return f"The scale is fixed by {mean}{fixed}."

    def separation(self) -> str:
        """Describe which neighbours are not separated, and how certain their order is."""
        if not self.played:
            return "No game has been played yet."
        unsure = [
            f"{row.written} and {self.played[row.rank].written} ({percent(row.beats_next)})"
            for row in self.played
            if row.beats_next is not None and not row.is_separated
        ]
        if not unsure:
            return f"Every neighbour is separated at {percent(SEPARATED)}."
        listed = ", ".join(unsure[:MAX_UNSURE])
        if len(unsure) > MAX_UNSURE:
            listed += f", and {len(unsure) - MAX_UNSURE} more"
        return f"Not separated at {percent(SEPARATED)}, the order may be chance: {listed}."

    def colour(self) -> str:
        """Describe what playing Black was worth; empty before the first game."""
        if not self.played:
            return ""
        ratings = self.ratings
        worth = f"{round(ratings.elo_black):+} ± {ratings.elo_black_halfwidth:.0f}"
        return f"Black is worth {worth} Elo."

    def without_games(self) -> str:
        """Name the networks without games, if others have some."""
        names = ", ".join(row.written for row in self.rows[len(self.played) :])
        return f"No games yet: {names}." if names and self.played else ""

    def _unplayed(self) -> list[Standing]:
        names = {row.name for row in self.played}
        unplayed = [network for network in self.snapshot.networks if network.name not in names]
        unplayed.sort(key=lambda network: network.name)
        return [
            Standing(
                name=network.name, rank=rank, elo=0.0, elo_halfwidth=0.0, as_black=Score(),
                as_white=Score(), num_forfeits=0, network=network,
                written=self.snapshot.written(network.name), rank_low=1,
                rank_high=len(self.snapshot.networks), elo_by_update=0.0, beats_next=None,
                effort=Effort(),
            )
            for rank, network in enumerate(unplayed, start=len(names) + 1)
        ]

    def _played(self, games: list[GameRow]) -> tuple[Standing, ...]:
        networks = {network.name: network for network in self.snapshot.networks}
        efforts: dict[str, list[Effort]] = defaultdict(list)
        for game in games:
            efforts[game.black].append(game.black_effort)
            efforts[game.white].append(game.white_effort)
        rank_low, rank_high = self.ratings.rank_intervals()
        by_update = update_elo(self.ratings.names, games)
        rows = ranked(self.ratings, games)
        return tuple(
            Standing(
                **vars(row),
                network=networks[row.name],
                written=self.snapshot.written(row.name),
                rank_low=int(rank_low[i]),
                rank_high=int(rank_high[i]),
                elo_by_update=by_update[row.name],
                beats_next=float(self.superiority[i, i + 1]) if i + 1 < len(rows) else None,
                effort=Effort.total(efforts[row.name]),
            )
            for i, row in enumerate(rows)
        )


def percent(probability: float | None) -> str:
    """Return a probability in whole percents, rounded down, or "": only certainty is 100 %."""
    if probability is None:
        return ""
    return f"{math.floor(100 * probability + 1e-9)} %"
