"""What commands share at their end: the file that they write, and the status of a run."""

import argparse
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from tournament.errors import EXIT_GIVEN_UP, OptionsError
from tournament.running.coordinator import Outcome

# Files directly in a league's folder; all files in its subfolders are its own too.
LEAGUES_OWN = re.compile(
    r"(league|work)\.sqlite.*|.*\.lock|league\.toml|summary\.json|(ranking|games)\.csv",
    re.IGNORECASE,
)

OF_SERVER = Path("hand_in", "parts")
"""In a league, files that its server sends or receives, and then removes."""


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
    """Raise OptionsError if the output has the place of a file of one of these leagues."""
    for folder in folders:
        parents, own = output.resolve().parents, output.resolve().parent == folder.resolve()
        if folder.resolve() / OF_SERVER in parents:
            continue
        if folder.resolve() in parents and (not own or LEAGUES_OWN.fullmatch(output.name)):
            raise OptionsError(f"{output} is a file of the league {folder}: choose another file")


def exit_code(outcome: Outcome) -> int:
    """Return 0, or print which games were given up and return EXIT_GIVEN_UP."""
    if not outcome.given_up:
        return 0
    print(
        "given up as void; the same command tries again: " + ", ".join(outcome.given_up),
        file=sys.stderr,
    )
    return EXIT_GIVEN_UP
