"""Programs that are known by name, and how each is started."""

import os
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from golois.coords import MOST_DIGITS
from golois.kit.command import escaped
from golois.rules import Go, Hex, Rules
from tournament.errors import OptionsError
from tournament.programs.client import GtpClient

KATAGO_RULES = (
    'kata-set-rules {"ko":"POSITIONAL","scoring":"AREA","tax":"NONE","suicide":false,'
    '"hasButton":false,"whiteHandicapBonus":"0","friendlyPassOk":false}'
)


@dataclass(frozen=True)
class Program:
    """A program that can be started.

    Attributes:
        name: what it is called in messages.
        command: how it is started.
        first_commands: before each game, given a seed.
    """

    name: str
    command: Sequence[str]
    first_commands: Callable[[int], Sequence[str]] = lambda seed: ()

    def started(self, *, own_session: bool = True) -> GtpClient:
        """Start it; `own_session` is as in GtpClient.

        Raises:
            OptionsError: it cannot be started.
        """
        try:
            return GtpClient(self.name, self.command, own_session=own_session)
        except OSError as error:
            raise OptionsError(f"{shlex.join(self.command)} cannot be started: {error}") from error


@dataclass(frozen=True)
class KnownProgram:
    """A program that is known by name.

    Attributes:
        title: in messages.
        plays: whether it plays a game.
        command: how it is started, with the number after its name.
        default: that number where it is left out.
        first_commands: before each game, given that number and a seed.
        remedy: what to do where it is not installed.
    """

    title: str
    plays: Callable[[Rules], bool]
    command: Callable[[int], Sequence[str]]
    default: int
    first_commands: Callable[[int, int], Sequence[str]]
    remedy: str

    def numbered(self, number: int) -> Program:
        """Return the program with a number, such as its level.

        Raises:
            OptionsError: it is not installed.
        """
        name, *arguments = self.command(number)
        path = shutil.which(name, path=f"{os.environ.get('PATH', os.defpath)}:/usr/games")
        if path is None:
            raise OptionsError(
                f"{self.title} is not installed: {self.remedy}, or choose another opponent"
            )
        first_commands = partial(self.first_commands, number)
        return Program(self.title, [path, *arguments], first_commands)


GNUGO = KnownProgram(
    "GNU Go",
    lambda rules: isinstance(rules, Go) and rules.size >= 5,
    lambda level: [
        "gnugo", "--mode", "gtp", "--level", str(level), "--chinese-rules",
        "--positional-superko", "--play-out-aftermath", "--capture-all-dead",
    ],
    1,
    lambda _, seed: [f"set_random_seed {seed}"],
    "apt install gnugo",
)  # fmt: skip
KATAGO = KnownProgram(
    "KataGo",
    lambda rules: isinstance(rules, Go),
    lambda visits: [
        "katago", "gtp", "-override-config",
        f"maxVisits={visits},maxPlayouts=1000000000,maxTime=1000000000,ponderingEnabled=false",
    ],
    100,
    lambda *_: [KATAGO_RULES],
    "put katago on the PATH, with default_model.bin.gz and default_gtp.cfg beside it",
)  # fmt: skip
MOHEX = KnownProgram(
    "MoHex",
    lambda rules: isinstance(rules, Hex) and not rules.swap,
    lambda _: ["mohex"],
    1000,
    lambda playouts, _: [
        f"param_mohex max_games {playouts}", "param_mohex use_time_management 0"
    ],
    "build Benzene and put mohex on the PATH",
)  # fmt: skip
GO_PROGRAMS: Mapping[str, KnownProgram] = {"gnugo": GNUGO, "katago": KATAGO}


def names_program(text: str) -> bool:
    """Return whether it is gnugo, gnugo:LEVEL, katago, katago:VISITS or gtp:COMMAND."""
    return text.startswith("gtp:") or text.partition(":")[0] in GO_PROGRAMS


def program_of(text: str) -> Program:
    """Return the program of Go that a text names, in one of the forms of `names_program`.

    Raises:
        OptionsError: it is not installed, or its number or its command is not one.
    """
    kind, _, rest = text.partition(":")
    if kind == "gtp":
        return any_program(rest)
    known = GO_PROGRAMS[kind]
    is_number = rest.isdecimal() and len(rest) <= MOST_DIGITS and int(rest) > 0
    if rest and not is_number:
        raise OptionsError(
            f"expected a number, 1 or more and of at most {MOST_DIGITS} digits, after {kind}: "
            f"got {rest!r}"
        )
    return known.numbered(int(rest or known.default))


def any_program(command: str) -> Program:
    """Return the program that a command line starts.

    Raises:
        OptionsError: the command is empty, has an open quotation mark or bytes that are no UTF-8,
            or names no program.
    """
    try:
        command.encode()  # a match keeps it as text
        parts = shlex.split(command)
    except ValueError as error:
        raise OptionsError(f"gtp:{escaped(command)} cannot be started: {error}") from error
    if not parts or shutil.which(parts[0]) is None:
        raise OptionsError(f"gtp:{command} cannot be started: there is no such program")
    return Program(os.path.basename(parts[0]), parts)
