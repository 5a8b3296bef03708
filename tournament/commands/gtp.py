"""`gtp`: a network or another player as a GTP 2 engine on standard input and output."""

import argparse
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

from golois.constants import TOURNAMENT_KOMI, TOURNAMENT_SECONDS
from golois.kit.command import escaped, visible_stream
from golois.kit.options import flag
from tournament.commands.arguments import (
    add_precision_argument,
    finite,
    network_path,
    positive,
)
from tournament.errors import OptionsError
from tournament.gtp.any_player import PlayerCommands
from tournament.gtp.engine import engine_session
from tournament.gtp.game import GtpGame
from tournament.gtp.katrain import KaTrainEngine
from tournament.gtp.protocol import Answers, Lines, Session
from tournament.gtp.thinking import GtpOptions
from tournament.intake.artefact import open_network
from tournament.networks.runtimes import FLOAT32
from tournament.players.limits import Limits
from tournament.players.registry import names_player

# What KaTrain decides itself, by the names of the arguments.
NOT_FOR_KATRAIN = ("seconds", "visits", "komi", "no_resign")
# What a player by its name has no use for, by the names of the arguments.
FOR_NETWORKS = ("seconds", "visits", "batch_size", "precision", "no_resign", "katrain")


def add_gtp_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "network", type=_player_or_network, metavar="NET|PLAYER",
        help="a run's folder, an .h5 or .keras, an artefact of a league (.onnx), katago:FILE, or "
        "another player of Go by name, such as isn:FILE or averagelib",
    )
    clock = parser.add_mutually_exclusive_group()
    clock.add_argument(
        "--seconds",
        type=float,
        help="CPU seconds a move where the Go program sets no clock (default 2)",
    )
    clock.add_argument("--visits", type=int, help="visits a move, whatever the clock says")
    parser.add_argument(
        "--komi",
        type=finite,
        help=f"points for White (default {TOURNAMENT_KOMI})",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the search (default 0)")
    parser.add_argument(
        "--batch-size",
        type=positive,
        help="positions evaluated at a time (default: as the network is tuned, or 8 with --visits)",
    )
    add_precision_argument(parser)
    parser.add_argument(
        "--katrain", action="store_true", help="use KataGo's JSON, for KaTrain, instead of GTP"
    )
    parser.add_argument(
        "--no-resign",
        action="store_true",
        default=None,
        help="never resign: play lost games to their end too",
    )


def gtp_command(arguments: argparse.Namespace) -> int:
    """Answer the controller until it quits; what libraries print goes to stderr."""
    _refuse_unusable(arguments)
    with ExitStack() as opened:
        new_engine = _engine(arguments, opened)
        output = visible_stream(
            os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", newline="\n")
        )
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        engine = new_engine(Lines(sys.stdin.fileno()), output)
        try:
            engine.run()
        except KeyboardInterrupt:
            raise KeyboardInterrupt("stopped") from None
    return 0


def _player_or_network(text: str) -> str | Path:
    return text if names_player(text) else network_path(text)


def _engine(
    arguments: argparse.Namespace, opened: ExitStack
) -> Callable[[Lines, TextIO], KaTrainEngine | Session]:
    """Open what plays; return what makes the engine, given its lines and the file it writes to."""
    komi = TOURNAMENT_KOMI if arguments.komi is None else arguments.komi
    if isinstance(arguments.network, str):
        player = PlayerCommands(arguments.network, GtpGame(komi), arguments.seed, opened)
        return lambda lines, output: player.session(lines, Answers(output))
    is_timed = arguments.visits is None
    if is_timed and arguments.seconds is None:
        arguments.seconds = TOURNAMENT_SECONDS
    options = GtpOptions(
        Limits(arguments.seconds, arguments.visits),
        komi=komi,
        seed=arguments.seed,
        resigns=not arguments.no_resign,
    )
    network = open_network(
        arguments.network,
        arguments.batch_size,
        is_timed=is_timed,
        precision=arguments.precision,
    )
    known = (escaped(network.name), network.version, network.evaluator, options)
    if arguments.katrain:
        return lambda lines, output: KaTrainEngine(*known, lines, output)
    return lambda lines, output: engine_session(*known, lines, Answers(output))


def _refuse_unusable(arguments: argparse.Namespace) -> None:
    if None in (sys.stdin, sys.stdout, sys.stderr):
        raise OptionsError("expected standard input, output and error: one of them is closed")
    is_player = isinstance(arguments.network, str)
    for name in FOR_NETWORKS if is_player else NOT_FOR_KATRAIN if arguments.katrain else ():
        value = getattr(arguments, name)
        if value is not False and value not in (None, FLOAT32):
            why = "networks" if is_player else "GTP: with --katrain, KaTrain decides that"
            raise OptionsError(f"{flag(name)} is for {why}")
