"""Networks of one layer class or one group of functions, for Keras 3 and for Keras 2 alike."""

import math
from collections.abc import Callable, Iterable
from types import ModuleType

import numpy as np

_LATER = {"kernel_initializer": "zeros"}  # `randomise` fills them; drawing numbers takes long


def of_layers(keras: ModuleType, class_name: str, cases: Iterable[dict], inputs: int = 1) -> object:
    """Return a network with each layer on the same board, or on the board and another one."""
    board, x = stem(keras)
    joined = x if inputs == 1 else [x, keras.layers.Conv2D(6, 1)(x)]
    results = [layer_of(keras, class_name, options)(joined) for options in cases]
    return keras.Model(board, heads(keras, results))


def layer_of(keras: ModuleType, class_name: str, options: dict) -> object:
    """Return a layer; options of its own that are layers are written (class, options)."""
    made = {
        name: layer_of(keras, *value) if isinstance(value, tuple) else value
        for name, value in options.items()
    }
    return getattr(keras.layers, class_name)(**made)


def of_functions(keras: ModuleType, functions: Callable[[object], list]) -> object:
    """Return a network with all results of functions of one board."""
    board, x = stem(keras)
    return keras.Model(board, heads(keras, functions(x)))


def of_several_ends(keras: ModuleType) -> object:
    """Return a network of models with two inputs and two outputs, in lists and in dicts."""
    layers = keras.layers
    board, x = stem(keras)
    ends = {"second": x, "first": layers.ReLU()(x)}  # not in the order of their names
    results = []
    for in_dicts in (False, True):
        inputs = {name: keras.Input((19, 19, 6), name=name) for name in ends}
        first = layers.Conv2D(6, 1, **_LATER)(inputs["first"])
        outputs = {
            "less": layers.Subtract()([first, inputs["second"]]),
            "again": layers.ReLU()(first),
        }
        if in_dicts:
            results += [*keras.Model(inputs, outputs)(ends).values()]
        else:
            model = keras.Model([*inputs.values()], [*outputs.values()])
            results += [*model([*ends.values()]), *model(ends)]
    return keras.Model(board, heads(keras, results))


def stem(keras: ModuleType) -> tuple:
    """Return the input and a board of 6 channels, numbers of both signs."""
    board = keras.Input((19, 19, 31), name="board")
    return board, keras.layers.Conv2D(6, 1, **_LATER)(board)


def heads(keras: ModuleType, results: list) -> list:
    """Heads to which every number of every result matters; results of like shape share layers."""
    layers = keras.layers
    alike: dict[tuple, list] = {}
    for x in results:
        alike.setdefault(tuple(x.shape[1:-1]), []).append(x)
    rows = []
    for shape, group in alike.items():
        x = layers.Concatenate()(group) if len(group) > 1 else group[0]
        if len(shape) == 2:
            x = layers.Conv2D(2, 1, **_LATER)(x)
        elif len(shape) > 2:  # a point's products with every other, of which there are many
            x = layers.Dense(1, **_LATER)(x)
        rows.append(layers.Flatten()(x))
    x = layers.Concatenate()(rows) if len(rows) > 1 else rows[0]
    x = layers.Dense(24, **_LATER)(x)
    policy = layers.Dense(361, activation="softmax", name="policy", **_LATER)(x)
    return [policy, layers.Dense(1, activation="sigmoid", name="value", **_LATER)(x)]


def randomise(model: object, rng: np.random.Generator) -> None:
    """Give every weight a value as of a trained network, moving statistics included."""
    for weight in model.weights:
        path = getattr(weight, "path", weight.name)
        kind, shape = path.rpartition("/")[2].partition(":")[0], tuple(weight.shape)
        if kind == "count":
            continue
        if kind in ("gamma", "moving_variance", "variance"):
            values = rng.uniform(0.5, 1.5, shape)
        elif "kernel" in kind:
            values = rng.normal(0.0, 1.0, shape) / math.sqrt(max(1, math.prod(shape[:-1])))
        else:
            values = rng.normal(0.0, 0.2, shape)
        weight.assign(values.astype(np.float32))
    for layer in model.layers:
        if hasattr(layer, "finalize_state"):  # Normalization works with what it took from weights
            layer.finalize_state()


def outputs_of(model: object, planes: np.ndarray) -> list[np.ndarray]:
    """Return Keras' outputs; `predict_on_batch` makes a graph first, which takes longer."""
    return [np.asarray(output) for output in model(planes, training=False)]


def answers(model: object, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return Keras' (policy, value): the last outputs of 361 and of 1 numbers."""
    outputs = model(planes, training=False)
    outputs = list(outputs.values()) if isinstance(outputs, dict) else outputs
    by_size = {output.shape[-1]: np.asarray(output) for output in outputs}
    return by_size[361], by_size[1]
