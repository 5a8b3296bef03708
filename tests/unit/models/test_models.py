"""The contract over the whole registry, and the parameter counts that the papers' networks have."""

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache

import keras
import numpy as np
import pytest

import models
from docs.write import PART, generated, parts
from golois.planes.derived import num_planes
from models.catalogue import registry
from models.catalogue.registry import outline
from models.catalogue.table import count_flops
from models.contract import INPUT_SHAPE, PARAM_BUDGET, check_submittable, count_parameters
from models.parts.equivariant import EquivariantConv2D
from models.training.auxiliary import AUXILIARY_HEADS, trunk_of, with_auxiliary_heads
from models.training.losses import compile_for_training
from models.training.steps import save_network
from tests.data import ROOT
from tests.integration.intake import parity
from tests.integration.intake.small_networks import outputs_of, randomise
from tests.model_counts import COUNTS
from tournament.intake import JudgeOptions
from tournament.networks.runtimes import installed_runtimes

SMALL = {name: spec.small for name, spec in models.REGISTRY.items()}
WITH_LAYERS_OF_THE_KIT = ("mobilenet", "restnet", "isn_tower")
WITH_PERSPECTIVE = [
    name for name in models.REGISTRY if "perspective" in models.resolve_options(name)
]
VARIANTS = [
    pytest.param(name, {**SMALL[name], **options}, marks=pytest.mark.slow)
    for name, options in (
        ("resnet", dict(perspective="white")),
        ("mobilenet", dict(perspective="white")),
        ("vit", dict(perspective="white")),
        ("restnet", dict(value_head="alphazero")),
        ("restnet", dict(relative="shaw")),
        ("restnet", dict(projection="convolution", policy_head="token")),
        ("restnet", dict(embedding="1x1")),
    )
]
# All of whose layers, with their activations, are among those of the others.
OF_LAYERS_OF_OTHERS = (
    "mobilenet", "nogozero", "alphago", "two_headed", "convnext", "shufflenet", "eca", "coordinate",
)  # fmt: skip
OF_OWN_LAYERS = [
    pytest.param(name, marks=pytest.mark.slow if name in OF_LAYERS_OF_OTHERS else [])
    for name in models.REGISTRY
]
PLAYED = [
    pytest.param(name, SMALL[name], marks=[] if name == "resnet" else pytest.mark.slow)
    for name in models.REGISTRY
]
# Keras writes and reads layers of its own alike, whatever the network.
SAVED = [
    pytest.param(name, marks=[] if name in WITH_LAYERS_OF_THE_KIT else pytest.mark.slow)
    for name in models.REGISTRY
]
DEEP = (94_909, 3_358_041, 6_065_224)  # totals of networks with options that others have, too
PAGE = re.sub(" +", " ", (ROOT / "docs" / "student" / "models.md").read_text("utf-8"))


def preset_of(name: str) -> str:
    return "budget" if models.REGISTRY[name].paper is None else "paper"


def counted() -> list:
    """The rows of COUNTS; slow are those that only repeat others in another size or mixture."""
    shallowest: dict[tuple, tuple] = {}
    for row in sorted(COUNTS, key=lambda row: (depth_of(row), row[2])):
        shallowest.setdefault((row[0], frozenset(kinds_of(row[1]))), row)
    return [
        pytest.param(*row, id=f"{row[0]}-{row[2]}", marks=[] if is_new else pytest.mark.slow)
        for row, is_new in ((r, r in shallowest.values() and r[2] not in DEEP) for r in COUNTS)
    ]


def depth_of(row: tuple) -> int:
    """The number of blocks, many for a preset's; of letters the T, which have most layers."""
    blocks = row[1].get("blocks", 10)
    if isinstance(blocks, str):
        return 10 + sum(int(count or 1) for count in re.findall(r"(\d*)T", blocks))
    return blocks


def kinds_of(options: dict) -> Iterator[tuple[str, object]]:
    """The options that choose what is built: all but numbers above 0, which are sizes."""
    for name, value in options.items():
        if name == "blocks" and isinstance(value, str):
            yield name, frozenset(block for block in value if block.isalpha())
        elif name != "hidden" and not (type(value) is int and value > 0):
            yield name, value


def outlined(name: str, *, preset: str = "budget", **options) -> keras.Model:
    """A network that tests only look at."""
    return outline_of(name, frozenset(models.resolve_options(name, options, preset).items()))


@cache
def outline_of(name: str, options: frozenset[tuple[str, object]]) -> keras.Model:
    return outline(name, **dict(options))


@cache
def smallest(name: str) -> keras.Model:
    """A small network, whose weights tests leave as they were."""
    return models.build(name, **SMALL[name])


@pytest.mark.parametrize(("name", "options", "total", "trainable"), counted())
def test_parameter_counts(name, options, total, trainable):
    model = outlined(name, **options)
    assert count_parameters(model) == total
    assert count_parameters(model, "trainable") == trainable


@pytest.mark.parametrize("name", OF_OWN_LAYERS)
def test_an_outline_has_the_shapes_of_the_network(name):
    network, sketch = smallest(name), outline(name, **SMALL[name])
    assert [weight.shape for weight in network.weights] == [w.shape for w in sketch.weights]
    assert count_flops(network) == count_flops(sketch) > 0


@pytest.mark.parametrize("name", models.REGISTRY)
def test_the_table_in_the_docstring_is_true(name):
    """Its rows are presets, as the page has them, or those of COUNTS, which has to be there."""
    spec = models.REGISTRY[name]
    lines = sys.modules[spec.build.__module__].__doc__.splitlines()
    rows = [line.split("|")[1:4] for line in lines if re.search(r"\d \|", line)]
    written = {(int(total.replace(",", "")), int(trainable.replace(",", ""))): text
               for text, total, trainable in rows}  # fmt: skip
    alike = {other for other in models.REGISTRY if models.REGISTRY[other].build is spec.build}
    presets = {
        tuple(int(cell.replace(",", "")) for cell in sizes): preset
        for other in alike
        for preset, *sizes in re.findall(rf"\n\| {other} \| (\w+) \| ([\d,]+) \| ([\d,]+) \|", PAGE)
    }
    counted = {row[2:] for row in COUNTS if row[0] in alike}
    assert counted <= written.keys() <= counted | presets.keys()
    for sizes, text in written.items():
        assert f": {presets[sizes]}" in text if sizes in presets else ": " not in text


def test_the_pages_are_what_make_docs_writes(monkeypatch):
    monkeypatch.setattr(registry, "outline", outlined)
    written = {}
    for page in (ROOT / "docs").rglob("*.md"):
        text = page.read_text("utf-8")
        assert generated(text) == text, "run make docs"
        written[page.name] = [part[2] for part in PART.finditer(text)]
        assert text.count("<!-- ") == 2 * len(written[page.name]), page
    assert written["models.md"] == list(parts())
    assert {name for name, found in written.items() if found} == {"models.md", "options.md"}


@pytest.mark.parametrize("name", models.REGISTRY)
def test_budget_preset_can_be_handed_in(name):
    model = outlined(name)
    assert check_submittable(model) == []
    assert model.count_params() <= PARAM_BUDGET
    assert [tensor.name for tensor in model.inputs] == ["board"]
    assert model.output_names == ["policy", "value"]


@pytest.mark.parametrize("name", [name for name, spec in models.REGISTRY.items() if spec.paper])
def test_a_paper_preset_reads_the_planes_of_its_features(name):
    """The page says which can be handed in: those of the course's planes, within the budget."""
    model, features = outlined(name, preset="paper"), models.REGISTRY[name].paper_features
    assert model.input_shape[-1] == num_planes(features)
    faults = check_submittable(model)
    assert any("one input of shape" in fault for fault in faults) == (features != "course")
    fits = model.count_params() <= PARAM_BUDGET
    assert (faults == []) == (fits and features == "course")


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_OWN_LAYERS)
def test_auxiliary_heads_stand_on_any_network(name):
    """They read what the heads read, which for all but one network is a map of the points."""
    network = smallest(name)
    trunk = trunk_of(network)
    assert (tuple(trunk.shape[1:3]) == (19, 19)) != (name == "vit")
    whole = with_auxiliary_heads(network, AUXILIARY_HEADS)
    assert whole.output_names == ["policy", "value", *AUXILIARY_HEADS]
    assert [x.shape[1] for x in whole.outputs[2:]] == [361, 1, 3, 361, 361, 361, 361, 361]
    assert set(network.layers) < set(whole.layers)


def test_a_head_that_the_network_has_is_trained_and_the_policy_is_the_mean_of_both():
    """DeiT: a class token for the moves played, a distillation token for the teacher's."""
    network = models.build("vit", **SMALL["vit"], distillation_token=True)
    whole = with_auxiliary_heads(network, ("moves", "teacher"))
    assert set(whole.layers) == set(network.layers)
    assert check_submittable(network) == []
    planes = np.random.default_rng(0).random((3, *INPUT_SHAPE))
    policy, _, moves, teacher = outputs_of(whole, planes)
    assert np.abs(moves - teacher).max() > 1e-6
    np.testing.assert_allclose(policy, (moves + teacher) / 2, rtol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("name", models.REGISTRY)
def test_outputs_are_probabilities(name):
    planes = np.random.default_rng(0).random((3, *INPUT_SHAPE), np.float32)
    policy, value = outputs_of(smallest(name), planes)
    assert policy.shape == (3, 361) and value.shape == (3, 1)
    np.testing.assert_allclose(policy.sum(axis=1), 1, rtol=1e-5)
    assert (policy >= 0).all() and (value >= 0).all() and (value <= 1).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", SAVED)
def test_h5_loads_to_the_same_outputs(name, tmp_path):
    model = models.build(name, preset=preset_of(name), **SMALL[name])
    planes = np.random.default_rng(1).random((2, *model.input_shape[1:]), np.float32)
    save_network(tmp_path / "net.h5", model)
    loaded = keras.saving.load_model(tmp_path / "net.h5", compile=False)
    for ours, theirs in zip(outputs_of(model, planes), outputs_of(loaded, planes), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert [path.name for path in tmp_path.iterdir()] == ["net.h5"]


@pytest.mark.parametrize(("name", "options"), [*PLAYED, *VARIANTS])
def test_a_file_is_taken_and_played_as_keras_plays_it(name, options, tmp_path):
    """A step of training, the .h5, the gates of the intake, the artefact."""
    keras.utils.set_random_seed(2)  # with other weights all maps of so small a layer may be 0
    model = models.build(name, **options)
    compile_for_training(model, learning_rate=0.01, value_weight=1)
    model.run_eagerly = True  # a graph takes longer to make than such a network to run
    rng = np.random.default_rng(3)
    planes = rng.integers(0, 2, (4, *INPUT_SHAPE)).astype(np.float32)
    targets = {"policy": np.eye(361)[rng.integers(0, 361, 4)], "value": rng.random((4, 1))}
    before = [weight.numpy() for weight in model.trainable_weights]
    assert np.isfinite(model.train_on_batch(planes, targets)).all()
    moved = [(a != b).any() for a, b in zip(before, model.trainable_weights, strict=True)]
    assert np.mean(moved) > 0.8
    randomise(model, rng)
    save_network(tmp_path / "net.h5", model)
    network = parity.read(parity.open_file(tmp_path / "net.h5"))
    assert network.parameters_total == model.count_params()
    policy, value = outputs_of(model, planes)
    for found in parity.answers(parity.bake(network), planes, installed_runtimes()):
        np.testing.assert_allclose(found[0], policy, atol=1e-4)
        np.testing.assert_allclose(found[1], value[:, 0], atol=1e-4)


def hide_the_colour(model: keras.Model) -> None:
    """Take plane 0 from all convolutions that read it."""
    for layer in model.layers:
        if isinstance(layer, keras.layers.Conv2D) and layer.kernel.shape[2] == 31:
            layer.kernel.assign(layer.kernel * (np.arange(31) > 0)[:, None])
        if isinstance(layer, EquivariantConv2D) and layer.input_fields.channels == 31:
            seen = np.ones(layer.weight.shape)
            seen[layer.shared_kernel.index[:, :, 0]] = 0
            layer.weight.assign(layer.weight * seen)


@pytest.mark.slow
@pytest.mark.parametrize("name", models.REGISTRY)
def test_the_colour_turns_the_mover_s_value(name):
    """A network that does not see the colour otherwise gives both movers the same chance."""
    model = smallest(name)
    before = model.get_weights()
    randomise(model, np.random.default_rng(4))
    hide_the_colour(model)
    planes = np.random.default_rng(4).random((5, *INPUT_SHAPE), np.float32)
    planes[..., 0] = 0
    of_white = outputs_of(model, planes)[1]
    planes[..., 0] = 1
    of_black = outputs_of(model, planes)[1]
    model.set_weights(before)
    np.testing.assert_allclose(of_black, 1 - of_white, atol=1e-6)
    assert np.ptp(of_white) > 0


def test_presets_differ_in_whose_chance_they_compute_and_in_clipping_logits():
    for name in WITH_PERSPECTIVE:
        assert models.resolve_options(name)["perspective"] == "mover"
        if models.REGISTRY[name].paper:
            assert models.resolve_options(name, preset="paper")["perspective"] == "white"
    for name in ("resnet", "mobilenet", "mixnet"):
        assert models.resolve_options(name)["policy_activation"] == "linear"
        assert models.resolve_options(name, preset="paper")["policy_activation"] != "linear"


def test_dropout_thins_only_training():
    model = models.build("mixnet", blocks=1, dropout=0.5)
    assert len([layer for layer in model.layers if isinstance(layer, keras.layers.Dropout)]) == 2
    planes = np.random.default_rng(2).random((2, *INPUT_SHAPE), np.float32)
    calm = [model(planes, training=False)[1].numpy() for _ in range(2)]
    np.testing.assert_array_equal(*calm)
    assert not np.array_equal(calm[0], model(planes, training=True)[1].numpy())


def test_the_naive_mobilenet_takes_the_maximum():
    assert models.resolve_options("mobilenet")["value_pooling"] == "average"
    layers = models.build("mobilenet", preset="paper", blocks=1).layers
    assert [layer for layer in layers if isinstance(layer, keras.layers.GlobalMaxPooling2D)]


@pytest.mark.parametrize("perspective", ["white", "mover"])
def test_the_naive_value_head_is_a_perceptron_on_the_flattened_trunk(perspective):
    chosen = dict(blocks=1, filters=3, value_head="naive", perspective=perspective)
    model = models.build("resnet", **chosen)
    rng = np.random.default_rng(7)
    randomise(model, rng)
    planes = (rng.random((6, *INPUT_SHAPE)) < 0.3).astype(np.float32)
    planes[..., 0] = np.arange(6)[:, None, None] % 2
    hidden, last = (layer for layer in model.layers if isinstance(layer, keras.layers.Dense))
    shape = (19 * 19 * 3, 50)
    assert hidden.kernel.shape == shape and last.kernel.shape == (50, 1)
    (trunk,) = (layer.input for layer in model.layers if layer.output is hidden.input)
    flat = np.asarray(keras.Model(model.input, trunk)(planes)).reshape(6, -1)
    units = np.maximum(flat @ hidden.kernel.numpy() + hidden.bias.numpy(), 0)
    logit = (units @ last.kernel.numpy() + last.bias.numpy())[:, 0]
    if perspective == "mover":
        logit *= 1 - 2 * planes[:, 0, 0, 0]
    value = outputs_of(model, planes)[1][:, 0]
    np.testing.assert_allclose(value, 1 / (1 + np.exp(-logit)), atol=1e-5)
    assert np.ptp(logit) > 0


def test_options_are_typed_by_the_builder():
    options = models.resolve_options("resnet", {"blocks": "2", "value_head": "alphago"})
    assert options["blocks"] == 2 and options["value_head"] == "alphago"
    assert options["filters"] == models.REGISTRY["resnet"].budget["filters"]


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("gnugo", {}, "no model 'gnugo': choose one of resnet, mobilenet, "),
        ("resnet", {"depth": 3}, "no option 'depth': choose one of .*, policy_activation"),
        ("resnet", {"blocks": "many"}, "blocks must be a whole number from 0, not 'many'"),
        ("resnet", {"blocks": 2.5}, "blocks must be a whole number from 0, not 2.5"),
        ("resnet", {"blocks": -1}, "blocks must be a whole number from 0, not -1"),
        ("resnet", {"value_head": "big"}, "alphago, spatial_average, global_average, not 'big'"),
        ("mixnet", {"filters": 0}, "mixnet cannot be built with"),
        ("mixnet", {"se_ratio": 0}, "mixnet cannot be built with"),
        ("restnet", {"blocks": "RRX"}, "'RRX' must be blocks such as RRTRRT, 2R1T2R1T or R3"),
        ("vit", {"preset": "paper", "heads": 7}, "heads must divide the width 768: 7 does not"),
        ("eca", {"preset": "paper"}, "eca has no preset paper: use budget"),
        ("shufflenet", {"filters": 3}, "filters must be even, not 3"),
        ("nogozero", {"filters": 3}, "filters must be even, not 3"),
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
    found = ["(19, 19, 21)", "(362,)", "not tanh", f"not {21 * 361 * 363 + 363:,}"]
    assert len(faults) == len(found)
    for fault, words in zip(faults, found, strict=True):
        assert words in fault and ";" in fault
    swapped = check_submittable(keras.Model(board, [value, policy]), count="trainable")
    assert any("in this order, not value, policy" in fault for fault in swapped)


def test_a_fault_of_the_total_alone_names_both_counts():
    network = outline("mobilenet", blocks=1, filters=240, trunk=168)
    assert not check_submittable(network, "trainable")
    (fault,) = check_submittable(network)
    for words in ("100,109 parameters", "98,477 of them are trainable", "--count trainable"):
        assert words in fault
    assert JudgeOptions().max_params == PARAM_BUDGET


def test_contract_needs_no_keras():
    check = "import sys, models.contract; sys.exit('keras' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check]).returncode == 0
