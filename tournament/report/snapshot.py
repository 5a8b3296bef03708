"""What a report needs of a league at one moment, as plain data; the rest here works on this."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version

from tournament.errors import LeagueError
from tournament.game.options import EventOptions
from tournament.game.presets import KIT, PRESETS
from tournament.game.record import utc_now
from tournament.league.draws import Draw
from tournament.league.games import GameRow
from tournament.league.league import League
from tournament.league.submissions import (
    NAME_AND_ARTEFACT,
    SUSPENDED,
    WITHDRAWN,
    Submission,
    known_by_of,
)
from tournament.league.weeks import Placing, RunWeek, Week

DISTRIBUTION = "go-coursework-kit"


@dataclass(frozen=True)
class Network:
    """A network in the ranking; what its manifest doesn't say is None or empty.

    artefact: the digest of what it computes, where the league knows networks by it.
    lucky_by_name: whether the draw goes by its name (tournament.game.job.Entrant).
    count: what the league's budget counts, "total" or "trainable".
    layers: how many of each class, most frequent first.
    note: why it no longer plays, in words; empty if it does.
    anchor_elo: the rating that the scale gives it; None for all but anchors.
    message: what its author wrote about it, or empty.
    answers: to the intake's positions (tournament.intake.manifest).
    """

    name: str
    sha256: str
    artefact: str | None = None
    lucky_by_name: bool = False
    count: str = "total"
    parameters_total: int | None = None
    parameters_trainable: int | None = None
    flops: int | None = None
    ms_per_evaluation: float | None = None
    memory_bytes: int | None = None
    artefact_numbers: int | None = None
    keras_version: str = ""
    layers: tuple[tuple[str, int], ...] = ()
    submitted_at: str = ""
    note: str = ""
    anchor_elo: float | None = None
    message: str = ""
    answers: tuple[float, ...] = ()

    @property
    def parameters(self) -> int | None:
        """The number of parameters that the budget is about."""
        return self.parameters_trainable if self.count == "trainable" else self.parameters_total

    @property
    def status(self) -> str:
        """What sets the network apart, in a word or two: anchor, withdrawn."""
        anchor = "" if self.anchor_elo is None else "anchor"
        return ", ".join(word for word in (anchor, self.note.partition(" ")[0]) if word)


@dataclass(frozen=True)
class TakenOut:
    """A network that failed in a game, and so is in no ranking.

    note: why, in words.
    num_games: how many games count no longer because of it.
    """

    name: str
    sha256: str
    note: str
    failure: GameRow
    num_games: int


@dataclass(frozen=True)
class Snapshot:
    """A league at one moment.

    games: the games that count, in the order in which they came.
    num_scheduled: games of the whole event; `len(games)` or more.
    num_voids: attempts that broke off through no player's fault; 0 while games are hidden.
    placings: the ratings that the league has kept, week after week.
    created_at: ISO 8601, UTC.
    sgf: a game with its moves as SGF, by its id.
    struck: the games of `taken_out`, oldest first after those against networks replaced since.
    draws: what is public of the seed's draws; none if the seed was chosen.
    weeks: of a term, those whose deadlines have passed.
    run_week: without a term, the week of the last run.
    is_of_run: whether a run is under way, or has just ended.
    awards_trophies: whether the teacher wants trophies.
    is_hidden: whether games are left out until the teacher reveals them.
    """

    title: str
    networks: tuple[Network, ...]
    games: tuple[GameRow, ...]
    num_scheduled: int
    num_voids: int
    placings: tuple[Placing, ...]
    rules: tuple[tuple[str, str], ...]
    created_at: str
    sgf: Callable[[str], str]
    taken_out: tuple[TakenOut, ...] = ()
    struck: tuple[GameRow, ...] = ()
    draws: tuple[Draw, ...] = ()
    weeks: tuple[Week, ...] = ()
    run_week: RunWeek | None = None
    is_of_run: bool = False
    written_names: Mapping[str, str] = field(default_factory=dict)
    awards_trophies: bool = True
    is_hidden: bool = False

    def written(self, name: str) -> str:
        """Return the name of a network as people write it."""
        return self.written_names.get(name, name)

    @property
    def is_provisional(self) -> bool:
        """Whether scheduled games are still missing."""
        return len(self.games) < self.num_scheduled

    def among(self, names: Collection[str]) -> "Snapshot":
        """Return a snapshot of some networks, and of the games between them."""
        names = set(names)
        return replace(
            self,
            networks=tuple(one for one in self.networks if one.name in names),
            games=tuple(game for game in self.games if {game.black, game.white} <= names),
            taken_out=tuple(one for one in self.taken_out if one.name in names),
            struck=tuple(game for game in self.struck if {game.black, game.white} <= names),
        )


def snapshot_of(league: League, *, with_hidden: bool = False) -> Snapshot:
    """Return the league as everybody may see it now, also while games are written down.

    `with_hidden` includes hidden games. LeagueError: the folder has the games of a match, whose
    networks are not submissions.
    """
    published = nullcontext(False) if with_hidden else league.hidden.as_published()
    with league.at_one_moment() as journal, published as is_hidden:
        submissions, placings = league.submissions.all(), league.weeks.placings()
        rows, voids = league.games.rows(), league.games.voids()
        struck, taken_out = league.games.struck(), taken_out_of(league, submissions)
        schedule, options = league.schedules.last(), league.options()
        weeks, run_week = league.weeks.all(), league.weeks.of_run()
        written_names = league.written_names.all()
        draws = league.draws.all() if options is None or options.seed is None else []
        known_by, word = known_by_of(journal), league.rules()
    settings = league.settings()
    # The game in which a network failed can be replayed also after its opponent was replaced.
    with_replaced = [one.failure for one in taken_out if one.failure not in struck]
    have_played = {name for row in rows for name in (row.black, row.white)}
    if have_played - {filed.name for filed in submissions}:
        raise LeagueError(
            f"{league.folder} has a match, not a league: "
            "continue the match with python -m tournament play --folder"
        )
    return Snapshot(
        title=settings.title,
        networks=tuple(
            network_of(filed, known_by, PRESETS[word or KIT].judging["count"])
            for filed in submissions
            if filed.active or (filed.status == WITHDRAWN and filed.name in have_played)
        ),
        games=tuple(rows),
        num_scheduled=max(schedule.num_games if schedule and not is_hidden else 0, len(rows)),
        num_voids=0 if is_hidden else len(voids),
        placings=tuple(placings),
        rules=(
            *_preset_of(word),
            *rules_of(options, schedule.hash if schedule else ""),
            ("Machines", machines_of(rows)),
        ),
        created_at=utc_now(),
        sgf=league.games.sgf,
        taken_out=taken_out,
        struck=(*with_replaced, *struck),
        draws=tuple(draws),
        weeks=tuple(weeks),
        run_week=run_week,
        written_names=written_names,
        awards_trophies=settings.trophies,
        is_hidden=is_hidden,
    )


def taken_out_of(league: League, submissions: Iterable[Submission]) -> tuple[TakenOut, ...]:
    """Return the submissions that failed in a game and were taken out."""
    met = Counter(name for game in league.games.struck() for name in (game.black, game.white))
    return tuple(
        TakenOut(
            filed.name,
            filed.sha256,
            filed.note,
            league.games.failure_of(filed.sha256),
            met[filed.name],
        )
        for filed in submissions
        if filed.status == SUSPENDED
    )


def network_of(submission: Submission, known_by: str | None, count: str) -> Network:
    """Return a submission for the reports; the league knows networks by `known_by`."""
    manifest = submission.manifest
    layers = manifest.get("layers") or {}
    return Network(
        name=submission.name,
        sha256=submission.sha256,
        artefact=manifest.get("onnx_sha256") if known_by else None,
        lucky_by_name=known_by == NAME_AND_ARTEFACT,
        count=count,
        parameters_total=manifest.get("parameters_total"),
        parameters_trainable=manifest.get("parameters_trainable"),
        flops=manifest.get("flops"),
        ms_per_evaluation=manifest.get("ms_per_evaluation"),
        memory_bytes=manifest.get("memory_bytes"),
        artefact_numbers=manifest.get("artefact_numbers"),
        keras_version=str(manifest.get("keras_version") or ""),
        layers=tuple(sorted(layers.items(), key=lambda layer: (-layer[1], layer[0]))),
        submitted_at=submission.submitted_at,
        note=submission.note,
        anchor_elo=submission.anchor_elo,
        message=submission.message,
        answers=tuple(manifest.get("answers") or ()),
    )


def _preset_of(word: str | None) -> list[tuple[str, str]]:
    """Return the preset as (what, how), of a league that keeps a word for its rules."""
    if word is None:
        return []
    judging = PRESETS[word].judging
    counted = "trainable parameters" if judging["count"] == "trainable" else "parameters"
    # An option of the intake comes before the word, and no league keeps it.
    default = f"by default at most {judging['max_params']:,} {counted}"
    return [("Preset", f"{word}: {default}, the number that the ranking shows")]


def rules_of(options: EventOptions | None, schedule_hash: str = "") -> tuple[tuple[str, str], ...]:
    """Return the rules of an event as (what, how); only the kit's version before its first run."""
    kit = ("Kit", kit_version())
    if options is None:
        return (kit,)
    limit = f"{options.seconds:g} s of CPU time" if options.seconds else f"{options.visits} visits"
    scaled = " of a reference machine" if options.scale_clock else ""
    return (
        ("A move", limit + scaled),
        ("Player", options.player + (", mean of the eight symmetries" if options.tta else "")),
        ("Komi", f"{options.komi:g}"),
        ("Rules", "area scoring, positional superko, no suicide"),
        ("Openings", f"{options.opening_plies} plies of a book, each with both colours"),
        ("Longest game", f"{options.max_plies} plies"),
        ("Adjudication", _adjudication(options)),
        ("Batch", _positions(options.batch_size)),
        ("Precision", options.precision),
        ("Seed", "drawn" if options.seed is None else f"{options.seed}, chosen and not drawn"),
        ("Schedule", schedule_hash[:12] or "not begun"),
        kit,
    )


def _adjudication(options: EventOptions) -> str:
    if not options.resign:
        return "none, games are played to their end"
    if not options.resign_plies:
        return "when settled points alone win"
    chance = f"{100 * options.resign_value:g} % or less"
    return (
        "when settled points alone win, or when "
        f"{options.resign_plies} moves in a row gave one colour {chance}"
    )


def _positions(batch_size: int | None) -> str:
    if batch_size is None:
        return "as each network was tuned"
    return f"{batch_size} positions"


def machines_of(rows: Iterable[GameRow]) -> str:
    """Return where the games were played: each host with its processor and its number of games."""
    games = Counter((row.host, row.cpu_model) for row in rows)
    return ", ".join(
        f"{host} ({model}; {num_games} games)" for (host, model), num_games in games.most_common()
    )


def kit_version() -> str:
    """Return the installed version of the kit, or "uninstalled"."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "uninstalled"
