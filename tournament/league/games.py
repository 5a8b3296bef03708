"""The games of a journal: each is stored once, and read whole or as a row without its moves."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import Any

from golois.kit.files import write_whole
from tournament.errors import LeagueError, OptionsError
from tournament.game.job import GameJob, schedule_hash
from tournament.game.record import FORFEIT, VOID, GameRecord, utc_now
from tournament.game.sgf import to_sgf
from tournament.league.journal import LOSER, Journal
from tournament.league.submissions import take_out
from tournament.players.protocol import Choice

_ONE_OF_THEM = (
    "EXISTS (SELECT 1 FROM submissions WHERE status IN ({})"
    " AND sha256 IN (black_sha256, white_sha256))"
)
# Games of a network no longer count once another one is filed under its name. Those of one that
# failed are struck, so that nobody's result depends on when the two met (docs/teacher/rules.md).
COUNTS = f"NOT {_ONE_OF_THEM}".format("'superseded', 'suspended'")
KEPT = f"NOT {_ONE_OF_THEM}".format("'superseded'")
STRUCK = f"{KEPT} AND {_ONE_OF_THEM}".format("'suspended'")

@dataclass(frozen=True)
class Effort:
    """What one side spent on the moves that it chose; an opening costs nothing."""

    num_moves: int = 0
    num_visits: int = 0
    cpu_seconds: float = 0.0

    @classmethod
    def total(cls, efforts: Sequence["Effort"]) -> "Effort":
        """Return all of them together."""
        return cls(*map(sum, zip(*map(astuple, efforts), strict=True)))

    @property
    def visits_per_move(self) -> float | None:
        """None without a move."""
        return self.num_visits / self.num_moves if self.num_moves else None

    @property
    def cpu_seconds_per_move(self) -> float | None:
        """None without a move."""
        return self.cpu_seconds / self.num_moves if self.num_moves else None


@dataclass(frozen=True)
class GameRow:
    """A game without its moves: what tables and ratings need. Fields as in GameRecord."""

    game_id: str
    pair_id: str
    black: str
    white: str
    black_sha256: str
    white_sha256: str
    result: str
    winner: str | None
    kind: str
    reason: str
    num_plies: int
    komi: float
    host: str
    cpu_model: str
    started_at: str
    finished_at: str
    opening: tuple[int, ...]
    black_effort: Effort
    white_effort: Effort

    def effort(self, name: str) -> Effort:
        """Return what this player spent in the game."""
        return self.black_effort if name == self.black else self.white_effort

    @property
    def winner_name(self) -> str | None:
        """The player who won; None when void."""
        return {"black": self.black, "white": self.white, None: None}[self.winner]


@dataclass(frozen=True)
class Void:
    """A game that was interrupted through no fault of its players; it was or will be replayed."""

    game_id: str
    reason: str
    host: str
    finished_at: str


class Games:
    """The games of a league, with their moves or as rows without them."""

    def __init__(self, folder: Path, journal: Journal):
        self._folder, self._journal = folder, journal

    def path_of(self, game_id: str) -> Path:
        """Return the path of a game's SGF."""
        return self._folder / "games" / f"{game_id}.sgf"

    def missing(self, jobs: Iterable[GameJob]) -> list[GameJob]:
        """Return the jobs that have no result yet, in their order."""
        done = self.finished_ids()
        return [job for job in jobs if job.game_id not in done]

    def finished_ids(self) -> set[str]:
        """Return the ids of all games that have a result, including games that no longer count."""
        return {game_id for (game_id,) in self._journal.execute("SELECT game_id FROM games")}

    def count(self) -> int:
        """Return how many games count."""
        return self._journal.value(f"SELECT count(*) FROM games WHERE {COUNTS}")

    def record(self, record: GameRecord) -> bool:
        """Store a game, a void game apart; return False if it already had a result, which stays."""
        with self._journal.transaction():
            if record.kind == VOID:
                void = {name: getattr(record, name) for name in VOID_COLUMNS}
                self._journal.insert("voids", void)
                return True
            is_news = self._journal.insert("games", _columns_of(record))
            if is_news:
                moves = {"game_id": record.game_id, "moves": _json(record.to_json()["moves"])}
                self._journal.insert("moves", moves)
                write_whole(self.path_of(record.game_id), to_sgf(record).encode())
            if is_news and record.kind == FORFEIT:
                take_out(self._journal, record)
        return is_news

    def all(self) -> list[GameRecord]:
        """Return the results that count, oldest first: none of replaced or taken-out networks."""
        return list(self.each())

    def each(self) -> Iterator[GameRecord]:
        """Yield `all()` one at a time, since a large league's moves fill the memory."""
        return map(_record_of, self._journal.execute(f"{WHOLE} WHERE {COUNTS} ORDER BY number"))

    def kept(self) -> Iterator[GameRecord]:
        """Yield the results that count and the struck results, oldest first."""
        return map(_record_of, self._journal.execute(f"{WHOLE} WHERE {KEPT} ORDER BY number"))

    def one(self, game_id: str) -> GameRecord:
        """Return the result of this game, counting or not; raise LeagueError if it has none."""
        row = self._journal.execute(f"{WHOLE} WHERE game_id = ?", (game_id,)).fetchone()
        if row is None:
            raise LeagueError(f"{self._folder} has no game {game_id!r} with a result")
        return _record_of(row)

    def sgf(self, game_id: str) -> str:
        """Return a finished game as SGF, rebuilt if its file is gone or damaged.

        Raises:
            LeagueError: the game has no result.
        """
        try:
            return self.path_of(game_id).read_text(encoding="utf-8")
        except (FileNotFoundError, UnicodeDecodeError):
            return to_sgf(self.one(game_id))

    def rows(self) -> list[GameRow]:
        """Return `all()` without their moves: 40,000 of them in a fraction of a second."""
        return list(map(_row_of, self._journal.execute(f"{ROWS} WHERE {COUNTS} ORDER BY number")))

    def struck(self) -> list[GameRow]:
        """Return the games that count no longer because one of the two was taken out."""
        return list(map(_row_of, self._journal.execute(f"{ROWS} WHERE {STRUCK} ORDER BY number")))

    def failure_of(self, sha256: str) -> GameRow:
        """Return the game for which a network was taken out: its first unforgiven failure."""
        (row,) = self._journal.execute(
            f"{ROWS} WHERE kind = 'forfeit' AND ? = {LOSER} ORDER BY number LIMIT 1 OFFSET"
            " (SELECT num_pardoned FROM submissions WHERE sha256 = ?)",
            (sha256, sha256),
        )
        return _row_of(row)

    def voids(self) -> list[Void]:
        """Return the interrupted attempts, oldest first."""
        names = ", ".join(VOID_COLUMNS)
        rows = self._journal.execute(f"SELECT {names} FROM voids ORDER BY number")
        return [Void(*row) for row in rows]


def row_of(record: GameRecord) -> GameRow:
    """Return a game without its moves."""
    efforts = _efforts(record)
    cells: list[Any] = [getattr(record, name) for name in ROW_COLUMNS]
    return GameRow(*cells, *(efforts[side] for side in ("black", "white")))


def _efforts(record: GameRecord) -> dict[str, Effort]:
    sides = ("black", "white") if len(record.opening) % 2 == 0 else ("white", "black")
    return {side: _effort(record.moves[start::2]) for start, side in enumerate(sides)}


def _effort(moves: Sequence[Choice]) -> Effort:
    return Effort(
        len(moves),
        sum(move.num_visits for move in moves),
        round(sum(move.cpu_seconds for move in moves), 4),
    )


VOID_COLUMNS = tuple(field.name for field in fields(Void))
RECORD_COLUMNS = tuple(field.name for field in fields(GameRecord) if field.name != "moves")
ROW_COLUMNS = tuple(field.name for field in fields(GameRow))[:-2]
EFFORT_COLUMNS = tuple(
    f"{side}_{what}" for side in ("black", "white") for what in ("moves", "visits", "cpu_seconds")
)
WHOLE = f"SELECT {', '.join(RECORD_COLUMNS)}, moves FROM games JOIN moves USING (game_id)"
ROWS = f"SELECT {', '.join(ROW_COLUMNS + EFFORT_COLUMNS)} FROM games"


def _columns_of(record: GameRecord) -> dict[str, Any]:
    columns = {name: getattr(record, name) for name in RECORD_COLUMNS}
    efforts = _efforts(record)
    spent = (*astuple(efforts["black"]), *astuple(efforts["white"]))
    return {
        **columns,
        "opening": _json(record.opening),
        "num_plies": record.num_plies,
        **dict(zip(EFFORT_COLUMNS, spent, strict=True)),
    }


def _record_of(row: Sequence[Any]) -> GameRecord:
    *columns, moves = row
    data = dict(zip(RECORD_COLUMNS, columns, strict=True))
    opening = json.loads(data["opening"])
    return GameRecord.from_json({**data, "opening": opening, "moves": json.loads(moves)})


def _row_of(row: Sequence[Any]) -> GameRow:
    cells = [*row[:-7], tuple(json.loads(row[-7])), Effort(*row[-6:-3]), Effort(*row[-3:])]
    return GameRow(*cells)


def _json(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"))


@dataclass(frozen=True)
class Target:
    """How much of a league is to be played in all, earlier runs included.

    rounds: game pairs of every two networks.
    budget_hours: hours of running after which no pair begins. Hours left after the rounds go to the
        most informative pairs. None: the rounds, however long they take.
    """

    rounds: int = 1
    budget_hours: float | None = None

    def __post_init__(self):
        if self.rounds < 1:
            raise OptionsError(f"rounds must be 1 or more, not {self.rounds}")
        if self.budget_hours is not None and not 0 < self.budget_hours < float("inf"):
            raise OptionsError(f"hours must be above 0 and finite, not {self.budget_hours}")


@dataclass(frozen=True)
class Schedule:
    """A schedule that was run.

    hash: equal hashes mean the same games in the same order, without the games of a budget.
    num_games: games of it, and other games that count.
    noted_at: ISO 8601, UTC.
    """

    hash: str
    target: Target
    num_games: int
    noted_at: str


class Schedules:
    """What a league is meant to play, and how long its games have been running."""

    def __init__(self, journal: Journal, games: Games):
        self._journal, self._games = journal, games

    def last(self) -> Schedule | None:
        """Return the last schedule that was run; None before the first run."""
        row = self._journal.execute(
            "SELECT hash, rounds, budget_hours, num_games, noted_at FROM schedules"
            " ORDER BY number DESC LIMIT 1"
        ).fetchone()
        if row is None:
            return None
        digest, rounds, budget_hours, num_games, noted_at = row
        return Schedule(digest, Target(rounds, budget_hours), num_games, noted_at)

    def note(self, jobs: Sequence[GameJob], target: Target) -> Schedule:
        """Store which schedule is being run, unless it equals the last one; return it."""
        ids = {job.game_id for job in jobs} | {row.game_id for row in self._games.rows()}
        noted = Schedule(schedule_hash(jobs), target, len(ids), utc_now())
        last = self.last()
        if last is None or replace(last, noted_at=noted.noted_at) != noted:
            with self._journal.transaction():
                self._journal.execute(
                    "INSERT INTO schedules (hash, rounds, budget_hours, num_games, noted_at)"
                    " VALUES (?, ?, ?, ?, ?)",
                    (noted.hash, target.rounds, target.budget_hours, len(ids), noted.noted_at),
                )
        return noted

    def run_seconds(self) -> float:
        """Return how long games of the league have been running, over all runs, in seconds."""
        return self._journal.header("run_seconds") or 0.0

    def note_run_seconds(self, seconds: float) -> None:
        """Store `run_seconds`."""
        with self._journal.transaction():
            self._journal.set_header("run_seconds", round(seconds, 3))
