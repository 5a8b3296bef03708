"""How many positions a second the loader writes, against the course's loader and against memory.

Named peer: the course's own loader needs 145 µs a position with the same content (games of 290
moves, random symmetry, ladders, float32; one core; docs/formats.md). The floor is the time of
writing the same bytes. One run measures everything; compare ratios.

    python benchmarks/loader.py [--data FILE.games] [--rows 10000] [--repeats 5]
"""

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from golois.batch import PLANES_FORMATS, Batch
from golois.dataset import Dataset

DATA = Path(__file__).resolve().parent.parent / "data" / "katago_b6.games"
COURSE_MICROSECONDS = 145.0


def median_seconds(work: Callable[[int], None], repeats: int) -> float:
    """Median wall time of `work(repeat)`, after one call to warm up."""
    work(0)
    seconds = []
    for repeat in range(repeats):
        start = time.perf_counter()
        work(repeat)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def loader_seconds(
    path: Path, num_rows: int, threads: int, repeats: int, planes: str = "float32"
) -> float:
    dataset = Dataset(path, seed=1, threads=threads, planes=planes)
    batch = Batch.empty(num_rows, planes)

    def write(repeat: int) -> None:
        positions, symmetries = dataset.sampled_rows(num_rows, repeat)
        dataset.fill(batch, positions, symmetries)

    return median_seconds(write, repeats)


def floor_seconds(batch: Batch, repeats: int) -> float:
    """Writing the same bytes with one thread, and nothing else."""

    def write(repeat: int) -> None:
        for array in batch:
            array.fill(repeat)

    return median_seconds(write, repeats)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()

    batch = Batch.empty(options.rows)
    measured = {
        (planes, threads): loader_seconds(
            options.data, options.rows, threads, options.repeats, planes
        )
        for planes in PLANES_FORMATS
        for threads in (1, 2)
    }
    one = measured["float32", 1]
    rows = [
        ("the course's loader, 1 thread (published)", options.rows * COURSE_MICROSECONDS / 1e6),
        *(
            (f"golois, {planes} planes, {threads} thread{'s' * (threads > 1)}", seconds)
            for (planes, threads), seconds in measured.items()
        ),
        ("floor: the same bytes written, 1 thread", floor_seconds(batch, options.repeats)),
    ]
    num_bytes = sum(array.nbytes for array in batch)
    title = f"batch of {options.rows:,} positions, {num_bytes / 1e6:.0f} MB with float32 planes"
    table = Table(title=title)
    for name in ("what", "µs a position", "positions/s", "against float32, 1 thread"):
        table.add_column(name, justify="left" if name == "what" else "right")
    for name, seconds in rows:
        table.add_row(
            name,
            f"{seconds / options.rows * 1e6:.2f}",
            f"{options.rows / seconds:,.0f}",
            f"{one / seconds:.2f}×",
        )
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
