"""How long a packed file of 30 million positions takes to open, and what it keeps in memory.

The file is made by repeating the games of another one, in a temporary directory, and removed
afterwards. A child process opens it and samples, so that nothing else counts as its memory; the
pages of the mapped file that the system keeps at hand count as resident too.

    python benchmarks/open_file.py [--data FILE.games] [--positions 30000000] [--batches 100]
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from golois.dataset import Dataset
from golois.packing import write_games
from golois.records import GameFile

DATA = Path(__file__).resolve().parent.parent / "data" / "katago_b6.games"
BATCH_SIZE = 128


def resident_mb() -> float:
    """Memory of this process that lies in RAM, in MB (Linux)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    kibibytes = next(line.split()[1] for line in lines if line.startswith("VmRSS:"))
    return 1024 * int(kibibytes) / 1e6


def repeat_games(source: Path, path: Path, num_positions: int) -> None:
    games = GameFile.open(source)
    repeats = -(-num_positions // games.num_positions)
    records = list(games)
    write_games((record for _ in range(repeats) for record in records), path)


def measure(path: Path, num_batches: int) -> None:
    before = resident_mb()
    start = time.perf_counter()
    dataset = Dataset(path)
    opened = time.perf_counter() - start
    after_opening = resident_mb()
    for step in range(num_batches):
        dataset.sample(BATCH_SIZE, step)
    after_sampling = resident_mb()

    num_mb = path.stat().st_size / 1e6
    table = Table(title=f"{dataset.file.num_positions:,} positions, {num_mb:.0f} MB")
    table.add_column("what")
    table.add_column("value", justify="right")
    table.add_row("to open, split into train and validation", f"{opened:.3f} s")
    table.add_row("resident before (Python, NumPy, golois)", f"{before:.0f} MB")
    table.add_row("resident after opening", f"{after_opening:.0f} MB")
    sampled = f"resident after {num_batches} batches of {BATCH_SIZE}"
    table.add_row(sampled, f"{after_sampling:.0f} MB")
    Console(width=100).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--positions", type=int, default=30_000_000)
    parser.add_argument("--batches", type=int, default=100)
    parser.add_argument("--measure", action="store_true", help="measure --data itself, here")
    options = parser.parse_args()

    if options.measure:
        measure(options.data, options.batches)
        return
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "repeated.games"
        repeat_games(options.data, path, options.positions)
        command = [sys.executable, __file__, "--measure", "--data", path]
        subprocess.run([*command, "--batches", str(options.batches)], check=True)


if __name__ == "__main__":
    main()
