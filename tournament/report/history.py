"""Ratings over weeks: the kept ratings of earlier weeks, and this week's."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from tournament.league.weeks import Placing, week_of
from tournament.report.snapshot import Snapshot
from tournament.report.standings import Standings


def current_week(snapshot: Snapshot) -> str | None:
    """Return the week that the ranking is of; None before the first game.

    It is the term's last closed week, else the last run's, else (in older leagues) the last game's.
    """
    if snapshot.weeks:
        return snapshot.weeks[-1].label
    if snapshot.run_week is not None:
        return snapshot.run_week.label
    weeks = [placing.week for placing in snapshot.placings]
    if snapshot.games:
        weeks.append(week_of(max(game.finished_at for game in snapshot.games)))
    return max(weeks, default=None)


def is_settled(snapshot: Snapshot) -> bool:
    """Return whether the current week's table stays as it is.

    In a term it stays from the end of the week on. Otherwise it stays when its run is over, also by
    a kill, and a network of the table no longer counts, until the next run has played everything.
    While games are hidden, all tables stay.
    """
    if snapshot.is_hidden:
        return True
    if snapshot.weeks:
        return snapshot.weeks[-1].kept_at is not None
    week = snapshot.run_week
    if week is None or (snapshot.is_of_run and not week.is_kept):
        return False
    counting = {(network.name, network.sha256) for network in snapshot.networks}
    kept = [placing for placing in snapshot.placings if placing.week == week.label]
    return not counting.issuperset((placing.name, placing.sha256) for placing in kept)


def placings_of(standings: Standings) -> list[Placing]:
    """Return the ranking as placings of the current week; networks without games have none."""
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
        for row, share in zip(standings.played, points, strict=True)
    ]


def weeks_of(standings: Standings) -> Mapping[str, Sequence[Placing]]:
    """Return each name's weeks in order, as published; the last one as it is now, until settled."""
    weeks: dict[str, list[Placing]] = defaultdict(list)
    for placing in all_placings(standings):
        weeks[placing.name].append(placing)
    return weeks


def all_placings(standings: Standings) -> list[Placing]:
    """Return the placings of all weeks; the last week's as they are now, until it is settled."""
    snapshot = standings.snapshot
    if is_settled(snapshot):
        return list(snapshot.placings)
    this_week = current_week(snapshot)
    earlier = [placing for placing in snapshot.placings if placing.week != this_week]
    return earlier + placings_of(standings)
