"""What the kit's commands share: wrong arguments are one sentence on stderr, and exit code 2."""

import argparse
import sys
from typing import NoReturn


def in_one_sentence(error: Exception) -> str:
    """Say what went wrong: of a file, which and why; else the error's own text on one line."""
    if not isinstance(error, OSError):
        return " ".join(str(error).split())
    reason = error.strerror or str(error)
    return f"cannot use {error.filename}: {reason}" if error.filename else reason


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that says what is wrong in one line, without the usage before it."""

    def error(self, message: str) -> NoReturn:
        """Print the message and where to find help on stderr, and exit with code 2."""
        print(f"{self.prog}: {message}; see {self.prog} --help", file=sys.stderr)
        sys.exit(2)
