"""The match of `selfplay.py measure`, whose games the run's folder keeps one by one."""

import json
import re
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from golois.kit.files import sha256_of
from golois.kit.signals import StopRequest
from selfplay.arguments import Matches
from selfplay.kept_games import COLUMNS, MatchGame, kept_games
from selfplay.match import Match, opened_player
from selfplay.opponents import file_digest, opened_opponent
from selfplay.reporter import Reporter
from tournament.players.protocol import NewPlayer

UNTRAINED = "untrained"


@dataclass(frozen=True)
class KeptMatch:
    """A match of a network of a run.

    Attributes:
        matches: the run, and how many games of it and with which searches.
        number: of the network.
        against: name of its opponent; None for the untrained network.
        untrained: number of that network.
        opening_moves: drawn before each pair of games.
    """

    matches: Matches
    number: int
    against: str | None
    untrained: int
    opening_moves: int

    @property
    def path(self) -> Path:
        """The file of the games; other settings have another file, but for the number of games."""
        named = (self.against or UNTRAINED).partition(":")[0].rpartition("/")[2]
        kind = re.sub(r"[^\w.]+", "-", named)
        digest = sha256(json.dumps(self._settings()).encode()).hexdigest()[:12]
        return self.matches.layout.matches / f"{self.number:04}-{kind}-{digest}.csv"

    def play(self, stop: StopRequest) -> list[MatchGame]:
        """Play what is missing, with a bar: the network attacks from drawn openings.

        Raises:
            UsageError: there is no such opponent, an opening is a whole game, or the file is
                damaged or in use.
            NetworkError: a network cannot be opened.
            Stopped: by a signal; the same call goes on from here.
        """
        options, num_games = self.matches.options, self.matches.games
        rules = options.rules()
        match = Match.of_pairs(rules, num_games, options.seed, self.opening_moves)
        with (
            self._opened_opponent() as opponent,
            kept_games(self.path, self._settings(), rules) as kept,
            Reporter().bar("games", num_games) as advance,
        ):
            return match.play(
                lambda: (self._opened(self.number), opponent), stop, kept=kept, on_game=advance
            )

    def _opened(self, number: int) -> NewPlayer:
        matches = self.matches
        return opened_player(matches.layout.artefact(number), matches.options, matches.simulations)

    def _opened_opponent(self) -> AbstractContextManager[NewPlayer]:
        if self.against is None:
            return nullcontext(self._opened(self.untrained))
        options = self.matches.options
        search, simulations = options.of_matches(), self.matches.simulations
        return opened_opponent(self.against, options.rules(), search, simulations, options.runtime)

    def _settings(self) -> dict[str, Any]:
        """What a game of the match depends on, besides its number."""
        artefact, options = self.matches.layout.artefact, self.matches.options
        theirs = file_digest(self.against) if self.against else sha256_of(artefact(self.untrained))
        return {
            "columns": COLUMNS,
            "network": self.number,
            "opponent": self.against or UNTRAINED,
            "digests": [sha256_of(artefact(self.number)), theirs],
            "rules": str(options.rules()),
            "search": vars(options.of_matches()),
            "simulations": self.matches.simulations,
            "seed": options.seed,
            "opening_moves": self.opening_moves,
        }
