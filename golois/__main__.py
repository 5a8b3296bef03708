"""Files of games: `python -m golois import SRC… -o FILE.games` and `python -m golois info FILE`."""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from golois.command_line import Parser
from golois.errors import GoloisError
from golois.importing import ImportProgress, ImportSummary, import_games
from golois.records import GameFile

BAD_INPUT, INTERRUPTED = 2, 130
SECONDS_BETWEEN_LINES = 5.0
BAR_WIDTH = 40


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns its exit code."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except GoloisError as error:
        return _refuse(str(error))
    except OSError as error:
        return _refuse(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except KeyboardInterrupt:
        print("golois: interrupted; nothing was written", file=sys.stderr)
        return INTERRUPTED
    return 0


def _refuse(why: str) -> int:
    print(f"golois: {why}", file=sys.stderr)
    return BAD_INPUT


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="python -m golois", description="Files of Go games.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    importer = commands.add_parser("import", help="pack games of SGF and games.data into one file")
    importer.add_argument(
        "sources", nargs="+", metavar="SRC", help="file, folder or archive of SGF or games.data"
    )
    importer.add_argument(
        "-o", "--output", required=True, type=Path, metavar="FILE", help="packed file to write"
    )
    importer.set_defaults(run=_run_import)
    info = commands.add_parser("info", help="check a packed file and show what is in it")
    info.add_argument("file", type=Path, metavar="FILE", help="packed file")
    info.set_defaults(run=_run_info)
    return parser


def _run_import(options: argparse.Namespace) -> None:
    with _progress() as on_progress:
        summary = import_games(options.sources, options.output, on_progress=on_progress)
    _show_summary(summary)


def _run_info(options: argparse.Namespace) -> None:
    games = GameFile.open(options.file)
    games.verify()
    num_valued = games.num_valued_positions()
    facts = {
        "file": f"{games.path}, {games.path.stat().st_size:,} bytes, checksums right",
        "games": f"{len(games):,}",
        "training positions": f"{games.num_positions:,}",
        "with a value of their own": f"{num_valued / max(games.num_positions, 1):.1%}",
    }
    _show_facts(facts)
    console = Console()
    komi = {"unknown" if k is None else f"{k:g}": n for k, n in games.komi_histogram().items()}
    console.print(_histogram("komi", komi))
    lengths = {f"{k}–{k + 49}": n for k, n in games.length_histogram(50).items()}
    console.print(_histogram("moves", lengths))
    _show_facts(_provenance(games.provenance))


@contextmanager
def _progress() -> Iterator[Callable[[ImportProgress], None]]:
    """A bar on a terminal, else a line every few seconds."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines()
        return
    columns = (
        TextColumn("{task.fields[games]:,} games"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", games=0, total=None)

        def show(progress: ImportProgress) -> None:
            bar.update(
                task,
                description=progress.location,
                games=progress.num_games,
                completed=progress.num_bytes,
                total=progress.total_bytes,
            )

        yield show


def _lines() -> Callable[[ImportProgress], None]:
    last = time.monotonic()

    def show(progress: ImportProgress) -> None:
        nonlocal last
        if time.monotonic() - last < SECONDS_BETWEEN_LINES:
            return
        last = time.monotonic()
        share = progress.num_bytes / max(progress.total_bytes, 1)
        print(f"{share:4.0%} {progress.num_games:,} games {progress.location}", file=sys.stderr)

    return show


def _show_summary(summary: ImportSummary) -> None:
    table = Table("", "games")
    table.columns[1].justify = "right"
    table.add_row("kept", f"{summary.num_games:,}")
    for reason, count in sorted(summary.dropped.items(), key=lambda item: -item[1]):
        table.add_row(f"dropped: {reason}", f"{count:,}")
    Console().print(table)
    print(f"{summary.path}: {summary.num_positions:,} training positions")
    for report in summary.first_drops:
        print(report)


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


def _provenance(provenance: Mapping) -> dict[str, str]:
    facts = {"packed by": str(provenance.get("tool", "unknown"))}
    for source in provenance.get("sources", []):
        facts[source["name"]] = (
            f"{source['games']:,} games, {source['bytes']:,} bytes, SHA-256 {source['sha256']}"
        )
    for reason, count in provenance.get("dropped", {}).items():
        facts[f"dropped: {reason}"] = f"{count:,}"
    return facts


if __name__ == "__main__":
    sys.exit(main())
