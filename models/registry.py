"""The registry: a name for every family, with the options that fit the budget and the paper's."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

import keras

from models.contract import Count, count_parameters
from models.errors import ModelOptionError, UnknownModelError
from models.mixnet import build_mixnet
from models.mobilenet import build_mobilenet
from models.resnet import build_resnet

Preset = Literal["budget", "paper"]


@dataclass(frozen=True)
class ModelSpec:
    """One family: its builder and two sets of options for it.

    Attributes:
        name: what `train.py --model` takes.
        build: keyword-only options, each annotated int, float, bool, str or Literal, all with
            defaults, to an uncompiled Keras model.
        budget: options that keep within `contract.PARAM_BUDGET`.
        paper: options of the published network, whatever its size.
        source: where the published network is described.
    """

    name: str
    build: Callable[..., keras.Model]
    budget: Mapping[str, Any]
    paper: Mapping[str, Any]
    source: str


REGISTRY: dict[str, ModelSpec] = {
    spec.name: spec
    for spec in (
        ModelSpec(
            "resnet",
            build_resnet,
            budget=dict(blocks=5, filters=28),
            paper=dict(blocks=4, filters=32, policy_activation="relu"),
            source="Cazenave 2018, Residual Networks for Computer Go",
        ),
        ModelSpec(
            "mobilenet",
            build_mobilenet,
            budget=dict(blocks=18, filters=64, trunk=32),
            paper=dict(
                blocks=19, filters=64, trunk=32, value_pooling="max", policy_activation="relu"
            ),
            source="Cazenave 2020, Mobile Networks for Computer Go",
        ),
        ModelSpec(
            "mixnet",
            build_mixnet,
            budget=dict(blocks=31, filters=32, trunk=16),
            paper=dict(
                blocks=31, filters=32, trunk=16, value_units=64, policy_activation="silu"
            ),
            source="Cazenave 2021, Cosine Annealing, Mixnet and Swish Activation",
        ),
    )
}


def find(name: str) -> ModelSpec:
    """Look a family up.

    Raises:
        UnknownModelError: no family has this name.
    """
    if name not in REGISTRY:
        raise UnknownModelError(f"expected a model out of {', '.join(REGISTRY)}: got {name!r}")
    return REGISTRY[name]


def resolve_options(
    name: str, overrides: Mapping[str, Any] | None = None, preset: Preset = "budget"
) -> dict[str, Any]:
    """Complete the options of a family: builder's defaults, then preset, then overrides.

    Args:
        name: a name of the registry.
        overrides: values, or text as typed on a command line, which the builder's signature types.
        preset: "budget" or "paper".

    Returns:
        Every option of the builder, typed.

    Raises:
        UnknownModelError: no family has this name.
        ModelOptionError: an unknown option, or a value that does not fit its type.
    """
    spec = find(name)
    parameters = inspect.signature(spec.build).parameters
    options = {key: parameter.default for key, parameter in parameters.items()}
    options |= spec.budget if preset == "budget" else spec.paper
    for key, value in (overrides or {}).items():
        if key not in parameters:
            raise ModelOptionError(
                f"expected an option of {name} out of {', '.join(parameters)}: got {key!r}"
            )
        options[key] = _typed(f"{name} option {key}", value, parameters[key].annotation)
    return options


def build(name: str, *, preset: Preset = "budget", **overrides: Any) -> keras.Model:
    """Build an uncompiled network of the registry.

    Does not hold the result to the budget: `contract.check_submittable` does.

    Args:
        name: a name of the registry.
        preset: "budget" or "paper".
        **overrides: options of the builder that differ from the preset.

    Raises:
        UnknownModelError: no family has this name.
        ModelOptionError: an unknown option, or a value that the builder cannot take.
    """
    options = resolve_options(name, overrides, preset)
    try:
        return find(name).build(**options)
    except (ValueError, ArithmeticError) as error:
        raise ModelOptionError(
            f"expected options that {name} can be built with: got {options} ({error})"
        ) from error


def table() -> str:
    """List every family's presets with their sizes; builds each network once."""
    lines = [f"{'model':10} {'preset':6} {'total':>8} {'trainable':>9}  source and options"]
    for name, spec in REGISTRY.items():
        for preset, options in (("budget", spec.budget), ("paper", spec.paper)):
            model = build(name, preset=preset)
            total, trainable = (count_parameters(model, count) for count in get_args(Count))
            chosen = " ".join(f"{key}={value}" for key, value in options.items())
            lines.append(
                f"{name:10} {preset:6} {total:8,} {trainable:9,}  {spec.source}; {chosen}"
            )
    return "\n".join(lines)


def _typed(what: str, value: Any, annotation: Any) -> Any:
    if get_origin(annotation) is Literal:
        choices = get_args(annotation)
        if value in choices:
            return value
        raise ModelOptionError(f"expected {what} out of {', '.join(choices)}: got {value!r}")
    if annotation is bool:
        named = {"true": True, "false": False, "1": True, "0": False}
        if str(value).lower() in named:
            return named[str(value).lower()]
    elif annotation in (int, float):
        try:
            number = annotation(str(value))
        except ValueError:
            number = None
        if number is not None and number >= 0:
            return number
    elif annotation is str:
        return str(value)
    raise ModelOptionError(f"expected {what} as {_kind(annotation)}: got {value!r}")


def _kind(annotation: Any) -> str:
    kinds = {bool: "true or false", int: "a whole number from 0", float: "a number from 0"}
    return kinds[annotation]
