"""Files of games: `python -m golois import SRC… -o FILE.games`, `info FILE` and more.

`legacy SCRIPT` runs a training script that was written for Keras 2.
"""

import os
import sys

from golois.finder import current_folder

# Nothing is imported from the current folder unless it is the kit's: it may hold anyone's files.
if current_folder() != os.path.dirname(os.path.dirname(os.path.abspath(__file__))):
    sys.path[:] = [place for place in sys.path if place not in ("", current_folder())]

import argparse
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any

from rich.table import Table

from golois.errors import ArgumentError, DataFormatError
from golois.go.coords import WHITE
from golois.go.symmetry import NUM_SYMMETRIES
from golois.katago.reading import read_network
from golois.kit.command import run_in_words
from golois.kit.console import Console, Progress
from golois.kit.files import sha256_of
from golois.kit.options import Parser, flag
from golois.kit.signals import Stopped, StopRequest, raise_if_stopped
from golois.labels.playing import PlayOptions, play_games
from golois.labels.positions import LabelOptions
from golois.labels.run import Labelling, Teacher, label_games, require_place
from golois.labels.teachers import PUBLISHED, VARIABLE, find_teachers, teacher_at
from golois.legacy import run_with_keras_2
from golois.planes.row_shapes import GO
from golois.records.exporting import FORMATS, export_games
from golois.records.finished_games import LEAST_SHARE
from golois.records.importing import (
    WINRATES_OF,
    ImportProgress,
    ImportSummary,
    import_analysis,
    import_games,
    packed_copy,
)
from golois.records.ladders import FoundLadders, add_ladders
from golois.records.packed_file import GameFile
from golois.records.packing import GameFilter
from golois.records.phases import PHASE_STARTS, PhaseCounts, phase_report, total_phases
from golois.records.queries import write_queries

INTERRUPTED = "golois: interrupted; nothing was written"
SECONDS_BETWEEN_LINES = 5.0
BAR_WIDTH = 40
GPU_BATCH = 256
PLAY_OPTIONS = (
    ("temperature", float, "below 1 for likelier moves; default: 1"),
    ("perturbed", float, "share of moves that are drawn from all legal moves; default: 0"),
    ("seed", int, "seed of the new games; default: 0"),
)
MOST_CAUSES = 10  # that are shown of a reason
SPARKS = "▁▂▃▄▅▆▇█"


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return its exit code."""
    return run_in_words("golois", lambda: _run(arguments), INTERRUPTED)


def _run(arguments: list[str] | None) -> int:
    options = _parser().parse_args(arguments)
    return options.run(options) or 0


def _parser() -> Parser:
    parser = Parser(prog="python -m golois", description="Files of Go games.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in (
        _add_import, _add_label, _add_teacher, _add_ladders, _add_queries, _add_export, _add_info,
        _add_legacy,
    ):  # fmt: skip
        add(commands)
    return parser


def _add_import(commands) -> None:
    parser = commands.add_parser("import", help="pack games of SGF and games.data into one file")
    parser.add_argument(
        "sources", nargs="+", metavar="SRC", help="file, folder or archive of SGF or games.data"
    )
    parser.add_argument(
        "-o", "--output", required=True, type=Path, metavar="FILE", help="packed file to write"
    )
    parser.add_argument(
        "--dedupe", action="store_true", help="drop games that repeat the moves of an earlier game"
    )
    parser.add_argument(
        "--no-handicap", action="store_true", help="drop games with handicap or set-up stones"
    )
    for name, bound in (("--min-rank", "at least"), ("--max-rank", "at most")):
        parser.add_argument(
            name,
            default="",
            metavar="RANK",
            help=f"keep games in which both players have {bound} this rank, such as 4d or 1p",
        )
    parser.add_argument(
        "--analysis",
        action="store_true",
        help="SRC are the queries and the answers of KataGo's analysis engine, in this order",
    )
    parser.add_argument(
        "--winrates-as",
        choices=WINRATES_OF,
        help="whose win rates the answers have (reportAnalysisWinratesAs); default: black",
    )
    parser.add_argument(
        "--least-share",
        type=float,
        metavar="SHARE",
        help="leave out moves of a smaller share of a teacher's policy; default: 0.001",
    )
    _add_no_ladders(parser)
    parser.set_defaults(run=_run_import)


def _add_label(commands) -> None:
    parser = commands.add_parser(
        "label",
        help="label games with a network of KataGo",
        description="Label positions of games with a network's policy, value and lead. After a "
        "stop, the same command goes on.",
    )
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="games: packed, SGF, games.data, or an archive"
    )
    parser.add_argument(
        "--teacher", required=True, metavar="NETWORK",
        help="file of KataGo such as NAME.bin.gz, or the name that `teacher` shows",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", required=True, type=Path, metavar="FILE", help="packed file to write"
    )
    parser.add_argument(
        "--every", type=int, default=1, metavar="N", help="label each N-th position; default: 1"
    )
    parser.add_argument(
        "--symmetries", type=int, default=1, choices=(1, NUM_SYMMETRIES),
        help="8 for the mean of a position's views, which takes eight times as long; default: 1",
    )  # fmt: skip
    parser.add_argument(
        "--visits", type=int, default=1, metavar="N",
        help="label with a search of N evaluations a position, which takes N times as long; "
        "default: 1",
    )  # fmt: skip
    parser.add_argument(
        "--ownership", action="store_true",
        help="label also each point with its expected owner: 361 bytes a position",
    )  # fmt: skip
    parser.add_argument(
        "--least-share", type=float, default=LEAST_SHARE, metavar="SHARE",
        help="leave out moves of a smaller share of the policy; default: 0.001",
    )  # fmt: skip
    parser.add_argument(
        "--processes",
        type=int,
        metavar="N",
        help="processes at a time; default: one for each physical core, or 1 on a GPU",
    )
    parser.add_argument(
        "--precision", choices=("auto", "float32", "bf16", "int8"), default="auto",
        help="auto: bf16, about twice as fast, where the processor has it; int8: for networks of "
        "convolutions, faster and less exact; default: auto",
    )  # fmt: skip
    parser.add_argument(
        "--device", choices=("cpu", "gpu"), default="cpu",
        help="gpu: the GPU of Keras, in float32; default: cpu",
    )  # fmt: skip
    parser.add_argument(
        "--play", type=int, metavar="N",
        help="label N new games instead, which NETWORK plays from positions of FILE",
    )  # fmt: skip
    for name, kind, advice in PLAY_OPTIONS:
        parser.add_argument(f"--{name}", type=kind, help=f"with --play: {advice}")
    _add_no_ladders(parser)
    parser.set_defaults(run=_run_label)


def _add_no_ladders(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--no-ladders", action="store_true",
        help="leave the ladders out: a smaller file; a batch then takes 1.5 to 2 times as long",
    )  # fmt: skip


def _add_teacher(commands) -> None:
    parser = commands.add_parser("teacher", help="show the networks of KataGo on this machine")
    parser.add_argument(
        "place", nargs="?", type=Path, metavar="PATH",
        help=f"a network or a folder; default: ${VARIABLE} and an installed KaTrain",
    )  # fmt: skip
    parser.set_defaults(run=_run_teacher)


def _add_ladders(commands) -> None:
    parser = commands.add_parser(
        "ladders", help="find the ladders of a packed file, so that training reads it faster"
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="packed file that gets the ladders")
    parser.set_defaults(run=_run_ladders)


def _add_queries(commands) -> None:
    parser = commands.add_parser(
        "queries", help="write what KataGo's analysis engine needs to label the positions of games"
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="games: packed, SGF or games.data")
    parser.add_argument(
        "-o", "--output", required=True, type=Path, metavar="FOLDER", help="folder for the files"
    )
    parser.add_argument(
        "--every", type=int, default=1, metavar="N", help="label each N-th position; default: 1"
    )
    parser.set_defaults(run=_run_queries)


def _add_export(commands) -> None:
    parser = commands.add_parser("export", help="write a packed file as text for other tools")
    parser.add_argument("file", type=Path, metavar="FILE", help="packed file")
    parser.add_argument("--format", required=True, choices=FORMATS, help="what to write")
    parser.add_argument(
        "-o", "--output", required=True, type=Path, metavar="OUT", help="text file to write"
    )
    parser.set_defaults(run=_run_export)


def _add_info(commands) -> None:
    parser = commands.add_parser("info", help="check a packed file and show what is in it")
    parser.add_argument("file", type=Path, metavar="FILE", help="packed file")
    parser.add_argument(
        "--phases", action="store_true", help="also labels and winners by phase and source"
    )
    parser.set_defaults(run=_run_info)


def _add_legacy(commands) -> None:
    parser = commands.add_parser("legacy", help="run a training script written for Keras 2")
    parser.add_argument("script", type=Path, metavar="SCRIPT", help="script to run")
    parser.add_argument(
        "arguments", nargs=argparse.REMAINDER, metavar="ARG", help="arguments of the script"
    )
    parser.set_defaults(run=lambda options: run_with_keras_2(options.script, options.arguments))


def _run_import(options: argparse.Namespace) -> None:
    how = _given(options, ("winrates_as", "least_share"))
    if how and not options.analysis:
        raise ArgumentError("--winrates-as and --least-share need --analysis")
    wanted = {name: getattr(options, name) for name in GameFilter._fields}
    for name, value in wanted.items():
        if value and options.analysis:
            raise ArgumentError(f"{flag(name)} and --analysis exclude each other: leave one out")
    pack = partial(import_analysis, **how) if options.analysis else partial(import_games, **wanted)
    with _progress() as bar:

        def on_progress(done: ImportProgress) -> None:
            text = f"{_games(done.num_games)} {done.location}"
            bar.show(done.num_bytes, text, float(done.total_bytes))

        summary = pack(options.sources, options.output, on_progress=on_progress)
    _show_summary(summary)
    if not options.no_ladders:
        try:
            with _progress() as bar:
                _store_ladders(options.output, bar)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"interrupted; {options.output} is written without its ladders; to add them: "
                f"python -m golois ladders {quote(str(options.output))}"
            ) from None


def _given(options: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """Those of some options that the command line has."""
    values = {name: getattr(options, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def _run_label(options: argparse.Namespace) -> int:
    teacher, settings, processes = _labelling(options)
    new_games = _new_games(options)
    packed = _packed_copy(options.file)
    read = (options.file, packed, teacher.path)
    require_place(options.output, read)
    played = options.output.with_name(f"{options.output.name}.played")
    if new_games is not None:
        require_place(played, read)
    with StopRequest() as stop, _progress() as bar:
        try:
            if new_games is not None:
                how = LabelOptions(symmetries=settings.symmetries, batch_size=settings.batch_size)
                play_games(
                    Labelling(packed, teacher, how), played, new_games,
                    processes=processes, stop=stop, on_progress=_Speed(bar).show_games,
                )  # fmt: skip
                packed = played
            found = label_games(
                packed, options.output, teacher, settings,
                processes=processes, stop=stop, on_progress=_Speed(bar).show,
            )  # fmt: skip
            if not options.no_ladders:
                _store_ladders(found.path, bar, stop)
        except Stopped:
            assert stop.signal is not None
            bar.say(f"stopped by {stop.signal.name}; the same command goes on")
            return 128 + stop.signal
    what = "labels of" if found.is_new else "has its labels already:"
    print(f"{found.path}: {what} {found.num_positions:,} positions of {_games(found.num_games)}")
    return 0


def _packed_copy(path: Path) -> Path:
    """Return the packed copy of games, and print how many games of the file it lacks."""
    packed = packed_copy(path)
    dropped = sum(GameFile.open(packed).provenance.get("dropped", {}).values())
    if packed != path and dropped:
        why = f"python -m golois info {quote(str(packed))}"
        print(f"{path}: {_games(dropped)} dropped; see {why}")
    return packed


def _new_games(options: argparse.Namespace) -> PlayOptions | None:
    given = _given(options, [name for name, *_ in PLAY_OPTIONS])
    if options.play is not None:
        return PlayOptions(options.play, **given)
    if given:
        raise ArgumentError(f"--{min(given)} needs --play")
    return None


def _labelling(options: argparse.Namespace) -> tuple[Teacher, LabelOptions, int]:
    """Choose the runtime; only here does golois know those of `tournament` and `models`."""
    settings = LabelOptions(
        options.every, options.symmetries, options.least_share, visits=options.visits,
        ownership=options.ownership,
    )  # fmt: skip
    path = teacher_at(options.teacher)
    if options.device == "gpu":
        if options.precision not in ("auto", "float32"):
            raise ArgumentError("--device gpu takes float32")
        from models.katago import katago_on_gpu

        settings = replace(settings, batch_size=GPU_BATCH)
        processes = 1 if options.processes is None else options.processes
        return Teacher(path, katago_on_gpu), settings, processes
    from tournament.networks.katago import KataGoNetwork
    from tournament.networks.runtimes import best_precision, require_precision
    from tournament.running.machine import physical_cores

    precision = best_precision() if options.precision == "auto" else options.precision
    require_precision(precision)
    processes = len(physical_cores()) if options.processes is None else options.processes
    return Teacher(path, KataGoNetwork, precision), settings, processes


class _Speed:
    """Shows how far the work is, its speed, and how long the rest will take."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._began = time.monotonic()

    def show(self, now: int, done: int, total: int) -> None:
        text = f"{done:,} of {total:,} positions"
        if now:
            speed = now / (time.monotonic() - self._began)
            left = timedelta(seconds=round((total - done) / speed))
            text += f", {speed:.1f} positions/s, {left} left"
        self._bar.show(done, text, float(total))

    def show_games(self, now: int, over: int, total: int) -> None:
        speed = now / max(time.monotonic() - self._began, 1e-9)
        text = f"{over:,} of {total:,} new games are over, {speed:.1f} moves/s"
        self._bar.show(over, text, float(total))


def _run_teacher(options: argparse.Namespace) -> None:
    for number, (name, path) in enumerate(find_teachers(options.place).items()):
        if number:
            print()
        _show_facts({"name": name, **_facts_of_network(path)})


def _facts_of_network(path: Path) -> dict[str, str]:
    digest = sha256_of(path)
    known = PUBLISHED.get(digest)
    facts = {
        "file": f"{path}, {path.stat().st_size:,} bytes",
        "SHA-256": f"{digest}, {f'{known} as published' if known else 'unknown to this kit'}",
    }
    try:
        network = read_network(path)
    except DataFormatError as error:
        return {**facts, "fault": str(error)}
    channels = network.conv.kernel.shape[3]
    blocks = f"{len(network.blocks)} blocks of {channels} channels"
    return {"network": f"{network.name}, version {network.version}, {blocks}", **facts}


def _run_ladders(options: argparse.Namespace) -> None:
    with _progress() as bar:
        found = _store_ladders(options.file, bar)
    if not found.num_bytes:
        print(f"{options.file} already has its ladders")
        return
    print(f"{options.file}: ladders of {found.num_games:,} games, {found.num_bytes:,} more bytes")


def _store_ladders(path: Path, bar: Progress, stop: StopRequest | None = None) -> FoundLadders:
    def on_progress(done: int, total: int) -> None:
        raise_if_stopped(stop)
        bar.show(done, f"ladders of {done:,} of {total:,} games", float(total))

    return add_ladders(path, on_progress=on_progress)


def _run_queries(options: argparse.Namespace) -> None:
    with _progress() as bar:
        games, on_progress = _packed_copy(options.file), partial(_show_games, bar)
        files = write_queries(
            games, options.output, every=options.every, on_progress=on_progress
        )
    print(f"{files.queries}: {_games(files.num_games)}, {files.num_positions:,} positions to label")
    print("Next, with a network of KataGo:")
    config, queries, answers = (
        quote(str(path)) for path in (files.config, files.queries, files.answers)
    )
    print(f"  katago analysis -config {config} -model NETWORK.bin.gz \\")
    print(f"    < {queries} > {answers}")
    print(f"  python -m golois import --analysis {queries} {answers} -o LABELLED.games")


def _run_export(options: argparse.Namespace) -> None:
    with _progress() as bar:
        on_progress = partial(_show_games, bar)
        summary = export_games(
            options.file, options.output, options.format, on_progress=on_progress
        )
    print(f"{summary.path}: {summary.num_games:,} games in {options.format}")
    for reason, count in summary.left_out.items():
        print(f"left out: {count:,} {reason}")


def _run_info(options: argparse.Namespace) -> None:
    games = GameFile.open(options.file)
    games.verify()

    def share(num_positions: int) -> str:
        return f"{num_positions / max(games.num_positions, 1):.1%}"

    facts = {
        "file": f"{games.path}, {games.path.stat().st_size:,} bytes, checksums right",
        "games": f"{len(games):,}",
        "game": games.title,
        "training positions": f"{games.num_positions:,}",
        "with a value of their own": share(games.num_valued_positions()),
        "with a policy of a teacher or a search": share(games.num_soft_positions()),
    }
    if games.has_ownership:
        facts["with a teacher's ownership"] = share(games.num_owned_positions())
    if games.game == GO:
        facts["ladders"] = "in the file" if games.has_ladders else "not in the file"
    _show_facts(facts)
    console = Console()
    if games.game == GO:
        komi = {"unknown" if k is None else f"{k:g}": n for k, n in games.komi_histogram().items()}
        console.print(_histogram("komi", komi))
    lengths = {f"{k}–{k + 49}": n for k, n in games.length_histogram(50).items()}
    console.print(_histogram("moves", lengths))
    if options.phases:
        report = phase_report(games)
        if len(report) > 1:
            console.print(_phase_table("all sources", total_phases(report)))
        for source, phases in report.items():
            console.print(_phase_table(source, phases))
    _show_facts(_provenance(games.provenance))


def _progress() -> Progress:
    return Progress(Console(stderr=True), total=1.0, silence=SECONDS_BETWEEN_LINES)


def _show_games(bar: Progress, done: int, total: int) -> None:
    bar.show(done, f"{done:,} of {total:,} games", float(total))


def _show_summary(summary: ImportSummary) -> None:
    table = Table("", "games")
    table.columns[1].justify = "right"
    table.add_row("kept", f"{summary.num_games:,}")
    dropped = sorted(summary.dropped.items(), key=lambda item: -item[1])
    for reason, count in dropped:
        table.add_row(f"dropped: {reason}", f"{count:,}")
    Console().print(table)
    print(f"{summary.path}: {summary.num_positions:,} training positions")
    for assumed in summary.assumptions:
        games = _games(assumed.num_games)
        print(f"assumed in {games}: {assumed.cause}, such as {assumed.example}")
    for reason, _ in dropped:
        drops = [drop for drop in summary.drops if drop.reason == reason]
        drops.sort(key=lambda drop: -drop.num_games)
        for drop in drops[:MOST_CAUSES]:
            print(f"dropped {_games(drop.num_games)}: {drop.example}")
        if others := sum(drop.num_games for drop in drops[MOST_CAUSES:]):
            print(f"dropped {_games(others)}: {reason}, for other causes")


def _games(number: int) -> str:
    return f"{number:,} game{'' if number == 1 else 's'}"


def _show_facts(facts: Mapping[str, str]) -> None:
    width = max(map(len, facts))
    for name, value in facts.items():
        print(f"{name:<{width}}  {value}")


def _histogram(title: str, counts: Mapping[str, int]) -> Table:
    table = Table(title, "games", "", box=None)
    table.columns[1].justify = "right"
    most = max(counts.values(), default=1)
    for name, count in counts.items():
        table.add_row(name, f"{count:,}", "█" * max(1, round(BAR_WIDTH * count / most)))
    return table


def _phase_table(source: str, phases: list[PhaseCounts]) -> Table:
    table = Table("moves", title=source, title_justify="left", title_style="", box=None)
    for heading in ("positions", "own value", "mean P(White)", "White won", "P(White) 0…1"):
        table.add_column(heading, justify="right")
    ends = [f"–{start - 1}" for start in PHASE_STARTS[1:]] + ["+"]
    for start, end, phase in zip(PHASE_STARTS, ends, phases, strict=True):
        if phase.num_positions:
            table.add_row(
                f"{start}{end}",
                f"{phase.num_positions:,}",
                f"{phase.valued_share:.1%}",
                f"{phase.mean_value_white:.3f}",
                f"{phase.win_share(WHITE):.1%}",
                _sparkline(phase.value_histogram().tolist()),
            )
    return table


def _sparkline(counts: list[int]) -> str:
    """A bar for each count, as high as its share of the largest; a space for 0."""
    most = max(counts)
    return "".join(SPARKS[(len(SPARKS) - 1) * n // most] if n else " " for n in counts)


def _provenance(provenance: Mapping) -> dict[str, str]:
    facts = {"packed by": str(provenance.get("tool", "unknown"))}
    for number, source in enumerate(provenance.get("sources", []), 1):
        name = source["name"]
        facts[f"{name} (source {number})" if name in facts else name] = (
            f"{source['games']:,} games, {source['bytes']:,} bytes, SHA-256 {source['sha256']}"
        )
    if labelled := provenance.get("labelled", {}):
        facts["labelled by"] = "{name}, SHA-256 {sha256}".format_map(labelled["teacher"])
    if isinstance(error := provenance.get("int8"), dict):
        numbers = (f"{name.replace('_', ' ')} {number}" for name, number in error.items())
        facts["int8 against float32"] = ", ".join(numbers)
    for reason, count in provenance.get("dropped", {}).items():
        facts[f"dropped: {reason}"] = f"{count:,}"
    for text, count in provenance.get("assumed", {}).items():
        facts[f"assumed: {text}"] = f"{count:,}"
    return facts


if __name__ == "__main__":
    sys.exit(main())
