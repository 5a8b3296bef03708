"""Which game pair comes next: of a list, or of a league that changes while it runs."""

import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from itertools import count, groupby

from typing_extensions import override

from tournament.errors import LeagueError
from tournament.game.job import Entrant, GameJob
from tournament.game.options import EventOptions
from tournament.league.games import GameRow, Target
from tournament.league.league import League
from tournament.ratings.bradley_terry import rate
from tournament.ratings.informative import most_informative
from tournament.running.opening_book import load_openings
from tournament.running.schedule import Seed, game_pair, pairings


class Plan:
    """The missing games of a list, in its order: an iterable of game pairs for an engine.

    It hands out each game once. `num_games` counts the list, and other games that count. If
    `takes_out_failures`, a failing network is taken out, as in a league; else it loses the game.
    """

    takes_out_failures = False

    def __init__(
        self, league: League, jobs: Sequence[GameJob], clock: Callable[[], float] = time.monotonic
    ):
        self._league, self._clock = league, clock
        self._begun_at = clock() - league.schedules.run_seconds()
        self._waiting: deque[list[GameJob]] = deque()
        self._under_way: dict[str, list[GameJob]] = {}
        self._handed_out: set[str] = set()
        self.num_games = len(jobs)
        self._put(jobs)

    def __iter__(self) -> Iterator[list[GameJob]]:
        """Return the pairs in their order, each with its missing games."""
        while pair := self.next_pair():
            self._handed_out.update(job.game_id for job in pair)
            self._under_way[pair[0].pair_id] = pair
            yield pair

    def next_pair(self) -> list[GameJob] | None:
        """Return the pair that will be handed out next; None when nothing is left to play."""
        while self._waiting and not self._open(self._waiting[0]):
            self._waiting.popleft()
        return self._open(self._waiting[0]) if self._waiting else None

    def is_decided(self) -> bool:
        """Return whether the results suffice, so that games under way may end at once."""
        return False

    def run_seconds(self) -> float:
        """Return how long the league has been running, including earlier runs."""
        return self._clock() - self._begun_at

    def seconds_left(self) -> float | None:
        """Return what is left of a budget, at least 0; None without one."""
        return None

    def given_up(self) -> tuple[str, ...]:
        """Return the games that were handed out and have no result."""
        return tuple(sorted(self._handed_out - self._league.games.finished_ids()))

    def _put(self, jobs: Sequence[GameJob]) -> None:
        missing = self._league.games.missing(jobs)
        self._waiting = deque(list(pair) for _, pair in groupby(missing, lambda job: job.pair_id))

    def _open(self, jobs: Sequence[GameJob]) -> list[GameJob]:
        return [job for job in jobs if job.game_id not in self._handed_out]


class AdaptivePlan(Plan, ABC):
    """Pairs of entrants that are chosen by the results so far; `_choose` names the next two."""

    def __init__(
        self,
        league: League,
        jobs: Sequence[GameJob],
        openings: tuple[tuple[int, ...], ...],
        clock: Callable[[], float] = time.monotonic,
    ):
        super().__init__(league, jobs, clock)
        self._openings = openings
        self._seed: Seed = {}
        self._entrants: list[Entrant] = []
        self._may_be_half_played = True

    def rows(self) -> list[GameRow]:
        """Return the games that count, under the names of the entrants."""
        return self._league.games.rows()

    @abstractmethod
    def _choose(
        self, rows: Sequence[GameRow], under_way: Sequence[tuple[str, str]]
    ) -> tuple[str, str]:
        """Return the names of the two entrants that meet next."""

    def _half_played(self) -> list[GameJob] | None:
        """Return a pair with one game from an earlier run; stop searching when there is none."""
        if not self._may_be_half_played:
            return None
        rows = self.rows()
        num_games = Counter(row.pair_id for row in rows)
        by_name = {entrant.name: entrant for entrant in self._entrants}
        for row in rows:
            if num_games[row.pair_id] == 1 and {row.black, row.white} <= by_name.keys():
                pair = self._first_missing(by_name[row.black], by_name[row.white], rows)
                if pair[0].pair_id == row.pair_id:
                    return pair
        self._may_be_half_played = False
        return None

    def _informative(self) -> list[GameJob]:
        rows = self.rows()
        by_name = {entrant.name: entrant for entrant in self._entrants}
        finished = self._league.games.finished_ids()  # also those that count no longer
        under_way = [
            (pair[0].black, pair[0].white)
            for pair in self._under_way.values()
            if not finished.issuperset(job.game_id for job in pair)
        ]
        one, other = self._choose(rows, under_way)
        return self._first_missing(by_name[one], by_name[other], rows)

    def _first_missing(
        self, one: Entrant, other: Entrant, rows: Sequence[GameRow]
    ) -> list[GameJob]:
        """Return the games to play of the first game pair of the two that isn't complete."""
        known = self._handed_out | {row.game_id for row in rows}
        pairs = (game_pair(one, other, k, self._seed, self._openings) for k in count())
        open_jobs = ([job for job in pair if job.game_id not in known] for pair in pairs)
        return next(filter(None, open_jobs))


class LeaguePlan(AdaptivePlan):
    """A league's game pairs: its rounds, then what a budget leaves to the most informative pairs.

    Between pairs it looks which networks are active.

    Raises:
        LeagueError: fewer than two networks.
        OptionsError: more opening plies than the book has.
    """

    takes_out_failures = True

    def __init__(
        self,
        league: League,
        options: EventOptions,
        target: Target,
        clock: Callable[[], float] = time.monotonic,
    ):
        entrants, openings = _playing(league), tuple(load_openings(options.opening_plies))
        seed_for(league, options, entrants)  # closes an open draw
        super().__init__(league, (), openings, clock)
        self._options, self._target = options, target
        self.num_games = target.rounds * len(entrants) * (len(entrants) - 1)

    def next_pair(self) -> list[GameJob] | None:
        """See Plan."""
        if (entrants := self._league.submissions.entrants()) != self._entrants:
            self._renew(entrants)
        if self.seconds_left() == 0:
            return None
        if pair := super().next_pair():
            return pair
        if self._target.budget_hours is None or len(entrants) < 2:
            return None
        return self._half_played() or self._informative()

    def seconds_left(self) -> float | None:
        """See Plan."""
        if self._target.budget_hours is None:
            return None
        return max(0.0, 3600 * self._target.budget_hours - self.run_seconds())

    @override
    def given_up(self) -> tuple[str, ...]:
        playing = {entrant.sha256 for entrant in self._entrants}
        jobs = (job for pair in self._under_way.values() for job in pair)
        would_count = {
            job.game_id for job in jobs if {job.black_sha256, job.white_sha256} <= playing
        }
        return tuple(game_id for game_id in super().given_up() if game_id in would_count)

    def is_cut_short(self) -> bool:
        """Return whether game pairs of the rounds were never begun, as the budget is spent."""
        return super().next_pair() is not None

    def _renew(self, entrants: list[Entrant]) -> None:
        options, rounds = self._options, self._target.rounds
        self._seed = seed_for(self._league, options, entrants)
        jobs = scheduled_jobs(self._league, options, rounds) if len(entrants) > 1 else []
        self.num_games = self._league.schedules.note(jobs, self._target).num_games
        self._put(jobs)
        self._entrants = entrants
        self._may_be_half_played = True

    @override
    def _choose(
        self, rows: Sequence[GameRow], under_way: Sequence[tuple[str, str]]
    ) -> tuple[str, str]:
        playing = {entrant.name for entrant in self._entrants}
        met = [*under_way, *((row.black, row.white) for row in rows)]
        names = {name for players in met for name in players} | playing
        return most_informative(rate(names, rows), playing, under_way)


def scheduled_jobs(league: League, options: EventOptions, rounds: int) -> list[GameJob]:
    """Return all games of the active networks over so many rounds, and close an open draw.

    Raises:
        LeagueError: fewer than two networks.
        OptionsError: more opening plies than the book has.
    """
    entrants = _playing(league)
    openings = load_openings(options.opening_plies)
    return pairings(entrants, rounds, seed_for(league, options, entrants), openings)


def _playing(league: League) -> list[Entrant]:
    entrants = league.submissions.entrants()
    if len(entrants) < 2:
        raise LeagueError(
            f"a league needs two networks or more: {league.folder} has {len(entrants)}; "
            "file them with submit.py NET.h5 --name NAME --league DIR"
        )
    return entrants


def seed_for(league: League, options: EventOptions, entrants: Sequence[Entrant]) -> Seed:
    """Return the event's seed, or its draws' seeds; raise LeagueError if a secret is missing."""
    return league.draws.seeds(entrants) if options.seed is None else options.seed
