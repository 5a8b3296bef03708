"""The window of games to learn from, and how many batches they allow."""

from dataclasses import replace

import pytest

from selfplay.layout import Shard, first_game, shards_of
from selfplay.options import Options
from selfplay.window import batches_behind, games_in_window, steps_allowed, steps_before, window


@pytest.mark.parametrize(
    ("growth", "games", "expected"),
    [(0.0, 50, 50), (0.0, 400, 100), (0.5, 100, 100), (0.5, 400, 200), (1.0, 400, 400)],
)
def test_the_window_grows_as_its_exponent_says(growth, games, expected):
    options = Options(window_games=100, window_growth=growth)
    assert games_in_window(options, games) == expected


def test_a_window_has_the_newest_shards():
    options = Options(games_per_iteration=20, games_per_shard=10, window_games=30)
    assert window(options, 1) == [Shard(1, 0), Shard(1, 1)]
    assert window(options, 2) == [Shard(1, 1), Shard(2, 0), Shard(2, 1)]
    assert window(options, 3) == [Shard(2, 1), Shard(3, 0), Shard(3, 1)]
    of_one_iteration = Options(games_per_iteration=40, games_per_shard=10, window_games=5)
    assert window(of_one_iteration, 2) == shards_of(of_one_iteration, 2)  # all just played


def test_a_window_goes_back_to_inherited_games_while_it_has_room():
    """They are trained on as if the run had played them."""
    options = Options(games_per_iteration=20, games_per_shard=10, window_games=45)
    inherited = {Shard(0, 0): 8, Shard(0, 1): 8, Shard(0, 2): 8}
    assert window(options, 0, inherited) == list(inherited)
    own = [*shards_of(options, 1), *shards_of(options, 2)]
    assert window(options, 1, inherited) == [*inherited, *shards_of(options, 1)]
    assert window(options, 2, inherited) == [Shard(0, 2), *own]
    assert window(options, 3, inherited) == [*own[1:], *shards_of(options, 3)]
    used = replace(options, reuse=4, batch_size=10)
    assert steps_before(used, 60, 100) == 40
    assert steps_before(replace(used, steps_per_iteration=5), 60, 100) == 15


def test_games_are_numbered_through_the_run():
    options = Options(games_per_iteration=20, games_per_shard=10)
    shards = [shard for iteration in (1, 2) for shard in shards_of(options, iteration)]
    assert [first_game(options, shard) for shard in shards] == [0, 10, 20, 30]


def test_positions_are_not_used_more_often_than_allowed():
    options = Options(reuse=3, batch_size=10)
    step = 0
    for num_positions in (17, 40, 41, 100):
        step += steps_allowed(options, num_positions, step)
        assert 10 * step <= 3 * num_positions < 10 * (step + 1)
    assert steps_allowed(Options(reuse=3, batch_size=10, steps_per_iteration=4), 100, 0) == 4
    assert steps_allowed(options, 10, 50) == 0


def test_batches_that_the_gate_discarded_do_not_count():
    rows = [dict(player=player, steps=10**number) for number, player in enumerate([0, 0, 2, 2, 4])]
    assert [batches_behind(rows, player) for player in (0, 2, 4)] == [0, 100, 10_100]
    for row in rows:
        row["player"] = rows.index(row)  # no gate
    assert batches_behind(rows, 4) == 11_110
