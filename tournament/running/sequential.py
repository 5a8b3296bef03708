"""A match that ends as soon as a sequential test of its game pairs decides."""

from collections.abc import Sequence
from itertools import groupby

from typing_extensions import override

from tournament.game.job import GameJob
from tournament.game.record import GameRecord
from tournament.league.games import GameRow
from tournament.league.league import League
from tournament.ratings.sprt import Sprt, SprtResult
from tournament.running.plan import Plan


class SequentialPlan(Plan):
    """The missing games of a match, until the test of its first side has decided."""

    def __init__(self, league: League, jobs: Sequence[GameJob], sprt: Sprt, first: str):
        super().__init__(league, jobs)
        self._jobs, self._sprt, self._first = jobs, sprt, first

    @override
    def next_pair(self) -> list[GameJob] | None:
        return None if self.is_decided() else super().next_pair()

    @override
    def is_decided(self) -> bool:
        rows = self._league.games.rows()
        return sprt_result(self._sprt, self._jobs, rows, self._first).accepted is not None

    @override
    def given_up(self) -> tuple[str, ...]:
        return () if self.is_decided() else super().given_up()


def sprt_result(
    sprt: Sprt, jobs: Sequence[GameJob], games: Sequence[GameRecord | GameRow], first: str
) -> SprtResult:
    """Test the pairs in the order of the jobs, for the player whom these call `first`.

    A pair counts once it and all pairs before it are finished. So the decision depends neither on
    the order in which games end nor on where a match was stopped.
    """
    winners = {game.game_id: game.winner for game in games}
    outcomes = []
    for _, pair in groupby(jobs, lambda job: job.pair_id):
        both = list(pair)
        if any(job.game_id not in winners for job in both):
            break
        outcomes.append(sum(_doubled_points(job, winners[job.game_id], first) for job in both))
    return sprt.result(outcomes)


def _doubled_points(job: GameJob, winner: str | None, first: str) -> int:
    if winner is None:
        return 1
    return 2 * ((job.black if winner == "black" else job.white) == first)
