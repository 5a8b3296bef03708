"""The registry: a name for every family, with the options that fit the budget and the paper's."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

import keras

from models.errors import ModelOptionError, UnknownModelError
from models.families.alphago import build_alphago
from models.families.convnext import build_convnext
from models.families.efficientformer import build_efficientformer
from models.families.gated import build_gated
from models.families.isn import build_isn
from models.families.isn_tower import build_isn_tower
from models.families.mixnet import build_mixnet
from models.families.mobilenet import build_mobilenet
from models.families.nogozero import build_nogozero
from models.families.resnet import build_resnet
from models.families.restnet import build_restnet
from models.families.shufflenet import build_shufflenet
from models.families.two_headed import build_two_headed
from models.families.vit import build_vit

Preset = Literal["budget", "paper"]


@dataclass(frozen=True)
class ModelSpec:
    """One family: its builder and two sets of options for it.

    Attributes:
        name: what `train.py --model` takes.
        build: keyword-only options, each annotated int, float, bool, str or Literal, all with
            defaults, to an uncompiled Keras model.
        budget: options that keep within `contract.PARAM_BUDGET`.
        paper: options of the published network, whatever its size, with the contract's outputs;
            None where this kit follows an idea and not a network.
        source: where the published network is described.
        scales: the option that makes the network larger; see `models.catalogue.fit`.
        paper_features: the planes that `paper` reads, a name of `golois.features.FEATURE_SETS`;
            with others than the course's a network can be trained, and not handed in.
    """

    name: str
    build: Callable[..., keras.Model]
    budget: Mapping[str, Any]
    paper: Mapping[str, Any] | None
    source: str
    scales: str
    paper_features: str = "course"


REGISTRY: dict[str, ModelSpec] = {
    spec.name: spec
    for spec in (
        ModelSpec(
            "resnet",
            build_resnet,
            budget=dict(blocks=5, filters=28, perspective="mover"),
            paper=dict(blocks=4, filters=32, policy_activation="relu"),
            source="Cazenave 2018, Residual Networks for Computer Go",
            scales="filters",
        ),
        ModelSpec(
            "mobilenet",
            build_mobilenet,
            budget=dict(blocks=18, filters=64, trunk=32, perspective="mover"),
            paper=dict(
                blocks=19, filters=64, trunk=32, value_pooling="max", policy_activation="relu"
            ),
            source="Cazenave 2020, Mobile Networks for Computer Go",
            scales="blocks",
        ),
        ModelSpec(
            "mixnet",
            build_mixnet,
            budget=dict(blocks=31, filters=32, trunk=16, perspective="mover"),
            paper=dict(blocks=31, filters=32, trunk=16, value_units=64, policy_activation="silu"),
            source="Cazenave 2021, Cosine Annealing, Mixnet and Swish Activation",
            scales="blocks",
        ),
        ModelSpec(
            "restnet",
            build_restnet,
            budget=dict(blocks="RRTRRT", filters=28, heads=2, perspective="mover"),
            paper=dict(
                blocks="R3(RRT)",
                filters=256,
                heads=4,
                policy_head="dense",
                value_head="wide_average",
            ),
            source="Bridging Local and Global Knowledge via Transformer in Board Games, 2025",
            scales="filters",
        ),
        ModelSpec(
            "nogozero",
            build_nogozero,
            budget=dict(blocks=5, filters=28, perspective="mover"),
            paper=dict(blocks=20, filters=128),
            source="Gao and Wu 2021, NoGoZero+",
            scales="filters",
        ),
        ModelSpec(
            "alphago",
            build_alphago,
            budget=dict(filters=27, perspective="mover"),
            paper=dict(filters=192),
            source="Silver et al. 2016, Mastering the game of Go with deep neural networks",
            scales="filters",
        ),
        ModelSpec(
            "two_headed",
            build_two_headed,
            budget=dict(filters=28, perspective="mover"),
            paper=dict(filters=32, planes=10),
            source="Clark and Storkey 2014, Teaching Deep CNNs to Play Go",
            scales="filters",
            paper_features="two_headed",
        ),
        ModelSpec(
            "vit",
            build_vit,
            budget=dict(blocks=4, width=32, heads=4, hidden=64, perspective="mover"),
            paper=dict(blocks=4, width=768, heads=8, hidden=768, planes=10),
            source="Imitating Human Go Players via Vision Transformer, 2025",
            scales="width",
            paper_features="vit",
        ),
        ModelSpec(
            "isn",
            build_isn,
            budget=dict(hidden="32,16,16,8,16", window=5, perspective="mover"),
            paper=dict(hidden="4,2,2,0,2", window=3),
            source="Blair 2009, Learning the game of Go with Internal Symmetry Networks",
            scales="maps",
        ),
        ModelSpec(
            "isn_tower",
            build_isn_tower,
            budget=dict(blocks=8, width=8, perspective="mover"),
            paper=None,
            source="Blair 2009, Internal Symmetry Networks; Cohen and Welling 2016",
            scales="width",
        ),
        ModelSpec(
            "convnext",
            build_convnext,
            budget=dict(blocks=8, filters=32),
            paper=None,
            source="Liu et al. 2022, A ConvNet for the 2020s",
            scales="blocks",
        ),
        ModelSpec(
            "shufflenet",
            build_shufflenet,
            budget=dict(blocks=16, filters=96),
            paper=None,
            source="Ma et al. 2018, ShuffleNet V2",
            scales="blocks",
        ),
        ModelSpec(
            "eca",
            build_gated,
            budget=dict(gate="eca", blocks=18),
            paper=None,
            source="Wang et al. 2020, ECA-Net",
            scales="blocks",
        ),
        ModelSpec(
            "cbam",
            build_gated,
            budget=dict(gate="cbam", blocks=17),
            paper=None,
            source="Woo et al. 2018, CBAM",
            scales="blocks",
        ),
        ModelSpec(
            "coordinate",
            build_gated,
            budget=dict(gate="coordinate", blocks=16),
            paper=None,
            source="Hou et al. 2021, Coordinate Attention",
            scales="blocks",
        ),
        ModelSpec(
            "efficientformer",
            build_efficientformer,
            budget=dict(pooling_blocks=4, attention_blocks=2, filters=40, heads=2),
            paper=None,
            source="Li et al. 2022, EfficientFormer",
            scales="filters",
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
    chosen = spec.budget if preset == "budget" else spec.paper
    if chosen is None:
        raise ModelOptionError(f"expected preset budget, which alone {name} has: got {preset}")
    options |= chosen
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
    except (ValueError, ArithmeticError, RecursionError) as error:  # the last: too deep for Keras
        raise ModelOptionError(
            f"expected options that {name} can be built with: got {options} ({error})"
        ) from error


def outline(name: str, *, preset: Preset = "budget", **overrides: Any) -> keras.Model:
    """Build a network whose weights have shapes and no numbers: to be counted, not to be run.

    It costs a fraction of what `build` does, and no memory to speak of. Arguments and errors are
    those of `build`.
    """
    with keras.StatelessScope(initialize_variables=False):
        return build(name, preset=preset, **overrides)


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
