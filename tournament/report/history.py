"""Ratings over weeks: what the league has kept of earlier ones, and this one."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from tournament.league.placings import Placing, week_of
from tournament.report.snapshot import Snapshot
from tournament.report.standings import Standings


def current_week(snapshot: Snapshot) -> str | None:
    """Return the week that the ranking is of; None before the first game.

    In a term it is the week that was closed last. Else it is that of the last game, which need not
    count any longer: earlier weeks stay as published.
    """
    if snapshot.weeks:
        return snapshot.weeks[-1].label
    weeks = [placing.week for placing in snapshot.placings]
    if snapshot.games:
        weeks.append(week_of(max(game.finished_at for game in snapshot.games)))
    return max(weeks, default=None)


def placings_of(standings: Standings) -> list[Placing]:
    """Return a ranking as placings of the current week.

    A network without games has no placing, and so no points.
    """
    week = current_week(standings.snapshot)
    if week is None:
        return []
    points = 100 * standings.ratings.expected_scores()
    return [
        Placing(
            week=week,
            name=row.name,
            sha256=row.network.sha256,
            rank=row.rank,
            rank_low=row.rank_low,
            rank_high=row.rank_high,
            elo=round(row.elo, 1),
            elo_halfwidth=round(row.elo_halfwidth, 1),
            num_wins=row.score.num_wins,
            num_games=row.score.num_games,
            points=round(float(share), 1),
        )
        for row, share in zip(standings.rows, points, strict=True)
        if row.score.num_games
    ]


def weeks_of(standings: Standings) -> Mapping[str, Sequence[Placing]]:
    """Return each name's weeks in order: earlier ones as published, the last one as it is now."""
    current, this_week = placings_of(standings), current_week(standings.snapshot)
    weeks: dict[str, list[Placing]] = defaultdict(list)
    for placing in standings.snapshot.placings:
        if placing.week != this_week:
            weeks[placing.name].append(placing)
    for placing in current:
        weeks[placing.name].append(placing)
    return weeks
