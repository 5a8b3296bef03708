"""Train a network of the registry on a file of games, and leave an .h5 to hand in.

    python train.py                                       what can be trained, and a first command
    python train.py --model mobilenet                     the embedded games, 20 epochs
    python train.py --model mobilenet --set blocks=4 --set filters=32 --minutes 2
    python train.py --size small                          ten minutes; chooses the other options
    python train.py --resume runs/resnet-20250131-101500  after a kill or Ctrl-C
    python train.py --model restnet --fit-budget          as wide as 100,000 parameters allow
    python train.py --list                                networks and their sizes

The run's folder gets config.json, history.csv, curves.png, best.h5 (lowest held-out loss),
last.h5, with --ema or --swa average.h5, and checkpoint.npz. A kill loses at most the epoch under
way; Ctrl-C and SIGTERM finish the batch, save, and exit with 130 and 143. Bad input is one sentence
and exit code 2. docs/student/training.md says what the options are good for.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from functools import partial
from math import isnan
from shlex import quote
from signal import Signals
from typing import Any

from golois.kit.command import imports_in_words

with imports_in_words("train.py"):
    from golois.data.mixture import Mixture
    from golois.kit.command import UsageError, run_in_words
    from golois.kit.files import write_whole
    from golois.kit.processes import own_search_path
    from golois.kit.run_folder import CheckpointError
    from golois.kit.signals import StopRequest
    from golois.planes.derived import FEATURE_SETS, num_planes
    from models.catalogue.known import require_known
    from models.catalogue.own import is_own, own_file
    from models.contract import PARAM_BUDGET, check_submittable, check_trainable, count_parameters
    from models.training import tensorboard_log
    from models.training.arguments import LENGTHS, new_run, old_run, parse_arguments
    from models.training.averaging import BLENDS, averaged
    from models.training.checkpoint import RunState
    from models.training.curriculum import has_had_its_share, is_over, stages_of
    from models.training.diagnosis import try_next
    from models.training.dial import dialled
    from models.training.games import held_out_batches, open_games, training_sample, warn_of_komi
    from models.training.history import draw_curves
    from models.training.jax_steps import steps_of
    from models.training.options import CLOCKS, Options
    from models.training.precision import with_precision
    from models.training.quiet import import_keras_quietly
    from models.training.reporter import EpochReporter
    from models.training.run_folder import TrainingFolder, describe_run, have_same_games
    from models.training.schedules import continued, make_schedule, warm_up
    from models.training.steps import (
        build_variables,
        evaluate,
        is_out_of_memory,
        prefetched,
        rows_known,
        share_batches,
        without_heads,
    )
    from models.training.transfer import load_network, take_weights

POSITIONS_TO_FIT = 256
FIRST_COMMAND = "python train.py --model mobilenet --minutes 5"
SHOW_THE_MOVER = ("course", "liberties")


# Model


def built(options: Options, settings: dict[str, Any]) -> Any:
    """Build a network with seeded weights."""
    import keras

    import models

    keras.utils.clear_session(free_memory=False)  # so a layer's name depends on its network alone
    keras.utils.set_random_seed(options.seed)
    share_batches(options.devices)
    network = models.build(options.model, **settings)
    if faults := check_trainable(network):
        own = is_own(options.model)
        remedy = "give --model another network" if own else "leave out the --set that changes it"
        raise UsageError(f"{faults[0]}; {remedy}")
    return network


def require_budget(options: Options, network: Any) -> None:
    """Refuse to train what is too large to be handed in however it is counted, unless wanted."""
    count = count_parameters(network)
    if count_parameters(network, "trainable") > PARAM_BUDGET and not options.over_budget:
        raise UsageError(
            f"this {options.model} has {count:,} parameters, and at most {PARAM_BUDGET:,} can be "
            "handed in: add --fit-budget, or a smaller --set; --over-budget trains it anyway"
        )


def require_planes(options: Options, network: Any, features: str) -> None:
    """Check that a network, and those it learns from, read the planes of the games."""
    planes, expected = network.input_shape[-1], num_planes(features)
    if planes != expected:
        raise UsageError(
            f"the network reads {planes} planes, and the features {features} have {expected}: "
            "leave out --set planes, or choose --features"
        )
    if features != "course" and (options.distill or options.init_from):
        raise UsageError(f"--distill and --init-from need --features course, not {features}")


def require_colour(
    options: Options, stages: list[dict[str, Any]], features: str, is_resumed: bool
) -> None:
    """Hold a network that reads the colour to move from a plane to features with that plane."""
    has_turn_first = FEATURE_SETS[features][0] in ("course", "turn")
    if options.model == "two_headed" and not (has_turn_first or is_resumed):
        raise UsageError("two_headed needs the turn in the first plane: --features two_headed")
    is_turned = any(stage.get("perspective") == "mover" for stage in stages)
    if is_turned and features not in SHOW_THE_MOVER:
        raise UsageError(
            f"perspective=mover needs --features {' or '.join(SHOW_THE_MOVER)}, "
            f"not {features}: choose one of them, or --set perspective=white"
        )


def checked_network(
    options: Options, stages: list[dict[str, Any]], games: Mixture, is_resumed: bool
) -> Any:
    """Build the network of the last stage, and check that it fits the budget and the games.

    A resumed run was checked against the budget when it began.
    """
    network = built(options, stages[-1])
    if not is_resumed:
        require_budget(options, network)
    require_planes(options, network, games.features)
    require_colour(options, stages, games.features, is_resumed)
    if games.features == "course":
        for fault in check_submittable(network):
            print(f"this network cannot be handed in: {fault}")
    return network


def compiled_model(options: Options, network: Any, games: Mixture) -> Any:
    """Make a network ready to train; `network` of the result is what is saved."""
    from models.training.losses import compile_for_training
    from models.training.unpacking import PackedInput

    model = PackedInput(network, options.aux, options.precision, games.has_targets, options.jit)
    compile_for_training(model, **options.of_compilation())
    return model


def open_teacher(options: Options) -> Any | None:
    """Open the teacher network, if there is one."""
    from models.training.distillation import Teacher

    return Teacher(options.distill) if options.distill else None


def begin_with(source: Any, network: Any, games: Mixture) -> None:
    """Give a new network the fitting weights of another one, and print how many they are."""
    import keras

    from models.training.unpacking import unpack_planes

    bits = games.sample(POSITIONS_TO_FIT, 0, targets=()).planes
    planes = keras.ops.convert_to_numpy(unpack_planes(bits, network.input_shape[1:]))
    print(f"weights to begin with: {take_weights(network, source, planes)}")


# Epochs


def measure(
    options: Options, model: Any, state: RunState, held_out: list[Any], games: Mixture,
    elapsed: Callable[[], float],
) -> dict[str, float]:
    """Measure the weights on held-out positions, and their average; keep the better ones.

    The last epoch also measures blends of both; its row has the best blend. The time that measuring
    takes, by `elapsed` seconds of the run, may make an epoch the last.
    """
    weights = evaluate(model, held_out)
    if isnan(weights["loss"]):
        raise UsageError(
            f"the held-out loss is not a number after epoch {len(state.history) + 1}: "
            "start a new run with a lower --lr or with --clip-norm 1"
        )
    state.offer(model, weights["loss"])
    measured = {f"val_{name}": value for name, value in weights.items()}
    average_epochs(options, model, state)
    if options.ema or state.mean_count:
        sample = partial(games.sample, symmetry=options.turning, targets=())
        found, shares = {}, [1.0, *BLENDS]
        for share in shares:
            if share < 1 and options.progress(state.step, elapsed()) < 1:
                break
            with averaged(model, state.mean_weights, sample, share):
                found[share] = evaluate(model, held_out)
                state.offer(model, found[share]["loss"], is_averaged=True, share=share)
        measured |= {f"average_val_{name}": value for name, value in found.pop(1.0).items()}
        if found:
            blend = min(found, key=lambda share: found[share]["loss"])
            measured |= {f"blend_val_{name}": value for name, value in found[blend].items()}
            measured["blend"] = blend
    return measured


def average_epochs(options: Options, model: Any, state: RunState) -> None:
    """Count the weights into the mean of `--swa`, if this epoch and those in it are in its part."""
    if state.mean_count:
        first = state.history[-state.mean_count]
        if not options.is_averaged(int(first["step"]), first["seconds"]):
            state.forget_mean()  # the run has been made longer
    if options.is_averaged(state.step, state.seconds):
        state.add_to_mean(model)


@contextmanager
def full_memory_in_words(options: Options) -> Iterator[None]:
    """When memory runs out inside, propose a batch that needs half of it."""
    try:
        yield
    except Exception as error:
        if not is_out_of_memory(error) or options.batch_size == 1 or options.whole_games:
            raise
        raise UsageError(
            f"memory ran out with --batch-size {options.batch_size}: start a new run with "
            f"--batch-size {options.batch_size // 2}, or with a smaller network"
        ) from error


def train(
    options: Options,
    folder: TrainingFolder,
    games: Mixture,
    model: Any,
    teacher: Any | None,
    state: RunState,
) -> int | None:
    """Train batch by batch, validate and save after each epoch.

    Returns:
        The exit code: 0, or 128 plus the number of the signal that stopped it; None when it is
        time for the next stage of the curriculum.
    """
    held_out, num_stages = held_out_batches(options, games), len(options.curriculum) + 1
    schedule = continued(make_schedule(options.schedule, **options.of_schedule()), state.schedule)
    sample = training_sample(options, games)
    if teacher:
        sample = teacher.mixed_into(sample, options.distill_weight)
    build_variables(model, held_out[0])
    outlook = shown_outlook(options, folder, games, model, held_out)
    clock = CLOCKS[options.clock]
    started = clock() - state.seconds
    steps = steps_of(model, options.devices)
    batches = prefetched(sample, state.step)
    log_to = folder.path / "tensorboard" if options.tensorboard else None
    with (
        closing(batches),
        tensorboard_log.opened(log_to, model) as log,
        StopRequest() as stop,
        EpochReporter(options, state, outlook) as reporter,
    ):
        while (progress := options.progress(state.step, state.seconds)) < 1:
            if is_over(state, num_stages, progress):
                return None
            epochs = options.scheduled_epochs * progress
            rate = schedule(epochs, state.last_loss) * warm_up(epochs, options.warmup_epochs)
            model.optimizer.learning_rate.assign(rate)
            with full_memory_in_words(options):
                with reporter.waiting():
                    batch = next(batches)
                means = without_heads(model, steps.take(batch))
                state.add_batch(means, len(batch.planes), rows_known(model, batch))
            state.schedule = asdict(schedule)
            state.seconds = clock() - started
            reporter.show_batch(state)
            progress = options.progress(state.step, state.seconds)
            is_cut = options.minutes and has_had_its_share(state, num_stages, progress)
            if progress == 1 or is_cut or state.step % options.steps_per_epoch == 0:
                steps.settle()
                measured = measure(
                    options, model, state, held_out, games, lambda: clock() - started
                )
                state.seconds = clock() - started
                state.end_epoch(rate, measured)
                keep_epoch(options, folder, model, state, reporter)
                log(state.history[-1])
            if stop.signal:
                steps.settle()
                return keep_and_stop(folder, model, state, stop.signal, reporter)
    if state.stage < num_stages - 1:
        print(
            f"the time was over in stage {state.stage + 1} of {num_stages}: "
            "the network of this stage is kept"
        )
    show_end(options, folder, games, model, state, outlook.constant_mse)
    draw_worst(folder, model, state, held_out)
    show_beside_others(folder)
    return 0


def shown_outlook(
    options: Options, folder: TrainingFolder, games: Mixture, model: Any, held_out: list[Any]
) -> Any:
    """Print what a run costs and what it can be expected to reach."""
    from models.training.outlook import Outlook, milliseconds_of

    outlook = Outlook(options, model.network, games, held_out, folder)
    for line in (*outlook.of_network(milliseconds_of(model, held_out[0])), *outlook.of_games()):
        print(line)
    return outlook


def show_end(
    options: Options,
    folder: TrainingFolder,
    games: Mixture,
    model: Any,
    state: RunState,
    constant_mse: float,
) -> None:
    """Print where the network is, and what to do next."""
    print(f"finished; the network{use_of(model.network, games)} is {folder.best}, {state.best_of}")
    longer = f"{resumed_with(folder)} {options.twice_as_long()}"
    print(f"to make the run longer: {longer}")
    print(f"try next: {try_next(options, state.history, constant_mse)}")
    print(f"to measure it: python evaluate.py {quote(str(folder.path))}")
    if games.features == "course" and not check_submittable(model.network):
        print(f"to rate it in three minutes: python -m tournament ladder {quote(str(folder.path))}")
        print(f"to hand it in: python submit.py {quote(str(folder.path))} --name YOUR_NAME")


def draw_worst(folder: TrainingFolder, model: Any, state: RunState, held_out: list[Any]) -> None:
    """Draw the held-out positions that the best weights know least about."""
    from models.evaluation.gallery import worst_positions
    from models.evaluation.pictures import gallery_picture

    model.set_weights(state.best_weights)
    picture = gallery_picture(worst_positions(model, held_out), "the move it should have learned")
    write_whole(folder.worst, picture.savefig, durable=False)
    print(f"its worst mistakes: {folder.worst}")


def show_beside_others(folder: TrainingFolder) -> None:
    """Bring the page of all runs up to date, where the run is in a folder named runs."""
    runs = folder.path.parent
    if runs.resolve().name != "runs":
        return
    from models.sweeps.compare import refresh

    try:
        print(f"all runs beside each other: {refresh(runs)}")
    except (CheckpointError, OSError) as error:  # of another run
        print(f"the page of all runs stays as it was: {error}")


def keep_epoch(
    options: Options, folder: TrainingFolder, model: Any, state: RunState, reporter: EpochReporter
) -> None:
    """Save what an epoch has reached, and show it."""
    folder.save(model, state)
    draw_curves(folder.curves, state.history, options.first_rate)
    reporter.show_epoch(state)


def keep_and_stop(
    folder: TrainingFolder, model: Any, state: RunState, signal: Signals, reporter: EpochReporter
) -> int:
    """Save between two batches, say how to go on, and return the exit code."""
    folder.save(model, state)
    reporter.say(
        f"stopped by {signal.name} and saved after batch {state.step}; "
        f"continue with: {resumed_with(folder)}"
    )
    return 128 + signal


def resumed_with(folder: TrainingFolder) -> str:
    """Spell the command that continues a run."""
    return f"python train.py --resume {quote(str(folder.path))}"


def next_model(options: Options, settings: dict[str, Any], before: Any, games: Mixture) -> Any:
    """Make the network of the next stage, which begins with what the one before has learned."""
    network = built(options, settings)
    begin_with(with_precision(before, "float32"), network, games)
    return compiled_model(options, network, games)


def use_of(network: Any, games: Mixture) -> str:
    """Say of a trained network whether it can be handed in."""
    if games.features != "course":
        return f" of the features {games.features}, not to be handed in,"
    if not check_submittable(network):
        return " to hand in"
    if not check_submittable(network, "trainable"):
        return " to hand in with --count trainable"
    return ", not to be handed in,"


def go_on(options: Options, state: RunState) -> None:
    """Say where a resumed run goes on."""
    of_all = f" of {options.epochs:,}" if options.epochs else ""
    is_over = options.progress(state.step, state.seconds) == 1
    where = "at the end" if is_over else f"in epoch {len(state.history) + 1}{of_all}"
    print(f"resumed after batch {state.step:,}, {where}")


def keep_lengths(options: Options, folder: TrainingFolder) -> None:
    """Keep the options of a resumed run that gets longer or whose files moved; say its lengths."""
    config = folder.read_config()
    before = Options(**config["options"])
    for name in LENGTHS:
        old, new = getattr(before, name), getattr(options, name)
        if new != old:
            print(f"{new:g} {name} instead of {old:g}: the learning rate follows the new length")
    if options != before:
        folder.write_config(config | {"options": asdict(options)})


def run(argv: Sequence[str] | None) -> int:
    """Do what the command line says; return the exit code."""
    given = parse_arguments(argv, __doc__)
    if not given:
        print_first_steps()
        raise UsageError(f"nothing was trained; to begin: {FIRST_COMMAND}")
    if "list" in given:
        print_registry()
        return 0
    is_resumed, is_rated = "resume" in given, given.pop("ladder", False)
    if "size" in given:
        given = sized(given)
    options, folder = old_run(given) if is_resumed else new_run(given)
    if options.tensorboard:
        tensorboard_log.require_tensorboard()
    games = open_games(options)
    if is_rated and games.features != "course":
        raise UsageError(f"--ladder needs --features course, not {games.features}: leave it out")
    warn_of_komi(games)
    import_keras_quietly()  # takes seconds, so only after the quick checks
    stages = stages_of(options, num_planes(games.features))
    network = checked_network(options, stages, games, is_resumed)
    teacher = open_teacher(options)
    description = describe_run(asdict(options), stages[-1], network, games)
    stage = folder.stage() if is_resumed else 0
    if stage < len(stages) - 1:
        network = built(options, stages[stage])
    if is_resumed:
        require_same(folder, description)
    else:
        warn_of_source(description)
    begins = not (is_resumed and folder.checkpoint.exists())
    if begins and options.init_from:
        begin_with(load_network(options.init_from, "--init-from"), network, games)
    model = compiled_model(options, network, games)
    with folder.held():
        if not is_resumed:
            folder.require_new()
            folder.write_config(description)
        elif begins == folder.checkpoint.exists() or folder.stage() != stage:
            raise UsageError(f"another process trained into {folder.path} meanwhile: try again")
        state = RunState() if begins else folder.restore(model, options.first_rate)
        if not begins:
            go_on(options, state)
        if is_resumed:
            keep_lengths(options, folder)
        while (code := train(options, folder, games, model, teacher, state)) is None:
            state.begin_stage()
            print(f"stage {state.stage + 1} of {len(stages)}")
            model = next_model(options, stages[state.stage], model.network, games)
    return play_ladder(folder) if is_rated and code == 0 else code


def play_ladder(folder: TrainingFolder) -> int:
    """Rate the network of a finished run, in a process of its own; return its exit code."""
    command = [sys.executable, "-m", "tournament", "ladder", str(folder.path)]
    sys.stdout.flush()
    environment = {**os.environ, "PYTHONPATH": own_search_path()}
    return subprocess.run(command, env=environment, check=False).returncode


def sized(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options that follow from `--size` and this machine's speed, and the given ones."""
    size = given.pop("size")
    if "resume" in given or "smoke" in given:
        other = "--resume" if "resume" in given else "--smoke"
        raise UsageError(f"--size has no effect with {other}: leave it out")
    require_known(given.get("model", Options.model), given.get("set", {}))
    import_keras_quietly()
    return dialled(size, given)


def print_first_steps() -> None:
    """Print what can be trained, and where to read more."""
    import_keras_quietly()
    from models.catalogue.table import summary

    print(f"networks for --model:\n{summary()}")
    print(
        "or your own: --model my_net.py:build. --list prints their sizes, and --help all options.\n"
        "With options but no --model, a mobilenet is trained."
    )


def print_registry() -> None:
    """Print every network of the registry and its size."""
    import_keras_quietly()
    from models.catalogue.table import table

    print(table())


def warn_of_source(description: dict[str, Any]) -> None:
    """Say where a network that a run begins from may know the games that the run holds out."""
    from models.evaluation.positions import known_of, source_of_another_split

    if source := source_of_another_split(known_of(description)):
        print(
            f"note: {source} may have learned from games that this run holds out; the accuracy "
            "there is then too high"
        )


def require_same(folder: TrainingFolder, description: dict[str, Any]) -> None:
    """Check that a resumed run has the games, network and teacher that it started with."""
    before = folder.read_config()
    files = (before.get("data") or {}).get("files", [])
    if not have_same_games(files, description["data"]["files"]):
        raise UsageError(f"--data has other games than {folder.path}: give the same files")
    own = description["own_network"]
    # Another version of Keras may describe the same network in other words.
    if before.get("own_network", own) != own and before["versions"] == description["versions"]:
        raise UsageError(
            f"{own_file(description['options']['model']).name} has changed since the run began: "
            "undo the change, or start a new run with --init-from"
        )
    if own is None or "own_network" not in before:
        from models.catalogue.registry import default_options

        # A run that began before its family had some option has the builder's default of it.
        defaults = default_options(description["options"]["model"])
        if defaults | before.get("model_options", {}) != description["model_options"]:
            raise UsageError(
                f"{folder.path} began with another network, since a preset has changed: "
                "start a new run with --init-from"
            )
    if before.get("teacher") != description["teacher"]:
        raise UsageError(f"--distill has another teacher than {folder.path}: give the same file")


def main(argv: Sequence[str] | None = None) -> int:
    """Run, and turn errors into one sentence and an exit code."""
    return run_in_words("train.py", lambda: run(argv))


if __name__ == "__main__":
    sys.exit(main())
