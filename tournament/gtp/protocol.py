"""GTP 2 on the wire: lines to requests, answers to text, and what an argument may be.

Source: Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2", 2002.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TextIO

from golois.coords import BLACK, WHITE, gtp_to_point
from golois.errors import ArgumentError
from tournament.errors import TournamentError

COLOURS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
SYNTAX_ERROR = "syntax error"
DELETE = "\x7f"
MAX_INTEGER = 2**31 - 1  # the largest int of the specification


class GtpError(TournamentError):
    """A command that cannot be done; the controller gets the text after a question mark."""


@dataclass(frozen=True)
class Request:
    """One command as the controller sent it: its id, or "", its name and its words."""

    id: str
    command: str
    words: tuple[str, ...]


def parse_request(line: str) -> Request | None:
    """Return the request in a line; None where it holds a comment or nothing.

    Control characters but tabs are left out, and so is everything from a "#" on.
    """
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
    """A command's words, taken one after the other; one that is missing or wrong is a GtpError."""

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

    def point(self) -> int:
        """Return a vertex or a pass, as a point."""
        try:
            return gtp_to_point(self.word())
        except ArgumentError:
            raise GtpError(SYNTAX_ERROR) from None

    def rest(self) -> list[str]:
        """Return all words that are left."""
        words, self._words = self._words, []
        return words


class Answers:
    """Writes answers, each whole or line after line; one follows each request.

    Args:
        output: where the controller reads.
    """

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
