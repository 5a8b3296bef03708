"""KataGo's own networks say what KataGo itself says of golden positions.

The networks are too large to keep here. They are looked for in the folder that the environment
variable KATAGO_NETWORKS names, and in an installed KaTrain.
"""

import csv
import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from golois.katago.answers import answers_of
from golois.katago.inputs import Inputs
from golois.katago.reading import read_network
from golois.kit.files import sha256_of
from golois.labels.positions import targets_of
from golois.records.finished_games import LEAST_SHARE
from models.katago import build_katago
from tests.data import ROOT
from tournament.networks.katago import KataGoNetwork
from tournament.networks.runtimes import BF16, INT8, open_vino

FOLDER = ROOT.parent / "shared" / "golden" / "katago"
DIGESTS = {
    "b6": "f5d32604e3675c480c7c8f6aa579a1ea857135628a0afccc8fa56330fbacd38d",
    "b15": "1579a64e6190c3a8d73eeb96feb4dee1879f9e5e114279b15d6c56dbab3b0f78",
    "new": "0ba27eced5180b3e3d0b898b280c541112989765e789d1eb6cd0d31b2b2c1229",
}
LOGIT, PROBABILITY, OWNERSHIP, POINTS, ROUNDED = 1e-3, 2e-5, 5e-5, 0.01, 2.5e-4
FEW = 8  # positions for Keras, which is slower

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not FOLDER.exists(), reason="no golden positions here"),
]


def network_files() -> dict[str, Path]:
    """The golden networks that this machine has."""
    katrain = find_spec("katrain")
    folders = (
        [Path(place) / "models" for place in katrain.submodule_search_locations or ()]
        if katrain
        else []
    )
    if named := os.environ.get("KATAGO_NETWORKS"):
        folders.append(Path(named))
    files = {sha256_of(file): file for folder in folders for file in folder.glob("*.bin.gz")}
    return {name: files[digest] for name, digest in DIGESTS.items() if digest in files}


@pytest.fixture(scope="module", params=DIGESTS)
def golden(request):
    """A network, the golden positions and what KataGo says of them.

    Positions under simple ko are left out: the kit knows no game without a result.
    """
    files = network_files()
    if request.param not in files:
        pytest.skip(f"the network {request.param} is not here")
    with (FOLDER / "positions.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    with np.load(FOLDER / "outputs.npz") as arrays:
        simple = ["simple" in rows[position]["tags"].split() for position in arrays["position"]]
        kept = np.flatnonzero(~np.array(simple))
        said = {
            name.removeprefix(f"{request.param}_"): arrays[name][kept]
            for name in arrays
            if name.startswith(f"{request.param}_")
        }
        chosen = arrays["position"][kept]
    white = [rows[position]["to_move"].lower().startswith("w") for position in chosen]
    return read_network(files[request.param]), inputs_of(chosen, np.array(white)), said


def inputs_of(chosen: np.ndarray, white: np.ndarray) -> Inputs:
    with np.load(FOLDER / "inputs.npz") as arrays:
        bits = np.unpackbits(arrays["planes"][chosen], axis=1)[:, : 22 * 361]
        legal = np.unpackbits(arrays["legal"][chosen], axis=1)[:, :362].astype(bool)
        global_inputs = arrays["globals"][chosen]
    planes = np.moveaxis(bits.reshape(-1, 22, 19, 19), 1, 3).astype(np.float32)
    return Inputs(planes, global_inputs, legal, white)


def assert_raw(found: dict, said: dict, rows: slice = slice(None)) -> None:
    for name in ("value", "score", "ownership"):
        np.testing.assert_allclose(found[name], said[name][rows], rtol=0, atol=LOGIT, err_msg=name)
    for channel, name in enumerate(("policy", "policy_optimistic")):
        if name in said:
            logits = found["policy"][..., channel]
            np.testing.assert_allclose(logits, said[name][rows], rtol=0, atol=LOGIT, err_msg=name)


def test_openvino_says_what_katago_says(golden):
    network, positions, said = golden
    raw = KataGoNetwork(network)(positions.planes, positions.globals)
    assert_raw(raw, said)
    found = answers_of(network, raw, positions)
    policy = np.where(positions.legal, found.policy, -1)
    np.testing.assert_allclose(policy, said["probs"], rtol=0, atol=PROBABILITY + ROUNDED)
    assert (policy.argmax(1) == np.where(positions.legal, said["policy"], -np.inf).argmax(1)).all()
    np.testing.assert_allclose(found.white_wins, said["final"][:, 0], rtol=0, atol=PROBABILITY)
    np.testing.assert_allclose(found.lead, said["final"][:, 3], rtol=0, atol=POINTS)
    sign = np.where(positions.white_to_move, 1, -1)[:, np.newaxis]
    ownership = sign * np.tanh(said["ownership"])
    np.testing.assert_allclose(found.ownership, ownership, rtol=0, atol=OWNERSHIP)
    kept = targets_of(found, LEAST_SHARE, ownership=True).ownership_numbers()
    np.testing.assert_allclose(kept / 127, ownership, rtol=0, atol=0.5 / 127 + OWNERSHIP)


def test_keras_says_what_katago_says(golden):
    network, positions, said = golden
    few = slice(FEW)
    inputs = {"planes": positions.planes[few], "globals": positions.globals[few]}
    assert_raw(build_katago(network).predict(inputs, verbose=0), said, few)


@pytest.mark.skipif(not open_vino.has_bfloat16(), reason="this processor has no bfloat16")
def test_bfloat16_is_close_on_average(golden):
    network, positions, said = golden
    raw = KataGoNetwork(network, precision=BF16)(positions.planes, positions.globals)
    found = answers_of(network, raw, positions)
    sign = np.where(positions.white_to_move, 1, -1)[:, np.newaxis]
    ownership = sign * np.tanh(said["ownership"])
    assert abs(found.white_wins - said["final"][:, 0]).mean() < 0.003
    assert abs(found.lead - said["final"][:, 3]).mean() < 0.2
    assert abs(found.ownership - ownership).mean() < 0.0015
    moved = np.abs(found.policy - np.where(positions.legal, said["probs"], 0)).sum(1) / 2
    assert moved.mean() < 0.01
    assert (found.policy.argmax(1) == said["probs"].argmax(1)).mean() >= 0.95


def test_int8_is_close_on_average(golden):
    network, positions, said = golden
    if network.is_transformer:
        pytest.skip("int8 is for networks of convolutions")
    rows = [slice(start, None, 2) for start in (0, 1)]
    examples, others = (Inputs(*(x[every] for x in positions)) for every in rows)
    predict = KataGoNetwork(network, 8, INT8, lambda: examples)
    found = answers_of(network, predict(others.planes, others.globals), others)
    final, shares = said["final"][rows[1]], np.where(others.legal, said["probs"][rows[1]], 0)
    assert abs(found.white_wins - final[:, 0]).mean() < 0.01
    assert abs(found.lead - final[:, 3]).mean() < 1
    assert (np.abs(found.policy - shares).sum(1) / 2).mean() < 0.03
    assert (found.policy.argmax(1) == shares.argmax(1)).mean() >= 0.9
