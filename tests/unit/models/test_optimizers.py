"""Each optimizer's first steps against plain NumPy, and what it never decays."""

import keras
import numpy as np
import pytest

from models.training.optimizers import OPTIMIZERS, make_optimizer

GRADIENTS = [np.array([[0.3, -0.2], [0.1, 0.4]]), np.array([[-0.1, 0.2], [0.5, -0.3]])]
START = np.array([[1.0, -2.0], [3.0, 0.5]])


def stepped(name: str, variable_name: str = "kernel", **settings) -> np.ndarray:
    """A variable after a step by each of `GRADIENTS`."""
    variable = keras.Variable(START, dtype="float32", name=variable_name)
    optimizer = make_optimizer(name, learning_rate=0.01, **settings)
    for gradient in GRADIENTS:
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


@pytest.mark.parametrize("shape", [(2, 3), (1, 1, 4, 6), (3, 3, 2, 5)])
def test_muon_moves_a_matrix_in_an_orthogonal_direction(shape):
    """Five iterations of Newton and Schulz bring the singular values near 1, not to it."""
    generator = np.random.default_rng(0)
    start = generator.normal(size=shape)
    variable = keras.Variable(start, dtype="float32", name="kernel")
    gradient = keras.ops.convert_to_tensor(generator.normal(size=shape), "float32")
    make_optimizer("muon", learning_rate=0.01).apply([gradient], [variable])
    moved = (start - variable.numpy()).reshape(-1, shape[-1])
    sizes = np.linalg.svd(moved, compute_uv=False) / (0.01 * 0.2 * np.sqrt(max(moved.shape)))
    assert (sizes > 0.6).all()
    assert (sizes < 1.3).all()


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
