"""A network that is turned, mirrored or has its logits scaled is known as a copy."""

import keras
import numpy as np
import pytest

from tests.data import ROOT
from tournament.intake import judge
from tournament.league.likeness import are_alike

NETWORKS = ROOT / "data" / "networks"


def manifest_of(path, folder):
    verdict = judge(path, work_dir=folder)
    assert verdict.accepted, verdict.faults
    return verdict.manifest.to_json()


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return manifest_of(NETWORKS / "resnet" / "best.h5", tmp_path_factory.mktemp("known"))


def copy_of_resnet(turn, scale):
    """The network with its convolutions turned, and the logits of both heads scaled."""
    model = keras.models.load_model(NETWORKS / "resnet" / "best.h5", compile=False)
    layers = keras.layers
    for layer in model.layers:
        if isinstance(layer, layers.Conv2D):
            kernel, *bias = layer.get_weights()
            layer.set_weights([turn(kernel), *bias])
    logits = layers.Rescaling(scale)(model.get_layer("policy").input)
    value = layers.Dense(1, activation="sigmoid", name="other_value")
    heads = [layers.Activation("softmax", name="other_policy")(logits), value(model.outputs[1])]
    value.set_weights([np.array([[4 * scale]]), np.array([0.5 - 2 * scale])])
    return keras.Model(model.inputs, heads)


@pytest.mark.parametrize(
    ("turn", "scale"),
    [
        (np.rot90, 2.0),
        pytest.param(lambda kernel: kernel[::-1], 0.2, marks=pytest.mark.slow),
        pytest.param(lambda kernel: kernel.transpose(1, 0, 2, 3), 20.0, marks=pytest.mark.slow),
        pytest.param(lambda kernel: kernel, 5.0, marks=pytest.mark.slow),
        pytest.param(np.rot90, 100.0, marks=pytest.mark.slow),
    ],
    ids=["turned", "mirrored", "transposed", "scaled", "sure"],
)
def test_a_turned_or_scaled_network_is_a_copy(known, tmp_path, turn, scale):
    path = tmp_path / "copy.keras"
    copy_of_resnet(turn, scale).save(path)
    found = manifest_of(path, tmp_path)
    assert are_alike(known, found) and are_alike(found, known)


@pytest.mark.slow
def test_two_networks_of_the_kit_are_no_copies(known, tmp_path):
    assert not are_alike(known, manifest_of(NETWORKS / "nogozero" / "best.h5", tmp_path))
