"""The registry: every network by its name, and its options as a command line gives them."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Literal

import keras

from models.catalogue.known import refuse_name, refuse_option, typed
from models.catalogue.own import is_own, own_spec
from models.errors import ModelOptionError, SavedNetworkError, UnknownModelError
from models.families.alphago import ALPHAGO
from models.families.convnext import CONVNEXT
from models.families.efficientformer import EFFICIENTFORMER
from models.families.gated import CBAM, COORDINATE, ECA
from models.families.isn import ISN
from models.families.isn_tower import ISN_TOWER
from models.families.mixnet import MIXNET
from models.families.mobilenet import MOBILENET
from models.families.nogozero import NOGOZERO
from models.families.resnet import RESNET
from models.families.restnet import RESTNET
from models.families.shufflenet import SHUFFLENET
from models.families.two_headed import TWO_HEADED
from models.families.vit import VIT
from models.spec import ModelSpec

PresetName = Literal["budget", "paper"]


REGISTRY: dict[str, ModelSpec] = {
    spec.name: spec
    for spec in (
        RESNET,
        MOBILENET,
        MIXNET,
        RESTNET,
        NOGOZERO,
        ALPHAGO,
        TWO_HEADED,
        VIT,
        ISN,
        ISN_TOWER,
        CONVNEXT,
        SHUFFLENET,
        ECA,
        CBAM,
        COORDINATE,
        EFFICIENTFORMER,
    )
}


def find(name: str) -> ModelSpec:
    """Look up a family, or a network of the user's own; see `models.catalogue.own`.

    Raises UnknownModelError: no family has this name; ModelOptionError: a file that cannot be used.
    """
    if is_own(name):
        return own_spec(name)
    if name not in REGISTRY:
        refuse_name(name, REGISTRY)
    return REGISTRY[name]


def resolve_options(
    name: str, overrides: Mapping[str, Any] | None = None, preset: PresetName = "budget"
) -> dict[str, Any]:
    """Complete and type the options of a family: builder's defaults, then preset, then overrides.

    Overrides are values, or text of a command line. Raises UnknownModelError: no family has this
    name; ModelOptionError: an unknown option, or a value that does not fit its type.
    """
    spec = find(name)
    parameters = _parameters_of(spec.build)
    options = default_options(name)
    chosen = spec.budget if preset == "budget" else spec.paper
    if chosen is None:
        raise ModelOptionError(f"{name} has no preset {preset}: use budget")
    options |= chosen
    for key, value in (overrides or {}).items():
        if key not in parameters:
            refuse_option(name, key, parameters)
        options[key] = typed(f"{name} option {key}", value, _type_of(parameters[key]))
    return options


def default_options(name: str) -> dict[str, Any]:
    """Return the builder's defaults, without those of a preset; UnknownModelError for no family."""
    parameters = inspect.signature(find(name).build).parameters
    return {key: parameter.default for key, parameter in parameters.items()}


def build(name: str, /, *, preset: PresetName = "budget", **overrides: Any) -> keras.Model:
    """Build an uncompiled network of the registry; the overrides are options of its builder.

    It does not check the budget: `contract.check_submittable` does. Raises UnknownModelError: no
    family has this name; ModelOptionError: an option that the builder cannot take.
    """
    options = resolve_options(name, overrides, preset)
    # RecursionError: too deep for Keras. A student's own function may raise anything.
    of_family = (ValueError, ArithmeticError, RecursionError)
    expected = (Exception, SystemExit) if is_own(name) else of_family
    try:
        network = find(name).build(**options)
    except (UnknownModelError, SavedNetworkError):  # of a saved network, which has no options
        raise
    except expected as error:
        why = str(error) or type(error).__name__
        raise ModelOptionError(f"{name} cannot be built with {options}: {why}") from error
    if not isinstance(network, keras.Model):
        raise ModelOptionError(f"{name} returns {type(network).__name__}, not a keras.Model")
    if not getattr(network, "inputs", None):
        raise ModelOptionError(
            f"{name} returns a {type(network).__name__} whose layers aren't connected yet: "
            "begin with keras.Input, and return keras.Model(inputs, outputs)"
        )
    return network


def outline(name: str, /, *, preset: PresetName = "budget", **overrides: Any) -> keras.Model:
    """As `build`, in a fraction of the time: its weights have no numbers, so it can't be run."""
    with keras.StatelessScope(initialize_variables=False):
        return build(name, preset=preset, **overrides)


def _parameters_of(build: Callable) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(build, eval_str=True).parameters
    except Exception:  # as of a student's annotation that is imported for type checkers only
        return inspect.signature(build).parameters


def _type_of(parameter: inspect.Parameter) -> Any:
    if parameter.annotation is parameter.empty or isinstance(parameter.annotation, str):
        return type(parameter.default)
    return parameter.annotation
