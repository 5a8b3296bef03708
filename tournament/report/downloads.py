"""The league as files for other programs: CSV and JSON."""

import csv
import io
import json
from collections.abc import Collection, Iterable
from dataclasses import asdict
from typing import Any

from tournament.league.games import GameRow
from tournament.report.snapshot import Snapshot, TakenOut
from tournament.report.standings import Standing, Standings

GAME_FIELDS = (
    "game_id",
    "pair_id",
    "black",
    "white",
    "result",
    "winner",
    "kind",
    "reason",
    "num_plies",
    "komi",
    "host",
    "cpu_model",
    "started_at",
    "finished_at",
)
EFFORT_FIELDS = (
    "black_visits_per_move",
    "black_cpu_seconds_per_move",
    "white_visits_per_move",
    "white_cpu_seconds_per_move",
)
WRITTEN_FIELDS = ("black_written_name", "white_written_name")
GAME_TITLES = (*GAME_FIELDS, *EFFORT_FIELDS, *WRITTEN_FIELDS)
# Fields of a ranking that a network without games has not.
OF_GAMES = (
    "rank", "rank_low", "rank_high", "elo", "elo_halfwidth", "beats_next", "elo_by_update",
    "winrate", "winrate_low", "winrate_high", "sigma",
)


def ranking_csv(standings: Standings) -> str:
    """Return one line per network, best first."""
    rows = ranking_rows(standings)
    return _csv(rows, rows[0] if rows else ())


def games_csv(snapshot: Snapshot) -> str:
    """Return one line per game, oldest first."""
    return _csv(game_rows(snapshot), GAME_TITLES)


def league_json(standings: Standings) -> str:
    """Return rules, ranking and games without moves as one object, one line per network and game.

    `superiority[i][j]` is P(the i-th of the ranking is better than the j-th).
    """
    snapshot = standings.snapshot
    document = {
        "title": snapshot.title,
        "created_at": snapshot.created_at,
        "rules": dict(snapshot.rules),
        "num_scheduled": snapshot.num_scheduled,
        "elo_black": round(standings.ratings.elo_black, 2),
        "pair_correlation": round(standings.ratings.pair_correlation, 4),
    }
    fields = [f"{_json(name)}: {_json(value)}" for name, value in document.items()]
    fields.append(f'"ranking": {_json_lines(ranking_rows(standings))}')
    fields.append(f'"draws": {_json_lines(map(asdict, snapshot.draws))}')
    fields.append(f'"taken_out": {_json_lines(map(_failure_fields, snapshot.taken_out))}')
    superiority = standings.superiority.round(4).tolist()
    fields.append(f'"superiority": {_json_lines(superiority)}')
    fields.append(f'"games": {_json_lines(game_rows(snapshot))}')
    return "{\n" + ",\n".join(fields) + "\n}\n"


def ranking_rows(standings: Standings) -> list[dict[str, Any]]:
    """Return the rows of the ranking, best first; last is the name as people write it."""
    written = standings.snapshot.written
    rows = standings.rows
    return [{**_ranking_fields(row), "written_name": written(row.name)} for row in rows]


def game_rows(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Return the games that count, oldest first, with the fields of GAME_TITLES."""
    return [
        {**_game_fields(game), **_written_fields(snapshot, game)} for game in snapshot.games
    ]


def _written_fields(snapshot: Snapshot, game: GameRow) -> dict[str, str]:
    names = (snapshot.written(game.black), snapshot.written(game.white))
    return dict(zip(WRITTEN_FIELDS, names, strict=True))


def _ranking_fields(row: Standing) -> dict[str, Any]:
    low, high = row.score.interval
    fields = {
        "rank": row.rank,
        "rank_low": row.rank_low,
        "rank_high": row.rank_high,
        "name": row.name,
        "elo": round(row.elo, 1),
        "elo_halfwidth": round(row.elo_halfwidth, 1),
        "beats_next": _rounded(row.beats_next, 4),
        "elo_by_update": round(row.elo_by_update, 1),
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
        "parameters_trainable": row.network.parameters_trainable,
        "ms_per_evaluation": row.network.ms_per_evaluation,
        "memory_bytes": row.network.memory_bytes,
        "sha256": row.network.sha256,
        "artefact": row.network.artefact,
        "lucky_by_name": row.network.lucky_by_name,
        "winrate_low": round(low, 4),
        "winrate_high": round(high, 4),
    }
    return fields if row.has_played else {**fields, **dict.fromkeys(OF_GAMES)}


def _game_fields(game: GameRow) -> dict[str, Any]:
    black, white = game.black_effort, game.white_effort
    spent = (
        _rounded(black.visits_per_move, 1),
        _rounded(black.cpu_seconds_per_move, 4),
        _rounded(white.visits_per_move, 1),
        _rounded(white.cpu_seconds_per_move, 4),
    )
    return {
        **{name: getattr(game, name) for name in GAME_FIELDS},
        **dict(zip(EFFORT_FIELDS, spent, strict=True)),
    }


def _failure_fields(one: TakenOut) -> dict[str, Any]:
    return {
        "name": one.name,
        "sha256": one.sha256,
        "note": one.note,
        "game_id": one.failure.game_id,
        "num_games": one.num_games,
    }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _json_lines(values: Iterable[Any]) -> str:
    return "[\n" + ",\n".join(map(_json, values)) + "\n]"


def _csv(rows: Iterable[dict[str, Any]], titles: Collection[str]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, titles, lineterminator="\n")
    if titles:
        writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
