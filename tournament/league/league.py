"""A league's folder and its SQLite journal, the single source of truth about an event.

    league.sqlite · submissions/SHA256.h5 · artefacts/SHA256.onnx and .json · games/GAME_ID.sgf
    secrets/SHA256.txt, which nobody else may read (tournament.league.draws)

A file is in place before the row that names it is committed, so a league survives any crash. Only
the league's user may read networks and journal: others could copy or foresee games.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from golois.kit.files import lock, open_private
from tournament.errors import LeagueError, OptionsError
from tournament.game.options import EventOptions
from tournament.game.presets import PRESETS
from tournament.league.draws import Draws
from tournament.league.games import Games, Schedules
from tournament.league.hidden import HiddenGames
from tournament.league.journal import Journal
from tournament.league.names import WrittenNames
from tournament.league.settings import Settings, read_settings
from tournament.league.submissions import KNOWN_BY, NAME_AND_ARTEFACT, Submission, Submissions
from tournament.league.weeks import Weeks

LOOK_SECONDS = 0.1
LIVE, NOTHING_LIVE = "live.json", b'{"games":[]}'


class League:
    """One event, in one folder, which `create` makes; LeagueError if the folder has no league.

    Any number of processes may read and file submissions. One process at a time may run games,
    inside `coordinate`.
    """

    def __init__(self, folder: str | Path, *, create: bool = True):
        self.folder = Path(folder)
        path = self.folder / "league.sqlite"
        if not path.exists():
            if not create:
                raise LeagueError(
                    f"there is no league in {self.folder}; create one with submit.py --league"
                )
            make_folder(self.folder)
        self._journal = Journal(path)
        self.draws = Draws(self.folder, self._journal)
        self.submissions = Submissions(self.folder, self._journal, self.draws)
        self.games = Games(self.folder, self._journal)
        self.schedules = Schedules(self._journal, self.games)
        self.weeks = Weeks(self._journal)
        self.hidden = HiddenGames(self.folder, self._journal, self.weeks)
        self.written_names = WrittenNames(self._journal)

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()

    @property
    def is_read_only(self) -> bool:
        """Whether this user may read the league and not write it."""
        return self._journal.is_read_only

    @property
    def summary_path(self) -> Path:
        """The file that says how the last run ended; it is absent during a run."""
        return self.folder / "summary.json"

    @property
    def live_path(self) -> Path:
        """The file of the site that has the games under way."""
        return self.folder / "site" / LIVE

    def settings(self) -> Settings:
        """Return what `league.toml` says; raise OptionsError if the file is not valid."""
        return read_settings(self.folder)

    def options(self) -> EventOptions | None:
        """Return the rules of the event, or None before its first run."""
        data = self._journal.header("options")
        return None if data is None else EventOptions.from_json(data)

    def fix_options(self, options: EventOptions) -> None:
        """Fix the rules of the event; raise OptionsError if it has other rules already."""
        with self._journal.transaction():
            begun_with = self.options()
            if begun_with is None:
                self._journal.set_header("options", options.to_json())
                self._journal.set_header(KNOWN_BY, NAME_AND_ARTEFACT)
            else:
                _require_same(begun_with, options)

    def published(self) -> list[Submission]:
        """Return the networks as everybody may see them: a hidden game has taken none out."""
        with self.hidden.as_published():
            return self.submissions.current()

    def reveal(self) -> bool:
        """Publish the secrets of the draws and the hidden games; return whether any was hidden."""
        self.draws.publish()
        return self.hidden.reveal()

    def rules(self) -> str | None:
        """Return the word for the league's rules, or None; raise OptionsError if it is unknown."""
        word = self._journal.header("rules")
        if word is not None and word not in PRESETS:
            raise OptionsError(f"the league's rules {word!r} are of another version of the kit")
        return word

    def require_rules(self, word: str | None) -> None:
        """Raise OptionsError if the games have other rules than this word, unless it is None."""
        begun_with = self.options()
        if word not in (None, self.rules()) and begun_with is not None:
            _require_same(begun_with, begun_with.changed(PRESETS[word].games))

    def keep_rules(self, word: str | None) -> None:
        """Keep the word for the rules, unless None; raise OptionsError if the games have others."""
        if word is None or word == self.rules():
            return
        with self._journal.transaction():
            self.require_rules(word)
            self._journal.set_header("rules", word)

    @contextmanager
    def at_one_moment(self) -> Iterator[Journal]:
        """Read a consistent snapshot of the league inside."""
        with self._journal.one_moment():
            yield self._journal

    @contextmanager
    def coordinate(self) -> Iterator[None]:
        """Lock the league for running games; raise LeagueError if another process has it."""
        with open(self._lock_path, "a", encoding="utf-8", opener=open_private) as file:
            if not lock(file):
                time.sleep(LOOK_SECONDS)  # it may be a brief check by `coordinator`
            if not lock(file):
                raise LeagueError(
                    f"another tournament is running on {self.folder}: wait for it, or stop it"
                )
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()
            yield

    def coordinator(self) -> int | None:
        """Return the process that runs games on this machine, or None when none does."""
        try:
            with open(self._lock_path, "r+", encoding="utf-8") as file:
                if lock(file):
                    return None
                number = file.read()
        except FileNotFoundError:
            return None
        return int(number) if number.isdecimal() else None

    @property
    def _lock_path(self) -> Path:
        return self.folder / "coordinator.lock"


def _require_same(begun_with: EventOptions, options: EventOptions) -> None:
    if begun_with != options:
        raise OptionsError(
            "the league already has other options: "
            f"{', '.join(begun_with.differences(options))}; use a new league for these"
        )


def make_folder(folder: Path) -> None:
    """Make the folder of a league, in which only its user may read the networks."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind in ("submissions", "artefacts"):
        (folder / kind).mkdir(mode=0o700, exist_ok=True)
