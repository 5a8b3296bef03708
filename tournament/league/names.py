"""Names of networks: what they may be, which look alike, and how people write them.

A network's name is in addresses, files and commands. The written name is only shown, in any script:
`Zoë O'Neill` of the network `Zoe_O_Neill`. `Alice`, `alice`, `AIice` and `Alice.` look alike.
"""

import re
import unicodedata
from collections.abc import Mapping

from tournament.errors import SubmissionError, TournamentError
from tournament.league.journal import Journal

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
# Greek letters, then Cyrillic ones, and the Latin ones that they look like.
_LETTERS = str.maketrans(
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγικνορτυχω" "АВЕЅІЈКМНОРСТУХԚԜабвгенкмопрстухѕіјһӏԁԛԝ" "|",
    "ABEZHIKMNOPTYXayikvoptuxw" "ABESIJKMHOPCTYXQWa6brehkmonpctyxsijhldqw" "l",
)
# Marks that are vowels and other parts of a syllable, as in Hindi and Thai: no accents there.
SYLLABIC = "\u0900-\u109f\u17b6-\u17d3"
_SYLLABIC = re.compile(f"[{SYLLABIC}]")
_UNSEEN = str.maketrans("", "", "\u115f\u1160")  # letters of Hangul that leave no trace
_STROKES = str.maketrans("iı10", "lllo")
_PAIRS = (("rn", "m"), ("vv", "w"))
_PUNCTUATION = re.compile(r"[\W_]+")
_BETWEEN_DIGITS = re.compile(r"(?<=[0-9])[\W_]+(?=[0-9])")
KEY = "written_names"
MAX_LENGTH = 64
# Marks that belong to the letter before them: accents, vowels of Hebrew and Arabic, and parts of
# syllables.
_MARKS = f"\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670{SYLLABIC}"
MAX_MARKS = 5  # in a row, as syllables of Burmese have; more would cover the lines around
# Letters of any script with their marks, digits, and what stands between them.
WRITTEN = re.compile(
    rf"(?=.{{1,{MAX_LENGTH}}}$)[\w{_MARKS} .'’·-]*\w[\w{_MARKS} .'’·-]*"
)
_WORD = re.compile(rf"(?:[^\W_]|[{_MARKS}])+")
MAX_MESSAGE = 200
_BREAKS = {"Cc", "Cs", "Zl", "Zp"}  # categories of Unicode: control characters, lines, no text
_JOINERS = "\u200c\u200d"  # within words of Persian and of India's scripts


def skeleton(name: str) -> str:
    """Return a name without what the eye overlooks; names look alike if their skeletons are equal.

    Source: Unicode Technical Standard 39, section 4, which has a larger table.
    """
    letters = unicodedata.normalize("NFKC", name).translate(_LETTERS).casefold()
    split = unicodedata.normalize("NFKD", letters).translate(_UNSEEN)
    plain = "".join(map(_plain, split))
    # Group 1-11 is not group 11-1, so punctuation between digits stays.
    pieces = (_PUNCTUATION.sub("", piece) for piece in _BETWEEN_DIGITS.split(plain))
    plain = ".".join(pieces).translate(_STROKES)
    for pair, letter in _PAIRS:
        plain = plain.replace(pair, letter)
    return plain


def _plain(letter: str) -> str:
    """Return a letter, nothing for an accent, and letters for a mark that is one."""
    if not unicodedata.category(letter).startswith("M"):
        return letter
    return f"u{ord(letter):x}" if _SYLLABIC.match(letter) else ""


class WrittenNames:
    """The written names of a league."""

    def __init__(self, journal: Journal):
        self._journal = journal

    def all(self) -> dict[str, str]:
        """Return them by the names of the networks, where they differ."""
        return self._journal.header(KEY) or {}

    def note(self, written: Mapping[str, str]) -> None:
        """Store written names by network; raise SubmissionError if one looks like another's."""
        with self._journal.transaction():
            self.refuse_lookalikes(written)
            names = {**self.all(), **written}
            plain = {one: name for one, name in names.items() if one != name}
            if plain != self.all():
                self._journal.set_header(KEY, plain)

    def refuse_lookalikes(self, written: Mapping[str, str]) -> None:
        """Raise SubmissionError if a new written name looks like another new or shown name."""
        filed = self._journal.execute("SELECT DISTINCT name FROM submissions")
        shown = {name: name for (name,) in filed} | self.all()
        names = {**shown, **written}
        alike: dict[str, list[str]] = {}
        for network, name in names.items():
            alike.setdefault(skeleton(name), []).append(network)
        for network, name in written.items():
            others = [other for other in alike[skeleton(name)] if other != network]
            if others and shown.get(network) != name:
                raise SubmissionError(f"{name!r} looks like {names[others[0]]!r}: choose another")


def require_name(name: str, error: type[TournamentError]) -> None:
    """Raise `error` where no network can have a name."""
    if not NAME.fullmatch(name):
        raise error(
            f"a name must have up to 64 letters, digits, '_', '.' and '-', not be {name!r}"
        )


def network_of(name: str | None) -> str:
    """Return the network name that somebody has chosen; raise SubmissionError if it is no name."""
    if name is not None and NAME.fullmatch(name):
        return name
    composed = unicodedata.normalize("NFC", name or "")
    network = network_name(composed) if WRITTEN.fullmatch(composed) else ""
    if not network:
        given = "" if name is None else f", not {name!r}"
        raise SubmissionError(
            f"--name must be up to {MAX_LENGTH} letters, digits, spaces, '_', '.' and '-', such as "
            f"Ada_Lovelace{given}"
        )
    return network


def shown(name: str) -> str:
    """Return a name on one line, without what is not seen, or disturbs the text around it."""
    seen, marks = "", 0
    for letter in unicodedata.normalize("NFC", name):
        kind = unicodedata.category(letter)
        marks = marks + 1 if kind.startswith("M") else 0
        if letter.isprintable() or letter in _JOINERS:
            seen += letter * (marks <= MAX_MARKS)
        elif kind != "Cf":
            seen += " "
    return " ".join(seen.split())


def message_of(text: str) -> str:
    """Return what an author writes about a file; raise SubmissionError if it is not one line."""
    text = text.strip()
    if len(text) > MAX_MESSAGE or any(unicodedata.category(letter) in _BREAKS for letter in text):
        raise SubmissionError(
            f"a message is one line of at most {MAX_MESSAGE} characters, without control characters"
        )
    return shown(text)


def network_name(person: str) -> str:
    """Turn a person's or team's name into a network name; empty if nothing is left.

    `Émile Borel` is `Emile_Borel`. Where no letter is Latin, code points stand: `李` is `u674e`.
    """
    plain = unicodedata.normalize("NFKD", person).encode("ascii", "ignore").decode()
    joined = re.sub(r"[^A-Za-z0-9.-]+", "_", plain).strip("_.-")
    if not re.search("[A-Za-z0-9]", joined):
        composed = unicodedata.normalize("NFC", person)
        words = ["".join(f"u{ord(c):x}" for c in word) for word in _WORD.findall(composed)]
        joined = "_".join(words)
    return joined[:64]
