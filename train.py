"""Train a network of the registry on a file of games, and leave an .h5 to hand in.

    python train.py --model resnet                        the embedded games, 100 epochs
    python train.py --model mobilenet --set blocks=4 --set filters=32 --minutes 2
    python train.py --resume runs/resnet-20250131-101500  after a kill or Ctrl-C
    python train.py --list                                networks and their sizes

The run's folder gets config.json, history.csv, curves.png, best.h5 (lowest validation loss),
last.h5 and checkpoint.npz. A kill loses at most the epoch under way; Ctrl-C and SIGTERM finish the
batch, save, and exit with 130 and 143. Bad input is one sentence and exit code 2.
"""

import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

try:
    from rich.progress import Progress

    from golois.dataset import Dataset
    from golois.errors import GoloisError
    from golois.importing import ImportProgress
    from golois.mixture import Mixture
    from golois.packed_copy import packed_copy
    from golois.records import is_packed
    from models.errors import ModelsError
    from models.schedules import make_schedule
    from models.training.checkpoint import RunState
    from models.training.command_line import Parser, UsageError, flag, key_values, weighted_files
    from models.training.history import draw_curves
    from models.training.options import EMBEDDED_GAMES, SMOKE, Options
    from models.training.quiet import import_keras_quietly
    from models.training.reporter import Reporter
    from models.training.run_folder import RunFolder, describe_run
    from models.training.steps import (
        TARGETS,
        StopRequest,
        constant_mse,
        evaluate,
        prefetched,
        train_batch,
        walk_once,
    )
except ImportError as error:  # the native core is not built, or a package is missing
    print(f"train.py: {error}", file=sys.stderr)
    sys.exit(2)


# Options


def parse_arguments(argv: Sequence[str] | None) -> dict[str, Any]:
    """Read the command line; what was not given is not in the result."""
    parser = Parser("train.py", __doc__)
    parser.add_argument("--list", action="store_true", help="print the registry and exit")
    parser.add_argument("--smoke", action="store_true", help="two small batches, then save")
    parser.add_argument("--out", type=Path, help="folder of the run [runs/MODEL-DATE-TIME]")
    parser.add_argument("--resume", type=Path, metavar="OUT", help="continue the run in OUT")
    parser.add_argument("--set", action="append", metavar="KEY=VALUE", help="of the network itself")
    parser.add_argument(
        "--data",
        action="append",
        metavar="FILE[=WEIGHT]",
        help="packed .games file or the course's games.data; give several, mixed by weight "
        f"[{EMBEDDED_GAMES}]",
    )
    parser.add_fields(Options)
    given = vars(parser.parse_args(argv))
    if "set" in given:
        given["set"] = key_values(given["set"])
    if "data" in given:
        given["data"] = weighted_files(given["data"])
    return given


def new_run(given: dict[str, Any]) -> tuple[Options, RunFolder]:
    """Complete what was given to the recipe of a new run and its folder."""
    given = {**(SMOKE if given.pop("smoke", False) else {}), **given}
    out = given.pop("out", None)
    options = Options(**given)
    folder = RunFolder(out or Path("runs") / f"{options.model}-{datetime.now():%Y%m%d-%H%M%S}")
    if folder.config.exists():
        raise UsageError(
            f"expected a new folder in --out: got {folder.path}, which holds a run; "
            f"continue it with --resume {folder.path}, or choose another"
        )
    return options, folder


def old_run(given: dict[str, Any]) -> tuple[Options, RunFolder]:
    """Read the recipe of a run; only `--data` may be given anew, for files that have moved."""
    folder = RunFolder(given.pop("resume"))
    options = Options(**folder.read_config()["options"])
    moved = given.pop("data", options.data)
    if list(moved.values()) != list(options.data.values()):
        raise UsageError(
            "expected as many files and the same weights in --data as at the run's start: "
            f"got weights {list(moved.values())} for {list(options.data.values())}"
        )
    options = replace(options, data=moved)
    for name, value in given.items():
        if value != getattr(options, name, None):
            raise UsageError(
                f"expected the run's own options beside --resume: got {flag(name)} {value}; "
                "leave it out, or start a new run"
            )
    return options, folder


# Data


def open_games(options: Options) -> Mixture:
    """Open the files of games against their checksums, as bits to be unpacked on the device."""
    fraction = options.validation_fraction
    split = dict(seed=options.seed, validation_fraction=fraction)
    sources = [
        (Dataset(packed(Path(path)), planes="bits", **split), weight)
        for path, weight in options.data.items()
    ]
    for dataset, _ in sources:
        dataset.file.verify()
        if dataset.num_positions("train") == 0 or dataset.num_positions("validation") == 0:
            raise UsageError(
                f"expected games for training and for validation in {dataset.title}: got none "
                f"for one of them at --validation-fraction {fraction}; "
                "take another fraction or more games"
            )
    return Mixture(sources, seed=options.seed)


def packed(path: Path) -> Path:
    """The packed file of a file of games; a text file is packed once."""
    if not path.is_file():
        raise UsageError(f"expected a file of games in --data: got {path}, which is not there")
    if not is_packed(path):
        print(f"{path} is text: packed into a copy the first time, which is read from then on")
    with Progress(transient=True, disable=not sys.stdout.isatty()) as bar:
        task = bar.add_task("packing", visible=False)

        def show(done: ImportProgress) -> None:
            bar.update(task, visible=True, total=done.total_bytes, completed=done.num_bytes)

        return packed_copy(path, on_progress=show)


# Model


def compiled_model(options: Options) -> tuple[Any, dict[str, Any]]:
    """Build the network with seeded weights, ready to train; return its options with it."""
    import_keras_quietly()  # takes seconds, so only after the mistakes that are quick to find
    import keras

    import models
    from models.losses import compile_for_training
    from models.training.unpacking import PackedInput

    keras.utils.set_random_seed(options.seed)
    settings = models.resolve_options(options.model, options.set, options.preset)
    model = PackedInput(models.build(options.model, **settings))
    compile_for_training(model, learning_rate=options.lr, value_weight=options.value_weight)
    return model, settings


# Epochs


def train(options: Options, folder: RunFolder, games: Mixture, model: Any, state: RunState) -> int:
    """Train batch by batch, validate and save after each epoch.

    Returns:
        The exit code: 0, or 128 plus the number of the signal that stopped it.
    """
    held_out = min(options.validation_positions, games.num_positions("validation"))
    walk = partial(games.walk, targets=TARGETS)
    validation = walk_once(walk, held_out, options.batch_size)
    print(f"value MSE of a constant on the held-out positions: {constant_mse(validation):.4f}")
    schedule = make_schedule(
        options.schedule,
        initial=options.lr,
        epochs=options.epochs,
        batch_size=options.batch_size,
        restart_epochs=options.restart_epochs,
        restart_factor=options.restart_factor,
    )
    schedule = replace(schedule, **state.schedule)
    started = time.monotonic() - state.seconds
    sample = partial(games.sample, options.batch_size, targets=TARGETS)
    batches = prefetched(sample, state.step)
    with closing(batches), StopRequest() as stop, Reporter(options, state) as reporter:
        while (progress := options.progress(state.step, state.seconds)) < 1:
            rate = schedule(options.epochs * progress, state.last_loss)
            model.optimizer.learning_rate.assign(rate)
            state.add_batch(train_batch(model, next(batches)), options.batch_size)
            state.schedule = asdict(schedule)
            state.seconds = time.monotonic() - started
            reporter.show_batch(state)
            is_last = options.progress(state.step, state.seconds) == 1
            if is_last or state.step % options.steps_per_epoch == 0:
                measured = evaluate(model, validation)
                state.seconds = time.monotonic() - started
                state.end_epoch(rate, options.batch_size, measured)
                folder.save(model, state)
                draw_curves(folder.curves, state.history)
                reporter.show_epoch(state.history[-1])
            if stop.signal:
                folder.save(model, state)
                reporter.say(
                    f"stopped by {stop.signal.name} and saved after batch {state.step}; "
                    f"continue with: python train.py --resume {folder.path}"
                )
                return 128 + stop.signal
    print(f"finished; the network to hand in is {folder.best}")
    return 0


def run(argv: Sequence[str] | None) -> int:
    """Do what the command line says; return the exit code."""
    given = parse_arguments(argv)
    if "list" in given:
        import_keras_quietly()
        from models.registry import table

        print(table())
        return 0
    is_resumed = "resume" in given
    options, folder = old_run(given) if is_resumed else new_run(given)
    games = open_games(options)
    model, settings = compiled_model(options)
    description = describe_run(asdict(options), settings, model.network, games)
    if is_resumed:
        if folder.read_config()["data"] != description["data"]:
            raise UsageError(f"expected the games of {folder.path} in --data: got other ones")
        state = folder.restore(model)
    else:
        folder.write_config(description)
        state = RunState()
    print(
        f"{options.model} of {description['parameters']['total']:,} parameters on "
        f"{description['data']['num_train_positions']:,} positions, into {folder.path}"
    )
    return train(options, folder, games, model, state)


def main(argv: Sequence[str] | None = None) -> int:
    """Run, and turn what can go wrong into one sentence and an exit code."""
    try:
        return run(argv)
    except KeyboardInterrupt:
        print("train.py: interrupted before the first batch", file=sys.stderr)
        return 130
    except OSError as error:
        print(f"train.py: cannot use {error.filename}: {error.strerror}", file=sys.stderr)
    except (UsageError, ModelsError, GoloisError) as error:
        print(f"train.py: {' '.join(str(error).split())}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
