"""Weights of one network for another; a larger one then starts with a smaller one's answers.

Source: Chen, Goodfellow and Shlens, "Net2Net", 2016, for the identity; Zhang, Dauphin and Ma,
"Fixup Initialization", 2019, for the zero at the end of a residual branch.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from golois.constants import PLANES_SHAPE
from models.catalogue.saved import open_network
from models.contract import OUTPUTS, output_names
from models.errors import ModelOptionError
from models.training.widening import NotWider, widen

if TYPE_CHECKING:
    import keras

TOLERANCE = 1e-4
MOST_CUTS = 8


class Transfer(NamedTuple):
    """How many layers' weights were taken over; the answers' largest deviation, if comparable."""

    num_taken: int
    num_layers: int
    deviation: float | None

    def __str__(self) -> str:
        taken = f"{self.num_taken} of {self.num_layers} layers taken"
        if self.deviation is None:
            return f"{taken} from a network for another board"
        if self.deviation <= TOLERANCE:
            return f"{taken}, and the outputs are the same"
        return f"{taken}; the other layers begin untrained, so the outputs are not the same"


def load_network(path: str, flag: str) -> "keras.Model":
    """Load policy and value of an .h5 of 31 planes; ModelOptionError, SavedNetworkError: none."""
    return _with_two_outputs(open_network(path), f"{path} in {flag}")


def _with_two_outputs(network: "keras.Model", what: str) -> "keras.Model":
    import keras

    shapes = [tuple(tensor.shape[1:]) for tensor in network.inputs]
    if shapes != [PLANES_SHAPE]:
        raise ModelOptionError(f"expected one input {PLANES_SHAPE} in {what}: got {shapes}")
    outputs = dict(zip(output_names(network), network.outputs, strict=True))
    heads = [_output(outputs, name, shape, what) for name, (shape, _) in OUTPUTS.items()]
    return network if list(outputs) == list(OUTPUTS) else keras.Model(network.inputs[0], heads)


def _output(outputs: Mapping[str, Any], name: str, shape: tuple[int], what: str) -> Any:
    alike = {other: x for other, x in outputs.items() if tuple(x.shape[1:]) == shape}
    found = alike.get(name, next(iter(alike.values())) if len(alike) == 1 else None)
    if found is None:
        raise ModelOptionError(
            f"expected an output {name} of {shape[0]} numbers in {what}: got "
            + ", ".join(f"{other} {tuple(tensor.shape[1:])}" for other, tensor in outputs.items())
        )
    return found


# Layers are matched in order, by class and by the shapes of their weights. Where the whole smaller
# network is found at the beginning and the end of the larger, the layers between are blocks that
# were added; they are made to pass on their input. Where only the numbers of channels differ, each
# new channel copies an existing channel (`widening`). Otherwise each layer is taken whose name and
# shapes agree. A network for another board gives the weights that depend on no size.
def take_weights(network: "keras.Model", source: "keras.Model", planes: np.ndarray) -> Transfer:
    """Give a network of float32 layers the weights of another network where they fit, in place.

    The source has the same planes and outputs, or another size of board. `planes` are positions to
    compare answers on. Raises ModelOptionError: boards that differ by more than sizes.
    """
    ours, theirs = _weighted(network), _weighted(source)
    if network.input_shape[1:3] != source.input_shape[1:3]:
        return _take_from_another_board(ours, theirs)
    initial = network.get_weights()
    ways = list(islice(_cuts(ours, theirs), MOST_CUTS))
    if not ways and (deviation := _widened(network, source, planes)) <= TOLERANCE:
        return Transfer(len(ours), len(ours), deviation)
    ways = ways or [_by_name(ours, theirs)]
    for pairs in [*ways, ways[0]]:
        network.set_weights(initial)
        _take(network, pairs, planes, is_whole=len(pairs) == len(theirs))
        deviation = _deviation(network, source, planes)
        if deviation <= TOLERANCE:
            break
    return Transfer(len(pairs), len(ours), deviation)


def _take_from_another_board(ours: Sequence, theirs: Sequence) -> Transfer:
    """Take each layer over whose weights depend on no size, in the order of the layers."""
    if [type(layer) for layer in ours] != [type(layer) for layer in theirs]:
        raise ModelOptionError(
            "a network for another board must have the same layers: "
            "build both networks with the same options, except for the board's size"
        )
    pairs = [
        (own, other)
        for own, other in zip(ours, theirs, strict=True)
        if _signature(own) == _signature(other)
    ]
    for own, other in pairs:
        own.set_weights(other.get_weights())
    return Transfer(len(pairs), len(ours), None)


def _take(network: "keras.Model", pairs: Sequence[tuple], planes: np.ndarray, is_whole: bool):
    for own, other in pairs:
        own.set_weights(other.get_weights())
    if is_whole:
        taken = {own.name for own, _ in pairs}
        added = [layer for layer in _weighted(network) if layer.name not in taken]
        _make_identity(network, added, planes)


def _widened(network: "keras.Model", source: "keras.Model", planes: np.ndarray) -> float:
    """Widen the source into the network; return the deviation, infinite where that cannot be."""
    try:
        widen(network, source, np.random.default_rng(0))
    except NotWider:
        return inf
    return _deviation(network, source, planes)


def _deviation(network: "keras.Model", source: "keras.Model", planes: np.ndarray) -> float:
    import keras

    mine, others = (keras.tree.flatten(answering(planes)) for answering in (network, source))
    answers = zip(mine, others, strict=True)
    return max(float(np.abs(_array(own) - _array(other)).max()) for own, other in answers)


def _weighted(network: "keras.Model") -> list["keras.layers.Layer"]:
    return [layer for layer in network.layers if layer.weights]


def _signature(layer: "keras.layers.Layer") -> tuple:
    return type(layer).__name__, tuple(tuple(weight.shape) for weight in layer.weights)


def _cuts(ours: Sequence, theirs: Sequence) -> Iterator[list[tuple]]:
    """Pair every layer of theirs with one at the front or the back of ours, in all ways."""

    def num_alike(pairs: Iterable[tuple]) -> int:
        return sum(1 for _ in takewhile(lambda pair: _signature(pair[0]) == pair[1], pairs))

    wanted = [_signature(layer) for layer in theirs]
    front = num_alike(zip(ours, wanted, strict=False))
    back = num_alike(zip(ours[::-1], wanted[::-1], strict=False))
    if len(ours) < len(theirs):
        return
    for cut in range(front, len(theirs) - back - 1, -1):
        rest = len(theirs) - cut
        kept = [*ours[:cut], *ours[len(ours) - rest :]]
        # added blocks that begin like the layers behind them leave several cuts: one is right
        yield list(zip(kept, theirs, strict=True))


def _by_name(ours: Sequence, theirs: Sequence) -> list[tuple]:
    named = {layer.name: layer for layer in theirs}
    pairs = [(layer, named[layer.name]) for layer in ours if layer.name in named]
    return [pair for pair in pairs if _signature(pair[0]) == _signature(pair[1])]


def _make_identity(network: "keras.Model", added: Sequence, planes: np.ndarray) -> None:
    """Let added residual blocks pass on their input."""
    names = {layer.name for layer in added}
    for add in network.layers:
        ending = _branch_ending(add) if type(add).__name__ == "Add" else None
        if ending is not None and ending.name in names:
            _zero(ending)
    for layer in added:
        is_norm = type(layer).__name__ == "BatchNormalization"
        if is_norm and type(_producer(layer.input)).__name__ == "Add":
            _undo_norm(network, layer, planes)


def _array(tensor) -> np.ndarray:
    import keras

    return keras.ops.convert_to_numpy(tensor)


def _zero(layer: "keras.layers.Layer") -> None:
    learned = {id(weight) for weight in layer.trainable_weights}
    for weight in layer.weights:
        if id(weight) in learned:
            weight.assign(np.zeros(weight.shape, np.float32))


def _undo_norm(network: "keras.Model", norm: "keras.layers.Layer", planes: np.ndarray) -> None:
    import keras

    values = _array(keras.Model(network.input, norm.input)(planes))
    axes = tuple(range(values.ndim - 1))
    mean, variance = values.mean(axes), values.var(axes)
    norm.set_weights([np.sqrt(variance + norm.epsilon), mean, mean, variance])


def _branch_ending(add: "keras.layers.Layer") -> "keras.layers.Layer | None":
    """Return the last layer with weights of what is added to an identity; None where nothing is."""
    inputs = _inputs(add)
    for branch in inputs:
        others = {_producer(other).name for other in inputs if other is not branch}
        if others <= _ancestors(branch):
            layer = _producer(branch)
            while not layer.weights:
                layer = _producer(_inputs(layer)[0])
            return layer
    return None


def _ancestors(tensor) -> set[str]:
    """Return the names of the layers that a tensor depends on, except the one that makes it."""
    found, waiting = set(), [_producer(tensor)]
    while waiting:
        operation = waiting.pop()
        for before in _inputs(operation):
            producer = _producer(before)
            if producer.name not in found and producer is not operation:
                found.add(producer.name)
                waiting.append(producer)
    return found


def _producer(tensor) -> "keras.layers.Layer":
    return tensor._keras_history.operation


def _inputs(operation) -> list:
    import keras

    return keras.tree.flatten(getattr(operation, "input", []))
