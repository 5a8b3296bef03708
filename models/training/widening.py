"""A wider network with the answers of a narrow one: each new channel copies an existing one.

Copies share the weight of the original out among them, at random: equal shares would give them
equal gradients forever. Source: Chen, Goodfellow and Shlens, "Net2Net", 2016, section 2.3, whose
copies differ by noise instead.
"""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import keras

Copied = np.ndarray
"""For each channel of a tensor, the number of the narrow network's channel that it repeats."""

LEAST_SHARE = 0.5
"""Of a copy, before all shares of an original are made to sum to 1; the greatest is 1."""


class NotWider(Exception):
    """The networks differ by more than numbers of channels, or by layers that are not known."""


def widen(network: "keras.Model", source: "keras.Model", rng: np.random.Generator) -> None:
    """Give a network a narrower network's weights in place; NotWider: they don't match."""
    import keras

    if [type(layer) for layer in network.layers] != [type(layer) for layer in source.layers]:
        raise NotWider
    alone = keras.models.clone_model(source)  # whose layers no other network calls
    alone.set_weights(source.get_weights())
    ours, theirs = network.layers, alone.layers
    copied: dict[str, Copied] = {}
    for wide, narrow in zip(ours, theirs, strict=True):
        if not (_is_plain(wide) and _is_plain(narrow)):
            raise NotWider
        inputs = [copied[name] for name in _producers(wide)]
        copied[wide.name], weights = _widened(wide, narrow, inputs, rng)
        if [array.shape for array in weights] != [tuple(array.shape) for array in wide.weights]:
            raise NotWider
        wide.set_weights(weights)


def _widened(
    wide, narrow, inputs: list[Copied], rng: np.random.Generator
) -> tuple[Copied, list[np.ndarray]]:
    """Return what the results of a layer repeat, and its weights."""
    kind, weights = type(wide).__name__, narrow.get_weights()
    size, narrow_size = wide.output.shape[-1], narrow.output.shape[-1]
    if kind in ("Conv2D", "Dense") and weights[0].shape[-2] == narrow.input.shape[-1]:
        result = np.arange(size) % narrow_size
        kernel = weights[0][..., inputs[0], :][..., result] * _shares(inputs[0], size, rng)
        return result, [kernel, *(bias[result] for bias in weights[1:])]
    if kind == "InputLayer" or (kind == "Reshape" and wide.input.shape == narrow.input.shape):
        result = np.arange(size)
    elif kind == "Concatenate":
        starts = np.cumsum([0, *(tensor.shape[-1] for tensor in narrow.input[:-1])])
        result = np.concatenate([start + i for start, i in zip(starts, inputs, strict=True)])
    elif kind == "Flatten":
        starts = np.arange(0, narrow_size, narrow.input.shape[-1])
        result = (starts[:, None] + inputs[0]).ravel()
    elif all(np.array_equal(i, inputs[0]) for i in inputs):
        result = inputs[0]
    else:
        raise NotWider
    if len(result) != size or result.max() >= narrow_size:
        raise NotWider
    if kind == "DepthwiseConv2D":
        weights = [weights[0][:, :, result], *(bias[result] for bias in weights[1:])]
    elif kind == "BatchNormalization":
        weights = [of_channels[result] for of_channels in weights]
    return result, weights


def _shares(copied: Copied, num_results: int, rng: np.random.Generator) -> np.ndarray:
    """Return random shares of each copy in each result: those of one original sum to 1."""
    shares = rng.uniform(LEAST_SHARE, 1.0, (len(copied), num_results))
    sums = np.zeros((copied.max() + 1, num_results))
    np.add.at(sums, copied, shares)
    return (shares / sums[copied]).astype(np.float32)


def _is_plain(layer: "keras.layers.Layer") -> bool:
    return len(layer._inbound_nodes) == 1 and hasattr(layer.output, "shape")


def _producers(layer: "keras.layers.Layer") -> list[str]:
    import keras

    if type(layer).__name__ == "InputLayer":
        return []
    return [tensor._keras_history.operation.name for tensor in keras.tree.flatten(layer.input)]
