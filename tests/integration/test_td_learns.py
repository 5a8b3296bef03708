"""TD(λ) with all weights beats the network that it began with, the shortcut alone."""

import pytest

from golois.kit.signals import StopRequest
from golois.rules import Go
from selfplay import command
from selfplay.match import Score, play_match
from selfplay.td.player import FishNetPlayer
from selfplay.td.saved import SavedNetwork

GAMES = 400


@pytest.mark.slow
def test_all_weights_beat_the_shortcut_at_two_standard_errors(tmp_path):
    """On 5×5, about two minutes."""
    text = f"td --preset isn_td5 --shortcut-games 2000 --games 12000 --out {tmp_path / 'run'}"
    assert command.main(text.split(), "") == 0
    last, first = (
        FishNetPlayer(SavedNetwork.load(tmp_path / "run" / "nets" / f"{games:07}.npz"), 5)
        for games in (12_000, 2_000)
    )
    rules = Go(5, 0.5, max_moves=75)
    score = Score.of(play_match((last, first), rules, GAMES, 1, StopRequest()))
    assert score.share > 0.5 + 2 * 0.5 / GAMES**0.5
