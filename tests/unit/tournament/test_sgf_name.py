"""Names of games' files: they say who played when, on any file system."""

import pytest

from tournament.game.sgf import sgf_name


@pytest.mark.parametrize(
    ("game", "name"),
    [
        (
            ("2026-11-21T20:00:00+00:00", "Ada_Lovelace", "Grace Hopper", "W+3.5"),
            "2026-11-21_ada-lovelace_vs_grace-hopper_W+3.5.sgf",
        ),
        (("2026-11-21", "Zoë", "王小明", "B+R"), "2026-11-21_zoë_vs_王小明_B+R.sgf"),
        (("", "net,player=gumbel", "../..\\x:*", ""), "net-player-gumbel_vs_x.sgf"),
        (("2026", "", "...", "Void: a/b"), "2026_unknown_vs_unknown_Voidab.sgf"),
        (("", "a" * 99, "b", "0"), f"{'a' * 40}_vs_b_0.sgf"),
    ],
)
def test_a_file_is_called_by_day_players_and_result(game, name):
    assert sgf_name(*game) == name


def test_long_names_in_any_script_fit_a_file_system(tmp_path):
    name = sgf_name("2026-11-21", "李" * 60, "明" * 60, "中" * 60)
    (tmp_path / f"001_{name}").write_text("")
    assert name.startswith("2026-11-21_李李") and "_vs_明明" in name and name.endswith(".sgf")
