"""The options of a training run: meanings, defaults, parsing and limits."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from golois.kit.command import UsageError
from golois.kit.options import check, flag, option
from golois.planes.derived import FEATURE_SETS
from models.catalogue.own import FILES
from models.contract import PARAM_BUDGET
from models.errors import ModelOptionError
from models.training.optimizers import OF_MUON, OF_SGD, OPTIMIZERS, OptimizerName
from models.training.precision import Precision
from models.training.schedules import ScheduleName, make_schedule, parse_drops, warm_up
from models.training.targets import ValueLoss

if TYPE_CHECKING:
    from models.catalogue.registry import PresetName

EMBEDDED_GAMES = Path(__file__).resolve().parents[2] / "data" / "katago_b6.games"

SMOKE = dict(epochs=1, steps_per_epoch=2, batch_size=8, validation_positions=16)

ONLY_WITH = {
    **dict.fromkeys(OF_SGD, ("optimizer", ("sgd",))),
    "muon_blocks_only": ("optimizer", OF_MUON),
    "restart_epochs": ("schedule", ("cosine",)),
    "restart_factor": ("schedule", ("cosine",)),
    "step_epochs": ("schedule", ("step",)),
}
NOT_WITHOUT = {"restart_factor": "restart_epochs", "distill_weight": "distill"}
"""Options that have no effect unless another one is given, or has one of these values."""

ROUNDING = 1e-12
PER_CENT = 100
WARMUP_PER_CENT = 2.5
"""Of the time of a run with `--minutes`: the share that the default warm-up has of all epochs."""

FURTHER_RATE = 0.002
"""Highest usual rate for a network that has learned already (docs/studies/optimizers.md)."""

CLOCKS = {"wall": time.monotonic, "cpu": time.process_time}
END_OF_SEEDS = 2**32
"""Keras takes none from here on."""


@dataclass(frozen=True)
class Options:
    """Everything that decides a run, written to its config.json."""

    model: str = option(
        "mobilenet",
        "network of the registry, see --list; or MY_NET.py:FUNCTION, or a saved network",
    )
    preset: "PresetName" = option(
        "budget", "the network's own options", choices=("budget", "paper")
    )
    fit_budget: int = option(
        0,
        "make the network as large as N parameters allow, 100000 if N is left out; 0: off",
        nargs="?",
        const=PARAM_BUDGET,
        least=0,
    )
    over_budget: bool = option(
        False, "train also a network with too many parameters to be handed in"
    )
    features: str = option("preset", "planes of the network, such as course, vit, liberties")
    set: Mapping[str, str] = field(default_factory=dict)
    init_from: str = option(
        "", "a network (.h5) to begin with: its weights are copied into the layers that fit"
    )
    curriculum: Sequence[str] = ()
    data: Mapping[str, float] = field(default_factory=lambda: {str(EMBEDDED_GAMES): 1.0})
    epochs: int = option(
        20,
        "epochs of the run; 0, the default with --minutes: train until the minutes are over",
        least=0,
    )
    steps_per_epoch: int = option(320, "batches between two validations", above=0)
    batch_size: int = option(
        32,
        "positions of a batch; with 128 a network learns less, with 64 a CPU is faster",
        above=0,
    )
    minutes: float = option(
        0.0, "end after N minutes, or after --epochs if that is sooner", least=0
    )
    clock: str = option(
        "wall",
        "how --minutes counts: wall time, or the CPU time of this run",
        choices=tuple(CLOCKS),
    )
    optimizer: OptimizerName = option(
        "muon", "optimizer of the weights", choices=get_args(OptimizerName)
    )
    lr: float = option(
        OPTIMIZERS["muon"].learning_rate,
        "initial learning rate; other optimizers have other defaults, and so has a trained network",
        above=0,
    )
    weight_decay: float = option(
        OPTIMIZERS["muon"].weight_decay,
        "decoupled weight decay of the kernels; other optimizers have other defaults",
        least=0,
    )
    cautious_decay: bool = option(
        False, "decay a weight only in steps that move it toward 0"
    )
    muon_blocks_only: bool = option(
        False, "with muon or normuon: let AdamW move all kernels of stem and heads"
    )
    momentum: float = option(0.9, "momentum of sgd; 0: none", least=0, below=1)
    nesterov: bool = option(True, "use Nesterov's momentum in sgd")
    clip_norm: float = option(
        0.0, "largest norm of the gradient; 0: no limit", least=0
    )
    schedule: ScheduleName = option(
        "cosine", "how the learning rate changes", choices=get_args(ScheduleName)
    )
    warmup_epochs: float = option(
        0.5,
        "epochs at the start in which the learning rate rises from 0; per cent of the time, by "
        f"default {WARMUP_PER_CENT}, where --minutes alone ends the run",
        least=0,
    )
    restart_epochs: float = option(
        0.0,
        "epochs of the first period of the cosine (T_i), or per cent of the time, where --minutes "
        "alone ends the run; 0: the whole run",
        least=0,
    )
    restart_factor: float = option(
        1.0, "each period is longer than the last by this factor (T_mul)", least=1
    )
    step_epochs: str = option(
        "16",
        "with --schedule step: halve the learning rate every N epochs, or after epochs such as "
        "70,90; per cent of the time, where --minutes alone ends the run",
    )
    ema: float = option(
        0.0, "decay of a moving average of the weights, such as 0.999; 0: none", least=0, below=1
    )
    swa: float = option(
        0.0,
        "also keep the mean of the weights over this last share of the epochs; 0: none",
        least=0,
        most=1,
    )
    policy_weight: float = option(1.0, "weight of the policy's loss", least=0)
    value_weight: float = option(8.0, "weight of the value's loss", least=0)
    value_loss: str = option("crossentropy", "loss of the value", choices=get_args(ValueLoss))
    label_smoothing: float = option(
        0.0, "share of the policy's target spread over all points", least=0, most=1
    )
    aux: Mapping[str, float] = field(default_factory=dict)
    distill: str = option("", "a teacher (.h5): its outputs are mixed into the targets")
    distill_weight: float = option(
        0.5, "share of the teacher's outputs in the targets", least=0, most=1
    )
    played_weight: float = option(
        0.0,
        "share of the move played in the policy's target, at positions with a label",
        least=0,
        most=1,
    )
    symmetry: str = option(
        "random",
        "turn and mirror training positions at random; ordered: by the next of the eight "
        "symmetries at each pass over the data; none: as played",
        choices=("random", "ordered", "none"),
    )
    hard_examples: float = option(
        1.0,
        "share of each batch that is learned from: the positions with the largest losses of policy "
        "and value; 1: all",
        above=0,
        most=1,
    )
    whole_games: bool = option(False, "each batch has all positions of one game")
    validation_positions: int = option(
        2048, "held-out positions measured after each epoch", above=0
    )
    validation_fraction: float = option(0.05, "chance of each game to be held out")
    precision: Precision = option(
        "float32", "number format of the layers' arithmetic", choices=get_args(Precision)
    )
    jit: bool = option(False, "compile the training steps with XLA; jax always does")
    devices: int = option(1, "GPUs that share each batch; more than one with jax only", above=0)
    tensorboard: bool = option(
        False, "also write the measures of each epoch for TensorBoard, into OUT/tensorboard"
    )
    seed: int = option(
        0, "seed of the split, the batches and the initial weights", least=0, below=END_OF_SEEDS
    )

    def __post_init__(self) -> None:
        check(self)
        if self.ema and self.swa:
            raise UsageError(
                f"--ema {self.ema} and --swa {self.swa} exclude each other: leave one out"
            )
        if self.cautious_decay and not self.weight_decay:
            raise UsageError(
                "--cautious-decay has no effect without --weight-decay: give both, or leave it out"
            )
        if self.batch_size % self.devices:
            raise UsageError(
                f"--batch-size must be a multiple of --devices {self.devices}, "
                f"not {self.batch_size}"
            )
        features = ("preset", *FEATURE_SETS)
        if self.features not in features:
            raise UsageError(
                f"--features must be one of {', '.join(features)}, not {self.features!r}"
            )
        for name in ("jit", "devices", "hard_examples"):
            if self.whole_games and getattr(self, name) != getattr(Options, name):
                raise UsageError(
                    f"--whole-games has batches of many sizes, and {flag(name)} needs one size: "
                    "leave one out"
                )
        if not (self.epochs or self.minutes):
            raise UsageError("--epochs must be above 0 without --minutes")
        if 0 < self.epochs <= len(self.curriculum):
            raise UsageError(
                f"--epochs must be above the number of --curriculum, {len(self.curriculum)}, "
                f"not {self.epochs}: the last network needs an epoch too"
            )
        try:
            parse_drops(self.step_epochs)
        except ModelOptionError as error:
            raise UsageError(f"--step-epochs: {error}") from error

    def progress(self, step: int, seconds: float) -> float:
        """Return how much of the run is done, by batches or by time, the greater of both, 0 … 1."""
        by_steps = step / (self.epochs * self.steps_per_epoch) if self.epochs else 0.0
        by_time = seconds / (60 * self.minutes) if self.minutes else 0.0
        return min(1.0, max(by_steps, by_time))

    @property
    def of_processor(self) -> str:
        """Return what a length of time is of, by the run's clock: "" for wall time."""
        return " of processor time" if self.clock == "cpu" else ""

    def twice_as_long(self) -> str:
        """Spell the options of a run with twice the epochs and minutes."""
        lengths = {"epochs": self.epochs, "minutes": self.minutes}
        return " ".join(f"{flag(name)} {2 * n:.10g}" for name, n in lengths.items() if n)

    def is_averaged(self, step: int, seconds: float) -> bool:
        """Return whether an epoch that ends here is in the last part, which `--swa` averages."""
        return self.progress(step, seconds) - (1 - self.swa) > ROUNDING

    @property
    def scheduled_epochs(self) -> int:
        """Epochs of the run as its schedule counts them; where time ends it, per cent of that."""
        return self.epochs or PER_CENT

    @property
    def first_rate(self) -> float:
        """Learning rate of the first batch."""
        schedule = make_schedule(self.schedule, **self.of_schedule())
        return schedule(0.0, nan) * warm_up(0.0, self.warmup_epochs)

    @property
    def turning(self) -> bool | Literal["ordered"]:
        """Return what `BatchSource.sample` takes as `symmetry`."""
        return "ordered" if self.symmetry == "ordered" else self.symmetry == "random"

    def of_schedule(self) -> dict[str, Any]:
        """Return what `make_schedule` takes."""
        names = ("batch_size", "restart_epochs", "restart_factor", "step_epochs")
        own = {name: getattr(self, name) for name in names}
        return {"initial": self.lr, "epochs": self.scheduled_epochs, **own}

    def of_compilation(self) -> dict[str, Any]:
        """Return what `compile_for_training` takes."""
        names = ["value_weight", "policy_weight", "value_loss", "label_smoothing", "optimizer"]
        names += ["weight_decay", "cautious_decay", "muon_blocks_only", "clip_norm", "ema", "jit"]
        names += ["hard_examples"]
        names += OF_SGD if self.optimizer == "sgd" else ()
        own = {name: getattr(self, name) for name in names}
        return {"learning_rate": self.lr, "auxiliary": self.aux, **own}


def complete(given: dict[str, Any]) -> dict[str, Any]:
    """Add what follows from given options; UsageError: an option without effect beside others."""
    for name, (other, needed) in ONLY_WITH.items():
        chosen = given.get(other, getattr(Options, other))
        if name in given and chosen not in needed:
            names = " or ".join(needed)
            raise UsageError(f"{flag(name)} is only for {flag(other)} {names}, not {chosen}")
    for name, other in NOT_WITHOUT.items():
        if name in given and not given.get(other):
            raise UsageError(
                f"{flag(name)} has no effect without {flag(other)}: give both, or leave it out"
            )
    spec = OPTIMIZERS[given.get("optimizer", Options.optimizer)]
    has_learned = given.get("init_from") or given.get("model", "").endswith(FILES)
    rate = min(spec.learning_rate, FURTHER_RATE) if has_learned else spec.learning_rate
    usual = {"lr": rate, "weight_decay": spec.weight_decay}
    if given.get("minutes"):
        usual["epochs"] = 0
        if not given.get("epochs"):
            usual["warmup_epochs"] = WARMUP_PER_CENT
    return {**usual, **given}
