"""The reports of a league's own journal."""

from rich.console import Console

from tests.fake_arena import league_of
from tests.fake_standings import game
from tournament.game import void_record
from tournament.options import EventOptions
from tournament.report import build_site, course_lines, terminal_table, write_csv
from tournament.report.snapshot import snapshot_of
from tournament.schedule import GameJob


def test_reports_follow_the_journal(tmp_path, capsys):
    league = league_of(tmp_path)
    league.fix_options(EventOptions(visits=100, seed=3))
    league.record_game(game(0, "Ada", "Grace", "black"))
    league.record_game(game(1, "Grace", "Ada", "black", kind="forfeit", reason="Ada: got nan"))
    job = GameJob("g9", "p9", 0, "Ada", "Kurt", "", "", (), 0)
    league.record_game(void_record(job, EventOptions(visits=100), "worker lost"))

    snapshot = snapshot_of(league)
    assert snapshot.title == "League" and snapshot.num_voids == 1
    assert [row.game_id for row in snapshot.games] == ["g000", "g001"]
    assert dict(snapshot.rules)["A move"] == "100 visits"
    assert snapshot.record("g001").reason == "Ada: got nan"

    page = build_site(league)
    assert page == league.folder / "site" / "index.html"
    assert "Attempts that broke off here: 1." in page.read_text(encoding="utf-8")
    lines = course_lines(league)
    assert {line.split()[0] for line in lines} == {"Ada", "Grace", "Kurt"}
    assert "Ada ( 31 ): 1 wins, 2 games played, winrate = 0.500 , sigma = 0.354" in lines
    assert all(path.is_file() for path in write_csv(league))
    Console(width=120).print(terminal_table(league))
    assert "2 of 2 games played." in capsys.readouterr().out


def test_reports_before_the_first_game(tmp_path):
    league = league_of(tmp_path)
    assert "No game has been played yet." in build_site(league).read_text(encoding="utf-8")
    assert len(course_lines(league)) == 3
