"""train.py on Keras's backends: broken off and resumed it computes the same, bit for bit."""

import csv
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from tests.data import LABELLED_GAMES, ROOT
from tests.integration.intake import parity

TINY = [
    *("--model", "resnet", "--set", "blocks=2", "--set", "filters=4"),
    *("--epochs", "4", "--steps-per-epoch", "2", "--batch-size", "8"),
    *("--validation-positions", "16"),
]
NORMUON = ["--optimizer", "normuon", "--muon-blocks-only", "--cautious-decay"]
GROWING = ["--swa", "0.5", "--curriculum", "blocks=1", "--schedule", "onecycle", "--clip-norm", "1"]
GROWING += NORMUON
MIXED = ["--ema", "0.9", "--precision", "mixed_float16", "--optimizer", "adamw"]
TARGETS = ["--data", str(LABELLED_GAMES), "--hard-examples", "0.5", "--symmetry", "ordered"]
TARGETS += ["--aux", "soft_policy,short_term_values,optimistic_policy", "--ema", "0.9"]
SHARED = ["--ema", "0.9", "--devices", "2", "--set", "blocks=1"]


def needs(package: str) -> pytest.MarkDecorator:
    is_missing = importlib.util.find_spec(package) is None
    return pytest.mark.skipif(is_missing, reason=f"{package} is not installed")


@pytest.mark.parametrize(
    ("backend", "options"),
    [
        pytest.param("jax", SHARED, marks=needs("jax"), id="jax, two devices"),
        pytest.param("jax", MIXED, marks=needs("jax"), id="jax, one device"),
        pytest.param("torch", GROWING, marks=needs("torch"), id="torch, curriculum"),
        pytest.param("tensorflow", GROWING, marks=pytest.mark.slow, id="tensorflow, curriculum"),
        pytest.param("tensorflow", TARGETS, marks=pytest.mark.slow, id="tensorflow, targets"),
        pytest.param("tensorflow", MIXED, marks=pytest.mark.slow, id="tensorflow, mixed"),
    ],
)
def test_a_resumed_run_is_the_same_bit_for_bit(backend, options, tmp_path):
    told = probed("training_probe.py", backend, tmp_path, [str(tmp_path), *TINY, *options])
    assert told["codes"] == [0, 130, 0]
    assert told["different"] == [] and told["num_arrays"] > 50
    assert (json.loads((tmp_path / "whole" / "config.json").read_text()))["versions"][backend]
    check_averages(tmp_path / "whole")
    check_file(tmp_path / "whole" / "best.h5")


@needs("jax")
@pytest.mark.parametrize(
    "options",
    [MIXED, [*NORMUON, "--aux", "score"], ["--hard-examples", "0.5", "--aux", "ownership"]],
)
def test_steps_that_stay_on_the_device_are_those_of_keras(options, tmp_path):
    told = probed("jax_steps_probe.py", "jax", tmp_path, [*TINY, *options])
    assert told["kind"] == "JaxSteps" and told["furthest"] < 1e-5
    for means, expected in zip(told["told"], told["expected"], strict=True):
        assert means == pytest.approx(expected, rel=1e-4, abs=1e-6)


def probed(probe: str, backend: str, folder: Path, arguments: list[str]) -> Any:
    """What a program of tests/ prints last, run with a backend."""
    environment = {
        **os.environ,
        "KERAS_BACKEND": backend,
        "TF_NUM_INTRAOP_THREADS": "1",
        "XLA_FLAGS": "--xla_force_host_platform_device_count=2",
        "JAX_COMPILATION_CACHE_DIR": str(folder / "compiled"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / probe), *arguments],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def check_averages(folder: Path) -> None:
    """They are measured beside the weights, and are other ones."""
    with (folder / "history.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows[-1]["average_val_loss"] not in ("", rows[-1]["val_loss"])
    assert (folder / "average.h5").read_bytes() != (folder / "last.h5").read_bytes()


def check_file(path: Path) -> None:
    """It is taken by the intake, computes in float32, and Keras loads it to the same answers."""
    loaded = keras.saving.load_model(path, compile=False)
    assert {layer.compute_dtype for layer in loaded.layers} == {"float32"}
    network = parity.read(parity.open_file(path))
    assert network.parameters_total == loaded.count_params()
    planes = np.random.default_rng(0).integers(0, 2, (2, 19, 19, 31)).astype(np.float32)
    policy, value = (keras.ops.convert_to_numpy(answer) for answer in loaded(planes))
    np.testing.assert_allclose(policy.sum(axis=1), 1, rtol=1e-5)
    assert (value >= 0).all() and (value <= 1).all()
