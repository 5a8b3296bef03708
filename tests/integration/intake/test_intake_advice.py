"""Files that students have handed in: what the verdict says, that its remedy helps, and copies."""

import keras
import numpy as np
import pytest

from tests.data import ROOT
from tests.runs import tournament
from tournament.intake import JudgeOptions, judge
from tournament.intake.faults import END_WITH_SIGMOID
from tournament.league.likeness import are_alike

pytestmark = [
    pytest.mark.usefixtures("forked_children"),
    pytest.mark.filterwarnings("ignore:You are saving your model as an HDF5 file"),
]


@pytest.fixture
def tf_keras():
    return pytest.importorskip("tf_keras")


def network(of=keras, normalise=None, value="sigmoid", filters=4):
    """A small network; its value is near 1/2 whatever ends it."""
    layers = of.layers
    board = layers.Input((19, 19, 31))
    x = layers.Conv2D(filters, 3, padding="same")(board)
    x = normalise(x) if normalise else x
    policy = layers.Flatten()(layers.Conv2D(1, 1)(x))
    pooled = layers.GlobalAveragePooling2D()(x)
    small = of.initializers.RandomNormal(0, 0.001, seed=1)
    half = of.initializers.Constant(0.5)
    logit = layers.Dense(1, kernel_initializer=small, bias_initializer=half)(pooled)
    ended = value(logit) if callable(value) else layers.Activation(value, name="value")(logit)
    return of.Model(board, [layers.Activation("softmax", name="policy")(policy), ended])


def verdict_of(model, folder, name="net.h5", **options):
    model.save(folder / name)
    return judge(folder / name, work_dir=folder, options=JudgeOptions(**options))


def scaled(value):
    return keras.layers.Rescaling(0.5, 0.5)(keras.layers.Activation("tanh")(value))


def halved(value):
    return 0.5 * keras.layers.Activation("tanh")(value) + 0.5


def divided(value):
    return (keras.layers.Activation("tanh")(value) + 1.0) / 2.0


def doubled(value):
    return 2.0 * keras.layers.Activation("sigmoid")(value) - 0.5


@pytest.mark.parametrize(
    ("value", "warns"),
    [
        ("linear", True), (scaled, False),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (("sigmoid", False), ("tanh", True), ("relu", True),
                         ("hard_sigmoid", False), (halved, False), (divided, False),
                         (doubled, True))
        ),
    ],
)
def test_a_value_that_nothing_keeps_from_0_to_1_is_warned_of(tmp_path, value, warns):
    verdict = verdict_of(network(value=value), tmp_path)
    assert verdict.accepted
    assert (END_WITH_SIGMOID in verdict.manifest.warning) is warns
    code, out, _ = tournament("check", tmp_path / "net.h5")
    assert code == 0 and ("warning: the value was from 0 to 1 in all" in out) is warns


@pytest.mark.slow
def test_a_network_in_bfloat16_is_told_what_helps(tmp_path):
    before = keras.config.dtype_policy()
    try:
        keras.config.set_dtype_policy("bfloat16")
        model = network()
        for name in ("half.h5", "half.keras"):
            [fault] = verdict_of(model, tmp_path, name).faults
            assert "set_dtype_policy('float32')" in fault.remedy, name
        keras.config.set_dtype_policy("float32")
        again = network()
        again.set_weights(model.get_weights())
        assert verdict_of(again, tmp_path, "again.h5").accepted
    finally:
        keras.config.set_dtype_policy(before)


@pytest.mark.slow
def test_a_renormalised_network_is_accepted_and_computes_the_same(tf_keras, tmp_path):
    model = network(tf_keras, tf_keras.layers.BatchNormalization(renorm=True))
    rng = np.random.default_rng(0)
    model.set_weights([rng.uniform(0.1, 1, weights.shape) for weights in model.get_weights()])
    verdict = verdict_of(model, tmp_path)
    assert verdict.accepted and verdict.manifest.parameters_total == model.count_params()
    plain = network(tf_keras, tf_keras.layers.BatchNormalization())
    kept = [weights for weights, variable in zip(model.get_weights(), model.weights, strict=True)
            if "renorm" not in variable.name and "stddev" not in variable.name]
    plain.set_weights(kept)
    answers = verdict_of(plain, tmp_path, "plain.h5").manifest.answers
    assert verdict.manifest.answers == answers


def test_a_network_over_the_budget_reads_the_budget_whatever_else_is_wrong(tmp_path):
    large = network(filters=300)
    layers = keras.layers
    x = layers.Conv2D(300, 3, padding="same")(large.layers[1].output)
    costly = keras.Model(large.inputs, [
        layers.Activation("softmax", name="policy")(layers.Flatten()(layers.Conv2D(1, 1)(x))),
        layers.Dense(1, "sigmoid", name="value")(layers.GlobalAveragePooling2D()(x)),
    ])
    first, second = verdict_of(costly, tmp_path).faults
    assert "floating-point operations" in first.text
    assert f"{costly.count_params():,} parameters: the budget is 100,000" in second.text


def test_the_limit_of_bytes_follows_the_budget():
    assert JudgeOptions().file_limit == 4_000_000
    assert JudgeOptions(max_params=1_000_000).file_limit == 16_000_000
    assert JudgeOptions(max_params=1_000_000, max_bytes=5).file_limit == 5


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


@pytest.mark.slow
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
