import pytest

from data import make_openings
from golois.go.board import Board
from golois.go.symmetry import transform_point
from tournament.errors import OptionsError
from tournament.running.opening_book import BOOK, canonical, load_openings


def test_the_book_has_hundreds_of_legal_openings():
    openings = load_openings(8)
    assert len(openings) > 500
    for opening in openings:
        board = Board()
        for point in opening:
            board.play(point)
        assert (board.stones() > 0).sum() == 8, "openings have no captures"


@pytest.mark.parametrize("plies", [0, 1, 4, 6, 8])
def test_no_two_openings_are_the_same_up_to_symmetry(plies):
    openings = load_openings(plies)
    assert {len(opening) for opening in openings} == {plies}
    assert len({canonical(opening) for opening in openings}) == len(openings)


def test_symmetry_and_order_of_moves_make_no_other_opening():
    opening = (60, 300, 72, 288)
    for symmetry in range(8):
        turned = [transform_point(point, symmetry) for point in opening]
        assert canonical(turned) == canonical(opening)
        assert canonical([turned[2], turned[1], turned[0], turned[3]]) == canonical(opening)
    assert canonical((60, 300, 72, 289)) != canonical(opening)


def test_the_book_says_how_long_it_is():
    with pytest.raises(OptionsError, match="from 0 to 8: got 9"):
        load_openings(9)


def test_the_book_is_what_its_maker_writes(capsys):
    assert make_openings.main([str(BOOK.parent / "katago_b6.games")]) == 0
    assert capsys.readouterr().out == BOOK.read_text(encoding="utf-8")
