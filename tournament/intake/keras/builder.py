"""What entries of the tables may use: options that are read strictly, and a graph to write to.

An entry has the options that its layer or function may have, and a function that writes it with a
`Builder`, which checks shapes, limits and arrays, and counts.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from math import prod
from typing import Any, NoReturn

import numpy as np

from tournament.intake.faults import Fault, fault, refusal
from tournament.intake.graph.graph import Node
from tournament.intake.graph.ops import Constant, Input, Op, Reshape, Shape, Transpose
from tournament.intake.keras.description import LayerConfig, Path

MAX_NODES = 10_000
MAX_CALLS = 20_000
MAX_RESULTS = 40_000_000  # attention of 24 heads with a learned bias of each displacement
# What a description may say without its being counted: single numbers in options, and each input of
# an operation after its first. The networks in data/networks say up to 190.
FREE_NUMBERS = 1_000
MAX_NUMBERS = 100_000  # of an array in an option
MAX_UNITS = 1_000_000
MAX_UNKNOWN = 10  # options that are named; the others are counted
_REQUIRED = object()


class OptionError(ValueError):
    """An option is not what it may be; the text is what was expected."""


@dataclass(frozen=True)
class Option:
    """How to read one option, and its value when an older Keras did not write it."""

    read: Callable[[object], Any]
    default: object = _REQUIRED


Schema = Mapping[str, Option]


def _where(
    fits: Callable[[Any], bool], expected: str, default: object,
    convert: Callable[[Any], object] = lambda value: value,
) -> Option:
    def read(value: object) -> object:
        if not fits(value):
            raise OptionError(expected)
        return convert(value)

    return Option(read, default)


def integer(low: int, high: int, default: object = _REQUIRED) -> Option:
    """Accept an int from `low` to `high`."""
    return _where(
        lambda value: type(value) is int and low <= value <= high,
        f"a whole number from {low} to {high}", default,
    )


def number(low: float, high: float, default: object = _REQUIRED) -> Option:
    """Accept a number from `low` to `high`."""
    return _where(
        lambda value: type(value) in (int, float) and low <= value <= high,
        f"a number from {low} to {high}", default, float,
    )


def boolean(default: object = _REQUIRED) -> Option:
    """Accept True or False, or 1 or 0 for them."""
    return _where(
        lambda value: type(value) in (bool, int) and value in (0, 1), "true or false", default, bool
    )


def choice(*allowed: object, default: object = _REQUIRED) -> Option:
    """Accept one of a few values."""
    return _where(
        lambda value: any(
            value is item or (type(value) is type(item) and value == item) for item in allowed
        ),
        " or ".join(repr(item) for item in allowed), default,
    )


def row(
    single: Option, lengths: range, expected: str, repeated: int = 0, default: object = _REQUIRED
) -> Option:
    """Accept a list of some length; a value of another kind counts as a list of it, `repeated`."""

    def read(value: object) -> tuple:
        values = value if isinstance(value, list) else [value] * repeated
        if len(values) not in lengths:
            raise OptionError(expected)
        return tuple(map(single.read, values))

    return Option(read, default)


def pair(low: int, high: int, default: object = _REQUIRED) -> Option:
    """Accept two ints (rows, columns), or one for both."""
    return row(integer(low, high), range(2, 3), "two whole numbers", 2, default)


def integers(low: int, high: int, max_length: int = 8, default: object = _REQUIRED) -> Option:
    """Accept a short list of ints; a single int counts as a list of one."""
    expected = f"at most {max_length} whole numbers"
    return row(integer(low, high), range(max_length + 1), expected, 1, default)


def numbers(default: float | None = None) -> Option:
    """Accept a number or an array of them, float32; required where no `default` is given."""

    def read(value: object) -> np.ndarray:
        try:
            numeric = type(value) in (int, float, list)
            array = np.array(value if numeric else None, np.float64).astype(np.float32)
        except (ValueError, TypeError, OverflowError):
            raise OptionError("numbers") from None
        if not numeric or not 0 < array.size <= MAX_NUMBERS or not np.isfinite(array).all():
            raise OptionError("numbers")
        return array

    return Option(read, _REQUIRED if default is None else np.float32(default))


def optional(option: Option) -> Option:
    """Accept the same option or null; a missing one is null, too."""
    return Option(lambda value: None if value is None else option.read(value), None)


def unread(*names: str) -> dict[str, Option]:
    """Accept any values: these options have no effect once the network is trained."""
    return {name: Option(lambda value: None, None) for name in names}


def trained(*names: str) -> dict[str, Option]:
    """Accept any initialisers, regularisers and constraints of these arrays: none is looked up."""
    ways = ("initializer", "regularizer", "constraint")
    return unread(*(f"{name}_{way}" for name in names for way in ways))


def _read_dtype(value: object) -> None:
    """Accept a float type or a policy by name: everything is evaluated in float32."""
    if isinstance(value, dict):
        inner = value.get("config")
        value = inner.get("name") if isinstance(inner, dict) else None
    allowed = ("float32", "float16", "bfloat16", "float64", "mixed_float16", "mixed_bfloat16")
    if value is not None and value not in allowed:
        raise OptionError("a floating-point type")


COMMON: Schema = {  # options of every layer
    "trainable": boolean(True),
    "dtype": Option(_read_dtype, None),
    "quantization_config": choice(None, default=None),
    **unread("name", "batch_input_shape", "activity_regularizer"),
}


def read_options(
    layer: object, schema: Schema, config: Mapping[str, object], instead: Callable[[str], str]
) -> tuple[dict[str, Any], dict[str, Fault]]:
    """Return the options of a schema, and what is wrong with the others, by name.

    Args:
        layer: what faults call its owner.
        schema: the options that there may be.
        config: what the file has.
        instead: returns what to do about an option.
    """
    wrong: dict[str, Fault] = {}
    options: dict[str, Any] = {}

    def note(option: str, code: str, **values: object) -> None:
        said = {"layer": layer, "option": option, "instead": instead(option)}
        wrong[option] = fault(code, **said, **values)

    unknown = [key for key in config if key not in schema]
    for key in unknown[:MAX_UNKNOWN]:
        note(key, "unknown-option")
    if len(unknown) > MAX_UNKNOWN:
        note(unknown[-1], "more-options", number=len(unknown) - MAX_UNKNOWN)
    for key, option in schema.items():
        options[key] = option.default
        if key in config:
            try:
                options[key] = option.read(config[key])
            except OptionError as error:
                note(key, "option", expected=error, value=config[key])
        elif option.default is _REQUIRED:
            note(key, "no-option")
    return options, wrong


@dataclass(frozen=True)
class LayerKind:
    """One Keras layer class: the options it may have, and how it is written in our operations.

    `lower(builder, options, x)` returns the index of the result; `x` is the index of the input,
    or for a layer that `joins` a list of them, or for one of several `arguments` a dict by name.
    """

    schema: Schema
    lower: Callable[..., int]
    joins: bool = False
    arguments: tuple[str, ...] = ("inputs",)


class Stopwatch:
    """Limits the processor time of what looks at it, counted from its making."""

    def __init__(self, seconds: float) -> None:
        self._end = time.process_time() + seconds

    def check(self) -> None:
        """Raise Refused once the time is over."""
        if time.process_time() > self._end:
            raise refusal("too-much", what="processor time")


class StoredWeights:
    """The arrays of each layer; each is counted once, however often its layer is used."""

    def __init__(self, arrays: Mapping[Path, list[np.ndarray]]) -> None:
        self.total = 0
        self.trainable = 0
        self._arrays = arrays
        self._counted: set[Path] = set()
        self._path: Path = ()
        self._next = 0

    def begin(self, path: Path) -> None:
        """Start a layer: what is taken next is its first array."""
        self._path, self._next = path, 0

    def take(self, name: str, shape: Shape, trainable: bool, counts: bool) -> np.ndarray:
        """Return the layer's next array; raises ValueError where it is missing or does not fit."""
        stored = self._arrays.get(self._path, [])
        if self._next >= len(stored):
            raise ValueError(f"the file does not hold its {name} {shape}")
        array = stored[self._next]
        if array.shape != tuple(shape):
            raise ValueError(f"its {name} in the file is {array.shape}, not {shape}")
        self._next += 1
        if self._path not in self._counted:
            self.total += array.size
            self.trainable += array.size if counts else 0
        return array

    def finish(self) -> None:
        """End the layer; raises ValueError where it has more arrays than it took."""
        stored = len(self._arrays.get(self._path, []))
        if self._next != stored:
            raise ValueError(f"the file holds {stored} arrays of it, not {self._next}")
        self._counted.add(self._path)


class PlannedWeights:
    """Stands in for the arrays while the needed ones are being determined: all are zero."""

    total = trainable = 0

    def __init__(self, num_stored: int) -> None:
        self.wanted: dict[Path, list[bool]] = {}  # whether each array is trainable
        self._num_stored = self._left = num_stored
        self._path: Path = ()
        self._known = False

    def begin(self, path: Path) -> None:
        """Start a layer: what is taken next is its first array."""
        self._path, self._known = path, path in self.wanted
        self.wanted.setdefault(path, [])

    def take(self, name: str, shape: Shape, trainable: bool, counts: bool) -> np.ndarray:
        """Note that the layer wants such an array; return zeros, or raise ValueError.

        It raises where all that is taken is larger than what the file has.
        """
        if not self._known:
            self._left -= prod(shape)
            self.wanted[self._path].append(trainable)
        if self._left < 0 or prod(shape) > self._num_stored:
            raise ValueError(f"the file does not hold its {name} {shape}")
        return np.zeros(shape, np.float32)

    def finish(self) -> None:
        """End the layer."""


class Builder:
    """The graph of one network under construction; a layer may call `add` and what follows it."""

    def __init__(
        self,
        input_shape: Shape,
        weights: StoredWeights | PlannedWeights,
        keras_major: int,
        max_flops: int,
        stopwatch: Stopwatch,
    ) -> None:
        self.nodes = [Node(Input(input_shape), (), input_shape)]
        self.keras_major = keras_major
        self._weights = weights
        self._max_flops = max_flops
        self._stopwatch = stopwatch
        self._layer = LayerConfig("", "", {}, ())
        self._num_calls = self._num_results = self._flops = 0
        self._num_in_arrays = self._num_said = 0

    @property
    def parameters_hidden(self) -> int:
        """What the description brings besides its weights; `model.count_params()` leaves it out.

        These are the arrays in options and constants, and what else it says beyond FREE_NUMBERS:
        numbers can also be chosen one at a time, or as inputs out of many.
        """
        return self._num_in_arrays + max(0, self._num_said - FREE_NUMBERS)

    @property
    def parameters_total(self) -> int:
        """All numbers that the file brings along, the hidden ones included."""
        return self._weights.total + self.parameters_hidden

    @property
    def parameters_trainable(self) -> int:
        """The same without moving statistics that stand beside a trainable number."""
        return self._weights.trainable + self.parameters_hidden

    def begin(self, layer: LayerConfig, path: Path) -> None:
        """Start one call of a layer, which faults name and whose arrays come next."""
        self._stopwatch.check()
        self._layer = layer
        self._num_calls += 1
        if self._num_calls > MAX_CALLS:
            self.refuse("many-calls", most=MAX_CALLS)
        self._weights.begin(path)

    def finish(self) -> None:
        """End the call: the layer has taken all of its arrays."""
        try:
            self._weights.finish()
        except ValueError as error:
            self.refuse("weights", error=error)

    def refuse(self, code: str, **values: object) -> NoReturn:
        """Refuse the submission for a fault of this layer."""
        raise refusal(code, layer=self._layer, **values) from None

    def add(self, op: Op, *inputs: int) -> int:
        """Append an operation on earlier results and return the index of its own."""
        self._stopwatch.check()
        shapes = [self.shape(i) for i in inputs]
        try:
            shape = op.infer(*shapes)
        except ValueError as error:
            self.refuse("misfit", error=error)
        self._flops += op.flops(*shapes)
        self._num_results += prod(shape)
        self._num_said += max(0, len(inputs) - 1) + _count_numbers(op)
        costly = self._num_results > MAX_RESULTS or self._flops > self._max_flops
        if costly or len(self.nodes) >= MAX_NODES:
            self.refuse(
                "too-costly", results=self._num_results, max_results=MAX_RESULTS,
                nodes=len(self.nodes), max_nodes=MAX_NODES,
                flops=self._flops, max_flops=self._max_flops,
            )
        self.nodes.append(Node(op, inputs, shape))
        return len(self.nodes) - 1

    def add_on_axes(self, op: Op, x: int, axes: tuple[int, ...]) -> int:
        """Append an operation on the last axes for these axes, which end where they were."""
        rank = len(self.shape(x))
        order = (*(axis for axis in range(rank) if axis not in axes), *axes)
        if order == tuple(range(rank)):
            return self.add(op, x)
        turned = self.add(op, self.add(Transpose(order), x))
        return self.add(Transpose(tuple(order.index(axis) for axis in range(rank))), turned)

    def reshaped(self, x: int, shape: Shape) -> int:
        """Append a reshape, unless the result has that shape already."""
        return x if self.shape(x) == shape else self.add(Reshape(shape), x)

    def constant(self, array: np.ndarray) -> int:
        """Append numbers of the layer's options, count them, and return their index."""
        self.count(array)
        return self.add(Constant(array))

    def count(self, array: np.ndarray) -> None:
        """Count numbers of the layer's options as parameters; single ones are free at first."""
        if array.size > 1:
            self._num_in_arrays += array.size
        else:
            self._num_said += 1

    def shape(self, index: int) -> Shape:
        """Return the shape of a result, without the batch."""
        return self.nodes[index].shape

    def board(self, x: int) -> Shape:
        """Return (rows, columns, channels) of a result, or refuse one that is not a board."""
        shape = self.shape(x)
        if len(shape) != 3:
            self.refuse(
                "input", expected="an input of (rows, columns, channels)", shape=shape,
                instead="put the layer where the tensor still has its rows and columns",
            )
        return shape

    def axes(self, x: int, axes: tuple[int, ...], most: int = 8) -> tuple[int, ...]:
        """Return axes that count the batch, or from the end, as those of a position, in order."""
        rank = len(self.shape(x))
        found = sorted({axis - 1 if axis > 0 else axis + rank for axis in axes})
        if 0 in axes or not axes or found[0] < 0 or found[-1] >= rank or len(axes) > most:
            self.misfit("axis", axes[0] if len(axes) == 1 else axes, x,
                        "name an axis of one position, such as -1 for the channels")
        return tuple(found)

    def axis(self, x: int, axis: int) -> int:
        """Return one such axis."""
        return self.axes(x, (axis,))[0]

    def misfit(self, option: str, value: object, x: int, instead: str) -> NoReturn:
        """Refuse an option that does not fit its input."""
        shape = self.shape(x)
        self.refuse("option-misfit", option=option, value=value, shape=shape, instead=instead)

    def weight(
        self, name: str, shape: Shape, trainable: bool = True, counts: bool | None = None
    ) -> np.ndarray:
        """Return the layer's next stored array and count it; refuses one of another shape.

        Args:
            name: of the array, for the refusal.
            shape: that it must have.
            trainable: whether Keras lists it among the trainable ones.
            counts: whether it counts as one of them; as `trainable` says when None.
        """
        counts = trainable if counts is None else counts
        try:
            return self._weights.take(name, shape, trainable, counts)
        except ValueError as error:
            self.refuse("weights", error=error)

    def variance(self, name: str, shape: Shape, counts: bool = False) -> np.ndarray:
        """Return the next array, which holds variances."""
        array = self.weight(name, shape, False, counts)
        if array.min() < 0.0:
            self.refuse("negative-variance", name=name.replace("_", " "))
        return array


def _count_numbers(op: Op) -> int:
    """Return how many single numbers, such as a slope, an operation has as its options."""
    values = [getattr(op, field.name) for field in fields(op)]
    listed = [item for value in values if isinstance(value, tuple) for item in value]
    return sum(isinstance(value, float) for value in (*values, *listed))
