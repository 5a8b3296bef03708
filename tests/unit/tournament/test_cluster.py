"""Jobs and leagues on a cluster, whose machines fail as a script says."""

import json
import sys
from functools import partial
from itertools import chain, repeat
from types import SimpleNamespace

import pytest

from golois.kit.cluster import (
    ATTEMPTS,
    ENGINES,
    Begun,
    ClusterError,
    Ended,
    Job,
    Lost,
    Survey,
    Wanted,
    kit_digest,
    open_engine,
)
from golois.kit.command import UsageError
from golois.kit.signals import Stopped
from tests.fake_arena import league_of, record_of
from tests.fake_ray import FakeMachine, RayError
from tests.runs import tournament
from tournament.game.options import EventOptions
from tournament.game.play import void_record
from tournament.game.record import VOID, GameRecord
from tournament.running import cluster_engine
from tournament.running.cluster_engine import ClusterEngine
from tournament.running.engine_protocol import MovePlayed
from tournament.running.machine import REFERENCE_SPEED
from tournament.running.plan import scheduled_jobs

# Jobs


def job_events(here):
    yield "begun"
    yield "half of it"
    return {path.name: path.read_bytes() for path in here.folder.iterdir()}


def raising(error, here):
    yield "begun"
    raise error


def jobs(count=6):
    return [Job(number, job_events) for number in range(count)]


def done(ray, jobs, stop=None, **wanted):
    with ray.cluster(Wanted(**wanted)) as machines:
        return list(machines.do(jobs, stop))


def ended(news):
    return sorted(one.job.about for one in news if isinstance(one, Ended))


def hosts(news):
    return [one.machine.host for one in news if isinstance(one, Begun)]


def losses(news):
    return [one for one in news if isinstance(one, Lost)]


@pytest.mark.parametrize("is_whole", [True, False])
def test_jobs_are_shared_out(ray, is_whole):
    cores = [None] * (2 if is_whole else 1)
    machines = ray(FakeMachine("a", num_cpus=2), FakeMachine("b"))
    news = done(machines, jobs(), is_whole=is_whole, survey=partial(Survey, cores))
    assert ended(news) == [*range(6)] and sorted(hosts(news)[:3]) == ["a", "a", "b"]


@pytest.mark.parametrize("dies_at", range(5))
def test_the_jobs_of_a_lost_machine_are_done_elsewhere(ray, dies_at):
    machines = ray(FakeMachine("a", num_cpus=3, dies_at=dies_at), FakeMachine("b"))
    news = done(machines, jobs(), survey=partial(Survey, range(3)), machine_attempts=1)
    (lost,) = losses(news)
    assert (lost.machine.host, lost.reason, lost.cause) == ("a", "it does not answer", None)
    assert len(lost.again) == 3 and not lost.given_up
    assert ended(news) == [*range(6)]


def test_machines_that_come_later_work_too_and_failing_ones_no_more(ray):
    failing = FakeMachine("a", dies_at=0)
    news = done(ray(failing, FakeMachine("b"), FakeMachine("c", comes_at=5)), jobs(40))
    assert ended(news) == [*range(40)] and {*hosts(news)} == {"a", "b", "c"}
    assert failing.num_actors == 2


def test_what_a_job_raises_is_told_from_a_lost_machine(ray):
    memory, lost = MemoryError("no memory for the trees"), RayError("a file did not arrive")
    begin = [Job(0, partial(raising, memory)), Job(1, partial(raising, lost))]
    first, second = losses(done(ray(*map(FakeMachine, "abcdef")), begin, job_attempts=1))
    assert (first.cause, first.reason) == (memory, "no memory for the trees")
    assert (second.cause, second.reason) == (None, "a file did not arrive")


def test_files_are_sent_once_and_damaged_ones_refused(ray, tmp_path):
    (tmp_path / "net.onnx").write_bytes(b"network")
    machines, paths = ray(FakeMachine(), FakeMachine()), [tmp_path / "net.onnx"]
    news = done(machines, [Job(number, job_events, lambda: paths) for number in range(4)])
    results = [one.result for one in news if isinstance(one, Ended)]
    assert results == [{"net.onnx": b"network"}] * 4 and machines.num_sent == 1
    machines.damages = True
    (lost,) = losses(done(machines, [Job(0, job_events, lambda: paths)], job_attempts=1))
    assert "net.onnx arrived damaged" in lost.reason


def test_a_machine_that_cannot_work_is_not_used(ray, monkeypatch, caplog):
    with pytest.raises(ClusterError, match="no machine in the cluster can train"):
        done(ray(FakeMachine()), jobs(), to="train", survey=partial(Survey, fault="no bf16"))
    assert "the machine a is not used: no bf16" in caplog.text
    digests = iter(["here", "there"])
    monkeypatch.setattr("golois.kit.cluster.kit_digest", lambda rooms: next(digests))
    with pytest.raises(ClusterError, match="no machine in the cluster can play"):
        done(ray(FakeMachine()), jobs())
    assert "the machine a is not used: its version of the kit differs" in caplog.text
    monkeypatch.undo()
    for machines in ((), [FakeMachine(dies_at=3)]):
        with pytest.raises(ClusterError, match="no machine in the cluster can play"):
            done(ray(*machines), jobs())


def test_a_core_that_comes_back_with_another_kit_leaves_the_others_at_work(ray, monkeypatch):
    digests = chain(["here"] * 3, repeat("there"))
    monkeypatch.setattr("golois.kit.cluster.kit_digest", lambda rooms: next(digests))
    begin = [Job(0, partial(raising, RayError("the core is lost"))), *jobs(20)[1:]]
    news = done(ray(FakeMachine(num_cpus=2)), begin, is_whole=False, job_attempts=1)
    assert len(losses(news)) == 1 and ended(news) == [*range(1, 20)]


def test_a_request_to_stop_ends_the_jobs(ray):
    with pytest.raises(Stopped):
        done(ray(FakeMachine()), jobs(), SimpleNamespace(signal=15))


def test_a_head_that_goes_down_ends_the_work(ray):
    machines = ray(FakeMachine("a", dies_at=1))
    with pytest.raises(ClusterError, match="refused"), machines.cluster(Wanted()) as crew:
        for _ in crew.do(jobs()):
            machines.head.close()
    machines.actors.clear()  # they end with it: nobody may ask Ray to


def test_without_ray_a_sentence_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"pip install -e '\.\[cluster\]'"):
        open_engine("ray", "auto")


def test_no_cluster_is_said():
    pytest.importorskip("ray", reason="the extra [cluster] is not installed")
    for address, said in (("nowhere", "expected auto or HOST:PORT"), ("127.0.0.1:1", "refused")):
        with pytest.raises(ClusterError, match=said):
            open_engine("ray", address)


def test_the_version_of_the_kit_is_that_of_its_packages_wherever_they_lie(tmp_path, monkeypatch):
    """An installation has golois beside the rest, and not in one folder with it."""
    (tmp_path / "part_of_the_kit").mkdir()
    source = tmp_path / "part_of_the_kit" / "__init__.py"
    source.touch()
    monkeypatch.syspath_prepend(tmp_path)
    before = kit_digest(["tournament", "part_of_the_kit"])
    source.write_text("changed = True")
    assert kit_digest(["tournament", "part_of_the_kit"]) != before


# A league

OPTIONS = EventOptions(visits=4)


@pytest.fixture
def pairs(tmp_path):
    jobs = scheduled_jobs(league_of(tmp_path), OPTIONS, 2)
    return [jobs[start : start + 2] for start in range(0, len(jobs), 2)]


@pytest.fixture
def without_play(monkeypatch):
    """Let a pair take no time, the first game void at first."""

    def play_pair(options, pair, here):
        yield void_record(pair[0], options, "bad luck")
        yield MovePlayed(pair[0], 6)
        return [record_of(job) for job in pair]

    monkeypatch.setattr(cluster_engine, "play_pair", play_pair)


def play(ray, folder, pairs, options=OPTIONS):
    return list(ClusterEngine(ray.cluster, folder / "league" / "artefacts", options).play(pairs))


def test_pairs_come_whole_and_void_attempts_at_once(ray, tmp_path, pairs, without_play, caplog):
    events = play(ray(FakeMachine("a", dies_at=2), FakeMachine("b")), tmp_path, pairs)
    games = [one for one in events if isinstance(one, GameRecord) and one.kind != VOID]
    assert sorted(one.game_id for one in games) == sorted(job.game_id for job in sum(pairs, []))
    assert [one.pair_id for one in games[::2]] == [one.pair_id for one in games[1::2]]
    assert events[0].reason == "bad luck"
    assert "machine a was lost: it does not answer; game pairs under way: 1" in caplog.text


def test_a_pair_that_is_given_up_is_void(ray, tmp_path, pairs, without_play):
    machines = [FakeMachine(str(number), dies_at=0) for number in range(ATTEMPTS)]
    events = play(ray(*machines, FakeMachine("spare")), tmp_path, pairs[:1])
    assert [one.kind for one in events] == [VOID, VOID]
    assert events[0].reason == "the machine 2 was lost: it does not answer"


@pytest.mark.parametrize(("speed", "silence"), [(REFERENCE_SPEED / 20, 980), (None, 220)])
def test_a_slow_machine_with_a_scaled_clock_may_be_silent_for_longer(
    ray, tmp_path, pairs, without_play, monkeypatch, caplog, speed, silence
):
    """Three minutes and ten times its own clock: 80 s for a machine of a twentieth the speed."""
    survey = Survey((None,), speed)
    monkeypatch.setattr(cluster_engine, "survey_under", lambda options: survey)
    machines = ray(FakeMachine("a", silent_at=1), FakeMachine("b"))
    play(machines, tmp_path, pairs, EventOptions(seconds=4, scale_clock=True))
    assert silence < machines.seconds < silence + 120
    assert f"the machine a was lost: it sent nothing for {silence} s" in caplog.text


def test_games_end_when_play_is_left_early(ray, tmp_path, pairs, without_play):
    machines = ray(FakeMachine())
    events = ClusterEngine(machines.cluster, tmp_path, OPTIONS).play(pairs)
    next(events)
    assert machines.actors
    events.close()
    assert not machines.actors


def test_a_league_is_played_by_any_engine_in_the_table(ray, tmp_path, monkeypatch):
    """In real processes, from artefacts that are sent; and then the head goes down."""
    machines, league = ray(FakeMachine("a", num_cpus=2)), league_of(tmp_path, ("Ada", "Grace"))
    monkeypatch.setitem(ENGINES, "elsewhere", lambda address: machines.cluster)
    where = ("--engine", "elsewhere", "--quiet", "--league", league.folder)
    command = ("run", "--visits", "4", "--max-plies", "10", *where)
    assert tournament(*command).code == 0
    assert league.games.count() == 2
    address = machines.get_runtime_context().gcs_address
    machines.head.close()
    assert tournament(*command, "--rounds", 2).refusal == (
        f"python -m tournament run: the head of the cluster at {address} does not "
        "answer: Connection refused; start Ray again, and the same command continues\n"
    )
    assert league.games.count() == 2
    assert "head of the cluster" in json.loads(league.summary_path.read_text())["stopped_by"]


def test_an_engine_refuses_what_is_for_another(tmp_path):
    command = ("run", "--league", league_of(tmp_path).folder, "--engine")
    refusal = tournament(*command, "local", "--address", "auto").refusal
    assert "--address auto is for clusters" in refusal
    assert "--workers is for" in tournament(*command, "ray", "--workers", 2).refusal
