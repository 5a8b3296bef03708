"""Ways to choose a move with a network, behind one protocol.

docs/maintainer/search.md compares them.
"""

from collections.abc import Callable
from typing import Protocol

from golois.search.tree import SearchOptions
from tournament.networks.evaluator import Evaluator
from tournament.players.gumbel import GumbelOptions, GumbelPlayer
from tournament.players.limits import Limits
from tournament.players.puct import PuctPlayer

Searcher = PuctPlayer | GumbelPlayer


class PlayingOptions(Protocol):
    """What the players read of an event's options."""

    @property
    def player(self) -> str:
        """A name of PLAYERS."""

    @property
    def search(self) -> SearchOptions:
        """How PUCT searches."""

    @property
    def gumbel(self) -> GumbelOptions:
        """How the player "gumbel" chooses at the root."""

    @property
    def limits(self) -> Limits:
        """What a player may spend on a move."""


def puct(evaluator: Evaluator, options: PlayingOptions, seed: int) -> Searcher:
    """Return the league's player, which plays the most visited move of a PUCT search."""
    return PuctPlayer(evaluator, options.search, options.limits, seed)


def gumbel(evaluator: Evaluator, options: PlayingOptions, seed: int) -> Searcher:
    """Return a player with sequential halving at the root and PUCT below it."""
    return GumbelPlayer(evaluator, options.search, options.gumbel, options.limits, seed)


def policy(evaluator: Evaluator, options: PlayingOptions, seed: int) -> Searcher:
    """Return a player without search and limits; it plays the network's likeliest candidate."""
    return PuctPlayer(evaluator, options.search, Limits(visits=1), seed)


PLAYERS: dict[str, Callable[[Evaluator, PlayingOptions, int], Searcher]] = {
    "puct": puct,
    "gumbel": gumbel,
    "policy": policy,
}


def make_player(evaluator: Evaluator, options: PlayingOptions, seed: int) -> Searcher:
    """Return a player for a game; seed and positions decide everything except the clock."""
    return PLAYERS[options.player](evaluator, options, seed)
