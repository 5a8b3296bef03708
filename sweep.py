"""Train several networks alike and compare them: a table, curves and a league in one command.

    python sweep.py papers/course_report/report_table1.toml    into runs/report_table1
    python sweep.py CONFIG.toml --out DIR                  into DIR
    python sweep.py CONFIG.toml --no-league                play nothing
    python sweep.py CONFIG.toml --address auto             on the machines of a Ray cluster

The file says what all runs have in common, what varies, and how the networks play
(docs/student/sweep.md). The folder gets runs/, league/, table.csv, table.md and curves.png. The
same command continues after a kill at any moment: finished runs are kept, a running one is resumed,
the league plays its missing games. Exit codes: 0, 1 where a run failed, 3 where games were given
up, 2 for bad input, 130 and 143 stopped.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from golois.kit.command import imports_in_words

with imports_in_words("sweep.py"):
    from golois.kit.cluster import ENGINES, named_engine, open_engine
    from golois.kit.command import UsageError, run_in_words
    from golois.kit.console import Console
    from golois.kit.files import write_whole
    from golois.kit.options import require_networks, script_parser
    from golois.kit.processes import own_search_path
    from golois.kit.signals import StopRequest
    from models.catalogue.known import require_known
    from models.sweeps.config import Sweep, read_sweep
    from models.sweeps.machines import train_on
    from models.sweeps.results import (
        draw_overlay,
        markdown,
        measured_apart,
        results_of,
        show,
        write_csv,
    )
    from models.sweeps.runs import KIT, Children, Run, judge, only_sweep_of, train
    from models.sweeps.seeds import seeds_table
    from models.training.curriculum import stages_of
    from models.training.options import Options
    from models.training.quiet import import_keras_quietly
    from tournament.league.league import League
    from tournament.league.submissions import ACTIVE, WITHDRAWN
    from tournament.report.snapshot import snapshot_of
    from tournament.report.standings import Standings

Say = Callable[[str], None]
Engine = tuple[str, str | None]
"""A key of ENGINES, and the address of a cluster, None for the cluster of this machine."""


# Options


def parse_arguments(argv: Sequence[str] | None) -> dict:
    """Read the command line; options that were not given are absent from the result."""
    parser = script_parser("sweep.py", __doc__)
    parser.add_argument("config", type=Path, metavar="CONFIG.toml", help="what to train and play")
    parser.add_argument("--out", type=Path, help="folder of the sweep [runs/CONFIG]")
    parser.add_argument("--no-league", action="store_true", help="train and compare, play nothing")
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        help="where to train and play: this machine, or a Ray cluster [local]",
    )
    parser.add_argument(
        "--address",
        metavar="auto|HOST:PORT",
        help="train and play on this cluster; implies --engine ray (docs/student/sweep.md)",
    )
    return vars(parser.parse_args(argv))


def check(runs: Sequence[Run]) -> None:
    """Find errors before the first run takes hours.

    Raises:
        UsageError: a run that was trained or begun by other options, or a file that is missing
            outside of the sweep's own runs.
        ModelsError: no such network, or one that has no such option.
    """
    for run in runs:
        if run.is_trained:
            run.verdict()
        elif run.is_begun:
            run.require_same_options()
    new = [run for run in runs if not run.is_begun]
    for run in new:
        options = run.recipe.options()
        require_known(options.model, options.set)
        require_files(options, run.folder.path.parent)
    if new:
        import_keras_quietly()  # takes seconds
    for run in new:
        stages_of(run.recipe.options())


def require_files(options: Options, runs: Path) -> None:
    """Raise UsageError where games or a network are missing outside of the sweep's own runs."""
    made = runs.resolve()
    networks = [name for name in ("distill", "init_from")
                if made not in Path(getattr(options, name)).resolve().parents]
    require_networks(options, networks)
    for path in options.data:
        if not Path(path).is_file():
            raise UsageError(f"there is no file {path}: give data files of games")


def require_same_limits(sweep: Sweep, out: Path) -> None:
    """Raise UsageError where a league has games with another limit than the file gives now."""
    for folder, (option, value) in sweep.league.limits().items():
        if not (out / folder / "league.sqlite").exists():
            continue
        begun_with = League(out / folder).options()
        if begun_with and getattr(begun_with, option.removeprefix("--")) != float(value):
            limit = "visits" if begun_with.visits else "seconds"
            raise UsageError(
                f"the games in {out / folder} have {getattr(begun_with, limit)} {limit} a move, "
                f"and [league] has another limit: keep {limit}, or take another --out"
            )


# Training


def train_all(
    runs: Sequence[Run], children: Children, say: Say, engine: Engine, league: Path | None
) -> None:
    """Train what is left, each network judged as soon as it is trained."""
    left = [run for run in runs if not run.is_trained]
    cluster = open_engine(*engine) if left else None
    if cluster is None:
        trained = train_here(left, children, say)
    else:
        trained = train_on(cluster, left, children.stop, say)
    for run, code in trained:
        if code == 0 and not children.stop.signal:
            say(f"{run.name}: trained; the intake checks and measures it")
            judge(run, children, league)


def train_here(runs: Sequence[Run], children: Children, say: Say) -> Iterator[tuple[Run, int]]:
    """Train one run after the other; yield each with the exit code of its train.py."""
    for number, run in enumerate(runs, start=1):
        if children.stop.signal:
            return
        going = "goes on" if run.is_begun else "begins"
        say(f"run {number} of {len(runs)} that are left, {run.name}: {going}")
        yield run, train(run, children)


# League


def enter_only(runs: Sequence[Run], league: Path, say: Say) -> None:
    """Withdraw the networks of runs that are no longer in the file; reinstate networks of runs."""
    if not (league / "league.sqlite").exists():
        return
    submissions, names = League(league).submissions, {run.name for run in runs}
    for filed in submissions.current():
        was_a_run = (league.parent / "runs" / filed.name).is_dir()
        if filed.status == ACTIVE and filed.name not in names and was_a_run:
            submissions.withdraw(filed.name)
            say(f"{filed.name} is no longer in the file: it is withdrawn from {league}")
        elif filed.status == WITHDRAWN and filed.name in names:
            submissions.reinstate(filed.name)
            say(f"{filed.name} is in the file: it plays in {league} again")


def file_left_over(runs: Sequence[Run], children: Children, league: Path) -> None:
    """File the accepted networks that an earlier `--no-league` did not."""
    filed = {entrant.name for entrant in League(league).submissions.entrants()}
    for run in runs:
        if run.name not in filed and run.verdict()["accepted"] and not children.stop.signal:
            judge(run, children, league)


def play(sweep: Sweep, children: Children, league: Path, say: Say, engine: Engine) -> int:
    """Play what is missing in a league; return the exit code of the league's own command."""
    num_networks = len(League(league).submissions.entrants())
    if num_networks < 2:
        say(f"no league: a league needs two networks, and {num_networks} may play")
        return 0
    if children.stop.signal:
        return 0
    command = [sys.executable, "-m", "tournament", "run", "--league", str(league.resolve())]
    command += sweep.league.limits()[league.name]
    command += ["--games-per-pair", str(sweep.league.games), "--seed", "0"]
    name, address = engine
    command += ["--engine", name, *(["--address", address] if address else [])]
    environment = {**os.environ, "PYTHONPATH": own_search_path()}
    return children.run(command, cwd=KIT, env=environment)


# Results


def report(runs: Sequence[Run], sweep: Sweep, out: Path, console: Console) -> None:
    """Write table and curves of the finished runs, and print the table; each league has its own."""
    texts = []
    for folder in sweep.league.limits():
        notes = [_conditions(sweep)]
        ranking = _ranking(runs, out / folder, notes)
        notes += _warnings(runs)
        results = results_of(runs, ranking.rows if ranking else [])
        write_csv(out / f"{folder.replace('league', 'table')}.csv", results)
        over_seeds = seeds_table(runs, results)
        texts.append("\n".join(filter(None, [markdown(results, notes), over_seeds])))
        show(console, results, notes)
        if over_seeds:
            console.print(f"\n{over_seeds}", end="")
    write_whole(out / "table.md", "\n".join(texts).encode())
    draw_overlay(out / "curves.png", {run.name: run.history() for run in runs}, sweep.budget)
    console.print(f"written: {out}/table.csv, table.md and curves.png")


def _ranking(runs: Sequence[Run], league: Path, notes: list[str]) -> Standings | None:
    """The ranking of the runs in a league, which a note describes; None without games."""
    if not (league / "league.sqlite").exists():
        return None
    played = snapshot_of(League(league, create=False))
    ranking = Standings(played.among({run.name for run in runs}))
    if limit := dict(played.rules).get("A move"):
        notes.append(
            f"The league: {limit} a move, {len(ranking.snapshot.games)} games. "
            f"{ranking.separation()}"
        )
    return ranking


def _warnings(runs: Sequence[Run]) -> list[str]:
    notes = measured_apart(runs)
    for run in runs:
        notes += [f"{run.name} may not play: {fault['text']}" for fault in run.verdict()["faults"]]
    return notes


def _conditions(sweep: Sweep) -> str:
    options = sweep.recipes[0].options()
    alike = getattr(options, sweep.budget)
    unit = sweep.budget if alike != 1 else sweep.budget.removesuffix("s")
    of_processor = options.of_processor if sweep.budget == "minutes" else ""
    return (
        f"Each run had {alike:g} {unit}{of_processor}. Accuracy, value MSE and value MAE are those "
        "of best.h5 on held-out positions; ms is the CPU time of a position on one core."
    )


# All of it


def run(argv: Sequence[str] | None) -> int:
    """Do what the command line says; return the exit code."""
    given = parse_arguments(argv)
    sweep = read_sweep(given["config"])
    out = given.get("out", Path("runs") / given["config"].stem)
    console = Console(highlight=False, soft_wrap=True)
    runs = [Run(recipe, out / "runs" / recipe.name) for recipe in sweep.recipes]
    check(runs)
    is_played, code = "no_league" not in given, 0
    if is_played:
        require_same_limits(sweep, out)
    leagues, address = [out / name for name in sweep.league.limits()], given.get("address")
    engine = named_engine(given.get("engine"), address), address
    new = [run.recipe.options() for run in runs if not run.folder.config.exists()]
    if engine[0] != "local" and any(options.tensorboard for options in new):
        raise UsageError(
            "the files of tensorboard do not come back from a cluster: leave out tensorboard"
        )
    with only_sweep_of(out, console.print) as lock, StopRequest() as stop:
        children = Children(lock, stop)
        for league in leagues if is_played else []:
            enter_only(runs, league, console.print)
        train_all(runs, children, console.print, engine, leagues[0] if is_played else None)
        finished = [one for one in runs if one.is_trained]
        for league in leagues if is_played and finished else []:
            if not stop.signal:
                file_left_over(finished, children, league)
                code = play(sweep, children, league, console.print, engine) or code
        if stop.signal:
            console.print("stopped; the same command goes on from here")
            return 128 + stop.signal
        if finished:
            report(finished, sweep, out, console)
    for failed in (one for one in runs if not one.is_trained):
        print(f"sweep.py: {failed.name} failed; the same command tries it again", file=sys.stderr)
        code = 1
    return code


def main(argv: Sequence[str] | None = None) -> int:
    """Run, and turn errors into one sentence and an exit code."""
    return run_in_words("sweep.py", lambda: run(argv))


if __name__ == "__main__":
    sys.exit(main())
