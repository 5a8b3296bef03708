"""How many games an hour a whole run of selfplay.py gets through: playing, training, baking.

Each row is a run of two iterations from the command on, without a gate. `an hour` is by the
journal's time on the clock, on as many cores as there are processes that play; `a CPU hour` is by
the processor time of all processes, their start and the making of graphs included, and is the
figure to compare on a machine with other work. The second table has what others have published of
their own machines, and what they leave out: networks and simulations differ, so it says what a
run costs, not which program is faster. `benchmarks/selfplay.py` compares programs on one core.

    python benchmarks/selfplay_hours.py [--runs nogo-9 …] [--games 64] [--workers 2]
"""

import argparse
import csv
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

SCRIPT = Path(__file__).resolve().parent.parent / "selfplay.py"
RUNS = {
    "go-5": "--game go --size 5 --planes zero --set blocks=2 --set filters=16 --simulations 32",
    "go-9": "--game go --size 9 --planes zero --set blocks=3 --set filters=32 --simulations 64",
    "nogo-9": "--preset nogozero9 --simulations 64",
}
RUNS["go-9-bf16"] = f"{RUNS['go-9']} --precision bf16"
ALIKE = "--set perspective=mover --iterations 2 --gate-games 0 --games-per-shard 16 --parallel 16"


@dataclass(frozen=True)
class Published:
    """What others say of a run of theirs; None for what they don't say."""

    system: str
    what: str
    machine: str
    games: float | None
    hours: float | None

    def cells(self) -> list[str]:
        """A row of the table."""
        rate = self.games / self.hours if self.games and self.hours else None
        numbers = (f"{one:,.0f}" if one else "not given" for one in (self.games, self.hours, rate))
        return [self.system, self.what, self.machine, *numbers]


DAY = 24
PUBLISHED = (
    Published("MiniZero (ResTNet)", "Go 9×9, 6×256, 64 simulations", "a GTX 1080 Ti", 1e6, 200),
    Published("pgx", "Go 9×9, 6×128, 32 simulations", "accelerators", None, None),
    Published("minigo, first run", "Go 9×9", "1,000 cores", 3.3e6, 14 * DAY),
    Published("minigo, MLPerf", "Go 9×9, 240 readouts", "not given", 50 * 4096, None),
    Published("leela-zero, 9×9", "Go 9×9", "a GTX 1080 Ti", 3.2e6, 91 * DAY),
    Published("OpenSpiel, issue 1154", "Hex 5×5", "two V100", None, 2 * DAY),
    Published(
        "michaelnny", "Go 9×9, 200 simulations", "128 CPUs and eight RTX 3090", 1e6, 40
    ),
    Published("Nochi", "Go 7×7", "six threads and an M60", 8500, 14 * DAY),
)


@dataclass(frozen=True)
class Measured:
    """A run: its games, seconds on the clock by part, and processor seconds of all processes."""

    games: float
    playing: float
    training: float
    seconds: float
    processor_seconds: float


def children_seconds() -> float:
    """Processor time of all processes that were started here and are over."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(arguments: str, games: int, workers: int) -> Measured:
    """Run selfplay.py and read its journal."""
    before = children_seconds()
    with tempfile.TemporaryDirectory() as folder:
        given = f"{arguments} {ALIKE} --games-per-iteration {games} --workers {workers}".split()
        command = [sys.executable, str(SCRIPT), *given, "--out", f"{folder}/run"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with Path(folder, "run", "journal.csv").open(newline="") as file:
            _untrained, *rows = csv.DictReader(file)

    def total(name: str) -> float:
        return sum(float(row[name]) for row in rows)

    return Measured(
        games=float(rows[-1]["games"]),
        playing=total("seconds_playing"),
        training=total("seconds_training"),
        seconds=total("seconds"),
        processor_seconds=children_seconds() - before,
    )


def table(title: str, texts: list[str], numbers: list[str]) -> Table:
    """An empty table, whose numbers are to the right."""
    found = Table(title=title)
    for name in texts:
        found.add_column(name)
    for name in numbers:
        found.add_column(name, justify="right")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", nargs="+", default=list(RUNS), choices=list(RUNS))
    parser.add_argument("--games", type=int, default=64, help="an iteration, a multiple of 16")
    parser.add_argument("--workers", type=int, default=2, help="processes that play")
    options = parser.parse_args()
    here = table(
        f"selfplay.py, {options.workers} processes that play",
        ["run"],
        ["games", "playing", "training", "games an hour", "games a CPU hour"],
    )
    for name in options.runs:
        run = measured(RUNS[name], options.games, options.workers)
        here.add_row(
            name,
            f"{run.games:.0f}",
            f"{run.playing / run.seconds:.0%}",
            f"{run.training / run.seconds:.0%}",
            f"{3600 * run.games / run.seconds:,.0f}",
            f"{3600 * run.games / run.processor_seconds:,.0f}",
        )
    console = Console()
    console.print(here)
    published = table(
        "published", ["system", "what", "machine"], ["games", "hours", "games an hour"]
    )
    for one in PUBLISHED:
        published.add_row(*one.cells())
    console.print(published)


if __name__ == "__main__":
    main()
