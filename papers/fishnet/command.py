"""The command line of `selfplay.py td`: a run of TD(λ), and what measures it."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from golois.kit.command import UsageError
from golois.kit.console import Reporter
from golois.kit.run_folder import require_only
from golois.kit.signals import StopRequest
from papers.fishnet.learning import learn
from papers.fishnet.measuring import Measure, chosen_networks, measure, round_robin
from papers.fishnet.saved import SavedNetwork
from papers.fishnet.selecting import SelectionOptions, learn_to_select
from papers.fishnet.td_options import LENGTHS, PRESETS, Layout, Options
from papers.fishnet.thresholds import LEAST_EYE, print_limits
from selfplay.arguments import (
    GOES_ON,
    add_arguments_of_runs,
    going_on,
    parser_of,
    refuse_idle,
    required_number,
    required_pairs,
    until_stopped,
)
from tournament.matches.opponents import describe_opponents


def parse_arguments(argv: Sequence[str]) -> dict[str, Any]:
    """Read the command line; options that were not given are absent from the result."""
    parser = parser_of(run, "td")
    add_arguments_of_runs(parser, PRESETS)
    parser.add_fields(Options)
    return vars(parser.parse_args(argv))


def new_run(given: dict[str, Any]) -> tuple[Options, Layout]:
    """Complete the given options to those of a new run and its folder.

    Raises:
        UsageError: a value out of range, or a folder with a run.
    """
    preset = given.pop("preset", "isn_td9")
    layout = Layout(given.pop("out", None) or Path("runs") / preset)
    layout.require_new()
    return replace(PRESETS[preset].options, **given), layout


def old_run(given: dict[str, Any]) -> tuple[Options, Layout]:
    """Read a run's options; `--games` and `--minutes` may be others.

    Raises:
        UsageError: another option is given.
        CheckpointError: there is no such run.
    """
    layout = Layout(given.pop("resume"))
    options = layout.options()
    require_only(given, LENGTHS)
    return replace(options, **given), layout


def run(argv: Sequence[str]) -> int:
    """Let FishNet play and learn by temporal differences, or measure what has learned.

        python selfplay.py td --preset isn_td9                       into runs/isn_td9
        python selfplay.py td --resume runs/isn_td9                  after a stop or a kill
        python selfplay.py td measure runs/isn_td9 --every 40000     against AverageLib
        python selfplay.py td league runs/isn_td9 --every 40000      its networks meet each other
        python selfplay.py td select NET.npz --out BOTH.npz          SelNet learns what to search
        python selfplay.py td thresholds NET.npz                     limits of FishNet2's classes

    papers/fishnet/README.md explains the options.
    """
    if argv and argv[0] in ACTIONS:
        return ACTIONS[argv[0]](argv[1:])
    return learn_from_games(argv)


def learn_from_games(argv: Sequence[str]) -> int:
    """Play and learn; return the exit code."""
    given = parse_arguments(argv)
    is_resumed = "resume" in given
    options, layout = old_run(given) if is_resumed else new_run(given)
    reporter = Reporter()

    def act(stop: StopRequest) -> None:
        if not is_resumed:
            layout.require_new()
            layout.write_config({"td_options": asdict(options)})
        reporter.say(f"FishNet on {options.size}×{options.size}, into {layout.path}")
        state = learn(layout, options, reporter, stop)
        reporter.say(f"finished; the network is {layout.network(state.games)}")

    again = going_on("selfplay.py td", layout.path, given if is_resumed else {})
    with layout.held():
        return until_stopped(act, again)


def measure_networks(argv: Sequence[str]) -> int:
    """Let a network, or those of a run, meet an opponent."""
    parser = parser_of(measure_networks, "td measure")
    parser.add_argument("what", type=Path, metavar="DIR|NET.npz", help="a run, or one network")
    parser.add_argument(
        "--every", type=int, help="networks after every N games, besides the first and the last"
    )
    parser.add_argument(
        "--against",
        metavar="NAME",
        help=f"{describe_opponents()} [averagelib]",
    )
    parser.add_argument("--size", type=int, help="points on a side [the run's; 9 of one network]")
    parser.add_argument("--depth", type=int, help="plies of its searches [1: none]")
    parser.add_argument("--games", type=int, help="of each network [40]")
    parser.add_argument(
        "--equal-time",
        action="store_true",
        help="against a network, which searches for as much CPU time as FishNet has taken",
    )
    parser.add_argument(
        "--out", type=Path,
        help="folder that keeps the games [RUN/matches; none of one network or with --equal-time]",
    )
    given = vars(parser.parse_args(argv))
    what, size, folder = given["what"], 9, given.get("out")
    networks, is_run = {what.stem: what}, what.suffix != ".npz"
    is_kept = not given.get("equal_time", False)
    refuse_idle(given, [(("every",), "the folder of a run", is_run)])
    if "out" in given and not is_kept:
        raise UsageError("--out has no effect with --equal-time: leave it out")
    if is_run:
        layout = Layout(what)
        size, folder = layout.options().size, folder or layout.path / "matches"
        numbers = chosen_networks(layout, required_number(given, "every", 0, least=0))
        networks = {f"{number:,} games": layout.network(number) for number in numbers}
    match = Measure(
        size=required_number(given, "size", size, least=2),
        against=given.get("against", "averagelib"),
        depth=required_number(given, "depth", 1, least=1),
        games=required_pairs(given.get("games", 40), least=2),
        equal_time=not is_kept,
        folder=folder if is_kept else None,
    )
    then = GOES_ON if match.folder else "its games are lost"
    return until_stopped(lambda stop: measure(networks, match, stop), then)


def play_round_robin(argv: Sequence[str]) -> int:
    """Let networks of a run meet each other."""
    parser = parser_of(play_round_robin, "td league")
    parser.add_argument("run", type=Path, metavar="DIR", help="folder of a run")
    parser.add_argument(
        "--every", type=int, help="networks after every N games, besides the first and the last"
    )
    parser.add_argument("--games", type=int, help="for every two networks [10]")
    given = vars(parser.parse_args(argv))
    layout = Layout(given["run"])
    options = layout.options()
    every = required_number(given, "every", 0, least=0)
    games = required_pairs(given.get("games", 10), least=2)
    return until_stopped(lambda stop: round_robin(layout, options, every, games, stop), GOES_ON)


def train_selection(argv: Sequence[str]) -> int:
    """Let SelNet learn from a network's games."""
    parser = parser_of(train_selection, "td select")
    parser.add_argument("network", type=Path, metavar="NET.npz", help="a network of FishNet")
    parser.add_argument(
        "--out", type=Path, help="file for both networks; one that has SelNet is trained further"
    )
    parser.add_argument("--games", type=int, help="games that SelNet learns from, in all [10000]")
    parser.add_argument("--size", type=int, help="points on a side of the games [13]")
    parser.add_argument("--lr", type=float, help="learning rate [2e-5]")
    given = vars(parser.parse_args(argv))
    if "out" not in given:
        raise UsageError("--out is missing: name the .npz that gets both networks")
    out = given["out"]
    if out.suffix != ".npz":
        raise UsageError(f"--out must end in .npz, not be {out}")
    options = SelectionOptions(**{name: given[name] for name in ("size", "lr") if name in given})
    saved = SavedNetwork.load(given["network"])
    if out.exists():
        kept = SavedNetwork.load(out)
        if not np.array_equal(kept.weights, saved.weights):
            raise UsageError(f"{out} has another FishNet than {given['network']}: choose another")
        saved = kept
    games = required_number(given, "games", 10_000, least=1)
    say = Reporter().say
    return until_stopped(lambda stop: learn_to_select(saved, out, options, games, say, stop))


def measure_limits(argv: Sequence[str]) -> int:
    """Print the limits of FishNet2's classes, as a network's games show them."""
    parser = parser_of(measure_limits, "td thresholds")
    parser.add_argument("network", type=Path, metavar="NET.npz", help="a network of FishNet")
    parser.add_argument("--games", type=int, help="games that it plays [100]")
    parser.add_argument("--size", type=int, help="points on a side [9]")
    given = vars(parser.parse_args(argv))
    games = required_number(given, "games", 100, least=1)
    saved = SavedNetwork.load(given["network"])
    options = Options(
        size=given.get("size", 9),
        captured=saved.scoring.captured,
        stone=saved.scoring.stone,
        step=saved.step,
        least_eye=LEAST_EYE,
    )
    say = Reporter().say
    return until_stopped(lambda stop: print_limits(saved, options, games, say, stop))


ACTIONS = {
    "measure": measure_networks,
    "league": play_round_robin,
    "select": train_selection,
    "thresholds": measure_limits,
}
