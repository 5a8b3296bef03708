"""What every command of the kit shares: errors as one sentence, exit codes, visible output."""

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from io import TextIOWrapper
from typing import Any, TextIO, cast

EXIT_BAD_INPUT, EXIT_INTERRUPTED = 2, 130
MAX_LINE = 400

UNRECOGNIZED = "unrecognized arguments: "
"""How argparse begins what it says of arguments that it doesn't know."""
_COMMANDS_TO_TERMINALS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")

class KitError(Exception):
    """Root of the kit's errors; the text of each is the one sentence that a command prints."""


class UsageError(KitError, ValueError):
    """Bad input to a command."""


def run_in_words(name: str, run: Callable[[], int], interrupted: str = "") -> int:
    """Run a command; errors become a sentence and an exit code, Ctrl-C prints `interrupted`."""
    with visible_output():
        try:
            return run()
        except KeyboardInterrupt as stop:
            print(str(stop) or interrupted or f"{name}: interrupted", file=sys.stderr)
            return EXIT_INTERRUPTED
        except Exception as error:
            if not isinstance(error, (KitError, OSError, *_errors_of_sqlite())):
                raise
            print(f"{name}: {in_one_sentence(error)}", file=sys.stderr)
            return EXIT_BAD_INPUT


def _errors_of_sqlite() -> tuple[type[Exception], ...]:
    return (sys.modules["sqlite3"].Error,) if "sqlite3" in sys.modules else ()


@contextmanager
def imports_in_words(name: str) -> Iterator[None]:
    """End the program in one sentence if an import within fails: no core, or no such package."""
    try:
        yield
    except ImportError as error:
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(EXIT_BAD_INPUT)


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
        return f"{message}an empty argument"
    if not unknown[0].startswith("-"):
        return message
    return message + did_you_mean(unknown[0].partition("=")[0], known)


def visible(text: str) -> str:
    r"""Escape what a terminal obeys: control characters but newlines and tabs, turns of direction.

    >>> print(visible("ada\x1b[2J"))
    ada\x1b[2J
    """
    return _COMMANDS_TO_TERMINALS.sub(lambda found: ascii(found[0])[1:-1], text)


class _VisibleStream:
    """Writes every text as `visible` has it, and passes the consoles of rich through."""

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        self.rich_proxied_file.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


@contextmanager
def visible_output() -> Iterator[None]:
    """Let stdout and stderr show any text within, whoever wrote it, and obey none."""
    before = sys.stdout, sys.stderr
    os.environ["PYTHON_COLORS"] = "0"  # of argparse and of tracebacks, which would be shown too
    sys.stdout, sys.stderr = map(visible_stream, before)
    yield
    sys.stdout, sys.stderr = before


@contextmanager
def plain_output() -> Iterator[None]:
    """Let stdout and stderr be as they were before `visible_output`, for a user's own program."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (getattr(stream, "rich_proxied_file", stream) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def visible_stream(stream: TextIO) -> TextIO:
    """Return a stream that shows any text and obeys none; of one that is closed (None), itself."""
    if stream is None or isinstance(stream, _VisibleStream):
        return stream
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    return cast(TextIO, _VisibleStream(stream))


def escaped(name: str) -> str:
    """Return a file's name with the bytes escaped that are no UTF-8, to be written anywhere."""
    return name.encode(errors="backslashreplace").decode()


def in_one_sentence(error: Exception) -> str:
    """Say what went wrong: of a file, which and why; else the error's own text on one line."""
    if not isinstance(error, OSError):
        return " ".join(str(error).split())
    reason = error.strerror or str(error)
    said = f"cannot use {error.filename}: {reason}" if error.filename else reason
    return " ".join(said.splitlines())


def one_line(text: str) -> str:
    """Return a library's message as it fits a table: one printable line of bounded length."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(printable.split())[:MAX_LINE]


def in_units(seconds: float) -> str:
    """Spell a length of time in the unit that fits it.

    >>> in_units(40), in_units(1000), in_units(20000)
    ('40 s', '17 min', '5.6 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"
