"""Names that look alike: `Alice`, `alice`, `AIice`, `Alice.`, and `Аlice` with a Cyrillic А."""

import re
import unicodedata

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


def skeleton(name: str) -> str:
    """Return what is left of a name without what the eye overlooks.

    Two names look alike if their skeletons are equal. Skeletons are not for showing.

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
