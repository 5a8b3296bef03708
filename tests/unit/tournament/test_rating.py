"""Ratings: literal numbers, an independent oracle, symmetries, coverage, and updates of Elo."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest

from benchmarks.league import simulate
from golois.errors import ArgumentError
from tests.fake_standings import game as made_up
from tournament.game.record import GameRecord
from tournament.ratings.bradley_terry import (
    ELO_PER_NAT,
    Known,
    rate,
    share_gap_interval,
    wilson_interval,
    winrate_sigma,
)
from tournament.ratings.elo_update import update_elo
from tournament.ratings.informative import most_informative, most_informative_opponent


@dataclass(frozen=True)
class Game:
    black: str
    white: str
    winner: str | None
    kind: str = "played"
    pair_id: str = ""


def match(first: str, second: str, wins: int, losses: int) -> list[Game]:
    """Games of two players, colours alternating in each player's wins and losses."""
    games = []
    for i in range(wins + losses):
        winner = first if i < wins else second
        black, white = (first, second) if i % 2 == 0 else (second, first)
        games.append(Game(black, white, "black" if winner == black else "white"))
    return games


def random_league(rng: np.random.Generator, size: int, repeats: int) -> tuple[dict, list[Game]]:
    """Players with true ratings of mean 0 and deviation near 200, and paired games between all."""
    true = rng.normal(0, 200, size)
    strength = {f"p{i}": value for i, value in enumerate(true - true.mean())}
    games = []
    for (one, other), k in itertools.product(itertools.combinations(strength, 2), range(repeats)):
        for black, white in ((one, other), (other, one)):
            advantage = strength[black] - strength[white] + 30
            wins = rng.random() < 1 / (1 + 10 ** (-advantage / 400))
            winner = "black" if wins else "white"
            games.append(Game(black, white, winner, "played", f"{one}{other}{k}"))
    return strength, games


def oracle(games: list[Game], names: list[str], prior_games: float) -> np.ndarray:
    """The same posterior mode by plain gradient ascent, one game at a time; in Elo, mean 0."""
    theta = {name: 0.0 for name in [*names, "colour"]}
    for _ in range(20_000):
        slope = {k: prior_games * (0.5 - 1 / (1 + math.exp(-v))) for k, v in theta.items()}
        for game in games:
            difference = theta[game.black] - theta[game.white] + theta["colour"]
            surplus = (game.winner == "black") - 1 / (1 + math.exp(-difference))
            slope[game.black] += surplus
            slope[game.white] -= surplus
            slope["colour"] += surplus
        theta = {k: v + 0.02 * slope[k] for k, v in theta.items()}
        if max(map(abs, slope.values())) < 1e-9:
            break
    elo = ELO_PER_NAT * np.array([theta[name] for name in names])
    return elo - elo.mean()


def test_two_players_have_the_ratings_of_the_closed_form():
    # By symmetry r_a = −r_b = r and c = 0; of 8 games 6 won: 6 − 8 s(2r) = s(r) − 1/2, s logistic.
    ratings = rate(["b", "a"], match("a", "b", 6, 2))
    r = ratings.elo[0] / ELO_PER_NAT
    assert ratings.names == ("a", "b")
    assert 6 - 8 / (1 + math.exp(-2 * r)) == pytest.approx(1 / (1 + math.exp(-r)) - 0.5, abs=1e-9)
    assert ratings.elo[0] == pytest.approx(88.36, abs=0.01)
    # The curvature along (1, −1): half of 1 / (2 · 8 p q + s(r) s(−r)), in Elo, times 1.96.
    assert ratings.elo_halfwidth[0] == pytest.approx(131.4, abs=0.1)
    assert ratings.elo_black == pytest.approx(0, abs=1e-6)


def test_small_table_has_literal_numbers():
    games = match("ada", "bob", 3, 1) + match("bob", "cyd", 3, 1) + match("ada", "cyd", 4, 0)
    ratings = rate(["cyd", "bob", "ada"], games)
    assert ratings.names == ("ada", "bob", "cyd")
    assert ratings.elo == pytest.approx([257.14, 0, -257.14], abs=0.01)
    assert ratings.elo_halfwidth == pytest.approx([270.9, 194.8, 270.9], abs=0.1)
    assert [list(ranks) for ranks in ratings.rank_intervals()] == [[1, 1, 2], [2, 3, 3]]
    assert ratings.superiority()[0] == pytest.approx([0.5, 0.9039, 0.9769], abs=0.0001)


@pytest.mark.parametrize("prior_games", [0.5, 1.0, 3.0])
def test_agrees_with_gradient_ascent(prior_games):
    strength, games = random_league(np.random.default_rng(5), 5, 2)
    ratings = rate(strength, games, prior_games=prior_games)
    assert ratings.elo == pytest.approx(oracle(games, list(ratings.names), prior_games), abs=1e-4)


@pytest.mark.slow
def test_agrees_with_choix():
    """choix knows no colour, so each result is there with both; the prior is an average player."""
    choix = pytest.importorskip("choix", reason="needs choix, which make installs")
    strength, games = random_league(np.random.default_rng(6), 6, 2)
    other_colour = {"black": "white", "white": "black"}
    games += [Game(game.white, game.black, other_colour[game.winner]) for game in games]
    names = list(strength)
    wins = [
        (names.index(game.black), names.index(game.white))[:: 1 if game.winner == "black" else -1]
        for game in games
    ]
    average = len(names)
    wins += [pair for i in range(average) for pair in ((i, average), (average, i))]
    theta = choix.opt_pairwise(average + 1, wins, alpha=0, tol=1e-10)[:average]
    ratings = rate(names, games, prior_games=2.0)
    expected = dict(zip(names, ELO_PER_NAT * (theta - theta.mean()), strict=True))
    assert ratings.elo == pytest.approx([expected[name] for name in ratings.names], abs=1e-3)
    assert ratings.elo_black == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("elo", [1e20, -1e300, float("nan")])
def test_an_anchor_that_would_drown_the_differences_is_refused(elo):
    with pytest.raises(ArgumentError, match="expected an anchor's rating within 1,000,000 Elo"):
        rate(["a", "b"], [], anchors={"a": elo})
    assert rate(["a", "b"], [], anchors={"a": -1e6}).elo == pytest.approx([-1e6, -1e6])


def test_an_anchor_moves_the_scale_and_nothing_on_it():
    strength, games = random_league(np.random.default_rng(7), 5, 2)
    free = rate(strength, games)
    for anchors in ({"p3": 1000.0}, {"p0": 100.0, "p4": 300.0}):
        fixed = rate(strength, games, anchors=anchors)
        elo = dict(zip(fixed.names, fixed.elo, strict=True))
        errors = [elo[name] - anchor for name, anchor in anchors.items()]
        assert sum(errors) == pytest.approx(0, abs=1e-6)
        assert fixed.names == free.names
        assert np.diff(fixed.elo) == pytest.approx(np.diff(free.elo))
        assert fixed.superiority() == pytest.approx(free.superiority())
        assert np.array_equal(fixed.rank_intervals(), free.rank_intervals())
    alone = rate(strength, games, anchors={"p3": 1000.0})
    assert alone.elo_halfwidth[alone.names.index("p3")] == pytest.approx(0, abs=1e-4)


def elo_of(ratings, name: str) -> float:
    return float(ratings.elo[ratings.names.index(name)])


def test_known_ratings_are_the_scale_and_games_change_them_within_their_errors():
    known = {"a": Known(500, 1e-3), "b": Known(100, 50), "c": Known(-300, 200)}
    before = rate("abcx", [], known=known)
    assert before.names == ("a", "b", "x", "c")
    assert before.elo == pytest.approx([500, 100, 0, -300])
    assert before.elo_halfwidth[[0, 1, 3]] == pytest.approx([1e-3, 50, 200])
    games = [game for name in "abc" for game in match("x", name, 10, 10)]
    after = rate("abcx", games, known=known)
    moves = [elo_of(after, name) - known[name].elo for name in "abc"]
    assert abs(moves[0]) < 0.01 < moves[1] < 50 < moves[2]
    assert after.elo_halfwidth[after.names.index("b")] < 50


@pytest.mark.parametrize(("wins", "losses"), [(10, 10), (16, 4), (4, 16)])
def test_against_one_exact_rating_it_is_the_closed_form(wins, losses):
    """Of n games w are won, with one virtual draw at 0: w − n s(r − k) = s(r) − 1/2."""
    r = elo_of(rate("kx", match("x", "k", wins, losses), known={"k": Known(200, 1e-3)}), "x")
    share = 1 / (1 + 10 ** ((200 - r) / 400))
    pull = 1 / (1 + 10 ** (-r / 400)) - 0.5
    assert wins - (wins + losses) * share == pytest.approx(pull, abs=0.01)


def test_some_players_of_a_rating_keep_their_numbers():
    ratings = rate("abc", match("a", "b", 3, 1) + match("b", "c", 3, 1))
    some = ratings.among({"c", "a"})
    assert (some.names, list(some.elo)) == (("a", "c"), [ratings.elo[0], ratings.elo[2]])
    assert some.covariance[0, 1] == ratings.covariance[0, 2]
    assert [list(ranks) for ranks in some.rank_intervals()] == [[1, 1], [2, 2]]


def test_ratings_are_finite_before_any_game_or_loss():
    ratings = rate("abc", match("a", "b", 500, 0) + match("b", "c", 500, 0))
    assert ratings.names == ("a", "b", "c")
    assert np.isfinite(ratings.elo).all() and np.isfinite(ratings.elo_halfwidth).all()
    assert ratings.elo[0] > 400 and ratings.elo_halfwidth[0] > 100
    ratings = rate(["b", "a"], [])
    assert ratings.names == ("a", "b")
    assert list(ratings.elo) == [0, 0]
    assert [list(ranks) for ranks in ratings.rank_intervals()] == [[1, 1], [2, 2]]
    assert rate([], []).names == ()


def test_order_and_names_of_players_do_not_matter():
    strength, games = random_league(np.random.default_rng(8), 6, 1)
    ratings = rate(strength, games)
    shuffled = rate(reversed(list(strength)), games[::-1])
    assert shuffled.names == ratings.names
    assert shuffled.elo == pytest.approx(ratings.elo)
    assert np.array_equal(shuffled.rank_intervals(), ratings.rank_intervals())
    renamed = {name: f"q{9 - i}" for i, name in enumerate(strength)}
    other = rate(
        renamed.values(),
        [Game(renamed[g.black], renamed[g.white], g.winner, g.kind, g.pair_id) for g in games],
    )
    elo = dict(zip(other.names, other.elo, strict=True))
    assert [elo[renamed[name]] for name in ratings.names] == pytest.approx(list(ratings.elo))
    assert sorted(other.elo_halfwidth) == pytest.approx(sorted(ratings.elo_halfwidth))


def test_void_never_counts_and_forfeit_is_a_loss():
    games = match("a", "b", 5, 3)
    assert rate("ab", games).elo == pytest.approx(
        rate("ab", [*games, Game("a", "b", None, "void"), Game("b", "a", None, "void")]).elo
    )
    forfeited = rate("ab", [*games, Game("a", "b", "white", "forfeit")])
    played = rate("ab", [*games, Game("a", "b", "white")])
    assert forfeited.elo == pytest.approx(played.elo)


def test_black_is_worth_what_it_wins_and_sigma_is_the_courses():
    games = [Game(b, w, "black" if i else "white") for b, w in ("ab", "ba") for i in range(4)]
    ratings = rate("ab", games)
    assert ratings.elo == pytest.approx([0, 0], abs=1e-6)
    # 6 of 8, and half of the one virtual game: s(c) = 6.5 / 9, variance 1 / (9 s (1 − s)).
    assert ratings.elo_black == pytest.approx(165.99, abs=0.01)
    assert ratings.elo_black_halfwidth == pytest.approx(253.4, abs=0.1)
    assert f"{winrate_sigma(72 / 86, 86):.3f}" == "0.040"
    assert winrate_sigma(0.0, 0) == 0.0


def paired(agree: bool, num_pairs: int) -> list[Game]:
    """Pairs where one player wins both games (a and b in turn), or where one colour wins both."""
    games = []
    for k in range(num_pairs):
        first = "black" if k % 2 else "white"
        second = ("white" if first == "black" else "black") if agree else first
        games += [Game("a", "b", first, "played", str(k)), Game("b", "a", second, "played", str(k))]
    return games


def test_pairs_that_agree_widen_and_pairs_that_cancel_claim_nothing():
    alone = [Game(g.black, g.white, g.winner) for g in paired(True, 40)]
    width = rate("ab", alone).elo_halfwidth[0]
    same = rate("ab", paired(True, 40))
    split = rate("ab", paired(False, 40))
    assert same.pair_correlation == pytest.approx(2 / 3, abs=0.01)
    assert same.elo_halfwidth[0] / width == pytest.approx(math.sqrt(5 / 3), rel=0.02)
    assert split.pair_correlation == 0
    assert split.elo_halfwidth[0] / width == pytest.approx(1, rel=0.02)


def test_superiority_is_a_probability_of_either_order():
    strength, games = random_league(np.random.default_rng(2), 7, 1)
    superiority = rate(strength, games).superiority()
    assert superiority + superiority.T == pytest.approx(np.ones((7, 7)))
    assert (superiority[np.triu_indices(7)] >= 0.5 - 1e-9).all()


def coverage(size: int, repeats: int, num_leagues: int, num_anchors: int = 0) -> float:
    """The share of true ratings inside their 95 % intervals; one anchor is at its true rating."""
    hits = 0
    for seed in range(num_leagues):
        strength, games = random_league(np.random.default_rng(seed), size, repeats)
        anchors = dict(list(strength.items())[:num_anchors])
        ratings = rate(strength, games, anchors=anchors)
        rated = [i for i, name in enumerate(ratings.names) if name not in anchors]
        true = np.array([strength[name] for name in ratings.names])
        hits += int((np.abs(true - ratings.elo) <= ratings.elo_halfwidth)[rated].sum())
    return hits / (num_leagues * (size - num_anchors))


def test_intervals_cover_the_truth():
    assert 0.93 <= coverage(8, 2, 60) <= 0.98


@pytest.mark.slow
@pytest.mark.parametrize(("size", "repeats"), [(8, 1), (8, 5), (16, 2), (30, 1)])
@pytest.mark.parametrize("num_anchors", [0, 1])
def test_intervals_cover_the_truth_at_length(size, repeats, num_anchors):
    share = coverage(size, repeats, 300, num_anchors)
    print(f"{size} players, {repeats} pairs, {num_anchors} anchors: {share:.4f}")
    assert 0.93 <= share <= 0.97


@pytest.mark.parametrize(
    "num_wins, num_games, low, high",
    [
        (7, 10, 0.3968, 0.8922), (0, 10, 0, 0.2775), (1, 1, 0.2065, 1),
        (100, 200, 0.4314, 0.5686), (0, 0, 0, 1),
    ],
)
def test_wilsons_interval_is_that_of_the_tables(num_wins, num_games, low, high):
    assert wilson_interval(num_wins, num_games) == pytest.approx((low, high), abs=1e-4)


def test_wilsons_interval_has_the_winrate_in_spite_of_rounding():
    for num_games in range(1, 201):
        for num_wins in (0, num_games / 2, num_games):
            low, high = wilson_interval(num_wins, num_games)
            assert 0 <= low <= num_wins / num_games <= high <= 1


@pytest.mark.parametrize(
    "one, other, low, high",
    [  # of Newcombe's Table II, method 10
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((10, 10), (0, 20), 0.6791, 1),
    ],
)
def test_the_gap_of_two_shares_has_newcombe_s_interval(one, other, low, high):
    assert share_gap_interval(*one, *other) == pytest.approx((low, high), abs=1e-4)
    assert share_gap_interval(*other, *one) == pytest.approx((-high, -low), abs=1e-4)


def test_a_stranger_and_a_bad_prior_are_refused():
    with pytest.raises(ArgumentError, match="'eve'"):
        rate("ab", [Game("a", "eve", "black")])
    with pytest.raises(ArgumentError, match="the anchor 'eve' is not one of the players"):
        rate("ab", [], anchors={"eve": 0.0})
    with pytest.raises(ArgumentError, match="prior_games"):
        rate("ab", [], prior_games=0)
    with pytest.raises(ArgumentError, match="the known 'eve' is not one of the players"):
        rate("ab", [], known={"eve": Known(0, 1)})
    with pytest.raises(ArgumentError, match="a known rating's error above 0: a has not"):
        rate("ab", [], known={"a": Known(0, 0)})
    with pytest.raises(ArgumentError, match="not both"):
        rate("ab", [], anchors={"a": 0}, known={"b": Known(0, 1)})


def chosen(games, names="abcd", playing=None, under_way=()) -> set[str]:
    return set(most_informative(rate(names, games), playing or set(names), under_way))


def test_what_is_told_reckons_with_what_is_under_way():
    games = match("a", "b", 4, 4) + match("b", "c", 7, 1) + match("a", "c", 7, 1)
    assert chosen(games, "abc") == {"a", "b"}
    games = match("a", "b", 40, 40) + match("c", "d", 1, 1) + match("b", "c", 3, 3)
    assert "d" in chosen(games)
    games = match("a", "b", 4, 4) + match("b", "c", 7, 1) + match("a", "c", 7, 1)
    assert chosen(games, "abc", playing={"a", "c"}) == {"a", "c"}
    games = [game for pair in combinations("abcd", 2) for game in match(*pair, 1, 1)]
    first = tuple(sorted(chosen(games)))
    second = tuple(sorted(chosen(games, under_way=[first])))
    assert second != first
    assert set(chosen(games, under_way=[first, second])) not in (set(first), set(second))


def test_the_opponent_that_tells_most_is_near_and_well_known():
    elo = {"a": -600, "b": 20, "d": 600, "e": 150}
    known = {"c": Known(40, 400), **{name: Known(value, 50) for name, value in elo.items()}}
    names = [*known, "top", "x"]

    def opponent(games, under_way=()) -> str:
        ratings = rate(names, games, known=known)
        return most_informative_opponent(ratings, "x", known.keys(), under_way)

    assert opponent([]) == "b", "the middle, and not a vague rating"
    assert opponent(match("x", "b", 8, 0)) == "d"
    assert opponent(match("b", "x", 8, 0)) == "a"
    assert opponent([], [("x", "b")] * 12) == "e", "pairs under way have told the rest of b"
    assert opponent(match("x", "top", 4, 4)) == "b", "unknown players tell nothing"


@pytest.mark.slow
def test_the_best_is_found_more_often_and_the_intervals_still_hold():
    balanced, informative = (
        np.mean([simulate(seed, 8, 4, informative=kind) for seed in range(120)], axis=0)
        for kind in (False, True)
    )
    assert informative[0] >= balanced[0], "the best comes first"
    assert informative[1] < 0.9 * balanced[1], "ranks are wrong by less"
    assert 0.93 <= informative[3] <= 0.97, "intervals cover the truth"


def games_of(*results: str) -> Sequence[GameRecord]:
    """Games given as Black, White and the winner's initial: "ab>a"."""
    return [
        made_up(i, text[0], text[1], "black" if text[0] == text[3] else "white")
        for i, text in enumerate(results)
    ]


def test_a_win_is_worth_alpha_times_what_was_not_expected_and_a_draw_half_of_it():
    assert update_elo("ab", games_of("ab>a")) == {"a": 8.0, "b": -8.0}
    # Now E_a = 1 / (1 + 10^(−16/400)) = 0.523010, and a loses: 8 − 16 · 0.523010.
    elo = update_elo("ab", games_of("ab>a", "ba>b"))
    assert elo["a"] == pytest.approx(-0.36815, abs=1e-4)
    assert update_elo("ab", [made_up(0, "a", "b", None, result="Draw")]) == {"a": 0, "b": 0}
    # E_a = 0.523010 after a win, so that a draw costs 16 · 0.023010.
    elo = update_elo("ab", [*games_of("ab>a"), made_up(1, "b", "a", None, result="Draw")])
    assert elo["a"] == pytest.approx(8 - 0.36815, abs=1e-4) and elo["b"] == -elo["a"]


def test_an_update_makes_and_loses_nothing_sees_no_void_games_and_goes_by_the_order():
    games = games_of("ab>a", "bc>c", "ca>a", "cb>c")
    void = made_up(9, "a", "b", None, kind="void", reason="the worker died")
    elo = update_elo("abcd", [*games, void])
    assert sum(elo.values()) == pytest.approx(0) and elo["d"] == 0
    assert elo == update_elo("abcd", games)
    games = games_of("ab>a", "bc>b", "ca>c", "ab>a")
    assert update_elo("abc", games)["a"] != pytest.approx(update_elo("abc", games[::-1])["a"])
