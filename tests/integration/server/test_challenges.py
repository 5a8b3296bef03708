"""Challenges: who may ask for one, whose is next, and what is left of it after a kill."""

import asyncio
import json
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from golois.kit.files import write_whole
from golois.kit.processes import Ended
from tests.fake_arena import league_of, tiny_network
from tests.integration.server.test_killed_server import children_of, is_alive
from tests.integration.server.test_serve_command import answers, served
from tests.lending import OPTIONS, InThisProcess, play_challenges_here, played_here
from tests.runs import tournament
from tests.serving import Serving, issue_tokens, serving, wait_for
from tests.terms import Clock
from tests.unit.tournament.test_hidden import hide, play
from tournament.commands import play as command
from tournament.game.options import EventOptions
from tournament.game.record import GameRecord
from tournament.league.league import League
from tournament.league.settings import read_deadline
from tournament.running.sides import parse_side
from tournament.server import challenges, limits
from tournament.server.challenges import Challenges, TooManyChallengesError
from tournament.server.desk import Desk
from tournament.server.inbox import Inbox
from tournament.server.ledger import hand_in_folder, open_ledger

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
from tournament.server import serving as server_module  # noqa: E402


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """In this process, except what the command serves."""
    play_challenges_here(monkeypatch)


@pytest.fixture
def league(tmp_path) -> Path:
    with closing(league_of(tmp_path)) as league:
        league.fix_options(OPTIONS)
        return league.folder


class FakeRun:
    """Games of the league, which are played when a test says so."""

    def __init__(self):
        self.plays = False

    async def is_running(self) -> bool:
        return self.plays


class Queue:
    """The challenges of a league without a server, on a clock that moves."""

    def __init__(self, league: Path, games: Callable[[], EventOptions] = EventOptions):
        self.clock, self.run = Clock("2026-10-01 12:00"), FakeRun()
        self.artefact, self.other, _ = (league / "artefacts").glob("*.onnx")
        self.folder = hand_in_folder(league)
        self.challenges = Challenges(
            open_ledger(league), Desk(), league, self.run, self.clock, games
        )

    def add(self, owner: str):
        return self.challenges.add(owner, self.artefact, "league/Other", self.other)

    def ends(self, owner: str) -> None:
        """The challenge that is next is this owner's, and is played at once."""
        found = self.challenges.next()
        assert found.owner == owner
        self.challenges._begin(found)
        self.challenges._end(found, "failed", None, "of a test")


def asked(server: Serving, name: str, path: str):
    return server.as_(name).ask("POST", f"/api/challenges/{path}")


def latest(server: Serving, name: str) -> dict:
    return server.as_(name).get("/api/challenges").data["challenges"][0]


def test_a_student_sees_the_result_and_the_games_and_nobody_else(league):
    before = (league / "league.sqlite").read_bytes()
    with serving(league, issue_tokens(league)) as server:
        answer = asked(server, "Ada", "league/Grace")
        assert (answer.status, answer.data["words"]) == (202, "It waits for its turn.")
        wait_for(lambda: latest(server, "Ada")["state"] == "played")
        told = latest(server, "Ada")
        first = told["result"]["sides"][0]
        assert (told["opponent"], first["name"], told["result"]["games"]) == ("Grace", "Ada", 4)
        assert told["words"].startswith(f"You won {first['wins']} of 4 games: ")
        assert told["words"].endswith("The networks are too close to tell.")
        path = f"/api/challenges/{told['id']}"
        games = server.as_("Ada").get(path).data
        assert len(games) == 4 and {game["black"]["name"] for game in games} == {"Ada", "Grace"}
        assert all(game["sgf"].startswith("(;") for game in games)
        assert server.as_("Kurt").get(path).status == 404
        assert server.as_("Kurt").get("/api/challenges").data["challenges"] == []
        assert server.anybody.get(path).status == 401
        page = server.anybody.get("/challenge").body.decode()
        assert "challenge.js" in page and server.anybody.get("/challenge.js").status == 200
        assert all(server.anybody.get(f"/{name}").status == 200 for name in ("sgf.js", "game.js"))
    folder = league / "hand_in" / "challenges" / told["id"]
    assert [path.name for path in folder.iterdir()] == ["games.json"]
    with closing(League(league)) as opened:
        assert opened.games.count() == 0
    assert (league / "league.sqlite").read_bytes() == before


def test_who_may_be_challenged(league):
    with closing(League(league)) as opened:
        opened.submissions.withdraw("Kurt")
    tokens = issue_tokens(league, ("Ada", "Late", "New"))
    accept_late(league, "Late", tiny_network(9))
    with serving(league, tokens, deadline=read_deadline("2020-01-01 12:00 UTC")) as server:
        opponents = server.as_("Ada").get("/api/challenges").data["opponents"]
        of_league = {key: name for key, name in opponents.items() if key.startswith("league")}
        assert of_league == {"league/Grace": "Grace"}
        assert opponents["kit/resnet, 1 visit"] == "resnet, 1 visit (kit)"
        for path in ("league/Ada", "league/Kurt", "league/Nobody", "kit/Grace", "x/Grace"):
            answer = asked(server, "Ada", path)
            assert answer.status == 404, path
            assert answer.data["problem"] == "there is no such network to challenge"
        assert asked(server, "Emmy", "league/Grace").status == 403
        answer = asked(server, "New", "league/Grace")
        assert answer.status == 409 and "hand in a network first" in answer.data["problem"]
        assert asked(server, "Late", "league/Grace").status == 202, "it need not play yet"
        wait_for(lambda: latest(server, "Late")["state"] == "played")


def accept_late(league: Path, owner: str, artefact: bytes) -> None:
    """A file that was accepted after the deadline."""
    with closing(open_ledger(league)) as ledger:
        inbox = Inbox(ledger, hand_in_folder(league))
        received = inbox.parts / "received"
        received.write_bytes(artefact)
        upload = inbox.add(owner, "late.h5", "0" * 64, len(artefact), received)
        write_whole(inbox.artefacts_of(upload) / f"{upload.sha256}.onnx", artefact)
        inbox.accept(upload, {"answers": []})


def test_while_games_are_hidden_everybody_may_challenge_whom_everybody_sees(tmp_path):
    hide(League(tmp_path / "league"))
    opened = league_of(tmp_path)
    play(opened, fails="Kurt")
    assert [one.name for one in opened.submissions.entrants()] == ["Ada", "Grace"]
    with serving(opened.folder, issue_tokens(opened.folder)) as server:
        opponents = server.as_("Ada").get("/api/challenges").data["opponents"]
        assert list(opponents)[:2] == ["league/Grace", "league/Kurt"], "nothing tells of a failure"
        assert asked(server, "Ada", "league/Kurt").status == 202


def test_a_student_has_one_that_waits_and_a_few_a_day(league):
    queue = Queue(league)
    queue.add("Ada")
    with pytest.raises(TooManyChallengesError, match="waits already"):
        queue.add("Ada")
    for _ in range(limits.CHALLENGES_A_DAY - 1):
        queue.ends("Ada")
        queue.add("Ada")
    queue.ends("Ada")
    with pytest.raises(TooManyChallengesError, match="in the last 24 hours"):
        queue.add("Ada")
    assert queue.add("Kurt")
    queue.clock.set("2026-10-02 12:01")
    assert queue.add("Ada")
    assert len(list((queue.folder / "challenges").iterdir())) == limits.CHALLENGES_A_DAY + 2


def test_whoever_had_the_fewest_is_next(league, monkeypatch):
    queue = Queue(league)
    for name in ("Ada", "Ada", "Kurt"):
        queue.add(name)
        queue.ends(name)
    for name in ("Ada", "Kurt", "Grace"):
        queue.add(name)
    queue.challenges._begin(queue.challenges.next())
    queue.add("Grace")
    for name in ("Grace", "Kurt", "Grace", "Ada"):
        queue.ends(name)
    assert queue.challenges.next() is None
    monkeypatch.setattr(limits, "KEPT_CHALLENGES", 2)
    queue.add("Ada")
    queue.ends("Ada")
    assert len(queue.challenges.of("Ada")) == 2


def test_games_of_the_league_go_first(league, monkeypatch):
    queue, begun = Queue(league), []

    async def endless(*_command: str, given: bytes) -> Ended:
        begun.append(json.loads(given))
        queue.run.plays = True
        await asyncio.sleep(1000)
        raise AssertionError

    monkeypatch.setattr(challenges, "run_apart", endless)
    queue.add("Ada")
    asyncio.run(queue.challenges.step())
    assert queue.challenges.next().state == "running" and len(begun) == 1
    asyncio.run(queue.challenges.step())
    assert len(begun) == 1, "nothing begins while the league plays"
    queue.run.plays = False
    monkeypatch.setattr(challenges, "run_apart", played_here)
    monkeypatch.setattr(limits, "CHALLENGE_GAMES", 80)
    monkeypatch.setattr(command, "LocalEngine", lambda *_, **__: InThisProcess(won_by_ada))
    asyncio.run(queue.challenges.step())
    (played,) = queue.challenges.of("Ada")
    assert played.state == "played" and played.result["sprt"]["accepted"] == "H1"
    assert played.result["games"] < 80, "it ends once it is decided"


def won_by_ada(record: GameRecord) -> GameRecord:
    winner = "black" if record.black == "Ada" else "white"
    return replace(record, winner=winner, result=f"{winner[0].upper()}+1.5")


def test_what_cannot_be_played_says_why_and_lets_others_pass(league, monkeypatch):
    queue = Queue(league)
    queue.challenges.add("Ada", queue.artefact, "kit/gone", None)
    asyncio.run(queue.challenges.step())
    (failed,) = queue.challenges.of("Ada")
    assert failed.state == "failed" and failed.problem.startswith("cannot use gone: ")

    codes = [-9, 130, 1]  # 130 by a signal, with the table of what was played so far

    async def stopped(*_command: str, given: bytes) -> Ended:
        return Ended(codes[0], b'{"games": 1}', "")

    monkeypatch.setattr(challenges, "run_apart", stopped)
    queue.add("Kurt")
    for _ in range(limits.MAX_FAILURES):
        assert queue.challenges.next().owner == "Kurt"
        with pytest.raises(challenges.LeagueError, match=f"stopped .exit status {codes[0]}"):
            asyncio.run(queue.challenges.step())
        codes.append(codes.pop(0))
    assert queue.challenges.next() is None


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_full_disk_stops_a_challenge_until_there_is_space(goes_on, league, monkeypatch):
    queue, begun = Queue(league), []

    async def fills_the_disk(*_command: str, given: bytes) -> Ended:
        begun.append(given)
        monkeypatch.setattr(limits, "MIN_FREE_BYTES", 10**18)
        if goes_on:
            await asyncio.sleep(20)
            raise AssertionError("nothing stops it")
        return Ended(2, b"", "python -m tournament play: No space left on device")

    monkeypatch.setattr(challenges, "run_apart", fills_the_disk)
    queue.add("Ada")
    for _ in range(2):
        asyncio.run(queue.challenges.step())
        assert queue.challenges.next().state == "running" and len(begun) == 1
    monkeypatch.setattr(challenges, "run_apart", played_here)
    monkeypatch.setattr(limits, "MIN_FREE_BYTES", 0)
    asyncio.run(queue.challenges.step())
    assert [one.state for one in queue.challenges.of("Ada")] == ["played"]


def test_a_challenge_that_the_disk_does_not_hold_is_refused_as_a_file_is(league, monkeypatch):
    with serving(league, issue_tokens(league)) as server:
        monkeypatch.setattr(limits, "MIN_FREE_BYTES", 10**18)
        answer = asked(server, "Ada", "league/Grace")
        assert answer.status == 507 and "disk is full" in answer.data["problem"]
        monkeypatch.setattr(limits, "MIN_FREE_BYTES", 0)

        def gone(*arguments: object) -> None:
            raise FileNotFoundError("best.onnx")

        monkeypatch.setattr(challenges, "_copy", gone)
        answer = asked(server, "Ada", "league/Grace")
        assert answer.status == 503 and answer.headers["Retry-After"] == "10"
        assert server.as_("Ada").get("/api/challenges").data["challenges"] == []


def test_a_network_may_have_the_name_of_its_rung(league, monkeypatch):
    queue = Queue(league)
    added = queue.challenges.add("mobilenet", queue.artefact, "kit/mobilenet", None)
    monkeypatch.chdir(queue.folder / "challenges" / added.id)
    names = [parse_side(text).name for text in queue.challenges._sides(added)]
    assert names == ["mobilenet", f"mobilenet,visits={limits.CHALLENGE_VISITS}"], "two names"


def test_before_the_first_run_a_match_has_the_rules_of_that_run(tmp_path, monkeypatch):
    served_with, matches = [], []

    async def looks(*_command: str, given: bytes) -> Ended:
        with closing(League(Path(json.loads(given)["folder"]) / "match")) as match:
            matches.append(match.options())
        return Ended(2, b"", "of a test")

    with closing(league_of(tmp_path)) as unplayed:
        folder = unplayed.folder
    monkeypatch.setattr(server_module, "serve", lambda options, *_: served_with.append(options))
    monkeypatch.setattr(challenges, "run_apart", looks)
    tournament("serve", "--league", folder, "--", "--komi", "6.5", "--no-resign")
    queue = Queue(folder, served_with[0].games)
    queue.add("Ada")
    asyncio.run(queue.challenges.step())
    (options,) = matches
    assert (options.komi, options.resign, options.visits) == (6.5, False, limits.CHALLENGE_VISITS)


def test_arguments_of_a_run_are_checked_with_the_rules_that_a_league_has(tmp_path, monkeypatch):
    served_with = []
    monkeypatch.setattr(server_module, "serve", lambda options, *_: served_with.append(options))
    with closing(league_of(tmp_path)) as begun:
        begun.fix_options(replace(OPTIONS, opening_plies=2, max_plies=5))
    tournament("serve", "--league", begun.folder, "--", "--max-plies", "5")
    assert served_with[0].games().opening_plies == 2, "5 plies are too few after the usual opening"


def test_a_kill_leaves_no_files_behind(league):
    queue = Queue(league)
    done, waits = queue.add("Ada"), queue.add("Kurt")
    queue.challenges._change(done, state="failed")  # and killed before its files were removed
    (queue.folder / "challenges" / "0123456789ab" / "own").mkdir(parents=True)
    queue.challenges.tidy()
    left = {path.name: [*path.iterdir()] for path in (queue.folder / "challenges").iterdir()}
    assert set(left) == {done.id, waits.id} and not left[done.id] and len(left[waits.id]) == 2


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children with their parent")
def test_a_match_goes_on_after_a_kill(league):
    """Played by the command itself, against a rung of the kit that has few visits."""
    tokens = issue_tokens(league)
    with served(league) as (first, port, _):
        server = Serving(league, port, tokens)
        wait_for(lambda: answers(server.as_("Ada")))
        assert asked(server, "Ada", "kit/resnet,%201%20visit").status == 202
        match = league / "hand_in" / "challenges" / latest(server, "Ada")["id"] / "match"
        wait_for(lambda: games_in(match))
        playing = list(children_of(first.pid))
        first.kill()
        first.wait()
        wait_for(lambda: not any(map(is_alive, playing)))
    begun = games_in(match)
    with served(league) as (_, port, _):
        server = Serving(league, port, tokens)
        wait_for(lambda: answers(server.as_("Ada")))
        wait_for(lambda: latest(server, "Ada")["state"] == "played")
        told = latest(server, "Ada")
        games = server.as_("Ada").get(f"/api/challenges/{told['id']}").data
    assert begun and begun <= {game["id"] for game in games}
    assert len(games) == told["result"]["games"] and told["words"].startswith("You won ")


def games_in(match: Path) -> set[str]:
    if not (match / "league.sqlite").exists():
        return set()
    with closing(League(match)) as opened:
        return {game.game_id for game in opened.games.rows()}
