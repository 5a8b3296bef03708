"""KataGo's networks as Keras models, with KataGo's weights.

The layers keep KataGo's names, with a point for a slash. The module has two layer classes of its
own: stock layers know neither attention with a rotation nor a mean over channels and points. Keras
loads a saved model once this module is imported.
"""

from math import sqrt

import keras
import numpy as np
from keras import layers, ops

from golois.constants import BOARD_SIZE, NUM_POINTS
from golois.errors import ArgumentError
from golois.katago.network import (
    Activation,
    AttentionBlock,
    Conv,
    Dense,
    Network,
    Norm,
    RootMeanSquare,
)
from golois.katago.reading import NUM_GLOBALS, NUM_PLANES
from golois.katago.walk import Operations, outputs
from models.devices import has_gpu

PACKAGE = "golois"


@keras.saving.register_keras_serializable(PACKAGE)
class RootMeanSquareNormalization(layers.Layer):
    """Divide by a root mean square, then scale and shift each channel; shape unchanged.

    The mean is over the channels, or over all axes but the batch's if `spatial`. Source: Zhang and
    Sennrich, "Root Mean Square Layer Normalization", 2019.
    """

    def __init__(self, epsilon: float = 1e-6, spatial: bool = False, **options) -> None:
        super().__init__(**options)
        self.epsilon = epsilon
        self.spatial = spatial

    def build(self, input_shape) -> None:
        """Create a scale and a shift for each channel."""
        self.gamma = self.add_weight(shape=input_shape[-1:], initializer="ones", name="gamma")
        self.beta = self.add_weight(shape=input_shape[-1:], initializer="zeros", name="beta")

    def call(self, x):
        """Normalise `[B, …, C]`."""
        axes = tuple(range(1, len(x.shape))) if self.spatial else -1
        mean = ops.mean(ops.square(x), axes, keepdims=True)
        return x * ops.rsqrt(mean + self.epsilon) * self.gamma + self.beta

    def get_config(self) -> dict:
        """What Keras saves, to make the layer again."""
        return {**super().get_config(), "epsilon": self.epsilon, "spatial": self.spatial}


@keras.saving.register_keras_serializable(PACKAGE)
class BoardAttention(layers.Layer):
    """Let every point of a 19×19 board look at all points: softmax(q · k / √width) · v.

    Called with queries `[B, 361, heads · width]`, and keys and values of `key_heads`. Neighbouring
    channels of queries and keys turn by an angle that is linear in row and column, if `rotates`
    (`golois.katago.walk.angles`). Source: Su et al., "RoFormer", 2021.
    """

    def __init__(self, heads: int, key_heads: int, rotates: bool = True, **options) -> None:
        super().__init__(**options)
        self.heads = heads
        self.key_heads = key_heads
        self.rotates = rotates

    def build(self, query_shape, key_shape, value_shape) -> None:
        """Create the frequencies, radians a row and a column: `[2, key_heads, width / 2]`."""
        self.width = query_shape[-1] // self.heads
        if self.rotates:
            shape = (2, self.key_heads, self.width // 2)
            self.frequencies = self.add_weight(shape=shape, initializer="zeros", name="frequencies")

    def call(self, query, key, value):
        """Return points `[B, 361, heads · value width]`."""
        query = self._split(query, self.heads)
        key, value = (self._split(x, self.key_heads) for x in (key, value))
        if self.rotates:
            query, key = self._rotated(query), self._rotated(key)
        key, value = (ops.repeat(x, self.heads // self.key_heads, axis=2) for x in (key, value))
        weights = ops.softmax(ops.einsum("bqhc,bkhc->bhqk", query, key) / sqrt(self.width))
        found = ops.einsum("bhqk,bkhc->bqhc", weights, value)
        return ops.reshape(found, (-1, NUM_POINTS, found.shape[2] * found.shape[3]))

    def _split(self, x, heads: int):
        return ops.reshape(x, (-1, NUM_POINTS, heads, x.shape[-1] // heads))

    def _rotated(self, x):
        rows, columns = np.divmod(np.arange(NUM_POINTS, dtype=np.float32), BOARD_SIZE)
        row, column = (at[:, np.newaxis, np.newaxis] for at in (rows, columns))
        angles = row * self.frequencies[0] + column * self.frequencies[1]
        angles = ops.repeat(angles, x.shape[2] // self.key_heads, axis=1)
        cos, sin = ops.cos(angles), ops.sin(angles)
        even, odd = x[..., ::2], x[..., 1::2]
        turned = ops.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1)
        return ops.reshape(turned, (-1, *x.shape[1:]))

    def get_config(self) -> dict:
        """What Keras saves, to make the layer again."""
        numbers = {"heads": self.heads, "key_heads": self.key_heads, "rotates": self.rotates}
        return {**super().get_config(), **numbers}


class _Keras(Operations):
    """Boards are [B, 19, 19, C]; each layer gets its weights as soon as it is called."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def _named(self, name: str) -> str:
        """A name that Keras accepts, and that no other layer has."""
        plain = name.replace("/", ".")
        unique = plain
        while unique in self._names:
            unique = f"{plain}_{len(self._names)}"
        self._names.add(unique)
        return unique

    def conv(self, board, layer: Conv):
        rows, columns, _, filters = layer.kernel.shape
        conv = layers.Conv2D(
            filters, (rows, columns), padding="same", dilation_rate=layer.dilation, use_bias=False,
            name=self._named(layer.name),
        )  # fmt: skip
        return _with_weights(conv, [layer.kernel], board)

    def norm(self, board, layer: Norm):
        norm = layers.BatchNormalization(epsilon=layer.epsilon, name=self._named(layer.name))
        return _with_weights(norm, [layer.scale, layer.bias, layer.mean, layer.variance], board)

    def root_mean_square(self, points, layer: RootMeanSquare):
        norm = RootMeanSquareNormalization(
            layer.epsilon, layer.spatial, name=self._named(layer.name)
        )
        return _with_weights(norm, [layer.scale, layer.bias], points)

    def dense(self, x, layer: Dense):
        weights = [layer.kernel] if layer.bias is None else [layer.kernel, layer.bias]
        units, has_bias = layer.kernel.shape[1], layer.bias is not None
        dense = layers.Dense(units, use_bias=has_bias, name=self._named(layer.name))
        return _with_weights(dense, weights, x)

    def activate(self, x, activation: Activation):
        return x if activation == "identity" else layers.Activation(activation)(x)

    def add(self, x, y):
        return layers.Add()([x, y])

    def multiply(self, x, y):
        return layers.Multiply()([x, y])

    def scale(self, x, factor: float):
        return layers.Rescaling(factor)(x)

    def add_everywhere(self, board, vector):
        return layers.Add()([board, layers.Reshape((1, 1, vector.shape[-1]))(vector)])

    def mean(self, board):
        return layers.GlobalAveragePooling2D()(board)

    def maximum(self, board):
        return layers.GlobalMaxPooling2D()(board)

    def join(self, *vectors):
        return layers.Concatenate()(list(vectors))

    def attend(self, query, key, value, block: AttentionBlock):
        rotates = block.frequencies is not None
        name = self._named(f"{block.name}.attention")
        attention = BoardAttention(block.heads, block.key_heads, rotates, name=name)
        weights = [] if block.frequencies is None else [block.frequencies]
        return _with_weights(attention, weights, query, key, value)

    def points(self, board):
        return layers.Reshape((NUM_POINTS, board.shape[-1]))(board)

    def board(self, points):
        return layers.Reshape((BOARD_SIZE, BOARD_SIZE, points.shape[-1]))(points)

    def append(self, points, vector):
        return layers.Concatenate(axis=1)([points, layers.Reshape((1, vector.shape[-1]))(vector)])

    def flat(self, points):
        return layers.Reshape((NUM_POINTS,))(points)


def _with_weights(layer: layers.Layer, weights: list[np.ndarray], *inputs):
    output = layer(*inputs)
    layer.set_weights(weights)
    return output


def build_katago(network: Network) -> keras.Model:
    """Return a network as a frozen Keras model, which `.keras` files keep.

    The inputs are a dictionary: `planes` float32 `[B, 19, 19, 22]` and `globals` float32 `[B, 19]`,
    KataGo's V7 inputs. The outputs are the dictionary of `golois.katago.walk.outputs`: raw numbers,
    the side to move's. `golois.katago.answers` turns them into probabilities and points. To train
    the model further, set `model.trainable = True`.
    """
    planes = layers.Input((BOARD_SIZE, BOARD_SIZE, network.conv.kernel.shape[2]), name="planes")
    global_inputs = layers.Input((len(network.globals.kernel),), name="globals")
    answers = outputs(_Keras(), network, planes, global_inputs)
    inputs = {"planes": planes, "globals": global_inputs}
    model = keras.Model(inputs, answers, name=network.name)
    model.trainable = False
    return model


class KatagoOnKeras:
    """A network on Keras's backend, such as a GPU: a `golois.katago.answers.Predict`.

    Positions are computed in batches of `batch_size`; fewer positions cost as much.
    """

    def __init__(self, network: Network, batch_size: int) -> None:
        self.batch_size = batch_size
        self._model = build_katago(network)
        self._planes = np.zeros((batch_size, BOARD_SIZE, BOARD_SIZE, NUM_PLANES), np.float32)
        self._globals = np.zeros((batch_size, NUM_GLOBALS), np.float32)

    def __call__(self, planes: np.ndarray, global_inputs: np.ndarray) -> dict[str, np.ndarray]:
        """Return the raw outputs of planes [B, 19, 19, 22] and globals [B, 19], B at least 1."""
        parts = []
        for start in range(0, len(planes), self.batch_size):
            rows = slice(start, start + self.batch_size)
            count = len(planes[rows])
            self._planes[:count], self._globals[:count] = planes[rows], global_inputs[rows]
            inputs = {"planes": self._planes, "globals": self._globals}
            raw = self._model.predict_on_batch(inputs)
            parts.append({name: np.array(raw[name][:count]) for name in raw})
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def katago_on_gpu(
    network: Network, batch_size: int, precision: str, _examples: object
) -> KatagoOnKeras:
    """Return a network on Keras's GPU; ArgumentError: no GPU, or another precision than float32."""
    if precision != "float32":
        raise ArgumentError(f"a KataGo network on a GPU needs float32, not {precision}")
    if not has_gpu():
        raise ArgumentError(f"--device gpu: {keras.backend.backend()} sees no GPU")
    return KatagoOnKeras(network, batch_size)
