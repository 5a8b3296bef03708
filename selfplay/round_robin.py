"""Networks that all meet one another, and their ratings."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from golois.kit.command import UsageError
from golois.kit.signals import StopRequest
from golois.rules import Rules
from selfplay.journal import Elo
from selfplay.kept_games import MatchGame, kept_games, read_kept
from selfplay.match import Match, Players, opened_player
from selfplay.options import Options
from tournament.ratings.bradley_terry import Z95, rate


@dataclass(frozen=True)
class Entrant:
    """A network that is rated.

    Attributes:
        name: its own.
        artefact: its file.
        options: of its run, which say what is played and how it sees and searches it.
    """

    name: str
    artefact: Path
    options: Options


@dataclass(frozen=True)
class RoundRobin:
    """How networks meet.

    Attributes:
        folder: gets a file for each two of them.
        games: of each two, even.
        simulations: of their searches.
        workers: pairs that play at a time.
    """

    folder: Path
    games: int
    simulations: int
    workers: int

    def play(
        self, entrants: Sequence[Entrant], stop: StopRequest, on_done: Callable[[], None]
    ) -> list[MatchGame]:
        """Play what was not played before with the same settings.

        Args:
            entrants: two or more; all play the same game.
            stop: a request to stop.
            on_done: called after each two of them.

        Raises:
            Stopped: by a signal; the same call goes on from here.
            NetworkError: one cannot be opened.
        """
        games: list[MatchGame] = []
        with ThreadPoolExecutor(self.workers) as pool:
            for played in pool.map(
                lambda pair: self._play_pair(pair, stop), combinations(entrants, 2)
            ):
                games += played
                on_done()
        return games

    def _play_pair(self, pair: tuple[Entrant, Entrant], stop: StopRequest) -> list[MatchGame]:
        """Play two networks' games that were not kept yet."""
        names, options = (pair[0].name, pair[1].name), pair[0].options
        match = Match.of_pairs(options.rules(), self.games, options.seed, names=names)
        path, settings = _path(self.folder, names), self._settings(pair)
        with kept_games(path, settings, match.rules, anew=True) as kept:
            return match.play(lambda: self._players(pair), stop, kept=kept)

    def _players(self, pair: tuple[Entrant, Entrant]) -> Players:
        first, second = (
            opened_player(entrant.artefact, entrant.options, self.simulations) for entrant in pair
        )
        return first, second

    def _settings(self, pair: tuple[Entrant, Entrant]) -> dict[str, Any]:
        """What the games of two networks depend on."""
        options = pair[0].options
        return {
            "simulations": self.simulations,
            "seed": options.seed,
            "networks": [sha256(entrant.artefact.read_bytes()).hexdigest() for entrant in pair],
            "searches": [vars(entrant.options.of_matches()) for entrant in pair],
        }


def read_games(
    folder: Path, rules: Rules, names: Sequence[str]
) -> dict[tuple[str, str], list[MatchGame]]:
    """The games of each two networks that have met; the folder may have games of others too.

    Files that are damaged, or of another version, are left out: their games are played again.

    Args:
        folder: of the games.
        rules: of all of them.
        names: in the order of the entrants.
    """
    games = {}
    for pair in combinations(names, 2):
        with suppress(UsageError, FileNotFoundError):
            _, games[pair] = read_kept(_path(folder, pair), rules)
    return games


def _path(folder: Path, names: tuple[str, str]) -> Path:
    return folder / f"{names[0]}-{names[1]}.csv"


def elo_over_first(names: Sequence[str], games: Sequence[MatchGame]) -> dict[str, Elo]:
    """The Elo of each network over the first, with half of the 95 % interval of the difference."""
    ratings = rate(names, games)
    places = {name: ratings.names.index(name) for name in names}
    first = places[names[0]]
    halves = Z95 * np.sqrt(np.maximum(ratings.difference_variance()[first], 0))
    return {
        name: Elo(float(ratings.elo[place] - ratings.elo[first]), float(halves[place]))
        for name, place in places.items()
    }
