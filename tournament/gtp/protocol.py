"""GTP 2 on the wire: the controller's lines, requests, answers, and a session of commands.

Source: Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2", 2002.
"""

import math
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TextIO

from golois.constants import BOARD_SIZE
from golois.errors import ArgumentError, GoloisError
from golois.go.coords import BLACK, WHITE, gtp_to_point
from tournament.errors import TournamentError

COLOURS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
SYNTAX_ERROR = "syntax error"
DELETE = "\x7f"
MAX_INTEGER = 2**31 - 1  # the largest int of the specification
PIECE = 1 << 16  # bytes
PROTOCOL_VERSION = "2"


class GtpError(TournamentError):
    """A command that cannot be done; the controller gets the text after a question mark."""


@dataclass(frozen=True)
class Request:
    """One command as the controller sent it: its id, or "", its name and its words."""

    id: str
    command: str
    words: tuple[str, ...]


def parse_request(line: str) -> Request | None:
    """Return a line's request without control characters and comment; None if nothing is left."""
    text = line.replace("\t", " ")
    text = "".join(letter for letter in text if letter >= " " and letter != DELETE)
    words = text.partition("#")[0].split()
    if not words:
        return None
    has_id = words[0].isascii() and words[0].isdigit()
    request_id, *words = words if has_id else ("", *words)
    command, *words = words or [""]
    return Request(request_id, command, tuple(words))


class Arguments:
    """A command's words, taken one after the other; a missing or wrong word is a GtpError."""

    def __init__(self, words: Iterable[str]):
        self._words = list(words)

    def __bool__(self) -> bool:
        """Return whether a word is left."""
        return bool(self._words)

    def word(self) -> str:
        """Return the next word; raises GtpError if there is none."""
        if not self._words:
            raise GtpError(SYNTAX_ERROR)
        return self._words.pop(0)

    def integer(self) -> int:
        """Return a whole number from 0 to MAX_INTEGER."""
        word = self.word()
        is_number = word.isascii() and word.isdigit() and len(word) <= len(str(MAX_INTEGER))
        if not is_number or int(word) > MAX_INTEGER:
            raise GtpError(SYNTAX_ERROR)
        return int(word)

    def number(self) -> float:
        """Return a finite number."""
        try:
            number = float(self.word())
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise GtpError(SYNTAX_ERROR)
        return number

    def colour(self) -> int:
        """Return BLACK or WHITE, from "b", "black", "w" or "white" in any case."""
        colour = COLOURS.get(self.word().lower())
        if colour is None:
            raise GtpError(SYNTAX_ERROR)
        return colour

    def begins_with_colour(self) -> bool:
        """Return whether the next word is a colour, for commands that may have one."""
        return bool(self) and self._words[0].lower() in COLOURS

    def begins_with_number(self) -> bool:
        """Return whether the next word is a whole number."""
        return bool(self) and self._words[0].isdigit()

    def point(self, size: int = BOARD_SIZE) -> int:
        """Return a vertex of such a board or a pass, as a point."""
        try:
            return gtp_to_point(self.word(), size)
        except ArgumentError:
            raise GtpError(SYNTAX_ERROR) from None

    def rest(self) -> list[str]:
        """Return all words that are left."""
        words, self._words = self._words, []
        return words


class Answers:
    """Writes answers, each whole or line after line; each request has one answer."""

    def __init__(self, output: TextIO):
        self._output = output
        self._id = ""
        self._has_begun = False

    def begin(self, request_id: str) -> None:
        """Begin the answer to this request."""
        self._id = request_id
        self._has_begun = False

    def stream(self, line: str) -> None:
        """Send a line of an answer that has more to come."""
        if not self._has_begun:
            self._write(f"={self._id}\n")
            self._has_begun = True
        self._write(line + "\n")

    def succeed(self, text: str) -> None:
        """End the answer; without text when everything has been streamed."""
        if not self._has_begun:
            self._write(f"={self._id} {text}".rstrip(" ") + "\n\n")
        else:
            self._write(f"{text}\n\n" if text else "\n")

    def fail(self, text: str) -> None:
        """End the answer with an error, in one line."""
        sentence = " ".join(text.split())
        self._write(f"?{self._id} {sentence}\n\n" if not self._has_begun else f"{sentence}\n\n")

    def _write(self, text: str) -> None:
        self._output.write(text)
        self._output.flush()


class Lines:
    """Lines from the descriptor of a pipe or terminal, in order; None marks the end of input.

    Python's buffer is not used: a waiting thread would hold its lock beyond the program's end.
    """

    def __init__(self, descriptor: int):
        self._waiting: deque[str | None] = deque()
        self._arrival = threading.Condition()
        threading.Thread(target=self._read, args=(descriptor,), daemon=True).start()

    def next(self) -> str | None:
        """Wait for a line and take it."""
        with self._arrival:
            self._arrival.wait_for(lambda: self._waiting)
            return self._waiting.popleft()

    def wait(self, seconds: float) -> bool:
        """Return whether a line, or the end of input, arrives within this many seconds."""
        with self._arrival:
            return self._arrival.wait_for(lambda: bool(self._waiting), seconds)

    def _read(self, descriptor: int) -> None:
        rest = b""
        with suppress(OSError):  # a terminal that has hung up ends the input too
            while piece := os.read(descriptor, PIECE):
                *lines, rest = (rest + piece).split(b"\n")
                self._put(line.decode(errors="replace") for line in lines)
        self._put([rest.decode(errors="replace"), None])

    def _put(self, lines: Iterable[str | None]) -> None:
        with self._arrival:
            self._waiting.extend(lines)
            self._arrival.notify_all()


Handler = Callable[[Arguments], str | None]  # without an answer, None


class Session:
    """Runs an engine's commands, and the protocol's own commands, one after the other."""

    def __init__(
        self,
        name: str,
        version: str,
        lines: Lines,
        answers: Answers,
        handlers: Mapping[str, Handler],
    ):
        self._lines = lines
        self._answers = answers
        self._handlers: dict[str, Handler] = {
            "protocol_version": lambda arguments: PROTOCOL_VERSION,
            "name": lambda arguments: name,
            "version": lambda arguments: version,
            "known_command": self._known_command,
            "list_commands": lambda arguments: "\n".join(sorted(self._handlers)),
            "quit": lambda arguments: None,
            **handlers,
        }

    def run(self) -> None:
        """Answer until `quit` or the end of the input."""
        while (line := self._lines.next()) is not None:
            request = parse_request(line)
            if request is None:
                continue
            self._answer(request)
            if request.command == "quit":
                return

    def _answer(self, request: Request) -> None:
        self._answers.begin(request.id)
        try:
            text = self._run(request)
        except (TournamentError, GoloisError) as error:
            self._answers.fail(str(error))
        else:
            self._answers.succeed(text)

    def _run(self, request: Request) -> str:
        if request.command not in self._handlers:
            raise GtpError("unknown command")
        return self._handlers[request.command](Arguments(request.words)) or ""

    def _known_command(self, arguments: Arguments) -> str:
        return "true" if arguments and arguments.word() in self._handlers else "false"
