"""The command line of `selfplay.py td`: a run of TD(λ), and what measures it."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from models.errors import CheckpointError
from models.training.command_line import Parser, UsageError, flag
from models.training.steps import StopRequest
from selfplay.actors import Stopped
from selfplay.arguments import required_pairs, until_stopped
from selfplay.players import OPPONENTS, described
from selfplay.reporter import Reporter
from selfplay.td.layout import Layout
from selfplay.td.learning import learn
from selfplay.td.measuring import measure, round_robin
from selfplay.td.options import LENGTHS, PRESETS, Options


def parse_arguments(argv: Sequence[str], text: str) -> dict[str, Any]:
    """Read the command line; options that were not given are absent from the result."""
    parser = Parser("selfplay.py td", text)
    parser.add_argument(
        "--preset",
        choices=tuple(PRESETS),
        help="a named run, whose options those that follow change: "
        + "; ".join(f"{name}: {preset.idea}" for name, preset in PRESETS.items()),
    )
    parser.add_argument("--out", type=Path, help="folder of the run [runs/PRESET]")
    parser.add_argument("--resume", type=Path, metavar="OUT", help="continue the run in OUT")
    parser.add_fields(Options)
    return vars(parser.parse_args(argv))


def new_run(given: dict[str, Any]) -> tuple[Options, Layout]:
    """Complete the given options to those of a new run and its folder.

    Raises:
        UsageError: a value out of range, or a folder with a run.
    """
    preset = given.pop("preset", "isn_td9")
    layout = Layout(given.pop("out", None) or Path("runs") / preset)
    layout.run.require_new()
    return replace(PRESETS[preset].options, **given), layout


def old_run(given: dict[str, Any]) -> tuple[Options, Layout]:
    """Read a run's options; `--games` and `--minutes` may be others.

    Raises:
        UsageError: another option is given.
        CheckpointError: there is no such run.
    """
    layout = Layout(given.pop("resume"))
    options = read_options(layout)
    if others := given.keys() - set(LENGTHS):
        allowed = ", ".join(map(flag, LENGTHS))
        raise UsageError(
            f"{flag(min(others))} cannot be given beside --resume, only {allowed}: leave it out"
        )
    return replace(options, **given), layout


def read_options(layout: Layout) -> Options:
    """The options of a run.

    Raises:
        CheckpointError: there is no such run of TD(λ).
    """
    try:
        return Options(**layout.run.read_config()["td_options"])
    except (KeyError, TypeError) as error:
        raise CheckpointError(
            f"{layout.run.config} does not have the options of a run of TD(λ); start a new run"
        ) from error


def run(argv: Sequence[str], text: str) -> int:
    """Play and learn, or measure what has learned; return the exit code."""
    if argv and argv[0] in MEASUREMENTS:
        return MEASUREMENTS[argv[0]](argv[1:], text)
    return learn_from_games(argv, text)


def learn_from_games(argv: Sequence[str], text: str) -> int:
    """Play and learn; return the exit code."""
    given = parse_arguments(argv, text)
    is_resumed = "resume" in given
    options, layout = old_run(given) if is_resumed else new_run(given)
    reporter = Reporter()
    with layout.run.held(), StopRequest() as stop:
        if not is_resumed:
            layout.run.require_new()
            layout.run.write_config({"td_options": asdict(options)})
        reporter.say(f"FishNet on {options.size}×{options.size}, into {layout.path}")
        try:
            state = learn(layout, options, reporter, stop)
        except Stopped:
            assert stop.signal is not None
            reporter.say(
                f"stopped by {stop.signal.name}; continue with: "
                f"python selfplay.py td --resume {layout.path}"
            )
            return 128 + stop.signal
    reporter.say(f"finished; the network is {layout.network(state.games)}")
    return 0


def measure_run(argv: Sequence[str], text: str) -> int:
    """Let networks of a run meet an opponent."""
    parser = _measuring_parser("measure", text)
    parser.add_argument(
        "--against",
        metavar="NAME",
        help="; ".join(described(name) for name in OPPONENTS) + " [averagelib]",
    )
    given = vars(parser.parse_args(argv))
    layout, options, every, games = _measured(given, games=40)
    against = given.get("against", "averagelib")
    return until_stopped(lambda stop: measure(layout, options, against, every, games, stop))


def play_round_robin(argv: Sequence[str], text: str) -> int:
    """Let networks of a run meet each other."""
    given = vars(_measuring_parser("league", text).parse_args(argv))
    layout, options, every, games = _measured(given, games=10)
    return until_stopped(lambda stop: round_robin(layout, options, every, games, stop))


def _measuring_parser(name: str, text: str) -> Parser:
    parser = Parser(f"selfplay.py td {name}", text)
    parser.add_argument("run", type=Path, metavar="DIR", help="folder of a run")
    parser.add_argument("--every", type=int, help="networks after each so many games [first, last]")
    parser.add_argument("--games", type=int, help="of each match")
    return parser


def _measured(given: dict[str, Any], games: int) -> tuple[Layout, Options, int, int]:
    layout = Layout(given["run"])
    every = given.get("every", 0)
    if every < 0:
        raise UsageError(f"--every must be 1 or more, not {every}")
    return layout, read_options(layout), every, required_pairs(given.get("games", games), least=2)


MEASUREMENTS = {"measure": measure_run, "league": play_round_robin}
