from collections import Counter
from itertools import combinations

import pytest

from tournament.game.job import Entrant, GameJob, schedule_hash
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


def test_a_pair_is_one_opening_with_both_colours():
    jobs = pairings(entrants(5), 2, seed=5, openings=OPENINGS)
    for first, second in zip(jobs[::2], jobs[1::2], strict=True):
        assert first.pair_id == second.pair_id and first.opening == second.opening
        assert (first.black, first.white) == (second.white, second.black)
        assert first.game_id != second.game_id and first.seed != second.seed


def test_a_pair_of_entrants_meets_new_openings_while_there_are_any():
    jobs = pairings(entrants(2), 3, seed=5, openings=OPENINGS)
    assert {job.opening for job in jobs} == set(OPENINGS)


def test_the_schedule_depends_on_nothing_but_its_arguments():
    jobs = pairings(entrants(6), 2, seed=5, openings=OPENINGS)
    again = pairings(entrants(6)[::-1], 2, seed=5, openings=OPENINGS)
    other = pairings(entrants(6), 2, seed=6, openings=OPENINGS)
    assert jobs == again and schedule_hash(jobs) == schedule_hash(again)
    assert not {job.game_id for job in jobs} & {job.game_id for job in other}
    assert schedule_hash(jobs) != schedule_hash(other)


def test_more_rounds_and_more_entrants_keep_the_games_that_were_there():
    jobs = {j.game_id: j for j in pairings(entrants(4), 1, seed=5, openings=OPENINGS)}
    more = {j.game_id: j for j in pairings(entrants(5), 2, seed=5, openings=OPENINGS)}
    assert len(more) == 2 * 5 * 4
    assert jobs == {game_id: more[game_id] for game_id in jobs}


def test_a_job_survives_json():
    job = pairings(entrants(2), 1, seed=5, openings=OPENINGS)[0]
    assert GameJob.from_json(job.to_json()) == job
