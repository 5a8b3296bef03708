"""Options of a run from its size and minutes, by the speed of this machine; all can be set."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from shlex import quote
from typing import Any

from models.catalogue.own import is_own
from models.training.options import Options, complete

PARAMETERS = {"small": 30_000, "medium": 60_000, "full": 100_000}
MINUTES = {"small": 10.0, "medium": 60.0, "full": 480.0}

EFFICIENCY = 0.2
"""Share of the peak that a training reaches, about; its first lines print the true speed."""

NUM_EPOCHS = 20
FEWEST_STEPS, MOST_STEPS = 40, 2000  # of an epoch


@dataclass(frozen=True)
class Derivation:
    """Options that were derived, and the sentences that say why."""

    options: dict[str, Any]
    reasons: list[str]


def derive(size: str, given: Mapping[str, Any], flops: float, peak: float) -> Derivation:
    """Derive what is not given: minutes, width and the batches of an epoch.

    `flops` are operations of training a position with the network of this size, `peak` those of
    this machine in a second.
    """
    minutes = given.get("minutes", MINUTES[size])
    limit = given.get("fit_budget", PARAMETERS[size])
    at_most = f"at most {limit:,} parameters, " if limit else ""
    speed = EFFICIENCY * peak / flops
    positions = 60 * minutes * speed
    batch = given.get("batch_size", Options.batch_size)
    steps = positions / batch
    options: dict[str, Any] = {
        "minutes": minutes,
        "fit_budget": limit,
        "steps_per_epoch": round(min(max(steps / NUM_EPOCHS, FEWEST_STEPS), MOST_STEPS)),
    }
    reasons = [
        f"--size {size}: {at_most}{minutes:g} minutes",
        f"this machine: {peak / 1e9:,.0f} GFLOP/s at best, {flops / 1e6:,.0f} MFLOP a position: "
        f"about {speed:,.0f} positions/s, {positions:,.0f} in all, {steps:,.0f} batches of {batch}",
    ]
    derived = {name: value for name, value in options.items() if name not in given}
    return Derivation(derived, reasons)


def dialled(size: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given options with the derived ones, and print why, and how to set them.

    Raises UsageError or ModelsError: options that no run can have.
    """
    from models.catalogue.registry import outline
    from models.training.card import command_of
    from models.training.curriculum import stages_of
    from models.training.outlook import peak_flops, training_flops

    if is_own(given.get("model", Options.model)):  # nothing says what would scale it
        given = {"fit_budget": 0, **given}
    of_run = {"fit_budget": PARAMETERS[size], "minutes": MINUTES[size], **given}
    elsewhere = {name: of_run.pop(name) for name in ("out",) if name in of_run}
    options = Options(**complete(of_run))
    network = outline(options.model, **stages_of(options)[-1])
    dtype = "bfloat16" if given.get("precision") == "mixed_bfloat16" else "float32"
    found = derive(size, given, training_flops(network), peak_flops(dtype))
    for reason in found.reasons:
        print(reason)
    chosen = {**found.options, **of_run}
    out = f" --out {quote(str(elsewhere['out']))}" if elsewhere else ""
    print(f"the same as: {command_of(asdict(Options(**complete(chosen))), whole_paths=True)}{out}")
    return {**chosen, **elsewhere}
