"""A game as a network sees it: values, mistakes, and the SGF and pictures that show them."""

import re
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from matplotlib.image import imread

from golois.constants import NUM_POINTS, PASS
from golois.errors import IllegalMoveError
from golois.go.coords import BLACK, WHITE, gtp_to_point, point_to_sgf
from golois.sgf.reading import read_sgf
from tests.fake_arena import FakeEvaluator
from tournament.errors import OptionsError
from tournament.review.commented_sgf import commented_sgf, move_comment, without_mistakes
from tournament.review.game_review import (
    Candidate,
    PositionReview,
    ReviewOptions,
    largest_losses,
    mistakes,
    review_moves,
    review_positions,
)
from tournament.review.pictures import board_picture, value_curve
from tournament.review.second_opinion import largest_differences, second_opinions

GAME = read_sgf(
    b"(;SZ[19]PB[A\\]da]PW[Grace]KM[6.5]DT[2026-01-02]RU[Chinese]RE[W+R]AB[pd][dp]"
    b";W[dd]C[gone];B[pp];W[];B[cc])"
)
OPTIONS = ReviewOptions(visits=48, num_candidates=2)
D16, Q4, K10 = (gtp_to_point(vertex) for vertex in ("D16", "Q4", "K10"))


def position(to_play: int, value_white: float, *candidates: Candidate) -> PositionReview:
    policy = np.full(NUM_POINTS, 1 / NUM_POINTS, np.float32)
    return PositionReview(to_play, value_white, policy, candidates)


def candidate(point: int, value_white: float, *answers: int) -> Candidate:
    return Candidate(point, 7, 0.25, value_white, (point, *answers))


# White to move at 40 %: D16 leaves 10 %, which loses 30 %; the others lose nothing.
POSITIONS = (
    position(WHITE, 0.4, candidate(K10, 0.5, Q4, 0), candidate(D16, 0.1)),
    position(BLACK, 0.1, candidate(Q4, 0.1)),
    position(WHITE, 0.2),
    position(BLACK, 0.6, candidate(Q4, 0.1)),
    position(WHITE, 0.55),
)


@pytest.fixture(scope="module")
def moves():
    return review_moves(GAME, POSITIONS)


def test_each_position_is_searched_to_the_visits_with_the_games_turn():
    reviews = list(review_positions(GAME, 6.5, FakeEvaluator(), OPTIONS))
    assert [review.to_play for review in reviews] == [WHITE, BLACK, WHITE, BLACK, WHITE]
    for review in reviews:
        assert review.policy.sum() == pytest.approx(1)
        assert len(review.candidates) == 2
        first, second = review.candidates
        assert first.num_visits >= second.num_visits > 0
        assert first.line[0] == first.point
        assert review.policy[first.point] == pytest.approx(first.prior)


def test_a_sole_candidate_is_shown_with_the_value_of_the_position():
    """Two eyes of one black chain are all that is left."""
    black = "".join(f"[{point_to_sgf(p)}]" for p in range(NUM_POINTS) if p not in (20, 22))
    game = read_sgf(f"(;SZ[19]PL[B]AB{black};B[])".encode())
    review = next(review_positions(game, 6.5, FakeEvaluator(), OPTIONS))
    (only,) = review.candidates
    assert (only.point, only.num_visits, only.line) == (PASS, 0, (PASS,))
    assert only.value_white == pytest.approx(review.value_white)


@pytest.mark.parametrize("tail", ["", "B[qq];W[cc]", "B[]"])
def test_a_game_that_goes_on_after_two_passes_is_reviewed(tail):
    game = read_sgf(f"(;SZ[19];B[pd];W[dp];B[];W[];{tail})".replace(";)", ")").encode())
    reviews = list(review_positions(game, 6.5, FakeEvaluator(), ReviewOptions(visits=4)))
    assert len(reviews) == len(game.moves) + 1


def test_the_seed_decides_the_review_of_a_legal_game():
    def values(seed: int) -> list[float]:
        options = ReviewOptions(visits=12, seed=seed)
        return [r.value_white for r in review_positions(GAME, 6.5, FakeEvaluator(), options)]

    assert values(1) == values(1) != values(2)
    game = read_sgf(b"(;B[dd];W[dd])")
    with pytest.raises(IllegalMoveError):
        list(review_positions(game, 7.5, FakeEvaluator(), OPTIONS))


def test_a_loss_is_the_movers_and_a_move_that_the_search_preferred_is_no_mistake(moves):
    assert [move.loss for move in moves] == pytest.approx([0.3, 0.1, -0.4, -0.05])
    assert [move.number for move in mistakes(moves, 0.1)] == [1]
    assert moves[1].loss > 0.05 and not moves[1].is_mistake(0.05)
    assert mistakes(moves, 0.31) == []


def test_a_game_that_slipped_by_small_losses_says_where():
    """White, from 50 % to 3 %, by 9 % and 38 %: the search would have played the latter too."""
    values = (0.5, 0.41, 0.41, 0.03, 0.04)
    searched = candidate(GAME.moves[2][1], 0.5)
    positions = [position(WHITE, value, searched) for value in values]
    slipped = review_moves(GAME, positions)
    assert mistakes(slipped, 0.1) == []
    assert [move.number for move in largest_losses(slipped)] == [3, 1, 4]
    assert without_mistakes(slipped, 0.1) == (
        "no single move lost 10 % where the search preferred another; the largest losses: "
        "move 3, White pass, 38 %; move 1, White D16, 9 %; move 4, Black C17, 1 %"
    )
    assert "; the largest losses: move 1, White D16, 9 %" in without_mistakes(slipped[:2], 0.1)
    text = commented_sgf(GAME, 6.5, slipped[:2], 0.1, "Ada")
    assert "No single move lost 10 %; the largest losses: move 1, White D16, 9 %." in text
    assert without_mistakes(slipped[1:2], 0.1) == "no mistakes"


def test_a_comment_has_the_movers_chances_and_what_was_searched(moves):
    assert move_comment(moves[0], 0.1) == (
        "White's chances: 40 % before D16, 10 % after it: a mistake.\n"
        "Searched: K10 50 % (7 visits, policy 25 %); D16 10 % (7 visits, policy 25 %)"
    )
    assert move_comment(moves[2], 0.1) == (
        "White's chances: 20 % before pass, 60 % after it: no mistake."
    )


def test_the_commented_game_keeps_what_was_known_and_adds_marks_and_variations(moves):
    text = commented_sgf(GAME, 6.5, moves, 0.1, "Ada, 12 visits")
    again = read_sgf(text.encode())
    assert (again.black, again.white, again.result) == ("A]da", "Grace", "W+R")
    assert (again.date, again.rules, again.komi) == ("2026-01-02", "Chinese", 6.5)
    assert (again.set_up, again.moves) == (GAME.set_up, GAME.moves)
    assert "gone" not in text
    assert "Reviewed by Ada, 12 visits.\nMistakes lose 10 % or more.\nBlack: none." in text
    assert text.count("BM[") == text.count("BM[2]") == 1
    assert re.search(r"\(;W\[jj\]C\[50 % \(7 visits, policy 25 %\)\]\n;B\[pp\]\n;W\[aa\]\)", text)
    assert re.findall(r"SBKV\[([\d.]+)\]", text) == ["60", "90", "80", "40", "45"]
    assert text.count("(") == text.count(")") > 1


@pytest.mark.parametrize("wrong", [{"visits": 0}, {"threshold": 0}, {"threshold": 1.5}])
def test_options_are_checked(wrong):
    with pytest.raises(OptionsError, match=f"{next(iter(wrong))} must be"):
        ReviewOptions(**wrong)


def share_of(png: bytes, test) -> float:
    """The share of a picture's pixels that a test of (red, green, blue), 0 … 1, says yes to."""
    image = imread(BytesIO(png))
    return float(np.mean(test(*np.moveaxis(image[..., :3], -1, 0))))


def is_dark(red, green, blue):
    return red + green + blue < 1.5


def test_the_curve_is_dark_where_black_leads():
    """White holds the lower part of the picture, up to P(White wins)."""

    def dark_share(value_white: float) -> float:
        positions = [position(r.to_play, value_white) for r in POSITIONS]
        return share_of(value_curve(review_moves(GAME, positions), 0.1, "A – B"), is_dark)

    assert dark_share(0.1) - dark_share(0.6) == pytest.approx(0.5 * 0.75, abs=0.1)


@pytest.mark.filterwarnings("error")
def test_a_title_in_a_script_that_the_font_lacks_is_drawn_without_a_word(moves):
    assert value_curve(moves, 0.1, "李 – 王")


def test_a_title_is_no_formula(moves):
    assert value_curve(moves, 0.1, "$\\ada – $x").startswith(b"\x89PNG")


def test_a_board_shows_stones_policy_and_the_move():
    def picture(num_moves: int, policy: np.ndarray) -> bytes:
        before = PositionReview(WHITE, 0.4, policy, POSITIONS[0].candidates)
        game = read_sgf(b"(;" + b";".join(b"B[%c%c]" % (97 + i, 97) for i in range(19)) + b")")
        move = review_moves(GAME, (before, *POSITIONS[1:]))[0]
        return board_picture(game.replay(num_moves), move)

    def is_red(red, green, blue):
        return (red > 0.55) & (green < 0.35) & (blue < 0.35)

    nothing, peak = np.zeros(NUM_POINTS, np.float32), np.zeros(NUM_POINTS, np.float32)
    peak[D16 + 5] = 1
    empty = picture(0, nothing)
    shown = picture(19, peak)
    stones = share_of(shown, is_dark) - share_of(empty, is_dark)
    assert 0.7 < stones / (19 / 361 * 0.66 * 0.8) < 1.3
    assert share_of(shown, is_red) > share_of(empty, is_red) > 0


def test_the_opinions_that_are_farthest_apart_come_first(moves):
    others = [replace(position, value_white=0.5) for position in POSITIONS]
    opinions = second_opinions(("ada", "bob"), moves, review_moves(GAME, others))
    apart = largest_differences(opinions)
    assert [opinion.first.number for opinion in apart] == [2, 3, 1, 4]
    assert [opinion.gap for opinion in apart] == pytest.approx([0.4, 0.3, 0.1, 0.1])
    line = "before move 2, Black's chances: ada 90 %, prefers Q4; bob 50 %, prefers Q4"
    assert str(apart[0]) == line
    assert str(apart[1]) == "before move 3, White's chances: ada 20 %; bob 50 %"
    text = commented_sgf(GAME, 6.5, moves, 0.1, "ada", opinions)
    assert text.count(line) == 2 and text.index("They differ most:") < text.index(line)
    assert largest_differences(second_opinions(("ada", "bob"), moves, moves)) == []
