"""Every family learns: in minutes of a core it finds more held-out moves than luck does."""

import csv
import resource
import subprocess
import sys

import numpy as np
import pytest

import models
from golois.constants import NUM_POINTS
from golois.data.dataset import Dataset
from tests.data import EMBEDDED_GAMES, ROOT

ADAM = ("--epochs=2", "--optimizer=adam", "--warmup-epochs=0", "--value-weight=4")
RECIPE = (*ADAM, "--steps-per-epoch=100", "--batch-size=64", "--lr=0.005")
# A patch of 49 points has to learn each of them.
PATCHES = (*ADAM, "--steps-per-epoch=1000", "--batch-size=32", "--lr=0.001")
RECIPES = {"vit": PATCHES}
FACTOR = 3.0
CPU_SECONDS = 180
HELD_OUT = 2048


def cpu_seconds_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@pytest.fixture(scope="module")
def luck() -> float:
    """The share of held-out moves that the better of two guessers finds.

    They are any point, and the one most often played in the games to train on.
    """
    moves = {}
    for split in ("train", "validation"):
        dataset = Dataset(EMBEDDED_GAMES, planes="bits", seed=0)
        batch = dataset.sample(20_000, 0, split=split, symmetry=False, targets=("policy",))
        moves[split] = batch.policy.argmax(axis=1)
    favourite = np.bincount(moves["train"], minlength=NUM_POINTS).argmax()
    return max(1 / NUM_POINTS, float((moves["validation"] == favourite).mean()))


@pytest.mark.slow
@pytest.mark.parametrize("name", models.REGISTRY)
def test_a_family_beats_luck(name, luck, tmp_path):
    settings = [f"--set={key}={value}" for key, value in models.REGISTRY[name].learns.items()]
    recipe = RECIPES.get(name, RECIPE)
    before = cpu_seconds_of_children()
    subprocess.run(
        [
            *(sys.executable, "train.py", "--model", name, *settings, *recipe),
            *("--data", EMBEDDED_GAMES, "--validation-positions", str(HELD_OUT)),
            *("--out", tmp_path / "run"),
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    assert cpu_seconds_of_children() - before <= CPU_SECONDS
    with (tmp_path / "run" / "history.csv").open() as file:
        *_, last = csv.DictReader(file)
    assert float(last["val_policy_accuracy"]) > FACTOR * luck
