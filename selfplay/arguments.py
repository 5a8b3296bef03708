"""The arguments of selfplay.py, and what its commands share; options.py has a run's options."""

import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from inspect import getdoc
from pathlib import Path
from typing import Any

from golois.kit.command import KitError, UsageError
from golois.kit.console import Reporter
from golois.kit.options import Parser, flag, key_values, require_networks, script_parser
from golois.kit.run_folder import Preset, require_only
from golois.kit.signals import Stopped, StopRequest
from models.catalogue.known import require_known
from models.training.optimizers import OF_SGD
from selfplay.layout import Layout
from selfplay.options import LENGTHS, Options
from selfplay.presets import PRESETS
from selfplay.window import newest_shards
from tournament.players.simple import is_solvable

CONDITIONS: Sequence[tuple[Sequence[str], str, Callable[[Options], bool]]] = (
    (("komi", "komis", "max_moves"), "--game go", lambda options: options.game == "go"),
    (("swap",), "--game hex", lambda options: options.game == "hex"),
    (("victim_simulations",), "--victim", lambda options: bool(options.victim)),
    (("considered", "c_visit", "c_scale"), "--root gumbel", lambda o: o.root == "gumbel"),
    (("root_noise_concentration",), "--root-noise", lambda o: o.root_noise > 0),
    (("early_temperature",), "--early-moves", lambda options: options.early_moves > 0),
    (("hold_out_share",), "--resign-value above -1", lambda o: o.resign_value > -1),
    (("quick_simulations",), "--full-share below 1", lambda options: options.full_share < 1),
    (
        ("dominion_weight", "score_weight"),
        "--model nogozero --set multitask=true",
        lambda options: options.trains_heads,
    ),
    (("gate_threshold", "gate_simulations"), "--gate-games", lambda o: o.gate_games > 0),
    (
        ("measure_positions",),
        "NoGo or Hex on up to 16 points",
        lambda options: is_solvable(options.rules()),
    ),
    (OF_SGD, "--optimizer sgd", lambda options: options.optimizer == "sgd"),
)
"""Options that do nothing without others, and how those are written."""

GOES_ON = "the same command goes on"
"""What a command says that is stopped, and finds its work again."""


@dataclass(frozen=True)
class Matches:
    """Matches of a run's networks: an even number of games each, 0 for none; how they search."""

    layout: Layout
    options: Options
    games: int
    simulations: int


def parser_of(action: Callable, name: str) -> Parser:
    """The parser of a further command, whose --help is the docstring of what does it."""
    return script_parser(f"selfplay.py {name}", getdoc(action) or "")


def parse_arguments(argv: Sequence[str], text: str) -> dict[str, Any]:
    """Read the command line; options that were not given are absent from the result."""
    parser = script_parser("selfplay.py", text)
    add_arguments_of_runs(parser, PRESETS)
    parser.add_argument(
        "--address",
        metavar="auto|HOST:PORT",
        help="play on the machines of this Ray cluster (docs/teacher/cluster.md)",
    )
    parser.add_argument("--set", action="append", metavar="KEY=VALUE", help="option of the network")
    parser.add_fields(Options)
    given = vars(parser.parse_args(argv))
    if "set" in given:
        given["set"] = key_values(given["set"])
    return given


def new_run(given: dict[str, Any]) -> tuple[Options, Layout]:
    """Complete the given options to those of a new run and its folder.

    Raises UsageError: a value out of range, a folder with a run, or games that cannot be learned
    from; CheckpointError: `games_from` is no run.
    """
    out = given.pop("out", None)
    layout = Layout(out or Path("runs") / (given.get("preset") or given.get("game", Options.game)))
    layout.require_new()
    options = complete(given)
    require_known(options.model, options.set)
    require_files(options)
    if options.games_from:
        newest_shards(options)
    return options, layout


def require_files(options: Options) -> None:
    """Refuse missing networks, and a victim that is a .keras, by UsageError."""
    require_networks(options, ("victim", "init_from"))
    if options.victim.endswith(".keras"):
        raise UsageError(
            f"--victim must be an .h5, not {options.victim}: save the network as .h5 with Keras"
        )


def complete(given: Mapping[str, Any]) -> Options:
    """Complete given options by their preset's; UsageError: out of range, or without effect."""
    changes = dict(given)
    preset = changes.pop("preset", None)
    options = PRESETS[preset].options if preset else Options()
    if changes.get("model", options.model) == options.model:
        changes["set"] = {**options.set, **changes.get("set", {})}
    options = replace(options, **{"set": {}, **changes})
    refuse_idle(given, ((names, needed, met(options)) for names, needed, met in CONDITIONS))
    if options.komis and "komi" not in given:
        return replace(options, komi=options.all_komis()[0])
    return options


def refuse_idle(
    given: Collection[str], conditions: Iterable[tuple[Sequence[str], str, bool]]
) -> None:
    """Refuse, by UsageError, given options that lack what `conditions` say that they need."""
    for names, needed, is_met in conditions:
        if not is_met and (idle := [name for name in names if name in given]):
            raise UsageError(f"{flag(idle[0])} has no effect without {needed}: leave it out")


def old_run(given: dict[str, Any]) -> tuple[Options, Layout]:
    """Read a run's options; UsageError: others than LENGTHS are given; CheckpointError: no run."""
    layout = Layout(given.pop("resume"))
    options = layout.options()
    require_only(given, (*LENGTHS, "address"), _begun_anew(layout, options, given))
    return replace(options, **given), layout


def _begun_anew(layout: Layout, options: Options, given: Mapping[str, Any]) -> str:
    """What helps where a run cannot go on with `given`: a new run, with what it can take of it."""
    others = {key: given[key] for key in given if hasattr(options, key) and key not in LENGTHS}
    if not others:  # --out or --preset
        return "leave it out"
    taken = []
    if others.keys().isdisjoint(("game", "planes")):
        taken += ["--init-from", f"{layout.path}/nets/NNNN.h5"]
    with suppress(KitError):
        newest_shards(replace(options, **{**others, "games_from": str(layout.path)}))
        taken += ["--games-from", str(layout.path)]
    with_them = f" with {shlex.join(taken)}" if taken else ""
    return f"leave it out, or begin a new run{with_them}"


def going_on(command: str, folder: Path, given: Mapping[str, Any]) -> str:
    """How a command, such as `selfplay.py td`, goes on with a run and `given` options."""
    options = [word for name, value in given.items() for word in (flag(name), str(value))]
    return f"continue with: python {command} {shlex.join(['--resume', str(folder), *options])}"


def add_arguments_of_runs(parser: Parser, presets: Mapping[str, Preset]) -> None:
    """Let a parser take a preset, by name with what it shows, and the folder of a run."""
    parser.add_argument(
        "--preset",
        choices=tuple(presets),
        help="a named run; other options override its own: "
        + "; ".join(f"{name}: {preset.idea}" for name, preset in presets.items()),
    )
    parser.add_argument("--out", type=Path, help="folder of the run [runs/PRESET]")
    parser.add_argument("--resume", type=Path, metavar="OUT", help="continue the run in OUT")


def required_number(given: Mapping[str, Any], name: str, default: int, least: int) -> int:
    """An option that is a whole number, or its default; UsageError: less than `least` is given."""
    if name in given and given[name] < least:
        raise UsageError(f"{flag(name)} must be {least} or more, not {given[name]}")
    return given.get(name, default)


def required_pairs(games: int, least: int) -> int:
    """A number of games, each opening with both colours."""
    if games < least or games % 2:
        raise UsageError(f"--games must be an even number from {least}, not {games}")
    return games


def matches_of_run(
    parser: Parser, argv: Sequence[str], of_games: str, games: int, least: int
) -> tuple[Matches, dict[str, Any]]:
    """Read a command line that names a run; return its matches, and the command's own options.

    Args:
        parser: that has the command's own options.
        argv: the arguments.
        of_games: which games are counted.
        games: how many without `--games`.
        least: how many at least; they are even, since each opening is played with both colours.
    """
    parser.add_argument("run", type=Path, metavar="DIR", help="folder of a run")
    parser.add_argument("--games", type=int, help=of_games)
    parser.add_argument("--simulations", type=int, help="of a network's searches [the run's]")
    given = vars(parser.parse_args(argv))
    layout = Layout(given.pop("run"))
    options = layout.options()
    games = required_pairs(given.pop("games", games), least)
    simulations = required_number(given, "simulations", options.simulations, least=1)
    return Matches(layout, options, games, simulations), given


def until_stopped(act: Callable[[StopRequest], None], then: str = "") -> int:
    """Do something that a signal may stop, and say `then` how it goes on; return the exit code."""
    with StopRequest() as stop:
        try:
            act(stop)
        except Stopped:
            assert stop.signal is not None
            if then:
                Reporter().say(f"stopped by {stop.signal.name}; {then}")
            return 128 + stop.signal
    return 0
