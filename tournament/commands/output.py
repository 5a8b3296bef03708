"""What commands share at their end: the file that they write, and the status of a run."""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from tournament.errors import EXIT_GIVEN_UP, OptionsError
from tournament.running.coordinator import Outcome


def output_file(text: str) -> Path:
    """Parse the path of a file to write, for argparse."""
    path = Path(text)
    if not path.name or path.is_dir():
        raise argparse.ArgumentTypeError(f"it must be a file, not the folder {str(path)!r}")
    return path


def refuse_to_overwrite(what: str, path: Path, output: Path) -> None:
    """Raise OptionsError if the output would replace `path`, a file of the command's own."""
    if output.resolve() == path.resolve():
        raise OptionsError(f"the output would overwrite the {what} {path}: choose another file")


def refuse_inside(folders: Iterable[Path], output: Path) -> None:
    """Raise OptionsError if the output would replace a file of one of these leagues."""
    for folder in folders if output.exists() else ():
        if folder.resolve() in output.resolve().parents:
            raise OptionsError(f"{output} is a file of the league {folder}: choose another file")


def exit_code(outcome: Outcome) -> int:
    """Return 0, or print which games were given up and return EXIT_GIVEN_UP."""
    if not outcome.given_up:
        return 0
    print(
        f"{len(outcome.given_up)} games were given up as void; the same command tries again: "
        + ", ".join(outcome.given_up),
        file=sys.stderr,
    )
    return EXIT_GIVEN_UP
