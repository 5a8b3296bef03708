"""TD(λ) with all weights beats the network that it began with, the shortcut alone."""

import pytest

from golois.games.rules import Go
from papers.fishnet.player import fishnet_players
from selfplay import command
from tests.small_selfplay import play_match
from tournament.matches.match import score_of

GAMES = 400


@pytest.mark.slow
def test_all_weights_beat_the_shortcut_at_two_standard_errors(tmp_path):
    """On 5×5, about two minutes."""
    text = f"td --preset isn_td5 --shortcut-games 2000 --games 12000 --out {tmp_path / 'run'}"
    assert command.main(text.split(), "") == 0
    nets = tmp_path / "run" / "nets"
    players = tuple(fishnet_players(nets / f"{games:07}.npz", 5) for games in (12_000, 2_000))
    score = score_of(play_match(players, Go(5, 0.5, max_moves=75), GAMES, 1))
    assert score.winrate > 0.5 + 2 * 0.5 / GAMES**0.5
