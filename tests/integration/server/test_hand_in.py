"""From a file on the network to a network in the league, and what its author is told meanwhile."""

import asyncio
import hashlib
import json
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from submit import main as submit_main
from tests.data import ROOT
from tests.fake_arena import file_network, league_of, tiny_network
from tests.runs import Said, called, tournament
from tests.serving import (
    NETWORK,
    Client,
    Serving,
    copy_network,
    issue_tokens,
    network,
    serving,
    wait_for,
)
from tournament.league.league import League
from tournament.league.settings import read_deadline, term_of
from tournament.server import judging, limits
from tournament.server.desk import Desk
from tournament.server.ledger import open_ledger
from tournament.server.mail import deliver
from tournament.server.tokens import EMAILS, Tokens

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
from tournament.server import live_site  # noqa: E402
from tournament.server.live_site import LiveSite, _state  # noqa: E402


@pytest.fixture(autouse=True)
def judged_quickly(quick, monkeypatch):
    monkeypatch.setattr(judging, "COMMAND", quick)
    monkeypatch.setattr(limits, "POLL_SECONDS", 0.05)


def test_the_site_is_built_anew_after_a_message_or_an_anchor(tmp_path):
    league = league_of(tmp_path)
    states = [_state(league)]
    ada, *_ = league.submissions.current()
    league.submissions.note_message("Ada", ada.manifest, "a wider trunk")
    states.append(_state(league))
    league.submissions.set_anchor("Ada", 100.0)
    states.append(_state(league))
    assert states[0] != states[1] != states[2] == _state(league)


def test_the_networks_are_read_only_where_the_league_has_changed(tmp_path, monkeypatch):
    league, read, built = league_of(tmp_path), [], []

    async def built_anew(folder: Path) -> None:
        built.append(folder)

    def noted(league: League) -> object:
        read.append(league)
        return _state(league)

    monkeypatch.setattr(live_site, "report_apart", built_anew)
    monkeypatch.setattr(live_site, "_state", noted)
    site = LiveSite(league, Desk(), pause_seconds=0.0)

    def looks() -> tuple[int, int]:
        for _ in range(3):
            asyncio.run(site.refresh())
        return len(read), len(built)

    assert looks() == (1, 1)
    with closing(League(league.folder)) as other:
        other.submissions.set_anchor("Ada", 100.0)
    assert looks() == (2, 2)
    league.submissions.set_anchor("Ada", None)
    assert looks() == (3, 3)


def submit(server: Serving, name: str, path: Path, *options: str) -> Said:
    """What submit.py --to says; the token is in the environment."""
    where = ("--to", f"http://127.0.0.1:{server.port}", *options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOURNAMENT_TOKEN", server.tokens.get(name, name))
        return called(submit_main, path, *where)


def active(league: Path) -> dict[str, str]:
    """The networks that play, by name."""
    return {entrant.name: entrant.sha256 for entrant in League(league).submissions.entrants()}


def test_a_good_file_counts_and_a_bad_one_says_why(server, tmp_path, monkeypatch):
    monkeypatch.undo()  # the intake itself, this once
    monkeypatch.setattr(limits, "POLL_SECONDS", 0.05)
    good = submit(server, "Ada", copy_network(tmp_path, 1))
    assert (good.code, good.out.splitlines()[-1]) == (0, "Accepted: this is the file that counts.")
    assert "95,987" in good.out
    bad = submit(server, "Ada", ROOT / "README.md")
    assert bad.code == 2 and "1. the file is not an HDF5 file" in bad.out
    assert "save the model again with Keras itself" in bad.out
    files = server.as_("Ada").get("/api/uploads").data
    assert [(upload["file"], upload["state"]) for upload in files] == [
        ("README.md", "refused"), ("net1.h5", "accepted")
    ]
    assert active(server.league)["Ada"] == files[1]["sha256"]
    assert server.tokens["Ada"] not in good.out + good.errors + bad.out + bad.errors


def test_a_message_is_seen_by_its_author_the_teacher_and_the_league(server, tmp_path):
    said = "tried <b>SE</b> blocks, 第一"
    assert submit(server, "Kurt", copy_network(tmp_path, 7), "-m", said).code == 0
    assert server.as_("Kurt").get("/api/uploads").data[0]["message"] == said
    students = server.as_("Emmy").get("/api/teacher").data["students"]
    assert {one["name"]: one["last"]["message"] for one in students if one["last"]}["Kurt"] == said
    filed = {one.name: one.message for one in League(server.league).submissions.current()}
    assert filed["Kurt"] == said
    file_network(League(server.league), "Kurt", tiny_network(7), tmp_path, replace=True)
    assert submit(server, "Kurt", copy_network(tmp_path, 7), "-m", "of my own").code == 0
    of_kurt = [one for one in League(server.league).submissions.all() if one.name == "Kurt"]
    assert {one.status: one.message for one in of_kurt} == {"superseded": "of my own", "active": ""}
    body, kept = network(8), len(server.as_("Kurt").get("/api/uploads").data)
    answer = server.as_("Kurt").ask("POST", "/api/uploads", body, X_Message="two%0Alines")
    assert answer.status == 400 and "one line of at most 200" in answer.data["problem"]
    assert len(server.as_("Kurt").get("/api/uploads").data) == kept


def test_a_student_is_told_of_a_verdict_by_e_mail(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MAIL_SECONDS", 0.05)
    league = tmp_path / "league"
    tokens = issue_tokens(league)
    Tokens(open_ledger(league)).note(EMAILS, {"Ada": "ada@example.edu"})
    (league / "league.toml").write_text('[mail]\nfrom = "go@example.edu"\n')
    League(league).close()
    deliver(league)  # the first call tells nothing
    with serving(league, tokens) as server:
        upload = server.as_("Ada").hand_in(b"no network").data["id"]
        letter = league / "mail" / f"refused-{upload}.eml"
        wait_for(letter.exists)
        assert b"To: ada@example.edu\r\n" in letter.read_bytes()


def test_the_token_may_be_in_a_file_and_the_verdict_json(server, tmp_path):
    (tmp_path / "token").write_text(server.tokens["Grace"] + "\n")
    said = submit(
        server, "", copy_network(tmp_path, 2), "--token-file", str(tmp_path / "token"), "--json"
    )
    assert said.code == 0
    verdict = json.loads(said.out)
    assert verdict["accepted"] and verdict["filed"]
    assert verdict["manifest"]["parameters_total"] == 95987


def test_a_wrong_token_and_options_that_the_server_decides_are_one_sentence(server):
    answer = submit(server, "wrong", NETWORK)
    assert answer.refusal.startswith("submit.py: ") and "no valid token" in answer.refusal
    assert "wrong" not in answer.refusal
    answer = submit(server, "Ada", NETWORK, "--max-params", "200000", "--check-only")
    assert "--check-only, --max-params cannot be given with --to: " in answer.refusal


def test_nobody_sees_the_files_of_others(server):
    mine = server.as_("Kurt").hand_in(b"kurt's own").data
    for name, status in (("Ada", 404), ("Emmy", 403)):
        assert server.as_(name).get(f"/api/uploads/{mine['id']}").status == status
    others = server.as_("Grace").get("/api/uploads").data
    assert mine["id"] not in {upload["id"] for upload in others}
    assert server.anybody.get("/api/uploads").status == 401
    for path in ("/api/teacher", "/api/teacher/export"):
        assert server.as_("Kurt").get(path).status == 403
    for path in ("/api/teacher/start", "/api/teacher/pause"):
        assert server.as_("Kurt").ask("POST", path).status == 403


def test_a_long_history_comes_in_pages(tmp_path, monkeypatch):
    league = tmp_path / "league"
    tokens = issue_tokens(league)
    monkeypatch.setattr(limits, "PAGE", 2)
    monkeypatch.setattr(judging, "COMMAND", ("-c", "import time; time.sleep(60)"))
    with serving(league, tokens) as server:
        ada = server.as_("Ada")
        ids = [ada.hand_in(f"{number}".encode()).data["id"] for number in range(3)]
        latest = ada.get("/api/uploads")
        assert [upload["id"] for upload in latest.data] == ids[:0:-1]
        assert latest.headers["Link"] == f'<uploads?before={ids[1]}>; rel="next"'
        earlier = ada.get(f"/api/uploads?before={ids[1]}")
        assert [upload["id"] for upload in earlier.data] == ids[:1]
        assert earlier.headers["Link"] is None
        for name, before in (("Kurt", ids[1]), ("Ada", "nothing")):
            assert server.as_(name).get(f"/api/uploads?before={before}").status == 404


def test_a_name_that_clashes_is_told_before_the_file_is_judged(tmp_path, monkeypatch):
    monkeypatch.setattr(judging, "COMMAND", ("-c", "raise OSError('nothing is judged')"))
    opened = League(tmp_path / "league")
    for number, name in enumerate(("AIice", "Kurt")):  # from before there were tokens
        file_network(opened, name, tiny_network(number), tmp_path)
    opened.submissions.withdraw("Kurt")
    said = {"Alice": "Alice looks like AIice", "Kurt": "Kurt no longer plays: it was withdrawn on"}
    with serving(opened.folder, issue_tokens(opened.folder, ("Alice", "Kurt"))) as server:
        for name, words in said.items():
            answer = server.as_(name).hand_in(network(0))
            assert answer.status == 409
            assert words in answer.data["problem"] and "ask your teacher" in answer.data["problem"]
            assert server.as_(name).get("/api/uploads").data == []


@pytest.mark.slow
def test_files_after_the_deadline_wait_for_the_next_one(tmp_path):
    league = tmp_path / "league"
    tokens = issue_tokens(league)
    passed = read_deadline("2020-01-01 00:00 Europe/Paris")
    with serving(league, tokens, deadline=passed) as server:
        assert "Europe/Paris" in server.anybody.get("/api/league").data["deadline"]
        ids = [server.as_("Ada").hand_in(network(number)).data["id"] for number in (1, 2)]
        late = server.as_("Ada").verdict(ids[1])
        assert (late["state"], late["standing"]) == ("accepted", "waits")
        assert "waits for the next week" in late["words"]
        assert active(league) == {}
    with serving(league, tokens, deadline=read_deadline("2999-01-01T00:00:00Z")) as server:
        assert server.as_("Ada").verdict(ids[1])["standing"] == "counts"
        assert active(league) == {"Ada": late["sha256"]}
        assert server.as_("Ada").get(f"/api/uploads/{ids[0]}").data["standing"] == "replaced"


@pytest.mark.slow
def test_the_league_knows_when_a_file_was_handed_in(tmp_path):
    """And not when it was filed, which in a term is after the deadline."""
    league, times = tmp_path / "league", ["2026-10-05T12:34:56.789000+00:00"]
    tokens = issue_tokens(league)
    term = term_of({"zone": "UTC", "deadlines": ["2026-10-09 23:59"]})
    with serving(league, tokens, term=term, now=lambda: times[0]) as server:
        ada = server.as_("Ada")
        upload = ada.hand_in(network(1)).data
        assert ada.verdict(upload["id"])["standing"] == "waits"
        (said,) = ada.get("/api/plays").data
        assert said.startswith("The file net.h5 of 2026-10-05 12:34 UTC plays at the deadline, Fri")
        assert ada.hand_in(b"no network").status == 202
        students = server.as_("Emmy").get("/api/teacher").data["students"]
        assert {one["name"]: one["plays"] for one in students}["Ada"] == [said]
        times[0] = "2026-10-10T00:00:05.000000+00:00"
        filed = wait_for(lambda: League(league).submissions.current())
        assert [one.submitted_at for one in filed] == ["2026-10-05T12:34:56+00:00"]
        known = ["In the league: net.h5 of 2026-10-05 12:34 UTC."]
        wait_for(lambda: ada.get("/api/plays").data == known)


def test_a_failing_intake_is_said_and_the_file_is_kept(tmp_path, monkeypatch, quick):
    monkeypatch.setattr(judging, "COMMAND", ("-c", "raise OSError('no memory')"))
    monkeypatch.setattr(limits, "RETRY_SECONDS", 0.01)
    league = tmp_path / "league"
    with serving(league, issue_tokens(league)) as server:
        upload = server.as_("Ada").hand_in(network(1)).data
        verdict = server.as_("Ada").verdict(upload["id"])
        assert verdict["state"] == "unjudged" and "The file is not the reason" in verdict["words"]
        assert (league / "hand_in" / "uploads" / f"{upload['id']}.h5").exists()
        monkeypatch.setattr(judging, "COMMAND", quick)
        again = server.as_("Ada").hand_in(network(1)).data
        assert server.as_("Ada").verdict(again["id"])["standing"] == "counts"


def test_hand_ins_at_the_same_time_are_all_kept(server):
    jobs = [(name, f"{name} {i % 2}".encode()) for name in ("Kurt", "Grace") for i in range(4)]

    def send(job: tuple[str, bytes]) -> str:
        """Sends once, and again while another one of the same student is on its way."""

        def sent() -> str | None:
            answer = server.as_(job[0]).hand_in(job[1])
            assert answer.status == 202 or "another file of yours" in answer.data["problem"]
            return answer.data["sha256"] if answer.status == 202 else None

        return wait_for(sent)

    with ThreadPoolExecutor(8) as pool:
        stored = list(pool.map(send, jobs))
    assert stored == [hashlib.sha256(content).hexdigest() for _, content in jobs]
    for name in ("Kurt", "Grace"):
        kept = {upload["sha256"] for upload in server.as_(name).get("/api/uploads").data}
        assert {hashlib.sha256(content).hexdigest() for who, content in jobs if who == name} <= kept


def test_the_teacher_renews_and_revokes_tokens(server):
    emmy, kurt = server.as_("Emmy"), server.as_("Kurt")
    made = emmy.ask("POST", "/api/teacher/tokens/Kurt")
    assert made.status == 200 and kurt.get("/api/me").status == 401
    renewed = Client(server.port, made.data["token"])
    assert renewed.get("/api/me").data["name"] == "Kurt"
    assert renewed.ask("POST", "/api/teacher/tokens/Ada").status == 403
    assert emmy.ask("DELETE", "/api/teacher/tokens/Kurt").status == 200
    assert renewed.get("/api/me").status == 401
    for method, name in (("DELETE", "Kurt"), ("DELETE", "Emmy"), ("POST", "Emmy"), ("POST", "a b")):
        refused = emmy.ask(method, f"/api/teacher/tokens/{quote(name)}")
        assert refused.status == 409 and refused.data["problem"]
    server.tokens["Kurt"] = emmy.ask("POST", "/api/teacher/tokens/Kurt").data["token"]
    assert server.as_("Kurt").get("/api/me").status == 200


@pytest.mark.slow
def test_the_teacher_sees_everybody_and_exports_a_league_that_can_be_restored(server, tmp_path):
    ada = server.as_("Ada")
    assert ada.verdict(ada.hand_in(network(9)).data["id"])["standing"] == "counts"
    overview = server.as_("Emmy").get("/api/teacher").data
    students = {student["name"]: student for student in overview["students"]}
    assert students.keys() == {"Ada", "Grace", "Kurt"}
    assert students["Ada"]["network"]["status"] == "active"
    assert 0 < overview["disk"]["free"] < overview["disk"]["total"]
    answer = server.as_("Emmy").get("/api/teacher/export")
    assert answer.status == 200 and 'filename="league.zip"' in answer.headers["Content-Disposition"]
    archive = tmp_path / "export.zip"
    archive.write_bytes(answer.body)
    assert not [name for name in zipfile.ZipFile(archive).namelist() if "hand_in" in name]
    assert tournament("import", archive, "--into", tmp_path / "restored")[0] == 0
    assert active(tmp_path / "restored" / "league") == active(server.league)
    wait_for(lambda: not list((server.league / "hand_in" / "parts").iterdir()))
