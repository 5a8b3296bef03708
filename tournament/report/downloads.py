"""The league as files for other programs: CSV and JSON."""

import csv
import io
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from golois.go.coords import point_to_sgf
from golois.kit.files import write_whole
from tournament.game.record import utc_now
from tournament.league.games import GameRow
from tournament.league.league import League
from tournament.report.columns import fields_of
from tournament.report.snapshot import Snapshot, TakenOut
from tournament.report.standings import Standings
from tournament.report.turns import Turn, loser_of

GAME_FIELDS = (
    "game_id", "pair_id", "black", "white", "result", "winner", "kind", "reason", "num_plies",
    "komi", "host", "cpu_model", "started_at", "finished_at",
)
EFFORT_FIELDS = (
    "black_visits_per_move", "black_cpu_seconds_per_move", "white_visits_per_move",
    "white_cpu_seconds_per_move",
)
WRITTEN_FIELDS = ("black_written_name", "white_written_name")
GAME_TITLES = (*GAME_FIELDS, *EFFORT_FIELDS, *WRITTEN_FIELDS, "opening")
TURN_TITLES = (
    "network", "opponent", "colour", "game_id", "ply", "value_before", "value_after",
    "opponent_value", "result",
)
# The columns of the ranking that a summary has.
SUMMARY_FIELDS = ("rank", "name", "elo", "elo_halfwidth", "wins", "games")


def ranking_csv(standings: Standings) -> str:
    """Return one line per network, best first."""
    rows = ranking_rows(standings)
    return _csv(rows, rows[0] if rows else ())


def games_csv(rows: Iterable[dict[str, Any]]) -> str:
    """Return one line per game of `game_rows`."""
    return _csv(rows, GAME_TITLES)


def turns_csv(snapshot: Snapshot, turns: Mapping[str, Turn]) -> str:
    """Return one line per game that turned, oldest first."""
    return _csv(turn_rows(snapshot, turns), TURN_TITLES)


def league_json(standings: Standings, rows: Iterable[dict[str, Any]]) -> str:
    """Return rules, ranking and games without moves as one object, one line per network and game.

    `rows` are those of `game_rows`.
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
    fields.append(f'"trophies": {_json_lines(_trophy_rows(standings))}')
    fields.append(f'"draws": {_json_lines(map(asdict, snapshot.draws))}')
    fields.append(f'"taken_out": {_json_lines(map(_failure_fields, snapshot.taken_out))}')
    superiority = standings.superiority.round(4).tolist()
    fields.append(f'"superiority": {_json_lines(superiority)}')
    fields.append(f'"games": {_json_lines(rows)}')
    return "{\n" + ",\n".join(fields) + "\n}\n"


def ranking_rows(standings: Standings) -> list[dict[str, Any]]:
    """Return the rows of the ranking, best first, by the fields of `columns`."""
    return [fields_of(row) for row in standings.rows]


def game_rows(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Return the games that count, oldest first, with the fields of GAME_TITLES."""
    return [
        {
            **_game_fields(game),
            **_written_fields(snapshot, game),
            "opening": " ".join(map(point_to_sgf, game.opening)),
        }
        for game in snapshot.games
    ]


def turn_rows(snapshot: Snapshot, turns: Mapping[str, Turn]) -> list[dict[str, Any]]:
    """Return where the games that count turned, oldest first, with the fields of TURN_TITLES."""
    turned = [(game, turns[game.game_id]) for game in snapshot.games if game.game_id in turns]
    cells = [
        (*loser_of(game), game.game_id, *vars(turn).values(), game.result) for game, turn in turned
    ]
    return [dict(zip(TURN_TITLES, row, strict=True)) for row in cells]


def summarise(
    league: League, standings: Standings, given_up: Sequence[str] = (), stopped_by: str = ""
) -> dict[str, Any]:
    """Return a run's outcome as plain data, with its void games and what stopped it, in words."""
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
            {field: value for field, value in fields_of(row).items() if field in SUMMARY_FIELDS}
            for row in standings.rows
        ],
        "trophies": _trophy_rows(standings),
    }


def write_summary(league: League, summary: dict[str, Any]) -> None:
    """Write `summary.json`."""
    text = json.dumps(summary, indent=2, ensure_ascii=False) + "\n"
    write_whole(league.summary_path, text.encode())


def _trophy_rows(standings: Standings) -> list[dict[str, Any]]:
    return [trophy.row() for trophy in standings.trophies]


def _written_fields(snapshot: Snapshot, game: GameRow) -> dict[str, str]:
    names = (snapshot.written(game.black), snapshot.written(game.white))
    return dict(zip(WRITTEN_FIELDS, names, strict=True))


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
