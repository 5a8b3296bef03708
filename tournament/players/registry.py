"""The players by name, such as random, rollouts:1000, gnugo:10, isn:net.npz or gtp:COMMAND.

They play in matches of the arena and in what self-play measures. A network is named by its file or
its run's folder; katago:FILE is a network of KataGo, and katago or katago:VISITS the program.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path

from golois.constants import MAX_INT32
from golois.games.rules import Go, Hex, Rules
from golois.go.coords import MOST_DIGITS
from golois.katago.reading import SUFFIXES, katago_suffix
from golois.kit.files import sha256_of
from tournament.errors import OptionsError
from tournament.players.program import ProgramPlayer
from tournament.players.protocol import NewPlayer
from tournament.players.simple import AtRandom, AverageLib, Perfect, Rollouts, is_solvable
from tournament.programs.known import KnownProgram, Program, any_program, read_programs

PROGRAM_FILE = ".toml:"
KATAGO = "katago:"
DEPTH = ",depth="
"""May follow a file, before the plies of a search."""


@dataclass(frozen=True)
class Kind:
    """A kind of player; `argument` says what stands after the colon, empty for nothing.

    found: from that argument and a board's size, a context that makes its players; refuses what
        cannot be found.
    default: the argument's number where it is left out; None where it must be given.
    """

    idea: str
    plays: Callable[[Rules], bool]
    found: Callable[[str, int], "Opener"]
    argument: str = ""
    default: int | None = 0


Opener = Callable[[bool], AbstractContextManager[NewPlayer]]
"""Opens a player; its argument is `own_session` of `GtpClient`."""


def without_process(new_player: NewPlayer) -> Opener:
    """Return what opens a player that needs no process of its own."""
    return lambda own_session: nullcontext(new_player)


def _program(program: Program) -> Opener:
    @contextmanager
    def opened(own_session: bool) -> Iterator[NewPlayer]:
        with program.started(own_session=own_session) as client:
            yield partial(ProgramPlayer, client, program.first_commands)

    return opened


def _of_file(program: KnownProgram) -> Kind:
    return Kind(
        program.idea or program.title,
        program.plays,
        lambda text, _: _program(program.numbered(int(text))),
        program.number,
        program.default,
    )


PAPERS = ("papers.fishnet.player", "papers.restnet.adversaries")
"""Modules whose KINDS join these: the kit imports no paper, and a course may leave papers out."""

KINDS: Mapping[str, Kind] = {
    "random": Kind("any legal point", lambda _: True, lambda *_: without_process(AtRandom)),
    "averagelib": Kind(
        "one move ahead, for liberties",
        lambda rules: not isinstance(rules, Hex),
        lambda *_: without_process(AverageLib),
    ),
    "rollouts": Kind(
        "UCT with random games",
        lambda rules: not isinstance(rules, Go),
        lambda text, _: without_process(partial(Rollouts, int(text))),
        "playouts",
        1000,
    ),
    "perfect": Kind("keeps each win", is_solvable, lambda *_: without_process(Perfect)),
    **{name: _of_file(program) for name, program in read_programs().items()},
    "gtp": Kind(
        "any program that speaks GTP",
        lambda _: True,
        lambda text, _: _program(any_program(text)),
        "command",
        None,
    ),
}


@cache
def kinds() -> Mapping[str, Kind]:
    """All kinds of players by name, the kit's and the papers'."""
    found = dict(KINDS)
    for name in PAPERS:
        with suppress(ModuleNotFoundError):
            found |= import_module(name).KINDS
    return found


def describe_players() -> str:
    """Return how each player is named, and what it does."""
    known = kinds().items()
    players = "; ".join(f"{name}{_shown_argument(kind)}, {kind.idea}" for name, kind in known)
    return f"{KATAGO}FILE, a network of KataGo with the kit's search; {players}"


def file_and_settings(text: str) -> tuple[str, list[str]]:
    """Split FILE[,OPTION=VALUE…] at its commas; a file that exists may have commas in its name."""
    parts = text.split(",")
    ends = (end for end in range(len(parts), 0, -1) if os.path.exists(",".join(parts[:end])))
    end = next(ends, 1)
    return ",".join(parts[:end]), parts[end:]


def file_of_katago(name: str) -> str:
    """Return FILE[,OPTION=VALUE…] of a network of KataGo, katago:FILE…; empty for other names."""
    text = name.removeprefix(KATAGO)
    return text if text != name and katago_suffix(file_and_settings(text)[0]) else ""


def names_player(name: str) -> bool:
    """Return whether it names a player of `kinds` or of a file of programs, and not a network."""
    is_known = name.partition(":")[0] in kinds() or PROGRAM_FILE in name
    return is_known and not file_of_katago(name)


def find_player(name: str, rules: Rules) -> Opener:
    """Return what opens a player by its name: NAME, NAME:ARGUMENT, or PROGRAMS.toml:NAME.

    Raises:
        OptionsError: an unknown name, another game, another number, or a missing program.
        DataFormatError: a file that is no network of FishNet.
    """
    known = kinds()
    rest = name
    if name.partition(":")[0] not in known:
        path, is_file, rest = name.partition(PROGRAM_FILE)
        if not is_file:
            raise OptionsError(f"a player must be one of {', '.join(known)}, not {name!r}")
        programs = read_programs(Path(path + PROGRAM_FILE.rstrip(":")))
        known = {key: _of_file(program) for key, program in programs.items()}
    key, _, text = rest.partition(":")
    if key not in known:
        raise OptionsError(f"{name} must name one of {', '.join(known)}, not {key!r}")
    kind = known[key]
    if not kind.plays(rules):
        raise OptionsError(f"{key} does not play {rules}: choose another player")
    return kind.found(_argument(key, kind, text), rules.size)


def file_digest(name: str) -> str | None:
    """Return the SHA-256 of the file that a player is read from; None if it has no file."""
    key, _, text = name.partition(":")
    kind, path = kinds().get(key), Path(text.partition(DEPTH)[0])
    return sha256_of(path) if kind and kind.argument == "file" and path.is_file() else None


def _argument(key: str, kind: Kind, text: str) -> str:
    """Return what stands after the colon, or what it means that nothing does."""
    if kind.default is None:
        if not text:
            raise OptionsError(f"{key} takes a {kind.argument} after a colon")
        return text
    is_number = text.isdecimal() and len(text) <= MOST_DIGITS + 1 and 1 <= int(text) <= MAX_INT32
    if text and not (kind.argument and is_number):
        number = f"a number of {kind.argument} from 1 to {MAX_INT32}"
        if f"{key}:" == KATAGO:
            number += f", or a file {' or '.join(SUFFIXES)},"
        wanted = number if kind.argument else "nothing"
        raise OptionsError(f"{key} takes {wanted} after a colon, not {text!r}")
    return text or str(kind.default)


def _shown_argument(kind: Kind) -> str:
    shown = f":{kind.argument.upper()}" if kind.argument else ""
    return f"[{shown}]" if shown and kind.default is not None else shown
