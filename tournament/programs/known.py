"""Programs of others as players by name: programs.toml, or a file of one's own of the same form."""

import os
import shlex
import shutil
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from golois.games.rules import Go, Hex, NoGo, Rules
from golois.kit.command import escaped
from tournament.errors import OptionsError
from tournament.programs.client import GtpClient

PROGRAMS = Path(__file__).with_name("programs.toml")
LISTS, NUMBERS = ("games", "command", "first_commands"), ("smallest", "default")
GAMES = {Go: "go", NoGo: "nogo", Hex: "hex"}


@dataclass(frozen=True)
class Program:
    """A program that can be started; `first_commands` give it a seed before each game."""

    name: str
    command: Sequence[str]
    first_commands: Callable[[int], Sequence[str]] = lambda seed: ()

    def started(self, *, own_session: bool = True) -> GtpClient:
        """Start it, `own_session` as in GtpClient; raise OptionsError if it cannot be started."""
        try:
            return GtpClient(self.name, self.command, own_session=own_session)
        except OSError as error:
            raise OptionsError(f"{shlex.join(self.command)} cannot be started: {error}") from error


@dataclass(frozen=True)
class KnownProgram:
    """A program as a file has it; programs.toml says what the keys are."""

    title: str
    games: Sequence[str]
    command: Sequence[str]
    remedy: str
    idea: str = ""
    smallest: int = 2
    number: str = ""
    default: int = 0
    first_commands: Sequence[str] = ()

    def plays(self, rules: Rules) -> bool:
        """Return whether it plays a game."""
        game = GAMES[type(rules)]
        if isinstance(rules, Hex) and rules.swap:
            game = "hex with swap"
        return game in self.games and rules.size >= self.smallest

    def numbered(self, number: int) -> Program:
        """Return the program with a number, such as a level; raise OptionsError if it is absent."""

        def filled(text: str, seed: int = 0) -> str:
            return text.replace("{number}", str(number)).replace("{seed}", str(seed))

        name, *arguments = map(filled, self.command)
        path = shutil.which(name, path=f"{os.environ.get('PATH', os.defpath)}:/usr/games")
        if path is None:
            raise OptionsError(
                f"{self.title} is not installed: {self.remedy}, or choose another opponent"
            )
        return Program(
            self.title,
            [path, *arguments],
            lambda seed: [filled(text, seed) for text in self.first_commands],
        )


def read_programs(path: Path = PROGRAMS) -> Mapping[str, KnownProgram]:
    """Return the programs of a file by name; raise OptionsError if the file is missing or wrong."""
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
        return {name: _program(entry) for name, entry in entries.items()}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, TypeError) as error:
        raise OptionsError(f"{path} is not a file of programs: {error}") from error


def any_program(command: str) -> Program:
    """Return the program that a command line starts; raise OptionsError if the line names none."""
    try:
        command.encode()  # a match keeps it as text
        parts = shlex.split(command)
    except ValueError as error:
        raise OptionsError(f"gtp:{escaped(command)} cannot be started: {error}") from error
    if not parts or shutil.which(parts[0]) is None:
        raise OptionsError(f"gtp:{command} cannot be started: there is no such program")
    return Program(os.path.basename(parts[0]), parts)


def _program(entry: Any) -> KnownProgram:
    """Return one table of a file; a TypeError says what is wrong with it."""
    if not isinstance(entry, dict):
        raise TypeError(f"expected a table for each program, not {entry!r}")
    for name, value in entry.items():
        values = value if isinstance(value, list) else [value]
        kind = int if name in NUMBERS else str
        is_right = values and all(isinstance(one, kind) for one in values)
        if not is_right or isinstance(value, list) != (name in LISTS):
            raise TypeError(f"{name} = {value!r}")
    return KnownProgram(**entry)
