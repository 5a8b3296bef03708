"""KataGo's networks in Keras say what a slow reference says, and can be saved."""

import keras
import numpy as np
import pytest

from golois.katago.reading import read_network
from models.katago import build_katago
from tests.katago_files import (
    TRANSFORMER,
    assert_said,
    each_case,
    network_bytes,
    random_inputs,
    write_network,
)
from tests.reference_katago import reference_outputs


def predict(model: keras.Model, planes: np.ndarray, global_inputs: np.ndarray) -> dict:
    answers = model({"planes": planes, "globals": global_inputs}, training=False)
    return {name: keras.ops.convert_to_numpy(answer) for name, answer in answers.items()}


@each_case("version 8", "version 14", "version 17, fixed, mean of points", "version 17, identity")
def test_it_says_what_the_reference_says(case, tmp_path):
    version, blocks, options = case
    inputs = random_inputs(2)
    path = write_network(tmp_path / "net.bin", version, *blocks, **options)
    model = build_katago(read_network(path))
    expected = reference_outputs(network_bytes(version, *blocks, **options), *inputs)
    found = predict(model, *inputs)
    assert_said(found, expected)


def test_a_saved_model_and_a_clone_say_the_same(tmp_path):
    inputs = random_inputs(2)
    path = write_network(tmp_path / "net.bin", 17, *TRANSFORMER[1:3], tip="board")
    model = build_katago(read_network(path))
    model.save(tmp_path / "net.keras")
    clone = keras.models.clone_model(model)
    clone.set_weights(model.get_weights())
    expected = predict(model, *inputs)
    for other in (keras.models.load_model(tmp_path / "net.keras"), clone):
        for name, answer in predict(other, *inputs).items():
            np.testing.assert_array_equal(answer, expected[name])


@pytest.mark.slow
def test_names_are_the_files_and_nothing_is_trained(tmp_path):
    network = read_network(write_network(tmp_path / "net.bin", 8, "ordinary", "ordinary"))
    model = build_katago(network)
    assert model.get_layer("block1.2.conv").kernel.shape == (3, 3, 7, 6)
    assert model.trainable_weights == []
    model.trainable = True
    assert len(model.trainable_weights) > 20


def test_a_name_may_come_twice(tmp_path):
    data = network_bytes(8, "ordinary", "ordinary").replace(b"block1/", b"block0/")
    (tmp_path / "net.bin").write_bytes(data)
    inputs = random_inputs(1)
    found = predict(build_katago(read_network(tmp_path / "net.bin")), *inputs)
    np.testing.assert_allclose(
        found["policy"], reference_outputs(data, *inputs)["policy"], atol=1e-5
    )
