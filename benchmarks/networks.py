"""What one position costs in each network of the registry, as the arena runs it.

Named peer: the resnet, whose time is 1×. Every budget preset, or variant of it, is saved, judged
and baked by the intake, and evaluated by the default runtime in batches of 8 on one core. The
networks take turns in short slices, and the median batch of each counts, in processor time: so the
ratios hold on a busy machine too.

The times of presets go into data/measured_networks.csv, which `python -m models table` shows; what
else it has is kept.

    python benchmarks/networks.py [NETWORK …] [--peer resnet] [--seconds 3] [--keep-file]
    python benchmarks/networks.py restnet,blocks=RRTRRT restnet,blocks=6T --peer restnet,blocks=6R
"""

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

os.environ["TF_NUM_INTRAOP_THREADS"] = os.environ["TF_NUM_INTEROP_THREADS"] = "1"

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from golois.dataset import Dataset
from golois.kit.options import key_values
from models.training.quiet import import_keras_quietly
from tournament.intake import judge
from tournament.networks.runtimes import DEFAULT_RUNTIME, Run, compile_network

DATA = Path(__file__).resolve().parent.parent / "data" / "katago_b6.games"
BATCH_SIZE = 8
SLICE_SECONDS = 0.05


class Baked(NamedTuple):
    """A network that is ready to run, and how many parameters count."""

    run: Run
    parameters: int


def baked_networks(names: list[str], planes: np.ndarray) -> dict[str, Baked]:
    """Networks through the gates of the intake, by their names, to run on these planes.

    Args:
        names: of the registry, each for a budget preset, or with options as `restnet,blocks=6R`.
        planes: a batch of positions.
    """
    import_keras_quietly()
    import models

    networks = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in track(names, "baking"):
            family, *options = name.split(",")
            path = Path(folder) / "network.h5"
            models.build(family, **models.resolve_options(family, key_values(options))).save(path)
            verdict = judge(path, work_dir=folder)
            if not verdict.accepted:
                raise SystemExit(f"{name}: {verdict.faults[0].text}")
            run = compile_network(DEFAULT_RUNTIME, verdict.onnx_path.read_bytes(), planes)
            networks[name] = Baked(run, verdict.manifest.parameters_total)
    return networks


def all_names() -> list[str]:
    """Those of the registry."""
    import_keras_quietly()
    from models.catalogue.registry import REGISTRY

    return list(REGISTRY)


def milliseconds(networks: dict[str, Baked], seconds: float) -> dict[str, float]:
    """Milliseconds of processor time for a position: of the median batch of each network."""
    times: dict[str, list[float]] = {name: [] for name in networks}
    for _ in track(range(max(1, round(seconds / SLICE_SECONDS))), "measuring"):
        for name, (run, _) in networks.items():
            run()  # brings its own weights back into the caches
            end = time.process_time() + SLICE_SECONDS
            while (start := time.process_time()) < end:
                run()
                times[name].append(time.process_time() - start)
    return {name: 1000 * statistics.median(of) / BATCH_SIZE for name, of in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "networks", nargs="*", metavar="NETWORK[,KEY=VALUE…]", help="beside the peer; else all"
    )
    parser.add_argument("--peer", default="resnet", metavar="NETWORK[,KEY=VALUE…]")
    parser.add_argument("--seconds", type=float, default=3.0, help="for each network")
    parser.add_argument("--keep-file", action="store_true", help="print the times only")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    planes = Dataset(DATA).sample(BATCH_SIZE, step=0).planes
    names = dict.fromkeys([options.peer, *(options.networks or all_names())])
    networks = baked_networks(list(names), planes)
    found = milliseconds(networks, options.seconds)
    table = Table(title=f"one position in batches of {BATCH_SIZE}, {DEFAULT_RUNTIME}")
    table.add_column("network")
    for heading in ("parameters", "CPU ms", "of the peer's", "positions/s"):
        table.add_column(heading, justify="right")
    for name, ms in found.items():
        ratio, speed = f"{ms / found[options.peer]:.2f}×", f"{1000 / ms:,.0f}"
        table.add_row(name, f"{networks[name].parameters:,}", f"{ms:.2f}", ratio, speed)
    Console().print(table)
    if not options.keep_file:
        from models.catalogue.table import write_times

        write_times({name: ms for name, ms in found.items() if "," not in name})


if __name__ == "__main__":
    main()
