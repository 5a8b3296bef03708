"""How a network begins a game, and the score of finished games."""

from dataclasses import replace

import numpy as np
import pytest

from golois.games.rules import Go
from golois.go.coords import BLACK, WHITE
from golois.records.finished_games import FinishedGame, write_finished_games
from selfplay.beginnings import beginning, leads_black, stored_games
from selfplay.measuring import mean_lead
from selfplay.options import Options


class Likes:
    """An evaluator that likes a point, and gives White a quarter."""

    def __init__(self, point: int) -> None:
        self.point, self.batch_size = point, 8
        self.planes = np.zeros((8, 3, 3, 18), np.float32)

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        policy = np.full((len(planes), 10), 0.01, np.float32)
        policy[:, self.point] = 0.91
        return policy, np.full(len(planes), 0.25, np.float32)


def test_first_moves_are_counted_by_their_names():
    rules = Go(3, planes="zero", max_moves=18)
    search = Options(game="go", size=3, planes="zero").of_matches()
    found = beginning(rules, Likes(4), search, 3)
    assert dict(found.moves) == {4: 20}
    words = "first moves of 20 searches: B2 20; Black wins with 75.0%"
    assert found.in_words(3) == words
    after = beginning(rules, Likes(4), search, 1, after=[0])  # White to move, who wins with ¼
    assert after.in_words(3) == words


@pytest.mark.parametrize(
    ("leads", "words"),
    [([9], "+9.0 points"), ([9, -9], "+0.0 ± 114.4 points"), ([5, 6, 7, 6], "+6.0 ± 1.3 points")],
)
def test_a_mean_lead_has_student_s_interval(leads, words):
    assert mean_lead(leads) == words


def test_a_lead_is_area_without_komi(tmp_path):
    rules = Go(3, komi=2.5, max_moves=18)

    def game(moves: list[int], winner: int) -> FinishedGame:
        return FinishedGame(moves, winner, [{}] * len(moves), [0.5] * len(moves))

    games = [game([4, 9, 9], BLACK), game([9, 4, 9, 9], WHITE), game([4], WHITE)]
    write_finished_games(tmp_path / "a.games", rules, games)
    shards = [tmp_path / "a.games"]
    assert leads_black(stored_games(shards, 18)) == [9, -9]  # the third was resigned
    shorter = replace(rules, max_moves=3)  # which ends the first without two passes
    write_finished_games(tmp_path / "a.games", shorter, [game([4, 9, 0], BLACK), *games[::2]])
    assert leads_black(stored_games(shards, 3)) == [9, 9]
