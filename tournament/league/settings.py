"""`league.toml` in a league's folder: what a teacher writes down about the league, if anything.

title = "Deep learning, autumn 2026"

[term]
zone = "Europe/Paris"
first = "2026-10-09 23:59"      # and every week at this time
until = "2026-12-18"            # the last day that may have a deadline
without = ["2026-10-30"]        # holidays
# or, in the place of the three: deadlines = ["2026-10-09 23:59", "2026-10-16 23:59"]
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from tournament.errors import OptionsError
from tournament.league.term import Term, term_of

DEFAULT_LEAGUE = Path("league")
"""The folder that commands use where none is named."""

FILE = "league.toml"
MAX_TITLE = 100


@dataclass(frozen=True)
class Settings:
    """What a teacher has written down about a league.

    title: of its pages.
    term: the deadlines of its weeks; None without them.
    """

    title: str
    term: Term | None = None


def read_settings(league: Path) -> Settings:
    """Read `league.toml`; without one, or without a title in it, the folder's name is the title.

    Raises:
        OptionsError: the file cannot be read, or has keys or values that there aren't.
    """
    path = league / FILE
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        found = {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise OptionsError(f"{path} is not TOML: {error}") from error
    if unknown := sorted(found.keys() - {"title", "term"}):
        raise OptionsError(f"{path} has no place for {unknown[0]!r}: it may have title and [term]")
    title, term = found.get("title", _title_of(league)), found.get("term")
    if not isinstance(title, str) or not title.strip() or len(title) > MAX_TITLE:
        raise OptionsError(f"{path}: the title must be a text of 1 to {MAX_TITLE} characters")
    if term is not None and not isinstance(term, dict):
        raise OptionsError(f"{path}: term must be a table, [term]")
    try:
        return Settings(" ".join(title.split()), None if term is None else term_of(term))
    except OptionsError as error:
        raise OptionsError(f"{path}: {error}") from error


def _title_of(league: Path) -> str:
    # A folder's name may be bytes that are not text.
    name = league.resolve().name.encode(errors="replace").decode()
    return name[:1].upper() + name[1:]
