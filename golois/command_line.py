"""What the kit's commands share: wrong arguments are one sentence on stderr, and exit code 2."""

import argparse
import os
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn

UNRECOGNIZED = "unrecognized arguments: "
"""How argparse begins what it says of arguments that it doesn't know."""

RUN_FILES = ("best.h5", "best.keras")
"""What the network of a run is called in the run's folder."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question about the known word most like `word`, or "" where none is like it.

    >>> did_you_mean("mobilnet", ["resnet", "mobilenet"])
    ' (did you mean mobilenet?)'
    """
    nearest = get_close_matches(word, known, 1, cutoff=0.75)
    return f" (did you mean {nearest[0]}?)" if nearest else ""


def guess_option(message: str, known: Iterable[str]) -> str:
    """Add such a question to what argparse says of an option that it doesn't know."""
    unknown = message.removeprefix(UNRECOGNIZED).split()
    if not message.startswith(UNRECOGNIZED):
        return message
    if not unknown:
        return f"{message}an empty one"
    if not unknown[0].startswith("-"):
        return message
    return message + did_you_mean(unknown[0].partition("=")[0], known)


def print_any_name() -> None:
    """Let stdout show what it has no letters for, such as a file's name that is not valid text."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def escaped(name: str) -> str:
    """Return a file's name with the bytes escaped that are no UTF-8, to be written anywhere."""
    return name.encode(errors="backslashreplace").decode()


def network_file(path: str | Path) -> Path:
    """Return a network's file: `best.h5` of it where a run's folder is given."""
    best = Path(path) / "best.h5"
    try:
        return best if best.is_file() else Path(path)
    except OSError:  # a name that is too long, or a folder of others: what opens the path says so
        return Path(path)


def named_by(path: Path) -> Path:
    """Return the path whose last part names a network: its file's, or the folder of its run."""
    if path.name in RUN_FILES:
        return path.parent
    return path.with_suffix("") if path.name else path


def name_of_file(path: Path) -> str:
    """Return what the network in a file is called: as its run, or as the file without suffix."""
    return named_by(Path(os.path.abspath(path))).name or path.stem


def in_one_sentence(error: Exception) -> str:
    """Say what went wrong: of a file, which and why; else the error's own text on one line."""
    if not isinstance(error, OSError):
        return " ".join(str(error).split())
    reason = error.strerror or str(error)
    return f"cannot use {error.filename}: {reason}" if error.filename else reason


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that says what is wrong in one line, without the usage before it."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            guess = did_you_mean(str(value), map(str, action.choices or ()))
            if guess:  # in the place of all the others
                error.message = f"invalid choice: {value!r}{guess}"
            raise

    def error(self, message: str) -> NoReturn:
        """Print the message and where to find help on stderr, and exit with code 2."""
        message = guess_option(message, self._option_string_actions)
        print(f"{self.prog}: {message}; see {self.prog} --help", file=sys.stderr)
        sys.exit(2)
