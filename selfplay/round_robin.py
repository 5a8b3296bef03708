"""Networks that all meet one another, and their ratings."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from golois.coords import BLACK, EMPTY
from golois.kit.files import write_whole
from golois.kit.signals import StopRequest
from selfplay.journal import Elo
from selfplay.match import MatchGame, opened_player, play_match
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
class LeagueGame:
    """A game as `tournament.ratings` reads it; a draw, which only Go has, is half a win for both.

    Attributes:
        black, white: names of the networks.
        winner: "black", "white" or None for a draw.
        kind: "played".
        pair_id: the same for two games with one opening and the colours swapped.
        moves: from the empty board on; none in a file of before they were kept.
    """

    black: str
    white: str
    winner: str | None
    kind: str
    pair_id: str
    moves: Sequence[int] = ()

    @classmethod
    def of(cls, pair: tuple[str, str], game: MatchGame) -> "LeagueGame":
        """A game of a match between two names."""
        black, white = pair if game.first_is_black else pair[::-1]
        return cls(
            black=black,
            white=white,
            winner=None if game.winner == EMPTY else "black" if game.winner == BLACK else "white",
            kind="played",
            pair_id=f"{pair[0]}-{pair[1]}-{game.number // 2}",
            moves=game.moves,
        )

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> "LeagueGame":
        """A game of a file; files of before draws counted call a draw void."""
        return cls(**{**stored, "kind": "played"})


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
    ) -> list[LeagueGame]:
        """Play what was not played before with the same settings.

        Args:
            entrants: two or more; all play the same game.
            stop: a request to stop.
            on_done: called after each two of them.

        Raises:
            Stopped: by a signal; the same call goes on from here.
            NetworkError: one cannot be opened.
        """
        games: list[LeagueGame] = []
        with ThreadPoolExecutor(self.workers) as pool:
            for played in pool.map(
                lambda pair: self._play_pair(pair, stop), combinations(entrants, 2)
            ):
                games += played
                on_done()
        return games

    def _play_pair(self, pair: tuple[Entrant, Entrant], stop: StopRequest) -> list[LeagueGame]:
        """Read the games of two networks, or play them and write them down."""
        names = (pair[0].name, pair[1].name)
        path = _path(self.folder, names)
        settings = self._settings(pair)
        if (known := _read(path)) and known["settings"] == settings:
            return list(map(LeagueGame.read, known["played"]))
        first, second = (
            opened_player(entrant.artefact, entrant.options, self.simulations) for entrant in pair
        )
        options = pair[0].options
        games = play_match((first, second), options.rules(), self.games, options.seed, stop)
        played = [LeagueGame.of(names, game) for game in games]
        text = json.dumps({"settings": settings, "played": [vars(game) for game in played]})
        write_whole(path, f"{text}\n".encode(), durable=False)
        return played

    def _settings(self, pair: tuple[Entrant, Entrant]) -> dict[str, Any]:
        """What the games of two networks depend on."""
        options = pair[0].options
        return {
            "games": self.games,
            "simulations": self.simulations,
            "rules": str(options.rules()),
            "seed": options.seed,
            "networks": [sha256(entrant.artefact.read_bytes()).hexdigest() for entrant in pair],
            "searches": [vars(entrant.options.of_matches()) for entrant in pair],
        }


def read_games(folder: Path, names: Sequence[str]) -> dict[tuple[str, str], list[LeagueGame]]:
    """The games of each two networks that have met; the folder may have games of others too.

    Args:
        folder: of the games.
        names: in the order of the entrants.
    """
    return {
        pair: list(map(LeagueGame.read, known["played"]))
        for pair in combinations(names, 2)
        if (known := _read(_path(folder, pair)))
    }


def _read(path: Path) -> dict[str, Any] | None:
    """What a file has; None if there is none, or a damaged one, whose games are played again."""
    try:
        return json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return None


def _path(folder: Path, names: tuple[str, str]) -> Path:
    return folder / f"{names[0]}-{names[1]}.json"


def elo_over_first(names: Sequence[str], games: Sequence[LeagueGame]) -> dict[str, Elo]:
    """The Elo of each network over the first, with half of the 95 % interval of the difference."""
    ratings = rate(names, games)
    places = {name: ratings.names.index(name) for name in names}
    first = places[names[0]]
    halves = Z95 * np.sqrt(np.maximum(ratings.difference_variance()[first], 0))
    return {
        name: Elo(float(ratings.elo[place] - ratings.elo[first]), float(halves[place]))
        for name, place in places.items()
    }


def results_of(name: str, games: Sequence[LeagueGame]) -> Iterator[float]:
    """The points of a network in each of its games: 1, 0, or a half for a draw."""
    for game in games:
        if name in (game.black, game.white):
            won = game.black if game.winner == "black" else game.white
            yield float(won == name) if game.winner else 0.5
