"""The options of a training run: what each is, its default, and what may not be."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from models.schedules import ScheduleName
from models.training.command_line import UsageError, flag, option

EMBEDDED_GAMES = Path(__file__).resolve().parents[2] / "data" / "katago_b6.games"
SMOKE = dict(epochs=1, steps_per_epoch=2, batch_size=8, validation_positions=16)


@dataclass(frozen=True)
class Options:
    """Everything that decides a run, written to its config.json."""

    model: str = option("resnet", "network of the registry, see --list")
    preset: str = option("budget", "the network's own options", choices=("budget", "paper"))
    set: Mapping[str, str] = field(default_factory=dict)
    data: Mapping[str, float] = field(default_factory=lambda: {str(EMBEDDED_GAMES): 1.0})
    epochs: int = option(100, "the report has 800 of 10,000 positions")
    steps_per_epoch: int = option(80, "batches between two validations")
    batch_size: int = option(128, "32 learns more from a position, 128 is faster on a CPU")
    minutes: float = option(0.0, "end after so many, the schedule keeping pace; 0: epochs alone")
    lr: float = option(0.002, "initial learning rate of Adam")
    schedule: str = option("cosine", "of the learning rate", choices=get_args(ScheduleName))
    restart_epochs: float = option(0.0, "first period of the cosine (T_i); 0: all epochs")
    restart_factor: float = option(1.0, "growth of the period at each restart (T_mul)")
    value_weight: float = option(4.0, "weight of the value's loss, the policy's being 1")
    validation_positions: int = option(2048, "held-out positions measured after each epoch")
    validation_fraction: float = option(0.05, "chance of each game to be held out")
    seed: int = option(0, "of the split, the batches and the initial weights")

    def __post_init__(self) -> None:
        for name in ("epochs", "steps_per_epoch", "batch_size", "lr", "validation_positions"):
            if not getattr(self, name) > 0:
                raise UsageError(f"expected {flag(name)} above 0: got {getattr(self, name)}")
        lowest = dict(minutes=0, restart_epochs=0, restart_factor=1, value_weight=0, seed=0)
        for name, bound in lowest.items():
            if not getattr(self, name) >= bound:
                raise UsageError(f"expected {flag(name)} from {bound}: got {getattr(self, name)}")

    def progress(self, step: int, seconds: float) -> float:
        """Fraction of the run that is done, by batches or by time, whichever is further."""
        by_steps = step / (self.epochs * self.steps_per_epoch)
        by_time = seconds / (60 * self.minutes) if self.minutes else 0.0
        return min(1.0, max(by_steps, by_time))
