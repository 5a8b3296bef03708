"""What judging a file costs, against loading the same file with Keras.

Named peer: `keras.saving.load_model(path, compile=False)` in a process of its own, which neither
checks nor converts anything and trusts the file. Time is processor time with the start of the
processes; memory is the most that one process had. One run measures everything.

    python benchmarks/intake.py [FILE.h5 …]            without files: the registry's networks
"""

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tournament.board.networks import names_of
from tournament.intake import judge

ROOT = Path(__file__).resolve().parent.parent
_LOAD = """
import sys
status = open("/proc/self/status")
import keras
keras.saving.load_model(sys.argv[1], compile=False)
import time
print(time.process_time(), next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""
_SAVE = """
import sys, models
for name in models.REGISTRY:
    models.build(name).save(f"{sys.argv[1]}/{name}.h5")
"""


def judged(path: Path, repeats: int) -> tuple[float, float, float]:
    """Median processor seconds, wall seconds, and MB of one judgement."""
    rows = []
    with tempfile.TemporaryDirectory() as work_dir:
        for _ in range(repeats):
            start = time.perf_counter()
            verdict = judge(path, work_dir=work_dir)
            wall = time.perf_counter() - start
            rows.append((verdict.usage.cpu_seconds, wall, verdict.usage.peak_bytes / 1e6))
    return tuple(map(statistics.median, zip(*rows, strict=True)))


def loaded(path: Path, repeats: int) -> tuple[float, float, float] | None:
    """The same of Keras, None where it can't load the file."""
    rows = []
    for _ in range(repeats):
        start = time.perf_counter()
        command = [sys.executable, "-c", _LOAD, str(path)]
        result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        if result.returncode != 0:
            return None
        wall = time.perf_counter() - start
        seconds, kibibytes = re.findall(r"[\d.]+", result.stdout)[-2:]
        rows.append((float(seconds), wall, 1024 * float(kibibytes) / 1e6))
    return tuple(map(statistics.median, zip(*rows, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = options.files
        if not files:
            subprocess.run(
                [sys.executable, "-c", _SAVE, folder], check=True, capture_output=True, cwd=ROOT
            )
            files = sorted(Path(folder).glob("*.h5"))
        table = Table(title="one file: processor seconds, wall seconds, most memory")
        for name in ("file", "judge CPU s", "wall s", "MB", "Keras CPU s", "wall s", "MB"):
            table.add_column(name, justify="left" if name == "file" else "right")
        for name, path in zip(names_of([path.resolve() for path in files]), files, strict=True):
            peer = loaded(path, options.repeats)
            cells = [*judged(path, options.repeats), *(peer or ())]
            row = [f"{cell:.0f}" if at % 3 == 2 else f"{cell:.2f}" for at, cell in enumerate(cells)]
            table.add_row(name, *row, *([] if peer else ["does not load", "", ""]))
        Console().print(table)


if __name__ == "__main__":
    main()
