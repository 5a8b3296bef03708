"""Hidden games: with `hidden = true` in `league.toml`, nobody sees them until the teacher reveals.

Without a term all new games are hidden, and in a term the games of its last week. Whoever reads
`as_published` reads the league as if these games had not been played, so no page can leak them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copymode

from tournament.errors import OptionsError
from tournament.league.journal import LOSER, Journal
from tournament.league.settings import read_settings
from tournament.league.weeks import Weeks

SHOWN = "shown_games"  # in the journal's header: the last game that everybody may see
REVEALED_WEEK = "revealed_week"
PRIVATE = 0o700
# A network that is taken out for a hidden game: it has no earlier game that it wasn't forgiven.
FAILED_UNSEEN = f"""status = 'suspended' AND num_pardoned >= (
    SELECT count(*) FROM main.games WHERE number <= {{last}} AND kind = 'forfeit'
    AND sha256 = {LOSER}
)"""
# While they exist, these views take the place of the tables with the same names.
VIEWS = {
    "games": "SELECT * FROM main.games WHERE number <= {last}",
    "submissions": f"""
        SELECT rowid AS rowid, sha256, name, num_pardoned, anchor_elo, submitted_at, manifest,
            CASE WHEN {FAILED_UNSEEN} THEN 'active' ELSE status END AS status,
            CASE WHEN {FAILED_UNSEEN} THEN '' ELSE note END AS note
        FROM main.submissions""",
}


class HiddenGames:
    """The games of a league that only the league's user may see."""

    def __init__(self, folder: Path, journal: Journal, weeks: Weeks):
        self._folder, self._journal, self._weeks = folder, journal, weeks

    def is_on(self) -> bool:
        """Return whether games that are played now are hidden."""
        settings = read_settings(self._folder)
        if not settings.hidden or settings.term is None:
            return settings.hidden
        last = self._weeks.last()
        if last is None or last.label == self._journal.header(REVEALED_WEEK):
            return False
        stays_hidden = last.is_last and last.kept_at is None  # also after one more deadline
        return stays_hidden or last.first_late >= settings.term.deadlines[-1].first_late

    def may_be_on(self) -> bool:
        """Return `is_on()`, or True while somebody is editing the settings."""
        try:
            return self.is_on()
        except OptionsError:
            return True

    def last_shown(self) -> int | None:
        """Return the number of the last game that everybody may see; None if nothing is hidden.

        In a term it is a number from the last deadline on, also before the first game.
        """
        if not self.is_on():
            return None
        shown = self._journal.header(SHOWN) or 0
        in_term = read_settings(self._folder).term is not None
        return shown if in_term or self._newest() > shown else None

    def are_any(self) -> bool:
        """Return whether there are hidden games."""
        shown = self.last_shown()
        return shown is not None and self._newest() > shown

    def note_shown(self) -> None:
        """Write down that everybody may see all games so far, unless games are hidden now."""
        if not self.is_on() and self._journal.header(SHOWN) != self._newest():
            with self._journal.transaction():
                self._journal.set_header(SHOWN, self._newest())

    def reveal(self) -> bool:
        """Show the games so far, or the last week, to everybody; return whether any was hidden."""
        if self.last_shown() is None:
            return False
        last = self._weeks.last()
        with self._journal.transaction():
            self._journal.set_header(SHOWN, self._newest())
            self._journal.set_header(REVEALED_WEEK, last and last.label)
        if (games := self._folder / "games").exists():
            copymode(self._folder, games)
        return True

    def guard_files(self) -> None:
        """Let only the league's user read the files of games, if games are hidden now."""
        if self.is_on():
            folder = self._folder / "games"
            folder.mkdir(exist_ok=True)
            folder.chmod(PRIVATE)

    @contextmanager
    def as_published(self) -> Iterator[bool]:
        """Read inside a snapshot of what everybody may see; yield whether anything is hidden."""
        with self._journal.one_moment():
            last = self.last_shown()
            if last is None:
                yield False
                return
            for name, query in VIEWS.items():
                self._journal.execute(f"CREATE TEMP VIEW {name} AS {query.format(last=last)}")
            try:
                yield True
            finally:
                for name in VIEWS:
                    self._journal.execute(f"DROP VIEW temp.{name}")

    def _newest(self) -> int:
        return self._journal.value("SELECT max(number) FROM main.games") or 0
