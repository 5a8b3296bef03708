"""`selfplay.py ablation` and `curriculum`: the runs of a TOML file, and how their networks differ.

docs/student/sweep.md explains the file.
"""

import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any

from golois.kit.command import UsageError
from golois.kit.console import Reporter
from golois.kit.files import write_whole
from golois.kit.options import Parser, flag
from golois.kit.processes import last_line, num_cpus
from golois.kit.signals import StopRequest, raise_if_stopped
from models.errors import ModelsError
from models.sweeps.entries import (
    Entry,
    each_run,
    names_of,
    read_toml,
    require_known,
    take_entries,
    take_table,
)
from models.sweeps.results import markdown_table
from models.sweeps.runs import KIT, Children, only_sweep_of
from models.sweeps.seeds import Measure, by_seed, table_over_seeds, without_seed
from models.training.quiet import import_keras_quietly
from selfplay.arguments import (
    GOES_ON,
    complete,
    parse_arguments,
    parser_of,
    require_files,
    required_number,
    until_stopped,
)
from selfplay.journal import is_over, read_journal
from selfplay.layout import Layout
from selfplay.league import play_round_robin
from selfplay.networks import rival
from selfplay.options import LENGTHS, Options
from tournament.errors import EngineError
from tournament.matches.match import results_of
from tournament.matches.round_robin import Elo, Rival

REPEATED = ("set",)


@dataclass(frozen=True)
class Meeting:
    """How the last networks play: even games of each two, and simulations of their searches."""

    games: int = 20
    simulations: int = 64

    def __post_init__(self) -> None:
        for name in ("games", "simulations"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise UsageError(f"{name} in [league] must be a whole number from 1, not {value!r}")
        if self.games % 2:
            raise UsageError(f"games in [league] must be even, not {self.games}")


@dataclass(frozen=True)
class Run:
    """A run of the file, named after what it has of its own."""

    name: str
    arguments: Sequence[str]
    options: Options
    layout: Layout

    @property
    def title(self) -> str:
        """The name of the row that it has with the same run from other seeds."""
        return without_seed(self.name, self.options.seed)

    @property
    def rows(self) -> list[dict[str, float]]:
        """Its journal."""
        return read_journal(self.layout.journal)

    @property
    def log(self) -> Path:
        """Where its lines go if others run beside it."""
        return self.layout.path.with_name(f"{self.name}.log")

    def command(self) -> list[str]:
        """What starts it, or goes on with it."""
        script = [sys.executable, str(KIT / "selfplay.py")]
        if not self.layout.config.exists():
            return [*script, *self.arguments, "--out", str(self.layout.path)]
        lengths = [f"{flag(name)}={getattr(self.options, name)}" for name in LENGTHS]
        return [*script, "--resume", str(self.layout.path), *lengths]

    def require_same_options(self) -> None:
        """Refuse, by UsageError, a folder whose run has other options than the file has now."""
        if not self.layout.config.exists():
            return
        before, now = asdict(self.layout.options()), asdict(self.options)
        for name in before.keys() - set(LENGTHS):
            if before[name] != now[name]:
                raise UsageError(
                    f"{self.layout.path} was begun with {flag(name)} {before[name]}, not "
                    f"{now[name]}: give the run another name, or take another --out"
                )

    def rival(self, simulations: int) -> Rival:
        """The network that it has come to."""
        player = int(self.rows[-1]["player"])
        artefact = self.layout.artefact(player)
        return rival(f"{self.name}-{player:04}", artefact, self.options, simulations)


@dataclass(frozen=True)
class Finished:
    """A run that is over: Elo over the first run's network, and points 1, ½ or 0 of each game."""

    run: Run
    elo: Elo
    results: Sequence[float]

    @property
    def last(self) -> dict[str, float]:
        """The last row of its journal."""
        return self.run.rows[-1]

    @property
    def kept(self) -> float | None:
        """Of won positions in percent, by the network that meets the others; None if unsolved."""
        kept = self.run.rows[int(self.last["player"])]["kept"]
        return 100 * kept if isfinite(kept) else None


MEASURES = (
    Measure("Elo", lambda one: one.elo.rating, 0),
    Measure("wins kept %", lambda one: one.kept, 1),
)


def ablate(argv: Sequence[str]) -> int:
    """Run what a TOML file lists, and compare the last networks of the runs.

        python selfplay.py ablation papers/nogozero/table2.toml

    The table is printed and written to table.md; the same command goes on after a stop.
    """
    parser = parser_of(ablate, "ablation")
    parser.add_argument(
        "--at-once", type=int, help="runs at a time, which share the cores and write logs [1]"
    )
    given = _given_of_file(parser, argv)
    at_once = required_number(given, "at_once", 1, least=1)
    import_keras_quietly()  # which builds every row's network, to check it
    runs, meeting = read_ablation(given["config"], given["out"])
    play = partial(play_all, runs, at_once=at_once)
    return _played(runs, meeting, given["out"], play, has_logs=at_once > 1)


def teach_in_stages(argv: Sequence[str]) -> int:
    """Run the stages that a TOML file lists, each from the games of the one before.

        python selfplay.py curriculum papers/nogozero/curriculum.toml

    The last networks of the stages meet. The table with their Elo is printed and written to
    table.md; the same command goes on after a stop.
    """
    given = _given_of_file(parser_of(teach_in_stages, "curriculum"), argv)
    import_keras_quietly()
    stages, meeting = read_curriculum(given["config"], given["out"])
    return _played(stages, meeting, given["out"], partial(play_stages, stages))


def _given_of_file(parser: Parser, argv: Sequence[str]) -> dict[str, Any]:
    """Read a command line that names a TOML file of runs, and where they lie."""
    parser.add_argument("config", type=Path, metavar="FILE.toml", help="what to run and compare")
    parser.add_argument("--out", type=Path, help="folder of the runs [runs/FILE]")
    given = vars(parser.parse_args(argv))
    return {"out": Path("runs") / given["config"].stem, **given}


def _played(
    runs: Sequence[Run],
    meeting: Meeting,
    out: Path,
    play: Callable[[Children, Reporter], list[Run]],
    has_logs: bool = False,
) -> int:
    """Let runs be played, then compared; the exit code."""
    for run in runs:
        run.require_same_options()
    reporter = Reporter()

    def act(stop: StopRequest) -> None:
        with only_sweep_of(out, reporter.say) as lock:
            children = Children(lock, stop)
            failed = play(children, reporter)
            raise_if_stopped(stop)
            if failed:
                names = ", ".join(str(run.log) if has_logs else run.name for run in failed)
                raise EngineError(f"these runs failed: {names}; the same command tries again")
            reporter.say(compare(runs, meeting, out, children))
            reporter.say(f"written: {out}/table.md")

    return until_stopped(act, GOES_ON)


def read_ablation(path: Path, out: Path) -> tuple[list[Run], Meeting]:
    """Read a file, and check it before hours of runs; UsageError: options that can't run."""
    content = read_toml(path)
    grid, meeting = take_table(content, "grid"), _meeting(content)
    runs = [_run(entry, out) for entry in each_run(content, grid, take_entries(content))]
    return _checked(runs, path), meeting


def read_curriculum(path: Path, out: Path) -> tuple[list[Run], Meeting]:
    """Read a file whose runs are stages: each begins with the games of the stage before.

    Raises UsageError: as `read_ablation`, or a file that has a grid or `games_from` of its own.
    """
    content = read_toml(path)
    meeting = _meeting(content)
    stages: list[Run] = []
    for place, entry in enumerate(each_run(content, {}, take_entries(content))):
        if "grid" in entry.given or (place and "games_from" in entry.given):
            raise UsageError(
                f"{path} has a chain of runs, which takes no [grid] and sets games_from itself"
            )
        chain = {"games_from": str(stages[-1].layout.path)} if stages else {}
        stages.append(_run(replace(entry, given={**entry.given, **chain}), out))
    return _checked(stages, path), meeting


def play_stages(stages: Sequence[Run], children: Children, say: Reporter) -> list[Run]:
    """Run the stages that are left in turn, up to a stage that does not end; return that stage."""
    for number, stage in enumerate(stages, start=1):
        if not is_over(stage.options, stage.rows):
            say.say(f"stage {number} of {len(stages)}: {stage.name}")
            children.run(stage.command())
        if not is_over(stage.options, stage.rows):
            return [stage]
    return []


def play_all(runs: Sequence[Run], children: Children, say: Reporter, at_once: int = 1) -> list[Run]:
    """Run what is left, `at_once` side by side with shares of the cores; return what failed."""

    def run_one(number: int, run: Run) -> None:
        if children.stop.signal:
            return
        beginning = f"run {number} of {len(runs)}: {run.name}"
        if at_once == 1:
            say.say(beginning)
            children.run(run.command())
        else:
            say.say(f"{beginning}, its lines go to {run.log}")
            _run_beside_others(run, children, at_once)
            say.say(f"{run.name}: {last_line(run.log.read_bytes())}")

    with ThreadPoolExecutor(at_once) as pool:
        waiting = [
            pool.submit(run_one, number, run)
            for number, run in enumerate(runs, start=1)
            if not is_over(run.options, run.rows)
        ]
        for future in waiting:
            future.result()
    return [run for run in runs if not is_over(run.options, run.rows)]


def _run_beside_others(run: Run, children: Children, at_once: int) -> None:
    """Run one of several, which must not take the cores of the others."""
    cores = max(1, num_cpus() // at_once)
    run.log.parent.mkdir(parents=True, exist_ok=True)
    with open(run.log, "ab") as log:
        children.run(
            [*run.command(), f"--workers={cores}"],
            stdout=log,
            stderr=log,
            env={**os.environ, "TF_NUM_INTRAOP_THREADS": str(cores)},
        )


def compare(runs: Sequence[Run], meeting: Meeting, out: Path, children: Children) -> str:
    """Let the last networks meet; return the table and differences. Stopped: by a signal."""
    rivals = [run.rival(meeting.simulations) for run in runs]
    options = runs[0].options
    elo, games = play_round_robin(
        out / "league", options, rivals, meeting.games, children.stop
    )
    finished = [
        Finished(run, elo[rival.name], list(results_of(rival.name, games)))
        for run, rival in zip(runs, rivals, strict=True)
    ]
    rows = by_seed(finished, lambda one: one.run.title, lambda one: one.run.options.seed)
    over_seeds = table_over_seeds(rows, MEASURES)
    text = "\n".join(filter(None, [_each(finished), over_seeds]))
    write_whole(out / "table.md", text.encode())
    return text


def _each(finished: Sequence[Finished]) -> str:
    heads = ["run", "games", "minutes", "wins kept %", "Elo ± 95 %", "won"]
    cells = [
        [
            one.run.name,
            f"{one.last['games']:.0f}",
            f"{sum(row['seconds'] for row in one.run.rows) / 60:.1f}",
            f"{one.kept:.1f}" if one.kept is not None else "",
            f"{one.elo.rating:+.0f} ± {one.elo.halfwidth:.0f}",
            f"{sum(one.results):g} of {len(one.results)}",
        ]
        for one in finished
    ]
    note = f"Elo over {finished[0].run.name}, ± by the number of games, not of trainings."
    return f"{markdown_table(heads, cells)}\n\n{note}\n"


def _meeting(content: dict[str, Any]) -> Meeting:
    league = take_table(content, "league")
    require_known(league, names_of(Meeting), "games and simulations in [league]")
    return Meeting(**league)


def _checked(runs: list[Run], path: Path) -> list[Run]:
    """The runs, if each ends and they can meet; else UsageError."""
    games = {replace(run.options, planes="").rules() for run in runs}
    for run in runs:
        if not (run.options.iterations or run.options.minutes or run.options.patience):
            raise UsageError(f"run {run.name} never ends: give iterations, minutes or patience")
    if len(games) > 1:
        titles = " and ".join(sorted(map(str, games)))
        raise UsageError(f"all runs must play one game, not {titles}")
    if len(runs) < 2:
        raise UsageError(f"{path} has one run: list two or more to compare")
    return runs


def _run(entry: Entry, out: Path) -> Run:
    require_known(entry.given, ("preset", *names_of(Options)), "those of selfplay.py --help")
    from selfplay.learner import settings_of_network

    arguments = entry.spelled(Options, REPEATED)
    layout = Layout(out / "runs" / entry.name)
    try:
        options = complete(parse_arguments(arguments, ""))
        settings_of_network(options)
        if not layout.config.exists():
            require_files(options)
    except (UsageError, ModelsError) as error:
        raise UsageError(f"run {entry.name}: {error}") from error
    return Run(entry.name, arguments, options, layout)
