"""The strict reading of one layer's options: what is allowed, and what the file has instead."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tournament.intake.faults import quoted

MAX_NUMBERS = 100_000
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


def integer(low: int, high: int, default: object = _REQUIRED) -> Option:
    """Accept an int from `low` to `high`."""

    def read(value: object) -> int:
        if type(value) is not int or not low <= value <= high:
            raise OptionError(f"a whole number from {low} to {high}")
        return value

    return Option(read, default)


def number(low: float, high: float, default: object = _REQUIRED) -> Option:
    """Accept a number from `low` to `high`."""

    def read(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or (
            not low <= value <= high
        ):
            raise OptionError(f"a number from {low} to {high}")
        return float(value)

    return Option(read, default)


def boolean(default: object = _REQUIRED) -> Option:
    """Accept True or False, or 1 or 0 for them."""

    def read(value: object) -> bool:
        if type(value) not in (bool, int) or value not in (0, 1):
            raise OptionError("true or false")
        return bool(value)

    return Option(read, default)


def pair(low: int, high: int, default: object = _REQUIRED) -> Option:
    """Accept two ints (rows, columns), or one for both."""
    single = integer(low, high)

    def read(value: object) -> tuple[int, int]:
        values = value if isinstance(value, list) else [value, value]
        if len(values) != 2:
            raise OptionError("two whole numbers")
        return single.read(values[0]), single.read(values[1])

    return Option(read, default)


def integers(low: int, high: int, max_length: int = 8, default: object = _REQUIRED) -> Option:
    """Accept a short list of ints; a single int counts as a list of one."""
    single = integer(low, high)

    def read(value: object) -> tuple[int, ...]:
        values = value if isinstance(value, list) else [value]
        if len(values) > max_length:
            raise OptionError(f"at most {max_length} whole numbers")
        return tuple(single.read(item) for item in values)

    return Option(read, default)


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


def choice(*allowed: object, default: object = _REQUIRED) -> Option:
    """Accept one of a few values."""

    def read(value: object) -> object:
        if not any(value is item or (type(value) is type(item) and value == item)
                   for item in allowed):
            raise OptionError(" or ".join(repr(item) for item in allowed))
        return value

    return Option(read, default)


def optional(option: Option) -> Option:
    """Accept the same option or null; a missing one is null, too."""
    return Option(lambda value: None if value is None else option.read(value), None)


def ignored() -> Option:
    """Accept any value: the option has no effect once the network is trained."""
    return Option(lambda value: None, None)


def training_only(*names: str) -> dict[str, Option]:
    """Accept any initialisers, regularisers and constraints: they are not called, nor looked up."""
    return {name: ignored() for name in names}


def read_dtype(value: object) -> None:
    """Accept a float type or a policy by name: everything is evaluated in float32."""
    if isinstance(value, dict):
        inner = value.get("config")
        value = inner.get("name") if isinstance(inner, dict) else None
    allowed = ("float32", "float16", "bfloat16", "float64", "mixed_float16", "mixed_bfloat16")
    if value is not None and value not in allowed:
        raise OptionError("a floating-point type")


COMMON: Schema = {
    "name": ignored(),
    "trainable": boolean(True),
    "dtype": Option(read_dtype, None),
    "batch_input_shape": ignored(),
    "quantization_config": choice(None, default=None),
    **training_only("activity_regularizer"),
}


def read_options(
    schema: Schema, config: Mapping[str, object]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the options of a layer, and by name a sentence for each that is not allowed."""
    return read_arguments({**COMMON, **schema}, config)


def read_arguments(
    schema: Schema, config: Mapping[str, object]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the same for a function, which has only the options of its schema."""
    unknown = [key for key in config if key not in schema]
    wrong = {key: f"option {quoted(key)} is not known" for key in unknown[:MAX_UNKNOWN]}
    if len(unknown) > MAX_UNKNOWN:
        wrong[unknown[-1]] = f"{len(unknown) - MAX_UNKNOWN} more options are not known"
    options: dict[str, Any] = {}
    for key, option in schema.items():
        if key not in config:
            if option.default is _REQUIRED:
                wrong[key] = f"option '{key}' is missing"
            options[key] = option.default
            continue
        try:
            options[key] = option.read(config[key])
        except OptionError as error:
            wrong[key] = f"expected {error} in option '{key}': got {quoted(config[key])}"
    return options, wrong
