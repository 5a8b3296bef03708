"""The schedule is fair in any prefix, and the book has no opening twice."""

from collections import Counter
from itertools import combinations

import pytest

from data import make_openings
from golois.go.board import Board
from golois.go.symmetry import transform_point
from tournament.errors import OptionsError
from tournament.game.job import Entrant, GameJob, schedule_hash
from tournament.running.opening_book import BOOK, canonical, load_openings
from tournament.running.schedule import circle_steps, pairings

OPENINGS = [(60,), (61,), (62,)]


def entrants(count: int) -> list[Entrant]:
    return [Entrant(f"net{number}", f"{number:064x}") for number in range(count)]


@pytest.mark.parametrize("count", [2, 3, 4, 7, 8])
def test_a_step_uses_nobody_twice_and_the_steps_meet_all(count):
    steps = list(circle_steps(entrants(count)))
    for step in steps:
        players = [entrant for pair in step for entrant in pair]
        assert len(players) == len(set(players)) == count - count % 2
    meetings = Counter(frozenset(pair) for step in steps for pair in step)
    assert meetings == Counter(frozenset(pair) for pair in combinations(entrants(count), 2))


@pytest.mark.parametrize("count", [2, 3, 4, 7, 8])
def test_any_prefix_is_fair(count):
    jobs = pairings(entrants(count), 3, seed=5, openings=OPENINGS)
    assert len(jobs) == 3 * count * (count - 1)
    played, balance = Counter({e.name: 0 for e in entrants(count)}), Counter()
    bye = 2 * (count % 2)
    for job in jobs:
        played.update([job.black, job.white])
        balance.update({job.black: 1})
        balance.subtract({job.white: 1})
        assert max(played.values()) - min(played.values()) <= 2 + 2 * bye
        assert max(map(abs, balance.values())) <= 1
    assert not any(balance.values())


def test_a_pair_is_one_opening_with_both_colours_and_a_new_one_while_there_are_any():
    jobs = pairings(entrants(5), 2, seed=5, openings=OPENINGS)
    for first, second in zip(jobs[::2], jobs[1::2], strict=True):
        assert first.pair_id == second.pair_id and first.opening == second.opening
        assert (first.black, first.white) == (second.white, second.black)
        assert first.game_id != second.game_id and first.seed != second.seed
    jobs = pairings(entrants(2), 3, seed=5, openings=OPENINGS)
    assert {job.opening for job in jobs} == set(OPENINGS)


def test_the_schedule_depends_on_its_arguments_alone_and_only_grows():
    jobs = pairings(entrants(6), 2, seed=5, openings=OPENINGS)
    again = pairings(entrants(6)[::-1], 2, seed=5, openings=OPENINGS)
    other = pairings(entrants(6), 2, seed=6, openings=OPENINGS)
    assert jobs == again and schedule_hash(jobs) == schedule_hash(again)
    assert not {job.game_id for job in jobs} & {job.game_id for job in other}
    assert schedule_hash(jobs) != schedule_hash(other)
    jobs = {j.game_id: j for j in pairings(entrants(4), 1, seed=5, openings=OPENINGS)}
    more = {j.game_id: j for j in pairings(entrants(5), 2, seed=5, openings=OPENINGS)}
    assert len(more) == 2 * 5 * 4
    assert jobs == {game_id: more[game_id] for game_id in jobs}
    job = pairings(entrants(2), 1, seed=5, openings=OPENINGS)[0]
    assert GameJob.from_json(job.to_json()) == job


def test_the_book_has_hundreds_of_legal_openings_and_says_how_long_they_are():
    openings = load_openings(8)
    assert len(openings) > 500
    for opening in openings:
        board = Board()
        for point in opening:
            board.play(point)
        assert (board.stones() > 0).sum() == 8, "openings have no captures"
    with pytest.raises(OptionsError, match="from 0 to 8, not 9"):
        load_openings(9)


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


def test_the_book_is_what_its_maker_writes(capsys):
    assert make_openings.main([str(BOOK.parent / "katago_b6.games")]) == 0
    assert capsys.readouterr().out == BOOK.read_text(encoding="utf-8")
