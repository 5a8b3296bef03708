"""Optimizers of Keras by name, each with the rate and the decay to begin from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from models.contract import POLICY_NAME, VALUE_NAME

if TYPE_CHECKING:
    import keras

OptimizerName = Literal["adam", "adamw", "sgd", "lion", "muon", "normuon"]

NEVER_DECAYED = ("bias", "gamma", "beta")
OF_SGD = ("momentum", "nesterov")
"""Settings that a run may choose."""
OF_MUON = ("muon", "normuon")
"""Optimizers of `models.training.muon`."""
SETTINGS_OF_MUON = dict(exclude_layers=[POLICY_NAME, VALUE_NAME])


@dataclass(frozen=True)
class OptimizerSpec:
    """An optimizer of `keras.optimizers`, its source, and arguments that a run may replace."""

    keras_name: str
    learning_rate: float
    weight_decay: float = 0.0
    settings: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""


OPTIMIZERS: dict[str, OptimizerSpec] = {
    "adam": OptimizerSpec("Adam", 0.002, source="Kingma and Ba 2014; the rate of the report"),
    "adamw": OptimizerSpec("Adam", 0.002, 0.004, source="Loshchilov and Hutter 2017"),
    "sgd": OptimizerSpec(
        "SGD",
        0.02,
        settings=dict(momentum=0.9, nesterov=True),
        source="Sutskever et al. 2013; rate and momentum of ResTNet",
    ),
    "lion": OptimizerSpec("Lion", 0.0002, 0.04, source="Chen et al. 2023"),
    "muon": OptimizerSpec(
        "Muon",
        0.01,
        0.004,
        settings=SETTINGS_OF_MUON,
        source="Jordan et al. 2024, scaled as in Liu et al. 2025; docs/studies/optimizers.md",
    ),
    "normuon": OptimizerSpec(
        "NorMuon",
        0.01,
        0.004,
        settings=SETTINGS_OF_MUON,
        source="Li et al. 2025",
    ),
}
"""Keras's Adam with a decay is AdamW. Muon leaves layers named "policy" or "value", and what is no
matrix, to the AdamW within it; see `models.training.muon`."""


def make_optimizer(
    name: OptimizerName,
    *,
    learning_rate: float,
    weight_decay: float = 0.0,
    cautious_decay: bool = False,
    clip_norm: float = 0.0,
    ema: float = 0.0,
    **chosen: Any,
) -> "keras.Optimizer":
    """Build an optimizer of `OPTIMIZERS`, whose settings the `chosen` arguments replace.

    The decay is decoupled and leaves biases and norms alone, and a cautious decay also the weights
    that the step moves away from 0. `clip_norm` is the longest gradient, over all weights together;
    0 for none. `ema` is how much of the moving average of the weights each step keeps; 0 for none.
    `finalize_variable_values` puts it into the network.
    """
    spec = OPTIMIZERS[name]
    settings = {**spec.settings, **chosen}
    if name in OF_MUON:
        settings["adam_weight_decay"] = weight_decay or None
    optimizer = _class_of(name, cautious_decay and weight_decay > 0)(
        learning_rate,
        weight_decay=weight_decay or None,
        global_clipnorm=clip_norm or None,
        use_ema=ema > 0,
        ema_momentum=ema,
        **settings,
    )
    optimizer.exclude_from_weight_decay(var_names=list(NEVER_DECAYED))
    return optimizer


def _class_of(name: OptimizerName, is_cautious: bool) -> Any:
    import keras

    from models.training import muon

    found = getattr(muon if name in OF_MUON else keras.optimizers, OPTIMIZERS[name].keras_name)
    return type(found.__name__, (muon.CautiousDecay, found), {}) if is_cautious else found
