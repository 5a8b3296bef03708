"""The largest network of a family within a number of parameters."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from models.catalogue.registry import PresetName, find, outline, resolve_options
from models.contract import PARAM_BUDGET, count_parameters
from models.errors import ModelOptionError

MAX_STEP = 64
HIGHEST_LIMIT = 100_000_000
"""Ten times the largest network of the papers; outlines of more take minutes."""


@dataclass(frozen=True)
class Fit:
    """The largest network that fits, `total` parameters, and the next size, which does not."""

    option: str
    value: int
    total: int
    next_value: int
    next_total: int


def fit(
    name: str,
    overrides: Mapping[str, Any] | None = None,
    preset: PresetName = "budget",
    limit: int = PARAM_BUDGET,
) -> Fit:
    """Scale a family until one step more would exceed `limit` parameters, all counted.

    It counts outlines from the preset's own size on, in doubling steps, then by bisection. An
    override of the scaled option is where to begin. Raises UnknownModelError: no family has this
    name; ModelOptionError: options that nothing can be built with, or a limit below the smallest
    network or above HIGHEST_LIMIT.
    """
    if limit > HIGHEST_LIMIT:
        raise ModelOptionError(f"the limit must be at most {HIGHEST_LIMIT:,}, not {limit:,}")
    settings = resolve_options(name, overrides, preset)
    option = find(name).scales
    if not option:
        raise ModelOptionError(f"{name} has no option that scales it: make it smaller with --set")
    start = settings[option]

    @cache
    def total(value: int) -> int:
        return count_parameters(outline(name, preset=preset, **{**settings, option: value}))

    total(start)
    step = _smallest_step(total, option, start)
    smallest = start - (start - 1) // step * step
    if total(smallest) > limit:
        raise ModelOptionError(
            f"{name} does not fit into {limit:,} parameters: it has {total(smallest):,} with "
            f"{option}={smallest}"
        )
    fitting, stride = (start, step) if total(start) <= limit else (smallest, step)
    too_large = start if fitting < start else start + step
    while total(too_large) <= limit:
        stride *= 2
        fitting, too_large = too_large, too_large + stride
    while too_large - fitting > step:
        middle = fitting + (too_large - fitting) // step // 2 * step
        if total(middle) <= limit:
            fitting = middle
        else:
            too_large = middle
    return Fit(option, fitting, total(fitting), too_large, total(too_large))


def _smallest_step(total: Callable[[int], int], option: str, start: int) -> int:
    """Return the step of an option: heads must divide the channels, halves need even numbers."""
    for step in range(1, MAX_STEP + 1):
        try:
            total(start + step)
        except ModelOptionError:
            continue
        return step
    raise ModelOptionError(
        f"no network with {option} above {start} can be built: change the other options"
    )
