"""FishNet as a player: a move by what it is worth, drawn or after a search."""

from functools import partial
from pathlib import Path
from random import Random
from time import process_time

import numpy as np

from golois.games.game import Game
from golois.games.rules import Go, Rules
from papers.fishnet.game import MAX_DEPTH, FishNet
from papers.fishnet.saved import SavedNetwork
from tournament.errors import OptionsError
from tournament.players.protocol import Choice, NewPlayer, Player
from tournament.players.registry import DEPTH, Kind, Opener, without_process

MATCH_BETA = 20.0
FULL_DEPTH = 3


def _found(depth: int, text: str, size: int) -> Opener:
    file, has_depth, plies = text.partition(DEPTH) if depth > 1 else (text, "", "")
    if has_depth and not (plies.isdecimal() and len(plies) < 3 and 2 <= int(plies) <= MAX_DEPTH):
        raise OptionsError(f"a depth must be from 2 to {MAX_DEPTH}, not {plies!r}")
    return without_process(fishnet_players(Path(file), size, int(plies or depth)))


def _is_go(rules: Rules) -> bool:
    return isinstance(rules, Go)


KINDS = {
    "isn": Kind("FishNet without a search", _is_go, partial(_found, 1), "file", None),
    "alphabeta": Kind(
        "FishNet with a search, as in alphabeta:net.npz,depth=4",
        _is_go,
        partial(_found, FULL_DEPTH),
        "file",
        None,
    ),
}
"""The players by name, for `tournament.players.registry`."""


def fishnet_players(path: Path, size: int, depth: int = 1) -> NewPlayer:
    """Return what makes the players of a file of FishNet.

    Raises DataFormatError for another file; OptionsError for more than 3 plies without a SelNet.
    """
    saved = SavedNetwork.load(path)
    if depth > FULL_DEPTH and saved.selection is None:
        raise OptionsError(
            f"{path} has no SelNet, which a search of more than {FULL_DEPTH} plies needs: train it "
            f"with python selfplay.py td select, or search {FULL_DEPTH} plies"
        )
    return lambda seed: FishNetPlayer(saved, size, depth, seed=seed)


class FishNetPlayer(Player):
    """Draws a move in proportion to e^(20 · value), as in the paper, or plays a search's best one.

    A `depth` of 1 draws; more plies are alpha-beta, of all moves up to 3 plies, then of SelNet's.
    """

    def __init__(self, saved: SavedNetwork, size: int, depth: int = 1, seed: int = 0):
        self._seed = seed
        self._saved = saved
        self._network = saved.network(size)
        self._selection = saved.selection_network(size) if depth > FULL_DEPTH else None
        self._depth = depth
        self._begin()

    def choose(self, game: Game) -> Choice:
        """See Player; the game is one of Go."""
        started = process_time()
        move = self._move(game)
        return Choice(move, cpu_seconds=process_time() - started)

    def _move(self, game: Game) -> int:
        shown = self._shown(game)
        if self._depth > 1:
            return shown.search(self._depth, self._selection).move
        values = shown.values()
        weights = np.exp(MATCH_BETA * (values - np.nanmax(values)))
        shares = np.nan_to_num(weights).tolist()
        return Random(f"{self._seed} {game.num_moves}").choices(range(len(shares)), shares)[0]

    def _begin(self) -> None:
        self._seen: list[tuple[int, int]] = []
        self._game: FishNet = self._saved.game(self._network)

    def _shown(self, game: Game) -> FishNet:
        """What the network says after the moves of a game; it goes on from there if it can."""
        if game.moves[: len(self._seen)] != self._seen:
            self._begin()
        for colour, move in game.moves[len(self._seen) :]:
            self._game.play(move, colour)
        self._seen = list(game.moves)
        return self._game
