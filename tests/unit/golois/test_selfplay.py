"""Games of a network against itself: legal, seeded, with the targets and endings asked for."""

from functools import partial

import numpy as np
import pytest

from golois.errors import ArgumentError, ArgumentTypeError
from golois.games.game import Game, after_moves
from golois.games.rules import Go, Hex, NoGo
from golois.go.coords import BLACK, EMPTY, WHITE, opponent
from golois.search.options import RaceOptions, SearchOptions
from golois.search.selfplay import PlayedGame, SelfPlay, SelfPlayOptions
from golois.search.tree import Tree
from tests.fake_network import hashed, uniform
from tests.reference_games import reference_game

AS_IT_IS = SearchOptions(random_symmetry=False, cache_positions=0)
RULES = (
    Go(4, komi=2.0, max_moves=24),
    Go(5, passes="arena", max_moves=40, planes="zero"),
    NoGo(4),
    Hex(4, swap=True),
)
NOISY = SelfPlayOptions(
    num_simulations=10,
    root="puct",
    search=SearchOptions(root_noise=0.25, root_noise_concentration=2.43, cache_positions=32),
)
QUICK = SelfPlayOptions(num_simulations=12, quick_simulations=4, full_share=0.4, resign_value=-0.7)
WAYS = [NOISY, QUICK]


def play(rules, options, num_games, network=hashed, **arguments) -> list[PlayedGame]:
    """The games by their numbers."""
    games = SelfPlay(rules, options, num_games, **arguments)
    evaluate = partial(network, policy_size=games.policy_size)
    return sorted(games.run(evaluate), key=lambda game: game.number)


def as_lists(game: PlayedGame) -> dict:
    arrays = {key: value.tolist() for key, value in vars(game).items() if hasattr(value, "tolist")}
    return vars(game) | arrays


def assert_same_games(games: list[PlayedGame], others: list[PlayedGame]) -> None:
    assert [as_lists(game) for game in games] == [as_lists(game) for game in others]


@pytest.mark.parametrize("options", WAYS, ids=["puct", "gumbel"])
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_games_are_legal_and_end_as_the_rules_say(rules, options):
    games = play(rules, options, 12, num_parallel=5)
    assert [game.number for game in games] == list(range(12))
    for game in games:
        slow = reference_game(rules)
        for index, move in enumerate(game.moves.tolist()):
            points, shares = game.policy(index)
            assert slow.outcome_white() is None and slow.legal_moves() >= {move, *points.tolist()}
            assert (np.diff(points) > 0).all() and (shares >= 0.001).all()
            assert len(points) == 0 or shares.sum() == pytest.approx(1, abs=1e-5)
            slow.play(move)
        assert len(game.values_white) == len(game.policy_ends) == len(game.moves)
        assert ((game.values_white >= 0) & (game.values_white <= 1)).all()
        if game.has_resigned:
            assert game.resignable_from == len(game.moves) and slow.outcome_white() is None
            assert game.winner == opponent(slow.to_play)
        else:
            assert game.winner == {0.0: BLACK, 1.0: WHITE, 0.5: EMPTY}[slow.outcome_white()]


@pytest.mark.parametrize("options", WAYS, ids=["puct", "gumbel"])
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_a_game_depends_on_its_number_and_not_on_those_beside_it(rules, options):
    games = play(rules, options, 10, num_parallel=1)
    assert_same_games(games, play(rules, options, 10, num_parallel=4, threads=3))
    assert_same_games(games, play(rules, options, 10, num_parallel=64))
    assert_same_games(games[3:7], play(rules, options, 4, first_game=3, num_parallel=3))
    others = play(rules, options, 10, seed=1)
    assert [game.moves.tolist() for game in games] != [game.moves.tolist() for game in others]


def test_the_cache_changes_no_game_and_saves_evaluations():
    def rows_and_games(cache_positions):
        rows = []

        def counted(planes, policy_size):
            rows.append(len(planes))
            return hashed(planes, policy_size)

        search = SearchOptions(cache_positions=cache_positions)
        options = SelfPlayOptions(num_simulations=24, search=search, early_moves=0)
        games = play(NoGo(4), options, 4, counted)
        return sum(rows), games

    num_rows, games = rows_and_games(0)
    num_fewer, same = rows_and_games(512)
    assert_same_games(games, same)
    assert num_fewer < 0.95 * num_rows


@pytest.mark.parametrize("root", ["gumbel", "puct"])
@pytest.mark.parametrize("num_simulations", [1, 16, 20])
def test_so_many_simulations_are_so_many_evaluations_a_move(num_simulations, root):
    """Of a board so large that no playout reaches the end of the game."""
    options = SelfPlayOptions(num_simulations=num_simulations, root=root, search=AS_IT_IS)
    games = SelfPlay(Hex(11), options, 3, num_parallel=3)
    planes = np.empty((3, *games.planes_shape), np.float32)
    for batch in range(4 * (num_simulations + 1)):
        assert games.collect(planes) == 3
        assert games.num_moves == 3 * (batch // (num_simulations + 1))
        games.answer(*hashed(planes, 121))


@pytest.mark.parametrize("keeps_tree", [False, True])
def test_without_noise_targets_and_moves_are_those_of_a_search(keeps_tree):
    options = SelfPlayOptions(
        num_simulations=30, root="puct", search=AS_IT_IS, early_moves=0, keeps_tree=keeps_tree
    )
    (game,) = play(NoGo(4), options, 1)
    evaluate = partial(hashed, policy_size=16)
    position = Game(NoGo(4))
    tree = Tree(position, options=AS_IT_IS)
    for index, move in enumerate(game.moves.tolist()):
        tree.search(evaluate, 31, batch_size=1)
        visits = tree.visits()
        points, shares = game.policy(index)
        assert points.tolist() == np.flatnonzero(visits).tolist()
        np.testing.assert_allclose(shares, visits[points] / visits.sum(), rtol=1e-6)
        sign = 1 if position.to_play == WHITE else -1
        expected = (1 + sign * tree.root_value_to_play) / 2
        assert game.values_white[index] == pytest.approx(expected, abs=1e-6)
        assert move == tree.best_move()
        position.play(move)
        if keeps_tree:
            tree.advance(move)
        else:
            tree = Tree(position, options=AS_IT_IS)


def test_a_race_has_the_improved_policy_as_target_and_draws_its_move_from_it():
    """Nine simulations visit each of nine moves once, whatever the noise; so the policy is known,
    and the best score with Gumbel noise is a draw from it."""
    race = RaceOptions(16, c_visit=1, c_scale=1)
    options = SelfPlayOptions(9, race=race, search=AS_IT_IS, early_moves=0)
    games = play(NoGo(3), options, 600)
    tree = Tree(Game(NoGo(3)), options=AS_IT_IS)
    tree.race(partial(hashed, policy_size=9), 9, race)
    policy, value_to_play = tree.improved_policy()
    for game in games:
        points, shares = game.policy(0)
        np.testing.assert_allclose(shares, policy[points], atol=1e-6)
        assert game.values_white[0] == pytest.approx((1 - value_to_play) / 2, abs=1e-6)
    counts = np.bincount([game.moves[0] for game in games], minlength=10)
    sigma = np.sqrt(600 * policy * (1 - policy))
    assert (np.abs(counts - 600 * policy) < 4 * sigma + 1).all()
    assert np.count_nonzero(counts > 5) > 4


def likes_few(planes, policy_size):
    """A policy of 4 : 2 : 1 : 1 : … over the points, every position even."""
    policy = np.ones(policy_size, np.float32)
    policy[:2] = 4, 2
    rows = np.tile(policy / policy.sum(), (len(planes), 1))
    return rows, np.full(len(planes), 0.5, np.float32)


@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_early_moves_are_drawn_by_temperature_and_late_ones_are_the_best(temperature):
    temperatures = dict(early_moves=1, early_temperature=temperature)
    options = SelfPlayOptions(40, root="puct", search=AS_IT_IS, resign_value=-1, **temperatures)
    games = play(NoGo(3), options, 600, likes_few)
    points, shares = games[0].policy(0)
    weights = shares.astype(float) ** (1 / temperature)
    expected = weights / weights.sum()
    counts = np.array([sum(game.moves[0] == point for game in games) for point in points])
    assert counts.sum() == 600
    sigma = np.sqrt(600 * expected * (1 - expected))
    assert (np.abs(counts - 600 * expected) < 4 * sigma + 1).all()
    for game in games[:100]:
        points, shares = game.policy(1)
        assert shares[points == game.moves[1]] == shares.max()
        by_opening = [other for other in games if other.moves[0] == game.moves[0]]
        assert all(other.moves.tolist() == game.moves.tolist() for other in by_opening)


def bad_corner(planes, policy_size):
    """Whoever has played on point 0 loses; White has played nowhere else."""
    policy, value_white = uniform(planes, policy_size)
    own, opponents = planes[:, 0, 0, 0], planes[:, 0, 0, 1]
    black_to_play = planes[..., 0, 0, 16] > 0
    white_has_it = np.where(black_to_play, opponents, own) > 0
    black_has_it = np.where(black_to_play, own, opponents) > 0
    value_white[white_has_it], value_white[black_has_it] = 0.1, 0.9
    return policy, value_white


@pytest.mark.parametrize("max_value_loss, expected", [(2.0, True), (0.2, False)])
def test_moves_that_lose_too_much_are_not_drawn(max_value_loss, expected):
    options = SelfPlayOptions(
        num_simulations=60, root="puct", search=AS_IT_IS, max_value_loss=max_value_loss
    )
    games = play(NoGo(3, planes="zero"), options, 300, bad_corner)
    assert any(game.moves[0] == 0 for game in games) is expected


def black_is_lost(planes, policy_size):
    policy, value_white = uniform(planes, policy_size)
    return policy, np.ones_like(value_white)


@pytest.mark.parametrize("root", ["gumbel", "puct"])
def test_lost_games_are_resigned_but_for_those_held_out(root):
    options = SelfPlayOptions(num_simulations=4, root=root, search=AS_IT_IS, hold_out_share=0.1)
    games = play(NoGo(3), options, 500, black_is_lost)
    held_out = [game for game in games if game.is_held_out]
    assert abs(len(held_out) - 50) < 4 * np.sqrt(500 * 0.1 * 0.9)
    for game in games:
        assert game.has_resigned is not game.is_held_out and game.resignable_from == 0
        assert not game.has_resigned or (game.winner == WHITE and len(game.moves) == 0)
    wrongly = [game for game in held_out if game.winner == BLACK]
    assert 0 < len(wrongly) < len(held_out)


def test_nobody_resigns_at_minus_one():
    options = SelfPlayOptions(num_simulations=4, resign_value=-1)
    for game in play(NoGo(3), options, 20, black_is_lost):
        assert not game.has_resigned and game.resignable_from is None and len(game.moves) > 0


def test_quick_searches_are_no_targets():
    options = SelfPlayOptions(
        num_simulations=20, quick_simulations=2, full_share=0.3, search=AS_IT_IS
    )
    num_rows = 0

    def counted(planes, policy_size):
        nonlocal num_rows
        num_rows += len(planes)
        return hashed(planes, policy_size)

    games = play(Hex(9), options, 12, counted)
    sizes = np.concatenate([np.diff(game.policy_ends, prepend=0) for game in games])
    num_full, num_moves = np.count_nonzero(sizes), len(sizes)
    assert abs(num_full - 0.3 * num_moves) < 4 * np.sqrt(num_moves * 0.21)
    assert num_rows == pytest.approx(21 * num_full + 3 * (num_moves - num_full), rel=0.1)


def test_dirichlet_noise_has_parameters_that_sum_to_its_concentration():
    """With nothing but noise in the priors, the visits' shares vary as Dirichlet(2.43) says."""
    search = SearchOptions(
        root_noise=1.0, root_noise_concentration=0.03 * 81, random_symmetry=False, c_puct=50
    )
    options = SelfPlayOptions(num_simulations=300, root="puct", search=search, early_moves=0)
    seen = []
    for game in play(Go(9, max_moves=1), options, 64, uniform, seed=3):
        shares = np.zeros(82)
        points, found = game.policy(0)
        shares[points] = found
        seen.append(shares)
    mean = 1 / 82
    variance = mean * (1 - mean) / (2.43 + 1)
    assert np.mean(np.square(np.array(seen) - mean)) == pytest.approx(variance, rel=0.15)


def test_games_without_end_go_on():
    games = SelfPlay(NoGo(3), SelfPlayOptions(num_simulations=2), num_parallel=4)
    evaluate = partial(uniform, policy_size=9)
    endless = games.run(evaluate)
    assert len({next(endless).number for _ in range(20)}) == 20


def test_calls_out_of_turn_and_other_arrays_are_refused():
    games = SelfPlay(NoGo(3), num_games=3, num_parallel=3)
    planes = np.zeros((3, *games.planes_shape), np.float32)
    policy, value_white = uniform(planes, 9)
    with pytest.raises(ArgumentError, match=r"call collect\(\)"):
        games.answer(policy, value_white)
    for wrong in (planes[:2], planes.astype(np.float64), planes[:, :, :, :4]):
        with pytest.raises(ArgumentError, match="planes"):
            games.collect(wrong)
    assert games.collect(planes) == 3
    with pytest.raises(ArgumentError, match=r"call answer\(\)"):
        games.collect(planes)
    for answer in (
        (policy[:, :8], value_white),
        (policy, value_white[:2]),
        (policy[:2], value_white[:2]),
        (policy, value_white + 1),
        (-policy, value_white),
        (np.full_like(policy, np.nan), value_white),
    ):
        with pytest.raises(ArgumentError):
            games.answer(*answer)
    games.answer(policy, value_white)
    assert games.collect(planes) == 3


def test_no_games_are_none():
    assert play(NoGo(3), None, 0) == []


@pytest.mark.parametrize(
    ("name", "number"),
    [("num_games", -1), ("num_games", 1.5), ("first_game", -1), ("num_parallel", 0),
     ("threads", 0)],
)  # fmt: skip
def test_numbers_are_checked(name, number):
    with pytest.raises(ArgumentError, match=name):
        SelfPlay(NoGo(5), **{name: number})


def test_rules_are_needed():
    with pytest.raises(ArgumentError, match="a board's size must be from 2 to 19, not 1"):
        SelfPlay(NoGo(1))
    with pytest.raises(ArgumentTypeError, match="rules must be"):
        SelfPlay("nogo")


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("num_simulations", {"num_simulations": 0}),
        ("quick_simulations", {"quick_simulations": 0}),
        ("root", {"root": "max"}),
        ("early_moves", {"early_moves": -1}),
        ("early_temperature", {"early_temperature": -1}),
        ("late_temperature", {"late_temperature": float("nan")}),
        ("max_value_loss", {"max_value_loss": 3}),
        ("resign_value", {"resign_value": -2}),
        ("hold_out_share", {"hold_out_share": 1.1}),
        ("full_share", {"full_share": -0.1}),
        ("root_noise", {"search": SearchOptions(root_noise=0.25)}),  # besides Gumbel noise
        ("cache_positions to 0", {"victim_simulations": 3}),  # two networks share no evaluations
        ("keeps_tree to False", {"victim_simulations": 3, "keeps_tree": True, "search": AS_IT_IS}),
    ],
)
def test_options_are_checked(words, options):
    with pytest.raises(ArgumentError, match=words):
        SelfPlayOptions(**options)


def test_a_victim_plays_its_best_moves_and_is_no_target():
    """Of two networks: the second one is asked for every other move, from the second on."""
    search = SearchOptions(cache_positions=0, random_symmetry=False)
    options = SelfPlayOptions(num_simulations=8, victim_simulations=5, search=search)
    games, played = SelfPlay(NoGo(4), options, 6, num_parallel=4), []
    planes = np.empty((4, *games.planes_shape), np.float32)
    with pytest.raises(ArgumentError, match="the number that the last collect returned"):
        games.asks_victim(0)
    while num_rows := games.collect(planes):
        flags = games.asks_victim(num_rows)
        with pytest.raises(ArgumentError, match="the number that the last collect returned"):
            games.asks_victim(num_rows - 1)
        policy, value = hashed(planes[:num_rows], 16)
        policy[flags], value[flags] = uniform(planes[:num_rows][flags], 16)
        games.answer(policy, value)
        played += games.finished()
    assert len(played + games.finished()) == 6
    for game in played:
        for index, move in enumerate(game.moves.tolist()):
            is_victim_s = index % 2 == (game.number + 1) % 2
            assert (len(game.policy(index)[0]) == 0) == is_victim_s
            if is_victim_s:
                start = after_moves(NoGo(4), game.moves[:index].tolist())
                tree = Tree(start, options=search)
                tree.race(partial(uniform, policy_size=16), 5)
                assert move == tree.race_winner()
