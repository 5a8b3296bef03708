"""How long a batch takes with and without ladders in the file, and how fast games are imported.

Named peer of the loader: the course's own, which isn't in any package index. It needed 82 µs a
position in its own call on a quiet core of a Zen 4 (games of 290 moves, random symmetry, ladders,
float32). The floor is the time of writing the same bytes. All ways take turns, `getBatch` on all
cores and the others on one thread, and the median of each counts, in processor time.

Named peer of the import: Python that only reads the moves and plays none. The texts are the games,
exported and repeated: games.data, SGF with comments, and SGF of moves only.

    python -m benchmarks.loader [--data FILE.games] [--rows 10000] [--repeats 5] [--megabytes 100]
"""

import argparse
import os
import re
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.report import DATA, show
from golois.course.calls import getBatch
from golois.data.batch import PLANES_FORMATS, Batch
from golois.data.dataset import Dataset
from golois.errors import ArgumentError
from golois.katago.inputs import game_inputs
from golois.records.exporting import export_games
from golois.records.importing import import_games
from golois.records.ladders import add_ladders
from golois.records.packed_file import GameFile

COURSE_MICROSECONDS = 82.0
COURSE_TARGETS = ("policy", "value_white", "ownership", "groups")
ONLY_NEEDED = ("policy", "value_white")
COMMENT = re.compile(rb"C\[[^\]]*\]")
SGF_MOVE = re.compile(rb";([BW])\[([a-s]{0,2})\]")

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


def katago_inputs(path: Path, rows: int, step: int) -> Work:
    """KataGo's inputs of every `step`th turn of the file's first games, `rows` in all."""
    games, left = [], rows
    for record in islice(GameFile(path), rows):
        if left > 0 and (record.colours[1:] != record.colours[:-1]).all():
            turns = np.arange(0, record.num_moves, step)[:left]
            games.append((record.points, turns))
            left -= len(turns)
    if left > 0:
        raise ArgumentError(f"the games of {path} have too few positions for {rows} rows")

    def write(repeat: int) -> None:
        for points, turns in games:
            game_inputs(points, turns, planes="bits")

    return write


def floor(rows: int) -> Work:
    """Writing the same bytes, and nothing else."""
    batch = Batch.empty(rows, targets=COURSE_TARGETS)

    def write(repeat: int) -> None:
        for array in batch:
            if array is not None:
                array.fill(repeat)

    return write


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


def seconds_of(ways: dict[str, Work], repeats: int) -> dict[str, float]:
    """Median processor seconds of each way, after a call to warm up."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for repeat in range(repeats + 1):
        for name, work in ways.items():
            start = time.process_time()
            work(repeat)
            seconds[name].append(time.process_time() - start)
    return {name: statistics.median(times[1:]) for name, times in seconds.items()}


def show_batches(data: Path, rows: int, repeats: int, place: Path) -> None:
    """Print the table of the loader."""
    without, with_ladders = place / "without.games", place / "with.games"
    shutil.copy(data, without)
    shutil.copy(data, with_ladders)
    start = time.process_time()
    found = add_ladders(with_ladders)
    ladder_seconds = time.process_time() - start
    ways = {
        **ways_of(without, "", rows, place / "one"),
        **ways_of(with_ladders, ", ladders in the file", rows, place / "other"),
        "KataGo's inputs as bits, every turn": katago_inputs(data, rows, 1),
        "KataGo's inputs as bits, each tenth turn": katago_inputs(data, rows, 10),
        "floor: the same bytes written": floor(rows),
    }
    measured = seconds_of(ways, repeats)
    os.chdir(place.parent)
    course = rows * COURSE_MICROSECONDS / 1e6
    show(
        f"batches of {rows:,} positions, processor time; finding the ladders of "
        f"{found.num_games:,} games took {ladder_seconds:.1f} CPU s and {found.num_bytes:,} bytes",
        "what | µs a position | positions/s | against the course's",
        (
            (name, f"{seconds / rows * 1e6:.2f}", f"{rows / seconds:,.0f}",
             f"{course / seconds:.1f}×")
            for name, seconds in {"the course's loader (stated)": course, **measured}.items()
        ),
    )  # fmt: skip


def texts(data: Path, folder: Path) -> dict[str, bytes]:
    """The games once as each kind of text, without games.data's first line."""
    contents = {}
    for name, text_format in (("games.data", "games.data"), ("SGF with comments", "sgf")):
        export_games(data, folder / "text", text_format)
        contents[name] = (folder / "text").read_bytes()
    contents["games.data"] = contents["games.data"].partition(b"\n")[2]
    contents["bare SGF"] = COMMENT.sub(b"", contents["SGF with comments"])
    return contents


def read_moves(name: str, content: bytes) -> int:
    """The peer: how many moves a text has."""
    if "SGF" in name:
        return sum(len(SGF_MOVE.findall(line)) for line in content.splitlines())
    return sum(len([int(word) for word in line.split()[3::4]]) for line in content.splitlines())


def import_row(name: str, content: bytes, megabytes: float, folder: Path) -> tuple[str, ...]:
    """The cells of an import of the content, repeated."""
    num_repeats = max(1, round(megabytes * 1e6 / len(content)))
    (folder / "source").write_bytes(content * num_repeats)
    wall, cpu = time.perf_counter(), time.process_time()
    import_games([folder / "source"], folder / "out.games")
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    start = time.perf_counter()
    read_moves(name, content)
    peer = len(content) / (time.perf_counter() - start) / 1e6
    num_megabytes = num_repeats * len(content) / 1e6
    speed = num_megabytes / wall
    return name, *(f"{x:,.1f}" for x in (num_megabytes, wall, cpu, speed, peer, speed / peer))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--megabytes", type=float, default=100, help="of each text, 0: no import")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        show_batches(options.data.resolve(), options.rows, options.repeats, Path(folder))
        if options.megabytes:
            contents = texts(options.data, Path(folder))
            show(
                f"import on {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}",
                "text | MB | s | CPU s | MB/s | MB/s, only read by Python | ratio",
                [import_row(*item, options.megabytes, Path(folder)) for item in contents.items()],
            )


if __name__ == "__main__":
    main()
