"""A train.py that takes no time: the files of a run, and a line for each time that it was called.

With FAKE_TRAIN_FAILS=NAME the run in a folder of that name fails after its first epoch.
"""

import json
import os
import sys
from pathlib import Path

where, path, *arguments = sys.argv[1:]
folder = Path(path)
config, calls = folder / "config.json", folder / "calls.txt"
assert (where == "--resume") == config.exists()
folder.mkdir(parents=True, exist_ok=True)
calls.write_text((calls.read_text() if calls.exists() else "") + f"{where}\n")
parameters = {"total": 105_397, "trainable": 101_461}
given = dict(text[2:].split("=", 1) for text in arguments)
options = {
    "data": {"a.games": 1},
    "distill": "",
    "optimizer": "muon",
    "lr": float(given.get("lr", 0.01)),
    "weight_decay": 0.004,
    "warmup_epochs": 0.5,
    "seed": int(given.get("seed", 0)),
    "validation_fraction": 0.05,
    "validation_positions": 2048,
}
data = {"files": [{"sha256": "0", "num_validation_positions": 1024}]}
if where == "--out":
    config.write_text(json.dumps({"parameters": parameters, "options": options, "data": data}))
(folder / "checkpoint.npz").write_text(f"after {where}")
print("epoch 1", flush=True)
if os.environ.get("FAKE_TRAIN_FAILS") == folder.name:
    sys.exit("no more memory")
rows = [
    "seconds,positions,val_loss,val_policy_accuracy,val_value_mse",
    "60,1000,5,0.25,0.09",
    "120,2000,4,0.375,0.08",
    "180,3000,4.5,0.5,0.07",
]
(folder / "history.csv").write_text("\n".join(rows))
(folder / "best.h5").write_text(" ".join(arguments))
print("finished", flush=True)
