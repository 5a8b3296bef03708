"""NoGoZero+'s update of Elo: its formula by hand, and what is wrong with it."""

from collections.abc import Sequence

import pytest

from tests.fake_standings import game
from tournament.game.record import GameRecord
from tournament.ratings.elo_update import update_elo


def games_of(*results: str) -> Sequence[GameRecord]:
    """Games given as Black, White and the winner's initial: "ab>a"."""
    return [
        game(i, text[0], text[1], "black" if text[0] == text[3] else "white")
        for i, text in enumerate(results)
    ]


def test_a_win_is_worth_alpha_times_what_was_not_expected():
    assert update_elo("ab", games_of("ab>a")) == {"a": 8.0, "b": -8.0}
    # Now E_a = 1 / (1 + 10^(−16/400)) = 0.523010, and a loses: 8 − 16 · 0.523010.
    elo = update_elo("ab", games_of("ab>a", "ba>b"))
    assert elo["a"] == pytest.approx(-0.36815, abs=1e-4)
    assert update_elo("ab", games_of("ab>a"), alpha=32.0)["a"] == 16.0


def test_a_draw_is_half_a_win():
    assert update_elo("ab", [game(0, "a", "b", None, result="Draw")]) == {"a": 0, "b": 0}
    # E_a = 0.523010 after a win, so that a draw costs 16 · 0.023010.
    elo = update_elo("ab", [*games_of("ab>a"), game(1, "b", "a", None, result="Draw")])
    assert elo["a"] == pytest.approx(8 - 0.36815, abs=1e-4) and elo["b"] == -elo["a"]


def test_nothing_is_made_or_lost_and_void_games_are_not_seen():
    games = games_of("ab>a", "bc>c", "ca>a", "cb>c")
    void = game(9, "a", "b", None, kind="void", reason="the worker died")
    elo = update_elo("abcd", [*games, void])
    assert sum(elo.values()) == pytest.approx(0) and elo["d"] == 0
    assert elo == update_elo("abcd", games)


def test_another_order_gives_other_numbers():
    games = games_of("ab>a", "bc>b", "ca>c", "ab>a")
    assert update_elo("abc", games)["a"] != pytest.approx(update_elo("abc", games[::-1])["a"])
