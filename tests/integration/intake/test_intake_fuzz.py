"""Random damage: refused or accepted, never a crash of the parent or an error of another kind."""

import json
import math
import os
import random
import shutil
import time

import h5py
import numpy as np
import pytest

from tests.integration.intake.bulk_fuzz import NETWORKS, fuzz_containers, fuzz_descriptions
from tests.integration.intake.damage import damage_container, damage_description, victim_of
from tournament.intake import judge

pytestmark = pytest.mark.usefixtures("forked_children")

# Both children together, the limits of the second among them (bake.LIMITS).
MAX_BYTES = 512 << 20


def test_damaged_containers_are_read_as_the_hdf5_library_reads_them(tmp_path):
    """`make fuzz-intake` tries ten thousand."""
    counts = fuzz_containers(60, 7, tmp_path)
    assert counts.total() == 60 and counts["read", "read"] > 8
    assert sum(counts[ours, "refused"] for ours in ("read", "refused")) > 8


def test_damaged_descriptions_are_refused_or_read(tmp_path):
    counts = fuzz_descriptions(80, 3, tmp_path, NETWORKS[-2:])
    assert counts.total() == 80 and counts["refused"] > 4 and counts["read"] > 4


def _damage_bytes(rng, path) -> None:
    path.write_bytes(damage_container(rng, victim_of(path.read_bytes())))


def _damage_description(rng, path) -> None:
    with h5py.File(path, "r+") as file:
        document = json.loads(file.attrs["model_config"])
        file.attrs["model_config"] = json.dumps(damage_description(rng, document))


def _damage_weights(rng, path) -> None:
    """Give arrays other shapes, types and numbers, or drop and double them."""
    with h5py.File(path, "r+") as file:
        found: list[str] = []
        file["model_weights"].visititems(
            lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) else None
        )
        for name in rng.sample(found, min(len(found), rng.choice((1, 2)))):
            array = file["model_weights"][name][()]
            del file["model_weights"][name]
            kind = rng.randrange(6)
            if kind == 0:
                continue
            changed = (
                array, array.reshape(-1), array[..., np.newaxis], array.astype("f8") * 1e30,
                np.zeros((0, 3), "f4"), array * np.float32(rng.choice((0, 1e6, -1e20))),
            )[kind]
            file["model_weights"][name] = changed


_DAMAGES = (_damage_bytes, _damage_description, _damage_weights)
_VICTIMS = ("resnet", "mobilenet", "operators", "attention", "nested", "split_blocks")


def _fuzz(keras_files, tmp_path, seed: int, seconds: float, rounds: int) -> int:
    """Judge damaged files; each is refused or accepted, within the limits."""
    rng = random.Random(seed)
    start, number = time.monotonic(), 0
    while number < rounds and time.monotonic() - start < seconds:
        number += 1
        victims = [name for name in _VICTIMS if (keras_files / f"{name}.h5").exists()]
        path = tmp_path / f"fuzz_{seed}_{number}.h5"
        shutil.copy(keras_files / f"{rng.choice(victims)}.h5", path)
        rng.choice(_DAMAGES)(rng, path)
        verdict = judge(path, work_dir=tmp_path / "work")
        assert verdict.accepted != bool(verdict.faults), path
        for fault in verdict.faults:
            assert (fault.text + fault.remedy).isascii() and fault.text.isprintable(), path
        assert verdict.usage.peak_bytes <= MAX_BYTES, (path, verdict)
        path.unlink()
    return number


def test_a_damaged_file_is_refused_or_accepted(keras_files, tmp_path):
    assert _fuzz(keras_files, tmp_path, seed=5, seconds=math.inf, rounds=4) == 4


@pytest.mark.slow
def test_ten_minutes_of_damaged_files(keras_files, tmp_path):
    """FUZZ_SECONDS and FUZZ_SEED choose another time and other damage."""
    seconds = float(os.environ.get("FUZZ_SECONDS", "600"))
    seed = int(os.environ.get("FUZZ_SEED", "1"))
    assert _fuzz(keras_files, tmp_path, seed, seconds, rounds=10**9) > 0
