"""Small networks first: each stage is followed by a larger network that starts with its answers.

Source: Gao and Wu, "NoGoZero+", 2021, whose networks of 5, 10 and 20 blocks follow one another.
"""

from typing import Any

from golois.constants import NUM_PLANES
from golois.kit.command import UsageError
from golois.kit.options import key_values
from models.training.checkpoint import RunState
from models.training.options import Options

PATIENCE_EPOCHS = 3


def stages_of(options: Options, planes: int = NUM_PLANES) -> list[dict[str, Any]]:
    """List the complete options of each stage's network, the last being that of the run.

    Raises UsageError: a stage without an equals sign, or other planes for a network that reads
    only the course's; ModelsError: options that the network lacks.
    """
    from models.catalogue.fit import fit
    from models.catalogue.registry import default_options, resolve_options

    try:
        earlier = [key_values(stage.split(",")) for stage in options.curriculum]
    except UsageError as error:
        raise UsageError(str(error).replace("--set", "--curriculum")) from None
    shown = {} if planes == NUM_PLANES else {"planes": planes}
    if shown and "planes" not in default_options(options.model):
        raise UsageError(
            f"{options.model} has no option planes, so it reads the course's planes: leave out "
            "--features"
        )
    overrides = [{**shown, **options.set, **stage} for stage in [*earlier, {}]]
    stages = [resolve_options(options.model, each, options.preset) for each in overrides]
    if options.fit_budget:
        found = fit(options.model, stages[-1], options.preset, options.fit_budget)
        for stage, own in zip(stages, [*earlier, {}], strict=True):
            if found.option not in own:
                stage[found.option] = found.value
    return stages


def is_over(state: RunState, num_stages: int, progress: float) -> bool:
    """Return whether it is time for the next stage, between two batches.

    It is when no epoch of the last three lowered the held-out loss, and when the stages so far have
    had their equal shares of the run, of which `progress` is done.
    """
    if state.stage == num_stages - 1 or state.num_positions:
        return False
    stalled = len(state.history) - max(state.best_epoch, state.stage_began)
    return stalled >= PATIENCE_EPOCHS or has_had_its_share(state, num_stages, progress)


def has_had_its_share(state: RunState, num_stages: int, progress: float) -> bool:
    """Return whether the stages so far had their share of the run; False for the last stage."""
    is_last = state.stage == num_stages - 1
    return not is_last and progress >= (state.stage + 1) / num_stages
