"""Two networks that play each other in one batch: each is asked about its own positions."""

import numpy as np

from golois.games.game import Game
from golois.games.rules import NoGo
from golois.search.selfplay import SelfPlay
from selfplay.options import Options
from selfplay.shards import TimedNetwork
from tests.fake_network import hashed

RULES = NoGo(4)
PARALLEL = 6


class Answering:
    """An evaluator that overwrites its buffer, as artefacts do, or leaves it alone."""

    def __init__(self, overwrites: bool, last_first: bool = False) -> None:
        self.batch_size = PARALLEL
        self.planes = np.zeros((PARALLEL, *Game(RULES).planes_shape), np.float32)
        self._overwrites = overwrites
        self._last_first = last_first

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        policy, value = hashed(planes, 16)
        if self._overwrites:
            self.planes[: len(planes)] = planes
        return policy[:, ::-1].copy() if self._last_first else policy, value


def moves_against_a_victim(overwrites: bool) -> list[list[int]]:
    options = Options(victim="victim.h5", victim_simulations=3, simulations=3).of_games()
    games = SelfPlay(RULES, options, 12, num_parallel=PARALLEL)
    network = TimedNetwork(Answering(overwrites), Answering(overwrites, last_first=True))
    played = sum((finished for _, finished in network.play(games)), [])
    played.sort(key=lambda game: game.number)
    assert network.has_victim and len(played) == 12
    return [game.moves.tolist() for game in played]


def test_each_network_is_asked_about_its_own_positions():
    assert moves_against_a_victim(overwrites=True) == moves_against_a_victim(overwrites=False)
