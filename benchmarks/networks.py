"""What one position costs in each network of the registry, as the arena runs it.

Named peer: the resnet, whose time is 1×. Every budget preset, or variant of it, is saved, judged
and baked by the intake, and evaluated by the default runtime in batches of 8 on one core.

The times of presets go into data/measured_networks.csv, which `python -m models table` shows; what
else it has is kept.

    python -m benchmarks.networks [NETWORK …] [--peer resnet] [--seconds 3] [--keep-file]
    python -m benchmarks.networks restnet,blocks=RRTRRT restnet,blocks=6T --peer restnet,blocks=6R
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

os.environ["TF_NUM_INTRAOP_THREADS"] = os.environ["TF_NUM_INTEROP_THREADS"] = "1"

import numpy as np
from rich.progress import track

from benchmarks.report import DATA, median_calls, show, stay_on_one_core
from golois.data.dataset import Dataset
from golois.kit.command import run_in_words
from golois.kit.options import key_values
from models.training.quiet import import_keras_quietly
from tournament.intake import judge
from tournament.networks.runtimes import DEFAULT_RUNTIME, Run, compile_network

BATCH_SIZE = 8


class Baked(NamedTuple):
    """A network that is ready to run, and how many parameters count."""

    run: Run
    parameters: int


def baked_networks(names: list[str], planes: np.ndarray) -> dict[str, Baked]:
    """Networks of the registry, with options after commas, as the arena has them for a batch."""
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "networks", nargs="*", metavar="NETWORK[,KEY=VALUE…]", help="beside the peer; else all"
    )
    parser.add_argument("--peer", default="resnet", metavar="NETWORK[,KEY=VALUE…]")
    parser.add_argument("--seconds", type=float, default=3.0, help="for each network")
    parser.add_argument("--keep-file", action="store_true", help="print the times only")
    options = parser.parse_args()
    stay_on_one_core()
    import_keras_quietly()
    from models.catalogue.registry import REGISTRY
    from models.catalogue.table import write_times

    planes = Dataset(DATA).sample(BATCH_SIZE, step=0).planes
    names = dict.fromkeys([options.peer, *(options.networks or REGISTRY)])
    networks = baked_networks(list(names), planes)
    calls = median_calls({name: each.run for name, each in networks.items()}, options.seconds)
    found = {name: 1000 * seconds / BATCH_SIZE for name, seconds in calls.items()}
    show(
        f"one position in batches of {BATCH_SIZE}, {DEFAULT_RUNTIME}",
        "network | parameters | CPU ms | of the peer's | positions/s",
        (
            (name, f"{networks[name].parameters:,}", f"{ms:.2f}",
             f"{ms / found[options.peer]:.2f}×", f"{1000 / ms:,.0f}")
            for name, ms in found.items()
        ),
    )  # fmt: skip
    if not options.keep_file:
        write_times({name: ms for name, ms in found.items() if "," not in name})
    return 0


if __name__ == "__main__":
    sys.exit(run_in_words("benchmarks.networks", main))
