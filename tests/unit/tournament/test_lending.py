"""A run that lends its pairs: reports that are true, false, late or missing."""

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from tests.fake_arena import league_of
from tests.lending import (
    OPTIONS,
    InThisProcess,
    game_of,
    other_networks,
    other_winner,
    report_of,
)
from tournament.errors import OptionsError
from tournament.game.options import EventOptions
from tournament.game.play import forfeit_record, void_record
from tournament.league.games import Target
from tournament.league.work import Work
from tournament.running import lending_engine
from tournament.running.coordinator import run_event
from tournament.running.engine_protocol import ATTEMPTS
from tournament.running.lending_engine import LendingEngine
from tournament.running.plan import scheduled_jobs
from tournament.running.retracing import (
    WrongResultError,
    replayed,
    share_of_same,
    took_too_long,
)
from tournament.running.views import QuietView


@pytest.fixture
def league(tmp_path):
    return league_of(tmp_path)


class Clock:
    """A second passes whenever it is read."""

    def __init__(self):
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


class Lab:
    """A league, the pairs that it lends, and workers that a script drives in this thread."""

    def __init__(self, league):
        self.league, self.clock = league, Clock()
        self.work = Work(league.folder)
        self.digests = {
            one.sha256: one.manifest["onnx_sha256"] for one in league.submissions.all()
        }

    def lend(self, machine="one", holder="lab", wanted=1):
        return self.work.lend(holder, machine, None, wanted, self.clock(), 60.0)

    def report(self, lease, change=lambda record: record, holder="lab", **others):
        others.setdefault("artefacts", {
            sha256: self.digests[sha256]
            for job in lease.pair for sha256 in (job.black_sha256, job.white_sha256)
        })
        return self.work.report(lease.id, holder, report_of(lease, change, **others))

    def plays(self, change=lambda record: record, machine="one", holder="lab", **others):
        """A worker that reports whatever it is lent."""
        while True:
            for lease in self.lend(machine, holder):
                self.report(lease, change, holder, **others)
            yield

    def run(self, *scripts: Iterator[None], rounds=3) -> InThisProcess:
        """Play the league, and let each script do a step now and then."""

        def steps() -> Iterator[None]:
            while True:
                for script in scripts:
                    next(script, None)
                yield

        script = steps()
        here = InThisProcess(script=script)
        engine = LendingEngine(
            self.league.folder, OPTIONS, here, clock=self.clock, nap=lambda _: next(script)
        )
        outcome = run_event(self.league, OPTIONS, Target(rounds), engine, QuietView())
        assert outcome.given_up == () and outcome.num_games == 6 * rounds
        assert self.work.terms() is None and self.work.is_idle()
        return here


@pytest.fixture
def lab(league) -> Iterator[Lab]:
    lab = Lab(league)
    with closing(lab.work):
        yield lab


def hosts(lab) -> set[str]:
    return {game.host for game in lab.league.games.all() if "/" in game.host}


def assert_true(lab) -> None:
    """Every game is what its networks play."""
    jobs = {job.game_id: job for job in scheduled_jobs(lab.league, OPTIONS, 3)}
    for game in lab.league.games.all():
        assert game.moves == game_of(jobs[game.game_id]).moves, game.host


def test_pairs_are_lent_retraced_and_counted(lab):
    here = lab.run(lab.plays(machine="one"), lab.plays(machine="two"))
    assert hosts(lab) == {"lab/one", "lab/two"}
    assert_true(lab)
    assert here.played and not lab.work.stopped()


def test_only_a_drawn_pair_is_retraced(lab, monkeypatch):
    monkeypatch.setattr(lending_engine.random.SystemRandom, "randrange", lambda _, number: 0)

    def hoards() -> Iterator[None]:
        leases = []
        while len(leases) < 4:
            leases += lab.lend(wanted=4)
            yield
        for lease in leases:
            lab.report(lease)
        yield from lab.plays()

    here = lab.run(hoards())
    retraced = [game for game in here.played if {move.num_visits for move in game.moves} == {1}]
    of_workers = [game for game in lab.league.games.all() if "/" in game.host]
    assert len(of_workers) >= 8 and 2 <= len(retraced) < len(of_workers)


@pytest.mark.parametrize("lie", [other_networks, other_winner])
def test_a_worker_that_lies_is_named_and_stopped_and_its_games_are_played_again(
    lab, lie, caplog
):
    with caplog.at_level(logging.WARNING):
        lab.run(lab.plays(lie, machine="liar", holder="cheat"), lab.plays())
    assert_true(lab)
    assert "the worker cheat/liar reported a wrong game" in caplog.text
    assert list(lab.work.stopped()) == ["cheat"]
    assert hosts(lab) <= {"lab/one"}
    lab.work.forgive("cheat")
    assert lab.work.stopped() == {}


def test_who_lies_about_one_pair_loses_all_that_is_not_checked(lab, monkeypatch):
    """The drawn pair is the false one; five true ones go with it, and a lease under way."""
    monkeypatch.setattr(lending_engine.random.SystemRandom, "randrange", lambda _, number: 0)

    def cheats() -> Iterator[None]:
        leases = []
        while len(leases) < 3:
            leases += lab.lend(wanted=4)
            yield
        kept = leases.pop()
        for number, lease in enumerate(leases):
            lab.report(lease, other_networks if number == 0 else lambda record: record)
        yield
        while not lab.work.stopped():
            yield
        assert not lab.report(kept)

    lab.run(cheats())
    assert not hosts(lab) and list(lab.work.stopped()) == ["lab"]
    assert_true(lab)


def test_a_lost_worker_s_pairs_are_played_again(lab, caplog):
    late = []

    def vanishes() -> Iterator[None]:
        while not late:
            late.extend(lab.lend("gone"))
            yield

    with caplog.at_level(logging.WARNING):
        lab.run(vanishes(), lab.plays())
    assert "the worker lab/gone was lost: its pair is played again" in caplog.text
    assert not lab.report(late[0]), "its lease has ended"
    assert_true(lab)


def test_a_worker_that_shows_life_keeps_its_pair_but_not_for_ever(lab):
    lab.work.begin({"options": {}})
    lab.work.offer([scheduled_jobs(lab.league, OPTIONS, 1)[:2]], 0.0)
    assert len(lab.work.lend("lab", "one", None, 5, 1.0, 60.0)) == 1
    lab.work.extend("lab", "one", 50.0, 60.0, 200.0)
    assert lab.work.take_lost(109.0) == []
    lab.work.extend("lab", "one", 180.0, 60.0, 200.0)
    (lost,) = lab.work.take_lost(202.0)
    assert lost.worker == "lab/one"


def test_a_pair_that_nobody_fetches_is_played_here(lab):
    def wishes() -> Iterator[None]:
        lab.lend(wanted=3)
        yield

    lab.run(wishes())
    assert not hosts(lab)
    assert_true(lab)


def test_a_forfeit_counts_only_if_it_happens_here(lab):
    def forfeits(record):
        job = next(
            job for job in scheduled_jobs(lab.league, OPTIONS, 3) if job.game_id == record.game_id
        )
        return forfeit_record(job, OPTIONS, "black", "no finite value")

    lab.run(lab.plays(forfeits))
    assert not hosts(lab) and not lab.work.stopped()
    assert {game.kind for game in lab.league.games.all()} == {"played"}


@pytest.mark.parametrize("fault", ["void", "artefact"])
def test_a_machine_that_cannot_play_or_has_damaged_networks_is_no_liar(lab, fault):
    jobs = {job.game_id: job for job in scheduled_jobs(lab.league, OPTIONS, 3)}
    if fault == "void":
        script = lab.plays(lambda game: void_record(jobs[game.game_id], OPTIONS, "out of memory"))
    else:
        script = lab.plays(artefacts={sha256: "0" * 64 for sha256 in lab.digests})
    lab.run(script)
    assert not hosts(lab) and not lab.work.stopped()
    assert lab.league.games.voids() == []
    assert_true(lab)


def test_a_move_by_another_rounding_has_the_pair_played_here(lab, monkeypatch, caplog):
    monkeypatch.setattr(lending_engine, "LEAST_SAME", 0.5)

    def rounded(record):
        jobs = {job.game_id: job for job in scheduled_jobs(lab.league, OPTIONS, 3)}
        moves = [*record.moves[:-1], replace(record.moves[-1], value_white=0.9)]
        found = replayed(jobs[record.game_id], OPTIONS, replace(
            record, moves=tuple(moves)).to_json())
        return found

    lab.run(lab.plays(rounded))
    assert not hosts(lab) and not lab.work.stopped() and "wrong" not in caplog.text
    assert_true(lab)


@pytest.mark.parametrize(
    "report",
    ["", "[]", "{}", '{"games": 3, "artefacts": {}}', '{"games": [], "artefacts": {}}', "[" * 9999],
)
def test_a_report_that_is_none_stops_its_token(lab, report):
    def sends() -> Iterator[None]:
        while not (leases := lab.lend()):
            yield
        lab.work.report(leases[0].id, "lab", report)

    lab.run(sends())
    assert "cannot be read" in lab.work.stopped()["lab"]
    assert_true(lab)


def test_a_lease_is_its_holder_s_alone(lab):
    lab.work.begin({"options": {}})
    jobs = scheduled_jobs(lab.league, OPTIONS, 1)
    lab.work.offer([jobs[:2]], lab.clock())
    (lease,) = lab.lend(holder="lab")
    assert lab.work.has("lab", jobs[0].black_sha256)
    assert not lab.work.has("other", jobs[0].black_sha256)
    assert not lab.report(lease, holder="other")
    assert lab.report(lease) and not lab.report(lease), "once"
    (told,) = lab.work.workers()
    assert (told["holder"], told["machine"], told["games"]) == ("lab", "one", 2)


def test_a_race_on_the_clock_is_not_lent(league):
    options = EventOptions(seconds=1.0, player="gumbel")
    with pytest.raises(OptionsError, match="can play games of --visits only"):
        LendingEngine(league.folder, options, InThisProcess())


# Retracing


@pytest.fixture
def job(league):
    return scheduled_jobs(league, OPTIONS, 1)[0]


def changed(**changes) -> Callable[[dict], dict]:
    return lambda data: {**data, **changes}


def moved(number: int, value: object) -> Callable[[dict], dict]:
    def change(data: dict) -> dict:
        data["moves"][3][number] = value
        return data

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (changed(winner="nobody"), "and not as reported"),
        (changed(result="B+99.5"), "and not as reported"),
        (changed(reason="<b>"), "and not as reported"),
        (changed(kind="surprise"), "and not as reported"),
        (lambda data: {**data, "moves": data["moves"][:-1]}, "the game breaks off"),
        (lambda data: {**data, "moves": [*data["moves"], [361, 1, 0, 0.5, None]]}, "after its end"),
        (changed(moves=7), "cannot be read"),
        (changed(moves=[[1, 2]]), "cannot be read"),
        (lambda data: {}, "cannot be read"),
        (lambda data: "game", "cannot be read"),
        (moved(0, 400), "cannot be played again"),
        (moved(0, -1), "cannot be played again"),
        (moved(0, 1.0), "a move is no choice"),
        (moved(0, 10**30), "cannot be played again"),
        (moved(1, -1), "a move is no choice"),
        (moved(1, True), "a move is no choice"),
        (moved(2, float("nan")), "a move is no choice"),
        (moved(2, 10**400), "cannot be read"),
        (moved(3, 1.5), "a move is no choice"),
        (moved(3, "half"), "cannot be read"),
        (moved(4, float("inf")), "a move is no choice"),
    ],
)  # fmt: skip
def test_a_report_is_played_again_by_the_rules(job, change, said):
    data = json.loads(json.dumps(game_of(job).to_json()))
    assert replayed(job, OPTIONS, data).moves == game_of(job).moves
    with pytest.raises(WrongResultError, match=said):
        replayed(job, OPTIONS, change(data))


def test_only_moves_of_a_report_are_kept(job):
    data = game_of(job).to_json()
    names = ("game_id", "black", "white", "black_sha256", "opening", "pair_id", "host", "seed")
    record = replayed(job, OPTIONS, {**data, **dict.fromkeys(names, "x"), "more": 1})
    assert [getattr(record, name) for name in names[:4]] == [
        getattr(job, name) for name in names[:4]
    ]
    assert record.opening == job.opening


def test_a_retraced_game_says_where_its_networks_play_the_same(job):
    record = game_of(job)
    again = game_of(replace(job, moves=record.moves))
    assert share_of_same([again]) == 1 and again.result == record.result
    wrong = other_networks(record)
    again = game_of(replace(job, moves=wrong.moves))
    assert share_of_same([again, game_of(replace(job, moves=record.moves))]) < 0.7
    assert share_of_same([]) == 1


def test_time_that_a_report_hides_is_seen(job):
    timed = EventOptions(seconds=1.0, seed=0, max_plies=16)

    def record(cpu_seconds):
        played = game_of(job)
        moves = tuple(replace(move, cpu_seconds=cpu_seconds) for move in played.moves)
        return replace(played, moves=moves)

    assert not took_too_long(record(1.0), record(1.1), timed, None, None)
    assert took_too_long(record(2.0), record(2.0), timed, None, None), "more than the rules give"
    assert took_too_long(record(1.0), record(5.0), timed, None, None), "more than it says"
    assert not took_too_long(record(1.0), record(3.0), timed, 2000.0, 1000.0), "a slow server"
    assert not took_too_long(record(9.0), record(9.0), OPTIONS, None, None)
    scaled = replace(timed, scale_clock=True)
    assert not took_too_long(record(2.0), record(1.0), scaled, 1350.0, 2700.0)


def test_attempts_here_may_fail_before_a_pair_is_retraced(lab):
    """The check goes on after a void attempt, and gives up after as many as a game has."""
    job, other = scheduled_jobs(lab.league, OPTIONS, 1)[:2]
    check = lending_engine._Check(
        lending_engine._Reported(None, (game_of(job), game_of(other))), []
    )
    void = void_record(job, OPTIONS, "no luck")
    assert not check.hear(void) and not check.hear(game_of(job))
    for _ in range(ATTEMPTS - 1):
        assert not check.hear(void_record(other, OPTIONS, "no luck"))
    assert check.hear(void_record(other, OPTIONS, "no luck"))
    assert [game.kind for game in check.retraced] == ["played", "void"]
