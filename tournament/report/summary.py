"""How a run ended, as `summary.json` in the league's folder."""

import json
from collections.abc import Sequence
from typing import Any

from golois.kit.files import write_whole
from tournament.game.record import utc_now
from tournament.league.league import League
from tournament.report.standings import Standings


def summarise(
    league: League, standings: Standings, given_up: Sequence[str] = (), stopped_by: str = ""
) -> dict[str, Any]:
    """Return the outcome of a run as plain data.

    Args:
        league: in which it ran.
        standings: now.
        given_up: games that are void still.
        stopped_by: what ended the run early, in words; empty if nothing did.
    """
    snapshot = standings.snapshot
    schedule = league.schedules.last()
    return {
        "ended_at": utc_now(),
        "stopped_by": stopped_by,
        "is_provisional": snapshot.is_provisional or bool(given_up),
        "num_games": len(snapshot.games),
        "num_scheduled": snapshot.num_scheduled,
        "given_up": list(given_up),
        "num_voids": snapshot.num_voids,
        "hours_run": round(league.schedules.run_seconds() / 3600, 3),
        "schedule": schedule.hash if schedule else None,
        "not_playing": {
            **{one.name: one.note for one in snapshot.networks if one.note},
            **{one.name: one.note for one in snapshot.taken_out if one.note},
        },
        "draws": [
            {"commitment": draw.commitment, "secret": draw.secret} for draw in snapshot.draws
        ],
        "separation": standings.separation(),
        "ranking": [
            {
                "rank": row.rank if row.has_played else None,
                "name": row.name,
                "elo": round(row.elo, 1) if row.has_played else None,
                "elo_halfwidth": round(row.elo_halfwidth, 1) if row.has_played else None,
                "wins": row.score.num_wins,
                "games": row.score.num_games,
            }
            for row in standings.rows
        ],
    }


def write_summary(league: League, summary: dict[str, Any]) -> None:
    """Write `summary.json`."""
    text = json.dumps(summary, indent=2, ensure_ascii=False) + "\n"
    write_whole(league.summary_path, text.encode())
