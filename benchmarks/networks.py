"""What one position costs in each network of the registry, as the arena runs it.

Named peer: the resnet, whose time is 1×. Every budget preset is saved, judged and baked by the
intake, and evaluated by the default runtime in batches of 8 on one core. The networks take turns in
short slices, and the median batch of each counts, in processor time: so the ratios hold on a busy
machine too.

The times go into data/measured_networks.csv, which `python -m models table` shows; what else it has
is kept.

    python benchmarks/networks.py [NETWORK …] [--seconds 3] [--keep-file]
"""

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path

os.environ["TF_NUM_INTRAOP_THREADS"] = os.environ["TF_NUM_INTEROP_THREADS"] = "1"

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from golois.dataset import Dataset
from models.measured import write_times
from models.training.quiet import import_keras_quietly
from tournament.intake import judge
from tournament.runtimes import DEFAULT_RUNTIME, Run, compile_network

DATA = Path(__file__).resolve().parent.parent / "data" / "katago_b6.games"
BATCH_SIZE = 8
SLICE_SECONDS = 0.05
PEER = "resnet"


def baked_networks(names: list[str], planes: np.ndarray) -> dict[str, Run]:
    """Budget presets through the gates of the intake, ready to run on these planes."""
    import_keras_quietly()
    import models

    networks = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in track(list(dict.fromkeys([PEER, *(names or models.REGISTRY)])), "baking"):
            path = Path(folder) / f"{name}.h5"
            models.build(name).save(path)
            verdict = judge(path, work_dir=folder)
            if not verdict.accepted:
                raise SystemExit(f"{name}: {verdict.faults[0].text}")
            model = verdict.onnx_path.read_bytes()
            networks[name] = compile_network(DEFAULT_RUNTIME, model, planes)
    return networks


def milliseconds(networks: dict[str, Run], seconds: float) -> dict[str, float]:
    """Milliseconds of processor time for a position: of the median batch of each network."""
    times: dict[str, list[float]] = {name: [] for name in networks}
    for _ in track(range(max(1, round(seconds / SLICE_SECONDS))), "measuring"):
        for name, run in networks.items():
            run()  # brings its own weights back into the caches
            end = time.process_time() + SLICE_SECONDS
            while (start := time.process_time()) < end:
                run()
                times[name].append(time.process_time() - start)
    return {name: 1000 * statistics.median(of) / BATCH_SIZE for name, of in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help="beside the peer; else all")
    parser.add_argument("--seconds", type=float, default=3.0, help="for each network")
    parser.add_argument("--keep-file", action="store_true", help="print the times only")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    planes = Dataset(DATA).sample(BATCH_SIZE, step=0).planes
    found = milliseconds(baked_networks(options.networks, planes), options.seconds)
    table = Table(title=f"one position in batches of {BATCH_SIZE}, {DEFAULT_RUNTIME}")
    table.add_column("network")
    for heading in ("CPU ms", f"of {PEER}'s", "positions/s"):
        table.add_column(heading, justify="right")
    for name, ms in found.items():
        table.add_row(name, f"{ms:.2f}", f"{ms / found[PEER]:.2f}×", f"{1000 / ms:,.0f}")
    Console().print(table)
    if not options.keep_file:
        write_times(found)


if __name__ == "__main__":
    main()
