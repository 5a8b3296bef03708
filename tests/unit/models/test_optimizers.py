"""Each optimizer's first steps against plain NumPy, and what it never decays."""

import keras
import numpy as np
import pytest

import models
from golois.data.dataset import Dataset
from models.training.checkpoint import RunState, load_checkpoint, save_checkpoint
from models.training.losses import compile_for_training
from models.training.optimizers import OF_MUON, OPTIMIZERS, make_optimizer
from models.training.steps import train_batch
from models.training.unpacking import PackedInput
from tests.data import EMBEDDED_GAMES

GRADIENTS = [np.array([[0.3, -0.2], [0.1, 0.4]]), np.array([[-0.1, 0.2], [0.5, -0.3]])]
START = np.array([[1.0, -2.0], [3.0, 0.5]])


def stepped(
    name: str, variable_name: str = "kernel", start=START, gradients=GRADIENTS, **settings
) -> np.ndarray:
    """A variable after a step by each of the gradients."""
    variable = keras.Variable(start, dtype="float32", name=variable_name)
    optimizer = make_optimizer(name, learning_rate=0.01, **settings)
    for gradient in gradients:
        optimizer.apply([keras.ops.convert_to_tensor(gradient, "float32")], [variable])
    return variable.numpy()


def adam(decay: float) -> np.ndarray:
    weights, mean, square = START, 0, 0
    for step, gradient in enumerate(GRADIENTS, 1):
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        weights = weights * (1 - 0.01 * decay)
        size = np.sqrt(square / (1 - 0.999**step)) + 1e-7
        weights = weights - 0.01 * mean / (1 - 0.9**step) / size
    return weights


def cautious_adam(decay: float) -> np.ndarray:
    weights, mean, square = START, 0, 0
    for step, gradient in enumerate(GRADIENTS, 1):
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        update = mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-7)
        decayed = np.where(update * weights > 0, decay * weights, 0)
        weights = weights - 0.01 * (update + decayed)
    return weights


def orthogonal(matrix: np.ndarray) -> np.ndarray:
    """Five iterations of Newton and Schulz, by the polynomial of each singular value."""
    left, sizes, right = np.linalg.svd(matrix, full_matrices=False)
    sizes = sizes / np.linalg.norm(sizes)
    for _ in range(5):
        sizes = 3.4445 * sizes - 4.7750 * sizes**3 + 2.0315 * sizes**5
    return left * sizes @ right


def muon(start, gradients, is_normalised: bool, decay: float = 0.0, is_cautious=False):
    """Steps of the matrix `[inputs, neurons]`, neuron by neuron."""
    weights, sums = start.reshape(-1, start.shape[-1]), 0
    num_neurons, squares = weights.shape[1], np.zeros(weights.shape[1])
    for gradient in gradients:
        gradient = gradient.reshape(weights.shape)
        sums = 0.95 * sums + gradient
        update = orthogonal(0.95 * sums + gradient)
        if is_normalised:
            for neuron in range(num_neurons):
                square = np.mean(update[:, neuron] ** 2)
                squares[neuron] = 0.95 * squares[neuron] + 0.05 * square
            for neuron in range(num_neurons):
                update[:, neuron] /= np.sqrt(max(squares[neuron], 0.01 * squares.mean()))
            update *= 0.2 * np.sqrt(update.size) / np.linalg.norm(update)
        else:
            update *= 0.2 * np.sqrt(max(weights.shape))
        decayed = decay * weights
        if is_cautious:
            decayed = np.where(update * weights > 0, decayed, 0)
        weights = weights - 0.01 * (update + decayed)
    return weights.reshape(start.shape)


def with_momentum(momentum: float, is_nesterov: bool = True) -> np.ndarray:
    weights, velocity = START, 0
    for gradient in GRADIENTS:
        velocity = momentum * velocity - 0.01 * gradient
        step = momentum * velocity - 0.01 * gradient if is_nesterov else velocity
        weights = weights + step
    return weights


def plain(decay: float) -> np.ndarray:
    weights = START
    for gradient in GRADIENTS:
        weights = weights * (1 - 0.01 * decay) - 0.01 * gradient
    return weights


def lion() -> np.ndarray:
    weights, mean = START, 0
    for gradient in GRADIENTS:
        weights = weights - 0.01 * np.sign(0.9 * mean + 0.1 * gradient)
        mean = 0.99 * mean + 0.01 * gradient
    return weights


@pytest.mark.parametrize(
    ("name", "settings", "expected"),
    [
        ("adam", {}, adam(0)),
        ("adamw", dict(weight_decay=0.5), adam(0.5)),
        ("adamw", dict(weight_decay=0.5, cautious_decay=True), cautious_adam(0.5)),
        ("sgd", {}, with_momentum(0.9)),
        ("sgd", dict(momentum=0.8), with_momentum(0.8)),
        ("sgd", dict(momentum=0.8, nesterov=False), with_momentum(0.8, is_nesterov=False)),
        ("sgd", dict(momentum=0.0), plain(0)),
        ("sgd", dict(momentum=0.0, weight_decay=0.5), plain(0.5)),
        ("lion", {}, lion()),
    ],
)
def test_steps_are_those_of_the_papers(name, settings, expected):
    np.testing.assert_allclose(stepped(name, **settings), expected, rtol=0, atol=2e-5)


@pytest.mark.parametrize("is_cautious", [False, True])
@pytest.mark.parametrize("decay", [0.0, 0.5])
@pytest.mark.parametrize("shape", [(3, 7), (1, 1, 4, 4), (3, 3, 2, 5)])
@pytest.mark.parametrize("name", OF_MUON)
def test_steps_of_muon_are_those_of_the_papers(name, shape, decay, is_cautious):
    """Whether it has more neurons than inputs, or fewer; one neuron is nearly silent."""
    generator = np.random.default_rng(0)
    start, *gradients = generator.normal(size=(3, *shape))
    for gradient in gradients:
        gradient[..., -1] *= 0.01
    settings = dict(weight_decay=decay, cautious_decay=is_cautious)
    found = stepped(name, start=start, gradients=gradients, **settings)
    expected = muon(start, gradients, name == "normuon", decay, is_cautious)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


def test_normuon_moves_each_neuron_as_far_except_those_that_are_silent():
    """The bottleneck of a mobilenet widens here, where Muon's neurons differ."""
    generator = np.random.default_rng(0)
    start, gradient = generator.normal(size=(2, 1, 1, 8, 24))
    gradient[..., :12] *= 3
    gradient[..., 0] = 0
    moved = {
        name: np.linalg.norm(stepped(name, start=start, gradients=[gradient]) - start, axis=-2)
        for name in OF_MUON
    }
    spread = {name: one[..., 1:].max() / one[..., 1:].min() for name, one in moved.items()}
    assert spread["normuon"] < 1.01 < 2 < spread["muon"]
    assert moved["normuon"][..., 0] < 1e-6
    total = {name: np.linalg.norm(one) for name, one in moved.items()}
    assert total["normuon"] == pytest.approx(total["muon"], rel=0.3)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_without_a_gradient_nothing_moves(name):
    np.testing.assert_array_equal(stepped(name, gradients=[np.zeros_like(START)] * 2), START)


@pytest.mark.parametrize(
    ("name", "shape"), [("kernel", (3, 3, 6, 1)), ("policy_kernel", (1, 1, 4, 6))]
)
def test_muon_moves_depthwise_kernels_and_output_layers_as_adam_does(name, shape):
    gradient = keras.ops.convert_to_tensor(np.random.default_rng(0).normal(size=shape), "float32")
    moved = []
    for optimizer in ("muon", "adamw"):
        variable = keras.Variable(np.zeros(shape), dtype="float32", name=name)
        make_optimizer(optimizer, learning_rate=0.01).apply([gradient], [variable])
        moved.append(variable.numpy())
    np.testing.assert_allclose(*moved, rtol=1e-5)


def test_biases_and_norms_are_never_decayed():
    for name in OPTIMIZERS:
        plain, decayed = (
            {one: stepped(name, one, weight_decay=decay) for one in ("kernel", "bias", "gamma")}
            for decay in (0.0, 0.5)
        )
        assert np.abs(plain["kernel"] - decayed["kernel"]).max() > 0.005
        for which in ("bias", "gamma"):
            np.testing.assert_array_equal(plain[which], decayed[which])


def test_long_gradients_are_shortened():
    length = float(np.linalg.norm(GRADIENTS[0]))
    variable = keras.Variable(START, dtype="float32", name="kernel")
    optimizer = make_optimizer("sgd", learning_rate=1.0, clip_norm=length / 10)
    optimizer.apply([keras.ops.convert_to_tensor(GRADIENTS[0], "float32")], [variable])
    moved = 1.9 * GRADIENTS[0] / 10  # by Nesterov's first step
    np.testing.assert_allclose(variable.numpy(), START - moved, atol=1e-5)


def small(model: str, optimizer: str, learning_rate: float = 0.01, **settings) -> PackedInput:
    """A network of two blocks, ready to train."""
    keras.utils.clear_session(free_memory=False)  # names begin anew
    keras.utils.set_random_seed(2)
    widths = dict(filters=8, trunk=4) if model == "mobilenet" else dict(filters=4)
    network = PackedInput(models.build(model, blocks=2, **widths), {"ownership": 0.1})
    goals = dict(auxiliary=network.auxiliary, value_weight=4.0, optimizer=optimizer)
    compile_for_training(network, learning_rate=learning_rate, **goals, **settings)
    network.run_eagerly = True
    network.optimizer.build(network.trainable_variables)
    return network


@pytest.mark.parametrize(
    ("name", "model", "of_blocks", "of_ends"),
    [
        ("muon", "mobilenet", [(4, 8), (8, 4)] * 2, [(31, 4), (4, 50), (50, 1), (36, 32)]),
        ("normuon", "resnet", [(36, 4)] * 4, [(31, 4), (775, 4), (4, 50), (50, 1), (36, 32)]),
    ],
)
def test_muon_moves_the_blocks_alone_if_wanted(name, model, of_blocks, of_ends):
    """The resnet reads the planes by two convolutions."""
    for is_blocks_only in (False, True):
        optimizer = small(model, name, muon_blocks_only=is_blocks_only).optimizer
        velocities = optimizer.adam_velocities
        pairs = zip(optimizer._trainable_variables, velocities, strict=True)
        moved = [tuple(v.shape) for v, velocity in pairs if velocity is None]
        matrices = [(int(np.prod(shape[:-1])), shape[-1]) for shape in moved]
        expected = of_blocks if is_blocks_only else [*of_blocks, *of_ends]
        assert sorted(matrices) == sorted(expected)


@pytest.fixture(scope="module")
def batch():
    return Dataset(EMBEDDED_GAMES, seed=5, planes="bits").sample(16, 0)


RECIPES = [
    ("muon", {}),
    ("normuon", dict(muon_blocks_only=True, cautious_decay=True)),
    ("adamw", dict(cautious_decay=True)),
]


@pytest.mark.usefixtures("without_graphs")
@pytest.mark.parametrize(("name", "settings"), RECIPES)
def test_the_loss_falls_and_a_checkpoint_goes_on_bit_for_bit(name, settings, batch, tmp_path):
    given = dict(weight_decay=0.004, ema=0.9, **settings)
    whole, resumed = (small("resnet", name, **given) for _ in range(2))
    losses = [train_batch(whole, batch)["loss"] for _ in range(2)]
    save_checkpoint(tmp_path / "checkpoint.npz", whole, RunState())
    load_checkpoint(tmp_path / "checkpoint.npz", resumed)
    losses += [train_batch(whole, batch)["loss"] for _ in range(2)]
    assert losses[-1] < losses[2] < losses[0]
    assert [train_batch(resumed, batch)["loss"] for _ in range(2)] == losses[2:]
    for model in (whole, resumed):
        assert model.optimizer.iterations == 4
    variables = ([*model.variables, *model.optimizer.variables] for model in (whole, resumed))
    for one, other in zip(*variables, strict=True):
        np.testing.assert_array_equal(one, other)
