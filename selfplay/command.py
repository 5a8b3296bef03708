"""The command line of selfplay.py: a new run, one that goes on, or a further command."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from golois.errors import GoloisError
from models.training.command_line import Parser, UsageError, flag, key_values, run_in_words
from models.training.quiet import import_keras_quietly
from models.training.steps import StopRequest
from selfplay.actors import Stopped
from selfplay.further_commands import FURTHER
from selfplay.layout import Layout
from selfplay.options import LENGTHS, Options
from selfplay.presets import PRESETS
from selfplay.reporter import Reporter
from tournament.errors import TournamentError


def parse_arguments(argv: Sequence[str], text: str) -> dict[str, Any]:
    """Read the command line; options that were not given are absent from the result."""
    parser = Parser("selfplay.py", text)
    parser.add_argument(
        "--preset",
        choices=tuple(PRESETS),
        help="a named run, whose options those that follow change: "
        + "; ".join(f"{name}: {preset.idea}" for name, preset in PRESETS.items()),
    )
    parser.add_argument("--out", type=Path, help="folder of the run [runs/PRESET]")
    parser.add_argument("--resume", type=Path, metavar="OUT", help="continue the run in OUT")
    parser.add_argument("--set", action="append", metavar="KEY=VALUE", help="of the network itself")
    parser.add_fields(Options)
    given = vars(parser.parse_args(argv))
    if "set" in given:
        given["set"] = key_values(given["set"])
    return given


def new_run(given: dict[str, Any]) -> tuple[Options, Layout]:
    """Complete the given options to those of a new run and its folder.

    Raises:
        UsageError: a value out of range, or a folder with a run.
    """
    preset = given.pop("preset", None)
    out = given.pop("out", None)
    options = PRESETS[preset].options if preset else Options()
    if given.get("model", options.model) == options.model:
        given["set"] = {**options.set, **given.get("set", {})}
    layout = Layout(out or Path("runs") / (preset or given.get("game", options.game)))
    layout.run.require_new()
    options = replace(options, **{"set": {}, **given})
    if options.games_from:
        Layout(Path(options.games_from)).options()  # says so at once where there is no such run
    return options, layout


def old_run(given: dict[str, Any]) -> tuple[Options, Layout]:
    """Read a run's options; those that LENGTHS names may be others.

    Raises:
        UsageError: another option is given.
        CheckpointError: there is no such run.
    """
    layout = Layout(given.pop("resume"))
    options = layout.options()
    if others := given.keys() - set(LENGTHS):
        allowed = ", ".join(map(flag, LENGTHS))
        raise UsageError(
            f"{flag(min(others))} cannot be given beside --resume, only {allowed}: leave it out"
        )
    return replace(options, **given), layout


def describe(options: Options) -> dict[str, Any]:
    """What config.json says of a run."""
    import platform

    import keras
    import openvino

    return {
        "options": asdict(options),
        "versions": {
            "python": platform.python_version(),
            "keras": keras.__version__,
            "openvino": openvino.__version__,
        },
    }


def run(argv: Sequence[str], text: str) -> int:
    """Play and train; return the exit code."""
    given = parse_arguments(argv, text)
    is_resumed = "resume" in given
    options, layout = old_run(given) if is_resumed else new_run(given)
    import_keras_quietly()  # takes seconds, so only after the quick checks
    from selfplay.learner import Learner
    from selfplay.loop import Loop

    learner, reporter = Learner(options), Reporter()
    if options.init_from and not layout.network(0).exists():
        reporter.say(f"weights to begin with: {learner.begin_with(options.init_from)}")
    with layout.run.held(), StopRequest() as stop:
        layout.remove_unfinished()
        if not is_resumed:
            layout.run.require_new()
            layout.run.write_config(describe(options))
        reporter.say(
            f"{options.rules()} with a {options.model} of {learner.network.count_params():,} "
            f"parameters, into {layout.path}"
        )
        try:
            loop = Loop(layout, options, learner, reporter, stop)
            loop.run()
        except Stopped:
            assert stop.signal is not None
            reporter.say(
                f"stopped by {stop.signal.name}; continue with: "
                f"python selfplay.py --resume {layout.path}"
            )
            return 128 + stop.signal
    player = loop.player_after(len(loop.rows) - 1)
    reporter.say(f"finished; the network that plays is {layout.network(player)}")
    return 0


def main(argv: Sequence[str], text: str) -> int:
    """Run a command, and turn errors into one sentence and an exit code.

    Args:
        argv: the arguments, without the program's name.
        text: of --help.
    """
    action = FURTHER.get(argv[0], run) if argv else run
    rest = argv if action is run else argv[1:]
    return run_in_words("selfplay.py", lambda: action(rest, text), GoloisError, TournamentError)
