"""Players that all meet one another, and their ratings."""

import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from golois.games.rules import Rules
from golois.kit.command import UsageError
from golois.kit.console import Reporter
from golois.kit.signals import StopRequest
from tournament.matches.games import MatchGame, kept_games, read_kept, read_settings
from tournament.matches.match import Match
from tournament.players.protocol import NewPlayer
from tournament.ratings.bradley_terry import Z95, rate

WITH = "-with-"  # and a digest of the settings, in the name of a file of games


@dataclass(frozen=True)
class Elo:
    """A rating over the first player in Elo, with half of its 95 % interval.

    `of_updates` is NoGoZero+'s Elo over the first player; None if it is not known.
    """

    rating: float
    halfwidth: float
    of_updates: float | None = None


@dataclass(frozen=True)
class Rival:
    """A player that meets others; `identity` says what its moves depend on besides the seed."""

    name: str
    opened: Callable[[], NewPlayer]
    identity: Callable[[], Any]


@dataclass(frozen=True)
class RoundRobin:
    """How players meet: each two play `games` games, an even number, in a file of their own.

    `workers` pairs play at a time.
    """

    folder: Path
    rules: Rules
    games: int
    seed: int
    workers: int = 1

    def play(self, rivals: Sequence[Rival], stop: StopRequest) -> list[MatchGame]:
        """Play, with a bar, what two or more rivals have not played with the same settings.

        Raises:
            Stopped: by a signal; the same call continues from here.
            NetworkError: a network cannot be opened.
        """
        games: list[MatchGame] = []
        pairs = list(combinations(rivals, 2))
        with (
            Reporter().bar("pairs of networks", len(pairs)) as advance,
            ThreadPoolExecutor(self.workers) as pool,
        ):
            for played in pool.map(lambda pair: self._play_pair(pair, stop), pairs):
                games += played
                advance()
        return games

    def _play_pair(self, pair: tuple[Rival, Rival], stop: StopRequest) -> list[MatchGame]:
        first, second = pair
        names = (first.name, second.name)
        match = Match.of_pairs(self.rules, self.games, self.seed, names=names)
        settings = {"seed": self.seed, "players": [first.identity(), second.identity()]}
        path = _path_for(self.folder, names, settings)
        with kept_games(path, settings, self.rules, anew=True) as kept:
            os.utime(path)  # the latest settings are those that a page shows
            return match.play(lambda: (first.opened(), second.opened()), stop, kept=kept)


def read_games(
    folder: Path, rules: Rules, names: Sequence[str]
) -> dict[tuple[str, str], list[MatchGame]]:
    """Return the games of each two networks that have met, in the order of `names`.

    Of several settings they are the latest. Damaged files and files of another version are left
    out: their games are played again.
    """
    games = {}
    for pair in combinations(names, 2):
        found = [*folder.glob(f"{_stem(pair)}.csv"), *folder.glob(f"{_stem(pair)}{WITH}*.csv")]
        if path := max(found, key=lambda path: path.stat().st_mtime, default=None):
            with suppress(UsageError):
                _, games[pair] = read_kept(path, rules)
    return games


def _stem(names: tuple[str, str]) -> str:
    return f"{names[0]}-{names[1]}"


def _path_for(folder: Path, names: tuple[str, str], settings: dict[str, Any]) -> Path:
    """The file of two players' games; that of second settings has a digest of them in its name."""
    path, text = folder / f"{_stem(names)}.csv", json.dumps(settings)
    with suppress(UsageError, FileNotFoundError):
        if json.dumps(read_settings(path)) != text:
            digest = sha256(text.encode()).hexdigest()[:12]
            return path.with_name(f"{path.stem}{WITH}{digest}.csv")
    return path


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
