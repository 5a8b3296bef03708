"""The league as files for other programs: CSV, JSON and an archive of SGF."""

import csv
import io
import json
import zipfile
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from tournament.report.snapshot import Effort, GameRow, Snapshot
from tournament.report.standings import Standing, Standings
from tournament.sgf_out import to_sgf

# The same date in every archive, so that equal games make equal bytes.
ZIP_DATE = (1980, 1, 1, 0, 0, 0)


def ranking_csv(standings: Standings) -> str:
    """A line a network, best first."""
    return _csv(_ranking_fields(row) for row in standings.rows)


def games_csv(snapshot: Snapshot) -> str:
    """A line a game, in the order in which they came."""
    return _csv(_game_fields(game) for game in snapshot.games)


def league_json(standings: Standings) -> str:
    """Rules, ranking and games without their moves, as one object."""
    snapshot = standings.snapshot
    document = {
        "title": snapshot.title,
        "created_at": snapshot.created_at,
        "rules": dict(snapshot.rules),
        "num_scheduled": snapshot.num_scheduled,
        "elo_black": round(standings.ratings.elo_black, 2),
        "pair_correlation": round(standings.ratings.pair_correlation, 4),
        "ranking": [_ranking_fields(row) for row in standings.rows],
        "games": [_game_fields(game) for game in snapshot.games],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def sgf_archive(snapshot: Snapshot, previous: bytes = b"") -> bytes:
    """A zip of every game as SGF; those in `previous`, an older archive, are not written anew."""
    buffer = io.BytesIO(previous)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        present = set(archive.namelist())
        for game in snapshot.games:
            entry = zipfile.ZipInfo(f"{game.game_id}.sgf", ZIP_DATE)
            if entry.filename not in present:
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, to_sgf(snapshot.record(game.game_id)))
    return buffer.getvalue()


def _ranking_fields(row: Standing) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "rank_low": row.rank_low,
        "rank_high": row.rank_high,
        "name": row.name,
        "elo": round(row.elo, 1),
        "elo_halfwidth": round(row.elo_halfwidth, 1),
        "beats_next": None if row.beats_next is None else round(row.beats_next, 4),
        "wins": row.score.num_wins,
        "games": row.score.num_games,
        "winrate": round(row.score.winrate, 4),
        "sigma": round(row.score.sigma, 4),
        "wins_as_black": row.as_black.num_wins,
        "games_as_black": row.as_black.num_games,
        "wins_as_white": row.as_white.num_wins,
        "games_as_white": row.as_white.num_games,
        "forfeits": row.num_forfeits,
        "visits_per_move": _rounded(row.effort.visits_per_move, 1),
        "cpu_seconds_per_move": _rounded(row.effort.cpu_seconds_per_move, 4),
        "parameters_total": row.network.parameters_total,
        "ms_per_evaluation": row.network.ms_per_evaluation,
        "sha256": row.network.sha256,
    }


def _game_fields(game: GameRow) -> dict[str, Any]:
    fields = asdict(game)
    for colour in ("black", "white"):
        effort = Effort(**fields.pop(f"{colour}_effort"))
        fields[f"{colour}_visits_per_move"] = _rounded(effort.visits_per_move, 1)
        fields[f"{colour}_cpu_seconds_per_move"] = _rounded(effort.cpu_seconds_per_move, 4)
    return fields


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _csv(rows: Iterable[dict[str, Any]]) -> str:
    rows = list(rows)
    text = io.StringIO()
    if rows:
        writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return text.getvalue()
