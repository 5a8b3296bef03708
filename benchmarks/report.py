"""What the benchmarks share: how they print a table, and how they take turns on one core."""

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tournament.game.play import cpu_model

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "data" / "katago_b6.games"
SLICE_SECONDS = 0.05
_SAVE = """
import sys, models
for name in sys.argv[2:] or models.REGISTRY:
    models.build(name).save(f"{sys.argv[1]}/{name}.h5")
"""


def show(title: str, columns: str, rows: Iterable[Iterable[str]], words: int = 1) -> None:
    """Print a table, and beneath it the machine, the date and the commit.

    Args:
        columns: their headings, separated by bars.
        rows: of cells; a row may be shorter.
        words: how many columns from the left have words; the others have numbers.
    """
    table = Table(title=title, caption=f"{cpu_model()}, {time.strftime('%F')}, {_commit()}")
    for number, heading in enumerate(columns.split("|")):
        table.add_column(heading.strip(), justify="left" if number < words else "right")
    for row in rows:
        table.add_row(*row)
    Console(width=140).print(table)


def _commit() -> str:
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "no commit"


def stay_on_one_core() -> None:
    """Keep this process on one core, where the system can; libraries then count one."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def median_calls(ways: dict[str, Callable[[], object]], seconds: float) -> dict[str, float]:
    """Return the processor seconds of the median call of each way, after a call to warm up.

    The ways take turns in short slices, so the ratios hold on a busy machine too.
    """
    calls: dict[str, list[float]] = {name: [] for name in ways}
    for call in ways.values():
        call()
    for _ in range(max(1, round(seconds / SLICE_SECONDS))):
        for name, call in ways.items():
            call()  # brings its own data back into the caches
            end = time.process_time() + SLICE_SECONDS
            while (start := time.process_time()) < end:
                call()
                calls[name].append(time.process_time() - start)
    return {name: statistics.median(times) for name, times in calls.items()}


def children_seconds() -> float:
    """Processor time of all processes that were started here and are over."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def saved_presets(folder: Path, *names: str) -> list[Path]:
    """Save presets of the registry, or all, in a process of its own: Keras stays out of this."""
    command = [sys.executable, "-c", _SAVE, folder, *names]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return sorted(folder.glob("*.h5"))
