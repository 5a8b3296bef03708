"""What the commands that write one file share: its name, checked before anything else is done."""

import argparse
from pathlib import Path

from tournament.errors import OptionsError


def output_file(text: str) -> Path:
    """Parse the path of a file to write, for argparse."""
    path = Path(text)
    if not path.name or path.is_dir():
        raise argparse.ArgumentTypeError(f"expected a file to write: got the folder {str(path)!r}")
    return path


def refuse_to_overwrite(what: str, path: Path, output: Path) -> None:
    """Refuse an output that is a file of the command's own.

    Args:
        what: the file is, in a word or two.
        path: of that file, whether or not it is there.
        output: where the command is to write.

    Raises:
        OptionsError: they are one file.
    """
    if output.resolve() == path.resolve():
        raise OptionsError(f"the output would overwrite the {what} {path}: choose another file")
