"""How long the loader takes for a position, with and without ladders in the file, against others.

Named peer: the course's own loader, which isn't in any package index, needed 82 µs a position in
its own call on a quiet core of a Zen 4, and 145 µs as published (games of 290 moves, random
symmetry, ladders, float32). The floor is the time of writing the same bytes.

All ways take turns, `getBatch` on all cores and the others on one thread, and the median of each
counts, in processor time: so the ratios hold on a busy machine too.

    python benchmarks/loader.py [--data FILE.games] [--rows 10000] [--repeats 5]
"""

import argparse
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from golois.batch import PLANES_FORMATS, Batch
from golois.course import getBatch
from golois.dataset import Dataset
from golois.ladders import add_ladders

DATA = Path(__file__).resolve().parent.parent / "data" / "katago_b6.games"
COURSE_MICROSECONDS = 82.0
COURSE_TARGETS = ("policy", "value_white", "ownership", "groups")
ONLY_NEEDED = ("policy", "value_white")

Work = Callable[[int], object]


def filling(path: Path, rows: int, planes: str, targets: tuple[str, ...] | None) -> Work:
    """Rows of a dataset, written into the same arrays each time."""
    dataset = Dataset(path, seed=1, threads=1, planes=planes)
    batch = Batch.empty(rows, planes, targets)

    def write(repeat: int) -> None:
        dataset.fill(batch, *dataset.sampled_rows(rows, repeat))

    return write


def course_call(path: Path, rows: int, folder: Path) -> Work:
    """`getBatch` in a folder whose games.data is this file; it uses all cores, in one process."""
    folder.mkdir()
    shutil.copy(path, folder / "games.data")
    shapes = ((rows, 19, 19, 31), (rows, 361), (rows,), (rows, 19, 19, 2), (rows, 19, 19, 1))
    arrays = [np.zeros(shape, np.float32) for shape in shapes]

    def call(repeat: int) -> None:
        os.chdir(folder)
        getBatch(*arrays, repeat)

    return call


def floor(rows: int) -> Work:
    """Writing the same bytes, and nothing else."""
    batch = Batch.empty(rows, targets=COURSE_TARGETS)

    def write(repeat: int) -> None:
        for array in batch:
            if array is not None:
                array.fill(repeat)

    return write


def seconds_of(ways: dict[str, Work], repeats: int) -> dict[str, float]:
    """Median processor seconds of each way, after a call to warm up."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for repeat in range(repeats + 1):
        for name, work in ways.items():
            start = time.process_time()
            work(repeat)
            seconds[name].append(time.process_time() - start)
    return {name: statistics.median(times[1:]) for name, times in seconds.items()}


def ways_of(path: Path, label: str, rows: int, folder: Path) -> dict[str, Work]:
    """Every way to get a batch from a file."""
    return {
        f"getBatch{label}": course_call(path, rows, folder),
        **{
            f"Dataset, {planes}{label}": filling(path, rows, planes, COURSE_TARGETS)
            for planes in PLANES_FORMATS
        },
        f"Dataset, policy and value only{label}": filling(path, rows, "float32", ONLY_NEEDED),
        f"Dataset, all targets{label}": filling(path, rows, "float32", None),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        without, with_ladders = place / "without.games", place / "with.games"
        shutil.copy(options.data, without)
        shutil.copy(options.data, with_ladders)
        start = time.process_time()
        found = add_ladders(with_ladders)
        ladder_seconds = time.process_time() - start
        ways = {
            **ways_of(without, "", options.rows, place / "one"),
            **ways_of(with_ladders, ", ladders in the file", options.rows, place / "other"),
            "floor: the same bytes written": floor(options.rows),
        }
        measured = seconds_of(ways, options.repeats)
        os.chdir(place.parent)
    table = Table(title=f"batches of {options.rows:,} positions, processor time")
    for name in ("what", "µs a position", "positions/s", "against the course's"):
        table.add_column(name, justify="left" if name == "what" else "right")
    course = options.rows * COURSE_MICROSECONDS / 1e6
    for name, seconds in {"the course's loader (stated)": course, **measured}.items():
        table.add_row(
            name,
            f"{seconds / options.rows * 1e6:.2f}",
            f"{options.rows / seconds:,.0f}",
            f"{course / seconds:.1f}×",
        )
    console = Console(width=100)
    console.print(table)
    console.print(
        f"Finding the ladders of {found.num_games:,} games took {ladder_seconds:.1f} CPU s, and "
        f"{found.num_bytes:,} bytes beside {options.data.stat().st_size:,}."
    )


if __name__ == "__main__":
    main()
