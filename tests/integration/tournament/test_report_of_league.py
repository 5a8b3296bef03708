"""The reports of a league's own journal."""

import time
from dataclasses import replace

from rich.console import Console

from tests.fake_arena import file_network, league_of, tiny_network
from tests.fake_standings import game
from tournament.commands.report import report_meanwhile
from tournament.game.job import GameJob
from tournament.game.options import EventOptions
from tournament.game.play import void_record
from tournament.report import build, course_report, ranking_table
from tournament.report.snapshot import snapshot_of


def test_reports_follow_the_journal(tmp_path, capsys):
    league = league_of(tmp_path)
    league.fix_options(EventOptions(visits=100, seed=3))
    league.games.record(game(0, "Ada", "Grace", "black"))
    league.games.record(game(1, "Grace", "Ada", "black", kind="forfeit", reason="Ada: got nan"))
    job = GameJob("g9", "p9", 0, "Ada", "Kurt", "", "", (), 0)
    league.games.record(void_record(job, EventOptions(visits=100), "worker lost"))

    snapshot = snapshot_of(league)
    assert snapshot.title == "League" and snapshot.num_voids == 1
    assert [row.game_id for row in snapshot.games] == ["g000", "g001"]
    assert dict(snapshot.rules)["A move"] == "100 visits"
    assert "GC[Ada: got nan]" in snapshot.sgf("g001")
    written = snapshot.sgf("g000")
    league.games.path_of("g000").write_bytes(b"\xff")
    assert snapshot.sgf("g000") == written
    league.games.path_of("g000").unlink()
    assert snapshot.sgf("g000") == written

    report = build(league)
    assert report.page == league.folder / "site" / "index.html"
    assert "Attempts that broke off here: 1." in report.page.read_text(encoding="utf-8")
    lines = course_report(report.standings)
    assert {line.split()[0] for line in lines} == {"Ada", "Grace", "Kurt"}
    assert "Ada ( 31 ): 1 wins, 2 games played, winrate = 0.500 , sigma = 0.354" in lines
    ranking, games = (path.read_text(encoding="utf-8").splitlines() for path in report.tables)
    assert len(ranking) == 1 + 3 and len(games) == 1 + 2
    Console(width=120).print(ranking_table(report.standings))
    assert "2 of 2 games played." in capsys.readouterr().out


def test_the_game_in_which_a_network_failed_stays_when_its_opponent_is_replaced(tmp_path):
    league = league_of(tmp_path)
    filed = {one.name: one.sha256 for one in league.submissions.current()}
    failed = game(0, "Ada", "Grace", "black", kind="forfeit", reason="Grace: got nan")
    digests = {"black_sha256": filed["Ada"], "white_sha256": filed["Grace"]}
    league.games.record(replace(failed, **digests))
    file_network(league, "Ada", tiny_network(9), tmp_path, replace=True)
    snapshot = snapshot_of(league)
    assert [one.failure.game_id for one in snapshot.taken_out] == ["g000"]
    assert [row.game_id for row in snapshot.struck] == ["g000"]
    page = build(league).page
    (meeting,) = (page.parent / "games").rglob("*.js")
    assert f"game.html#{meeting.stem}/g000" in page.read_text(encoding="utf-8")


def test_the_report_is_written_while_games_are_played(tmp_path):
    league = league_of(tmp_path)
    page = league.folder / "site" / "index.html"

    def waits_for(text: str) -> bool:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if page.exists() and text in page.read_text(encoding="utf-8"):
                return True
            time.sleep(0.05)
        return False

    with report_meanwhile(league.folder, seconds=0.01):
        assert waits_for("0 games ·")
        league.games.record(game(0, "Ada", "Grace", "black"))
        assert waits_for("1 game ·")


def test_reports_before_the_first_game(tmp_path):
    league = league_of(tmp_path)
    report = build(league)
    assert "No game has been played yet." in report.page.read_text(encoding="utf-8")
    assert len(course_report(report.standings)) == 3
