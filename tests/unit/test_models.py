"""The contract over the whole registry, and the parameter counts that the papers' networks have."""

import subprocess
import sys
from functools import cache

import numpy as np
import pytest

from models.training.quiet import import_keras_quietly

import_keras_quietly()

import keras  # noqa: E402

import models  # noqa: E402
from models import registry  # noqa: E402
from models.contract import (  # noqa: E402
    INPUT_SHAPE,
    PARAM_BUDGET,
    check_submittable,
    count_parameters,
)
from models.training.steps import save_network  # noqa: E402

COUNTS = [
    ("resnet", dict(), 95_987, 95_325),
    ("resnet", dict(blocks=3, filters=40, value_head="alphago"), 143_001, 142_517),
    ("resnet", dict(blocks=3, filters=40, value_head="spatial_average"), 121_815, 121_233),
    ("resnet", dict(blocks=3, filters=40, value_head="global_average"), 121_975, 121_393),
    ("resnet", dict(blocks=4, filters=32, value_head="alphago"), 123_913, 123_397),
    ("resnet", dict(blocks=4, filters=32, value_head="spatial_average"), 102_727, 102_113),
    ("resnet", dict(blocks=4, filters=32, value_head="global_average"), 102_495, 101_881),
    ("mobilenet", dict(blocks=18), 98_501, 92_677),
    ("mobilenet", dict(blocks=19), 103_813, 97_669),
    ("mobilenet", dict(blocks=17, se_ratio=16), 95_365, 89_861),
    ("mobilenet", dict(blocks=18, se_ratio=16), 100_805, 94_981),
    ("mobilenet", dict(blocks=19, se_ratio=16), 106_245, 100_101),
    ("mixnet", dict(blocks=31, filters=32, trunk=16), 97_717, 90_741),
    ("mixnet", dict(blocks=16, filters=64, trunk=16), 99_285, 92_597),
    ("mixnet", dict(blocks=8, filters=64, trunk=48), 105_397, 101_461),
    ("mixnet", dict(blocks=31, filters=32, trunk=16, value_units=64), 97_969, 90_993),
    ("mixnet", dict(blocks=16, filters=64, trunk=16, value_units=64), 99_537, 92_849),
    ("mixnet", dict(blocks=8, filters=64, trunk=48, value_units=64), 106_097, 102_161),
    ("mixnet", dict(blocks=19, filters=64, trunk=32, value_units=64), 180_897, 172_321),
    ("mixnet", dict(blocks=12, filters=64, trunk=16, se_position="expanded"), 99_029, 94_005),
    ("mixnet", dict(blocks=16, filters=64, trunk=16, se_position="expanded"), 131_541, 124_853),
    ("mixnet", dict(blocks=27, filters=32, trunk=16, se_position="expanded"), 98_261, 92_181),
]
SMALL = {
    "resnet": dict(blocks=1, filters=4),
    "mobilenet": dict(blocks=1, filters=4, trunk=4),
    "mixnet": dict(blocks=1, filters=4, trunk=4),
}



@cache
def built(name: str, **options) -> keras.Model:
    """A network that tests only look at: building thirty blocks takes a second."""
    return models.build(name, **options)


@pytest.mark.parametrize(
    ("name", "options", "total", "trainable"), COUNTS, ids=[f"{row[0]}-{row[2]}" for row in COUNTS]
)
def test_parameter_counts(name, options, total, trainable):
    model = built(name, **options)
    assert count_parameters(model) == total
    assert count_parameters(model, "trainable") == trainable


@pytest.mark.parametrize("name", models.REGISTRY)
def test_the_table_in_the_docstring_is_true(name):
    """Its rows are those of COUNTS, and the presets are among them."""
    spec = models.REGISTRY[name]
    lines = sys.modules[spec.build.__module__].__doc__.splitlines()
    rows = [line.split("|")[1:4] for line in lines if line.startswith("| ")][1:]
    written = {(int(total.replace(",", "")), int(trainable.replace(",", ""))): text
               for text, total, trainable in rows}  # fmt: skip
    assert set(written) == {row[2:] for row in COUNTS if row[0] == name}
    for preset in ("budget", "paper"):
        model = built(name, **getattr(spec, preset))
        sizes = (count_parameters(model), count_parameters(model, "trainable"))
        assert f": {preset}" in written[sizes]


@pytest.mark.parametrize("name", models.REGISTRY)
def test_budget_preset_can_be_handed_in(name):
    model = built(name)
    assert check_submittable(model) == []
    assert model.count_params() <= PARAM_BUDGET
    assert [tensor.name for tensor in model.inputs] == ["board"]
    assert model.output_names == ["policy", "value"]


@pytest.mark.parametrize("name", models.REGISTRY)
def test_outputs_are_probabilities(name):
    planes = np.random.default_rng(0).random((3, *INPUT_SHAPE), np.float32)
    policy, value = models.build(name, **SMALL.get(name, {})).predict_on_batch(planes)
    assert policy.shape == (3, 361) and value.shape == (3, 1)
    np.testing.assert_allclose(policy.sum(axis=1), 1, rtol=1e-5)
    assert (policy >= 0).all() and (value >= 0).all() and (value <= 1).all()


@pytest.mark.parametrize("name", models.REGISTRY)
def test_h5_loads_to_the_same_outputs(name, tmp_path):
    model = models.build(name, preset="paper", **SMALL.get(name, {}))
    planes = np.random.default_rng(1).random((2, *INPUT_SHAPE), np.float32)
    save_network(tmp_path / "net.h5", model)
    loaded = keras.saving.load_model(tmp_path / "net.h5", compile=False)
    for ours, theirs in zip(
        model.predict_on_batch(planes), loaded.predict_on_batch(planes), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
    assert [path.name for path in tmp_path.iterdir()] == ["net.h5"]


def test_paper_presets_clip_logits_and_budget_presets_do_not():
    for name in models.REGISTRY:
        assert models.resolve_options(name)["policy_activation"] == "linear"
        assert models.resolve_options(name, preset="paper")["policy_activation"] != "linear"


def test_the_naive_mobilenet_takes_the_maximum():
    assert models.resolve_options("mobilenet")["value_pooling"] == "average"
    layers = models.build("mobilenet", preset="paper", blocks=1).layers
    assert [layer for layer in layers if isinstance(layer, keras.layers.GlobalMaxPooling2D)]


def test_options_are_typed_by_the_builder():
    given = {"blocks": "2", "value_head": "alphago"}
    options = models.resolve_options("resnet", given)
    assert options["blocks"] == 2 and options["value_head"] == "alphago"
    assert options["filters"] == models.REGISTRY["resnet"].budget["filters"]


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("alexnet", {}, "resnet, mobilenet, mixnet: got 'alexnet'"),
        ("resnet", {"depth": 3}, "blocks, filters, value_head, policy_activation: got 'depth'"),
        ("resnet", {"blocks": "many"}, "blocks as a whole number from 0: got 'many'"),
        ("resnet", {"blocks": 2.5}, "blocks as a whole number from 0: got 2.5"),
        ("resnet", {"blocks": -1}, "blocks as a whole number from 0: got -1"),
        ("resnet", {"value_head": "big"}, "alphago, spatial_average, global_average: got 'big'"),
        ("mixnet", {"filters": 0}, "can be built with"),
        ("mixnet", {"se_ratio": 0}, "can be built with"),
    ],
)
def test_wrong_options_are_said_in_words(name, options, words):
    with pytest.raises(models.ModelsError, match=words) as raised:
        models.build(name, **options)
    assert isinstance(raised.value, ValueError)


def test_faults_are_listed_in_words():
    board = keras.Input((19, 19, 21))
    flat = keras.layers.Flatten()(board)
    policy = keras.layers.Dense(362, activation="softmax", name="policy")(flat)
    value = keras.layers.Dense(1, activation="tanh", name="value")(flat)
    faults = check_submittable(keras.Model(board, [policy, value]))
    found = ["(19, 19, 21)", "(362,)", "got tanh", f"got {21 * 361 * 363 + 363:,}"]
    assert len(faults) == len(found)
    for fault, words in zip(faults, found, strict=True):
        assert words in fault and ";" in fault
    swapped = check_submittable(keras.Model(board, [value, policy]), count="trainable")
    assert any("in this order: got value, policy" in fault for fault in swapped)


def test_table_has_both_presets(monkeypatch):
    small, large = dict(blocks=1, filters=4), dict(blocks=2, filters=4)
    spec = registry.ModelSpec("tiny", registry.build_resnet, small, large, "Nobody 2000")
    monkeypatch.setattr(registry, "REGISTRY", {"tiny": spec})
    lines = [" ".join(line.split()) for line in registry.table().splitlines()]
    assert lines[1:] == [
        "tiny budget 4,011 3,893 Nobody 2000; blocks=1 filters=4",
        "tiny paper 4,331 4,197 Nobody 2000; blocks=2 filters=4",
    ]


def test_contract_needs_no_keras():
    check = "import sys, models.contract; sys.exit('keras' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check]).returncode == 0
