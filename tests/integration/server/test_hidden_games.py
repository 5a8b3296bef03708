"""Hidden games behind a server: no request that a student can make is answered with any of them."""

import re
from pathlib import Path

import pytest

from tests.runs import tournament
from tests.serving import Serving, issue_tokens, network, serving, wait_for
from tests.terms import TERM, WEEKS, Machine, after_the_first_deadline
from tests.unit.tournament.test_hidden import REASON, Traces, hide, play, public_texts
from tournament import report
from tournament.errors import LeagueError
from tournament.league.league import League
from tournament.league.settings import FILE
from tournament.server import judging
from tournament.server.service import ServerOptions

pytest.importorskip("fastapi")


@pytest.fixture
def league(tmp_path) -> Path:
    """A league of three networks that is a final, and whose games are hidden."""
    folder = tmp_path / "league"
    hide(League(folder))
    return folder


def routes(league: Path, upload: str) -> list[str]:
    """Every address that answers GET, with an upload in the place of each parameter."""
    from tournament.server.serving import create_app

    app = create_app(ServerOptions(league))._app
    included = [getattr(one, "original_router", None) for one in app.routes]  # of newer FastAPI
    found = [*app.routes, *(route for router in included if router for route in router.routes)]
    paths = [one.path for one in found if "GET" in (getattr(one, "methods", None) or ())]
    site = [
        f"/site/{path.relative_to(league / 'site')}" for path in (league / "site").rglob("*")
    ]
    assert {"/api/league", "/api/plays", "/api/uploads/{upload_id}", "/site"} <= set(paths)
    assert "/site/index.html" in site
    return [re.sub(r"{[^}]*}", upload, path) for path in [*paths, *site, "/site/"]]


def answers(server: Serving, upload: str) -> list[str]:
    """What anybody, each student and no teacher is told at every address."""
    askers = [server.anybody, *(server.as_(name) for name in ("Ada", "Grace", "Kurt"))]
    asked = [asker.get(path) for path in routes(server.league, upload) for asker in askers]
    assert {200, 401, 403} <= {answer.status for answer in asked}
    return [f"{answer.headers}{answer.body.decode(errors='replace')}" for answer in asked]


def test_no_route_tells_a_student_of_hidden_games(league, quick, monkeypatch):
    monkeypatch.setattr(judging, "COMMAND", quick)
    with serving(league, issue_tokens(league), builds_site=True) as server:
        for number, name in enumerate(("Ada", "Grace", "Kurt")):
            hand_in_what_counts(server, name, number)
        opened = League(league)
        jobs = play(opened, fails="Kurt")
        traces = Traces.of(opened, jobs)
        assert [one.name for one in opened.submissions.entrants()] == ["Ada", "Grace"]
        index = league / "site" / "index.html"
        wait_for(lambda: index.exists() and "Hidden." in index.read_text())
        for number in (3, 2):  # another file, and the network that has failed once more
            upload = server.as_("Kurt").hand_in(network(number)).data["id"]
        wait_for(lambda: not server.as_("Emmy").get("/api/teacher").data["waiting"])
        told = answers(server, upload)
        assert traces.found_in(told) == set()
        (draw,) = opened.draws.all()
        assert any(draw.commitment in text for text in told) and draw.secret is None
        assert "In the league: " in str(server.as_("Kurt").get("/api/plays").data)
        teacher = server.as_("Emmy").get("/api/teacher").data
        (kurt,) = [one for one in teacher["students"] if one["name"] == "Kurt"]
        assert REASON in kurt["network"]["note"] and teacher["games"]["played"]
        assert tournament("reveal", "--league", league).code == 0
        wait_for(lambda: "Hidden." not in index.read_text())
        assert traces.words <= traces.found_in([*answers(server, upload), *public_texts(opened)])
        kurt_told = wait_for(lambda: refused(server, upload))
        assert "failed in game" in str(kurt_told["faults"])


def hand_in_what_counts(server: Serving, name: str, number: int) -> None:
    upload = server.as_(name).hand_in(network(number)).data["id"]
    wait_for(lambda: server.as_(name).verdict(upload)["standing"] == "counts")


def refused(server: Serving, upload: str):
    told = server.as_("Kurt").get(f"/api/uploads/{upload}").data
    return told if told["state"] == "refused" else None


@pytest.mark.usefixtures("filed_at_once", "played")
def test_of_a_term_the_last_week_is_hidden(folder):
    (folder / FILE).write_text(f"hidden = true\n{TERM}")
    machine = after_the_first_deadline(folder, 4)
    machine.steps()
    machine.clock.set("2026-10-31 12:00")
    machine.steps()
    assert machine.weeks() == [(week, True) for week in WEEKS[:3]]
    before = {row.game_id for row in machine.league.games.rows()}
    machine.hand_in_all(2, 2)
    machine.clock.set("2026-11-07 12:00")
    machine.steps()
    machine.league.hidden.guard_files()  # as a run does that plays its games
    assert machine.weeks()[-1] == (WEEKS[3], False)
    hidden = {row.game_id for row in machine.league.games.rows()} - before
    assert hidden and machine.league.hidden.are_any()
    with pytest.raises(LeagueError, match="are hidden: show them with"):
        report.keep(machine.league)
    report.build(machine.league)
    texts = public_texts(machine.league)
    assert not any(game_id in text for game_id in hidden for text in texts)
    assert {placing.week for placing in machine.league.weeks.placings()} == set(WEEKS[:3])
    said = tournament("season", folder, "--grades", "rank")
    assert WEEKS[3] not in said.out and said.code == 0
    (folder / FILE).write_text(f"hidden = true\n{TERM.replace('2026-11-06', '2026-11-13')}")
    Machine(folder, machine.clock).steps()
    assert machine.weeks()[-1] == (WEEKS[3], False), "a later deadline does not reveal"
    assert machine.league.hidden.are_any()
    assert tournament("reveal", "--league", folder).code == 0
    Machine(folder, machine.clock).steps()
    assert machine.weeks()[-1] == (WEEKS[3], True)
    texts = public_texts(machine.league)
    assert all(any(game_id in text for text in texts) for game_id in hidden)
    assert {placing.week for placing in machine.league.weeks.placings()} == set(WEEKS)


