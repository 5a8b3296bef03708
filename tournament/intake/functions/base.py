"""What an entry of the tables of functions is, and the operands that functions share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from tournament.intake.arguments import TensorRef
from tournament.intake.graph import Shape
from tournament.intake.layers.base import Builder
from tournament.intake.ops import Reshape, Transpose
from tournament.intake.schema import Option, OptionError, Schema, numbers

Results = int | tuple[int, ...]


@dataclass(frozen=True)
class FunctionKind:
    """One function: its parameters in their order, and how it is written in our operations.

    `lower(builder, arguments)` returns the index of the result, or of several; tensors among the
    arguments are indices by then (see `Found`). `other_names` maps a parameter's name elsewhere to
    the one in `schema`.
    """

    schema: Schema
    lower: Callable[..., Results]
    other_names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Found:
    """A tensor among the arguments, by the index of its node."""

    index: int


def _read_tensor(value: object) -> TensorRef:
    if not isinstance(value, TensorRef):
        raise OptionError("a tensor")
    return value


def _read_tensors(value: object) -> list[TensorRef]:
    if not isinstance(value, list) or not value:
        raise OptionError("a list of tensors")
    return [_read_tensor(item) for item in value]


def _read_operand(value: object) -> TensorRef | np.ndarray:
    if isinstance(value, TensorRef):
        return value
    try:
        return _NUMBERS.read(value)
    except OptionError:
        raise OptionError("a tensor or numbers") from None


def _read_operands(value: object) -> list[TensorRef | np.ndarray]:
    if not isinstance(value, list) or not value:
        raise OptionError("a list of tensors or numbers")
    return [_read_operand(item) for item in value]


_NUMBERS = numbers()
TENSOR = Option(_read_tensor)
TENSORS = Option(_read_tensors)
OPERAND = Option(_read_operand)
OPERANDS = Option(_read_operands)


def axis_of(builder: Builder, axis: int, rank: int) -> int:
    """Return an axis that counts the batch, or from the end, as one from 0 without the batch."""
    found = axis - 1 if axis > 0 else axis + rank
    if axis == 0 or not 0 <= found < rank:
        builder.refuse(
            f"option 'axis' is {axis}: not one of the {rank} axes after the batch",
            "name an axis of one position, the batch stays as it is",
        )
    return found


def reshaped(builder: Builder, x: int, shape: Shape) -> int:
    """Append a reshape, unless the result has that shape already."""
    return x if builder.shape(x) == shape else builder.add(Reshape(shape), x)


def transposed(builder: Builder, x: int, order: tuple[int, ...]) -> int:
    """Append a transposition, unless the order stays."""
    return x if order == tuple(range(len(order))) else builder.add(Transpose(order), x)
