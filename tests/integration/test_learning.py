"""Every family learns: in minutes of a core it finds more held-out moves than luck does."""

import csv
import resource
import subprocess
import sys

import numpy as np
import pytest

from golois.dataset import Dataset
from golois.shapes import NUM_POINTS
from tests.data import EMBEDDED_GAMES, ROOT

# Of each family a network that learns enough by its recipe.
NETWORKS = {
    "resnet": dict(blocks=2, filters=16),
    "mobilenet": dict(blocks=2, filters=32),
    "mixnet": dict(blocks=2),
    "restnet": dict(blocks="RT", filters=16),
    "nogozero": dict(blocks=2, filters=16),
    "alphago": dict(num_layers=4, filters=16),
    "two_headed": dict(num_layers=4, filters=16),
    "vit": {},
    "isn": {},
    "isn_tower": dict(blocks=2, width=2),
    "convnext": dict(blocks=2, filters=16),
    "shufflenet": dict(blocks=2, filters=32),
    "eca": dict(blocks=2, filters=32),
    "cbam": dict(blocks=2, filters=32),
    "coordinate": dict(blocks=2, filters=32),
    "efficientformer": dict(pooling_blocks=1, attention_blocks=1, filters=16),
}
RECIPE = ("--epochs=2", "--steps-per-epoch=100", "--batch-size=64", "--lr=0.005")
# Nine patches of 49 points are slow to tell one point from another.
PATCHES = ("--epochs=2", "--steps-per-epoch=1500", "--batch-size=64", "--warmup-epochs=0.2")
RECIPES = {"vit": PATCHES}
FACTOR, FACTORS = 3.0, {"vit": 2.0}
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


def test_every_family_has_a_network():
    from models.catalogue.registry import REGISTRY

    assert set(NETWORKS) == set(REGISTRY)


@pytest.mark.slow
@pytest.mark.parametrize("name", NETWORKS)
def test_a_family_beats_luck(name, luck, tmp_path):
    settings = [f"--set={key}={value}" for key, value in NETWORKS[name].items()]
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
    assert float(last["val_policy_accuracy"]) > FACTORS.get(name, FACTOR) * luck
