"""Trains twice, once without a break and once stopped and resumed, and says whether all is alike.

Run in a process of its own, which the environment tells the backend and the number of threads; the
arguments are train.py's, with the folder for both runs before them.
"""

import json
import signal
import sys
from pathlib import Path

import numpy as np

import train


def stopped_at(step: int):
    """`EpochReporter.show_batch` that sends itself Ctrl-C after a batch."""
    show_batch = train.EpochReporter.show_batch

    def interrupting(self, state):
        show_batch(self, state)
        if state.step == step:
            signal.raise_signal(signal.SIGINT)

    return interrupting


def arrays(folder: Path) -> dict[str, np.ndarray]:
    """All that a run has come to, less its wall time."""
    with np.load(folder / "checkpoint.npz") as archive:
        found = dict(archive)
    state = json.loads(str(found.pop("state")))
    del state["seconds"]
    for row in state["history"]:
        del row["seconds"]
    return {**found, "state": np.array(json.dumps(state))}


def main(folder: Path, arguments: list[str]) -> None:
    whole, broken = folder / "whole", folder / "broken"
    codes = [train.main([*arguments, "--out", str(whole)])]
    show_batch = train.EpochReporter.show_batch
    train.EpochReporter.show_batch = stopped_at(5)
    codes.append(train.main([*arguments, "--out", str(broken)]))
    train.EpochReporter.show_batch = show_batch
    codes.append(train.main(["--resume", str(broken)]))
    ours, theirs = arrays(whole), arrays(broken)
    different = [name for name in ours if not np.array_equal(ours[name], theirs.get(name))]
    print(json.dumps({"codes": codes, "different": different, "num_arrays": len(ours)}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
