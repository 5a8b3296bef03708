"""What a report needs of a league at one moment, as plain data; the rest here works on this."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from tournament.game import GameRecord, MoveRecord, utc_now
from tournament.league import League, Submission
from tournament.options import EventOptions

DISTRIBUTION = "go-coursework-kit"


@dataclass(frozen=True)
class Network:
    """A network in the ranking; what its manifest doesn't say is None or empty.

    layers: how many of each class, most frequent first.
    """

    name: str
    sha256: str
    parameters_total: int | None = None
    flops: int | None = None
    ms_per_evaluation: float | None = None
    keras_version: str = ""
    layers: tuple[tuple[str, int], ...] = ()
    submitted_at: str = ""


@dataclass(frozen=True)
class Effort:
    """What one side spent on the moves that it chose; an opening costs nothing."""

    num_moves: int = 0
    num_visits: int = 0
    cpu_seconds: float = 0.0

    def __add__(self, other: "Effort") -> "Effort":
        return Effort(
            self.num_moves + other.num_moves,
            self.num_visits + other.num_visits,
            self.cpu_seconds + other.cpu_seconds,
        )

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
    result: str
    winner: str | None
    kind: str
    reason: str
    num_plies: int
    black_effort: Effort
    white_effort: Effort
    komi: float
    host: str
    started_at: str

    def effort(self, name: str) -> Effort:
        """What this player of the game spent."""
        return self.black_effort if name == self.black else self.white_effort

    @property
    def winner_name(self) -> str | None:
        """The player who won; None when void."""
        return {"black": self.black, "white": self.white, None: None}[self.winner]


@dataclass(frozen=True)
class Snapshot:
    """A league at one moment.

    Attributes:
        title: of the page.
        networks: those in the ranking.
        games: those that count, in the order in which they came.
        num_scheduled: games of the whole event; `len(games)` or more.
        num_voids: attempts that broke off through no player's fault.
        rules: what and how, for people to read.
        created_at: ISO 8601, UTC.
        record: a game with its moves, by its id.
    """

    title: str
    networks: tuple[Network, ...]
    games: tuple[GameRow, ...]
    num_scheduled: int
    num_voids: int
    rules: tuple[tuple[str, str], ...]
    created_at: str
    record: Callable[[str], GameRecord]

    @property
    def is_provisional(self) -> bool:
        """Whether scheduled games are still missing."""
        return len(self.games) < self.num_scheduled


def snapshot_of(league: League) -> Snapshot:
    """The league as it is now."""
    records = {record.game_id: record for record in league.games()}
    schedule = league.schedule() or {}
    name = league.folder.resolve().name
    return Snapshot(
        title=name[:1].upper() + name[1:],
        networks=tuple(network_of(filed) for filed in league.submissions() if filed.active),
        games=tuple(row_of(record) for record in records.values()),
        num_scheduled=max(schedule.get("num_games", 0), len(records)),
        num_voids=len(league.voids()),
        rules=rules_of(league.options(), schedule.get("hash", "")),
        created_at=utc_now(),
        record=records.__getitem__,
    )


def network_of(submission: Submission) -> Network:
    """A submission as the reports show it."""
    manifest = submission.manifest
    layers = manifest.get("layers") or {}
    return Network(
        name=submission.name,
        sha256=submission.sha256,
        parameters_total=manifest.get("parameters_total"),
        flops=manifest.get("flops"),
        ms_per_evaluation=manifest.get("ms_per_evaluation"),
        keras_version=str(manifest.get("keras_version") or ""),
        layers=tuple(sorted(layers.items(), key=lambda layer: (-layer[1], layer[0]))),
        submitted_at=submission.submitted_at,
    )


def row_of(record: GameRecord) -> GameRow:
    """A game without its moves."""
    black_first = len(record.opening) % 2 == 0
    first, second = record.moves[::2], record.moves[1::2]
    return GameRow(
        game_id=record.game_id,
        pair_id=record.pair_id,
        black=record.black,
        white=record.white,
        result=record.result,
        winner=record.winner,
        kind=record.kind,
        reason=record.reason,
        num_plies=len(record.opening) + len(record.moves),
        black_effort=_effort(first if black_first else second),
        white_effort=_effort(second if black_first else first),
        komi=record.komi,
        host=record.host,
        started_at=record.started_at,
    )


def _effort(moves: Sequence[MoveRecord]) -> Effort:
    return Effort(
        len(moves), sum(move.num_visits for move in moves), sum(move.cpu_seconds for move in moves)
    )


def rules_of(options: EventOptions | None, schedule_hash: str = "") -> tuple[tuple[str, str], ...]:
    """The rules of an event as (what, how); only the kit's version before its first run."""
    rules = [("Kit", kit_version())]
    if options is None:
        return tuple(rules)
    limit = f"{options.seconds:g} s of CPU time" if options.seconds else f"{options.visits} visits"
    return (
        ("A move", limit),
        ("Komi", f"{options.komi:g}"),
        ("Rules", "area scoring, positional superko, no suicide"),
        ("Openings", f"{options.opening_plies} plies of a book, each with both colours"),
        ("Longest game", f"{options.max_plies} plies"),
        ("Batch", f"{options.batch_size} positions"),
        ("Seed", str(options.seed)),
        ("Schedule", schedule_hash[:12] or "not begun"),
        *rules,
    )


def kit_version() -> str:
    """The installed version of the kit, or "uninstalled"."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "uninstalled"
