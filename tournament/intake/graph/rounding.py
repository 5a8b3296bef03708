"""Rounds every number of a file, so that a parameter holds no more than one weight needs.

A float32 has room for several weights, and a function such as sin(2π·512·v) could read the later
digits of v apart. After rounding they are gone, whatever functions follow: a number has one of
about 4,096 values, which is 12 bits.
"""

from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial

import numpy as np

from tournament.intake.graph.nodes import Graph, Node, Op
from tournament.intake.graph.ops import BatchNorm

SIGNIFICANT_BITS = 8
# So many powers of two, from an array's largest number down, have steps of their own.
BINADES = 15
_LARGEST = float(np.finfo(np.float32).max)
_LOWEST = -1000  # below each power of two in float32
_Round = Callable[[np.ndarray], np.ndarray]


def round_numbers(graph: Graph, significant_bits: int = SIGNIFICANT_BITS) -> Graph:
    """Return a graph whose operations have rounded numbers.

    A BatchNorm keeps a rounded factor and a rounded term for each channel, since its four numbers
    come to these two.
    """
    round_ = partial(rounded, significant_bits=significant_bits)
    nodes = (Node(_rounded_op(node.op, round_), node.inputs, node.shape) for node in graph.nodes)
    return Graph(tuple(nodes), graph.policy, graph.value)


def rounded(array: np.ndarray, significant_bits: int = SIGNIFICANT_BITS) -> np.ndarray:
    """Return an array in float32, each number rounded to so many significant bits.

    Numbers far below the array's largest are rounded to multiples of one step (BINADES).
    """
    numbers = array.astype(np.float64)
    _, top = np.frexp(_to_steps(np.abs(numbers).max(initial=0.0), significant_bits))
    result = _to_steps(numbers, significant_bits, top - BINADES + 1)
    return np.clip(result, -_LARGEST, _LARGEST).astype(np.float32)


def _to_steps(numbers: np.ndarray, significant_bits: int, lowest: int = _LOWEST) -> np.ndarray:
    """Round to steps by each number's power of two, or by the `lowest` power for smaller ones."""
    _, powers = np.frexp(numbers)
    steps = np.ldexp(1.0, np.maximum(powers, lowest) - significant_bits)
    return np.rint(numbers / steps) * steps


def _rounded_op(op: Op, round_: _Round) -> Op:
    if isinstance(op, BatchNorm):
        scale, shift = map(round_, op.scale_and_shift())
        return BatchNorm(scale, shift, np.zeros_like(scale), np.ones_like(scale), 0.0)
    values = {field.name: getattr(op, field.name) for field in fields(op)}
    changed = {name: _rounded_value(value, round_) for name, value in values.items()}
    return replace(op, **changed)  # type: ignore[type-var]  # each operation is a dataclass


def _rounded_value(value: object, round_: _Round) -> object:
    """Return an option of an operation with its floating-point numbers rounded."""
    if isinstance(value, tuple):
        return tuple(_rounded_value(item, round_) for item in value)
    if isinstance(value, float):
        return float(round_(np.array(value)))
    if isinstance(value, np.ndarray) and np.issubdtype(value.dtype, np.floating):
        return round_(value)
    return value
