"""Hidden games: until the teacher reveals them, nothing that anybody may read tells of them."""

import csv
import io
import json
import stat
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from golois.go.coords import point_to_sgf
from tests.fake_arena import file_network, league_of, tiny_network
from tests.runs import tournament
from tests.unit.tournament.test_draws import DRAWN, secret_of
from tests.unit.tournament.test_plan import Referee, stronger
from tournament import report
from tournament.errors import OptionsError
from tournament.game.job import GameJob
from tournament.game.play import void_record
from tournament.league.games import Target
from tournament.league.league import League
from tournament.league.settings import FILE, read_settings
from tournament.running.coordinator import run_event
from tournament.running.views import QuietView

REASON = "cyd: got NaN in its head"
MARGIN = "B+77.5"


@dataclass(frozen=True)
class Traces:
    """Words that only somebody who knows the hidden games can say."""

    words: frozenset[str]

    @classmethod
    def of(cls, league: League, jobs: list[GameJob]) -> "Traces":
        words = {job.game_id for job in jobs} | {MARGIN, REASON, secret_of(league), "Games struck"}
        for job in jobs:  # as their SGF has it
            moves = zip("BWBWBW", map(point_to_sgf, job.opening), strict=True)
            words.add("\n".join(f";{colour}[{point}]C[opening]" for colour, point in moves))
        return cls(frozenset(words))

    def found_in(self, texts: list[str]) -> set[str]:
        texts = [text.replace("\\n", "\n") for text in texts]  # SGF inside JSON
        return {word for word in self.words if any(word in text for text in texts)}


def hide(league: League) -> None:
    (league.folder / FILE).write_text('title = "The final"\nhidden = true\n')


def play(league: League, *, fails: str = "", in_game: int = 4) -> list[GameJob]:
    """Games with a margin of their own; a network may fail in one of its games."""

    def decide(job: GameJob) -> dict:
        met = [one for one in referee.jobs if fails in (one.black, one.white)]
        if job in met and len(met) == in_game:
            winner = "black" if job.white == fails else "white"
            return {"winner": winner, "result": f"{winner[0].upper()}+F", "kind": "forfeit",
                    "reason": REASON, "moves": ()}
        return {**stronger(job), "result": MARGIN}

    referee = Referee(decide)
    run_event(league, DRAWN, Target(), referee, QuietView(), referee.clock)
    return referee.jobs


def public_files(league: League) -> list[Path]:
    """All that others may read: the site, and tables with the rights of a web server's files."""
    return [
        path for path in league.folder.rglob("*")
        if path.is_file() and all(
            stat.S_IMODE(place.stat().st_mode) & 0o004
            for place in (path, *path.parents) if league.folder in place.parents
        )
    ]


def public_texts(league: League) -> list[str]:
    """What the public files say, those of archives too."""
    texts = []
    for path in public_files(league):
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                entries = [archive.getinfo(name) for name in archive.namelist()]
                texts += [f"{one.filename} {one.comment}" for one in entries]
                texts += [archive.read(one).decode() for one in entries]
        else:
            texts.append(path.read_bytes().decode(errors="replace"))
    return texts


@pytest.fixture
def league(tmp_path) -> League:
    league = league_of(tmp_path, ("ada", "bob", "cyd"))
    hide(league)
    return league


def test_nothing_public_tells_of_hidden_games_and_all_is_shown_once_revealed(league):
    jobs = play(league, fails="cyd")
    assert [one.name for one in league.submissions.entrants()] == ["ada", "bob"]
    league.games.record(void_record(jobs[0], DRAWN, "the worker died"))
    told = report.build(league)
    traces = Traces.of(league, jobs)
    texts = public_texts(league)
    names = {path.name for path in public_files(league)}
    assert {"index.html", "ranking.csv", "games.zip", "feed.xml", "league.json"} <= names
    assert traces.found_in(texts) == set()
    (draw,) = league.draws.all()
    assert any(draw.commitment in text for text in texts) and draw.secret is None
    index = told.page.read_text()
    assert index.count("no games yet") == 3 and "Hidden." in index and "Provisional" not in index
    assert "broke off here" not in index and league.weeks.placings() == []
    code, out, errors = tournament("reveal", "--league", league.folder)
    assert (code, errors) == (0, "") and out.startswith("everybody may see all games now: ")
    assert traces.found_in(public_texts(league)) == traces.words
    assert [placing.name for placing in league.weeks.placings()] == ["ada", "bob"]
    assert "Hidden." not in told.page.read_text()
    assert "broke off here: 1" in told.page.read_text()


def test_an_export_has_the_tables_of_hidden_games(league, tmp_path):
    jobs = play(league)
    report.build(league)
    assert tournament("export", league.folder, "-o", tmp_path / "all.zip").code == 0
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        games = archive.read("league/games.csv").decode()
        ranking = archive.read("league/ranking.csv").decode()
    assert all(job.game_id in games for job in jobs)
    ratings = {row["name"]: float(row["elo"]) for row in csv.DictReader(io.StringIO(ranking))}
    assert ratings["ada"] > ratings["bob"] > ratings["cyd"]


def test_revealing_again_writes_the_page_that_a_kill_left_out(league):
    jobs = play(league)
    report.build(league)
    traces = Traces.of(league, jobs).words - {REASON, "Games struck"}
    assert league.reveal(), "and then a kill"
    said = tournament("reveal", "--league", league.folder)
    assert (said.code, said.errors) == (0, "") and "everybody may see" not in said.out
    assert Traces(frozenset(traces)).found_in(public_texts(league)) == traces


def test_commands_say_no_more_than_the_page(league):
    jobs = play(league, fails="cyd")
    traces = Traces.of(league, jobs)
    for command in (("report",), ("run", "--visits", "4"), ("season", league.folder)):
        where = () if command[0] == "season" else ("--league", league.folder)
        said = tournament(*command, *where)
        assert traces.found_in([said.out, said.errors]) == set()
        assert said.code == (2 if command[0] == "season" else 0)
    assert "python -m tournament reveal" in tournament("report", "--league", league.folder).out
    summary = (league.folder / "summary.json").read_text()
    assert traces.found_in([summary]) == set()
    assert json.loads(summary)["num_games"] == 0 and json.loads(summary)["not_playing"] == {}


def test_files_of_hidden_games_are_for_the_leagues_user_until_they_are_revealed(league):
    play(league)
    games = league.folder / "games"
    assert stat.S_IMODE(games.stat().st_mode) == 0o700 and list(games.iterdir())
    league.reveal()
    assert stat.S_IMODE(games.stat().st_mode) == stat.S_IMODE(league.folder.stat().st_mode)


def test_games_that_were_shown_stay_and_later_games_are_hidden(tmp_path):
    league = league_of(tmp_path, ("ada", "bob"))
    play(league)
    before = report.build(league)
    hide(league)
    file_network(league, "cyd", tiny_network(7), tmp_path)
    jobs = play(league, fails="bob", in_game=2)
    after = report.build(league)
    texts = public_texts(league)
    assert not any(job.game_id in text for job in jobs for text in texts)
    shown = {row.name: (row.elo, str(row.score)) for row in after.standings.played}
    assert shown == {row.name: (row.elo, str(row.score)) for row in before.standings.played}
    assert [row.name for row in after.standings.rows] == ["ada", "bob", "cyd"]
    assert not after.standings.snapshot.taken_out
    league.reveal()
    revealed = report.build(league).standings
    assert [one.name for one in revealed.snapshot.taken_out] == ["bob"]
    assert {row.name for row in revealed.played} == {"ada", "cyd"}
    file_network(league, "dan", tiny_network(8), tmp_path)
    later = play(league)
    report.build(league)
    assert not any(job.game_id in text for job in later for text in public_texts(league))


def test_a_network_that_had_failed_before_stays_taken_out(tmp_path):
    league = league_of(tmp_path, ("ada", "bob", "cyd"))
    play(league, fails="cyd")
    report.build(league)
    hide(league)
    file_network(league, "dan", tiny_network(7), tmp_path)
    play(league)
    standings = report.build(league).standings
    assert [one.name for one in standings.snapshot.taken_out] == ["cyd"]
    with league.hidden.as_published() as is_hidden:
        assert is_hidden
        status = {one.name: one.status for one in league.submissions.current()}
    assert status == {"ada": "active", "bob": "active", "cyd": "suspended", "dan": "active"}


def test_without_the_setting_nothing_is_hidden(tmp_path):
    league = league_of(tmp_path)
    play(league)
    with league.hidden.as_published() as is_hidden:
        assert not is_hidden and league.games.count() == 6
    assert league.draws.all()[0].secret is not None
    assert not league.reveal()


def test_who_may_only_read_the_league_sees_no_more(league, monkeypatch):
    jobs = play(league)
    league.close()
    monkeypatch.setattr("os.access", lambda path, mode: False)
    said = tournament("report", "--league", league.folder)
    assert said.code == 0 and "reveal" in said.out
    assert Traces.of(league, jobs).found_in([said.out]) == set()


@pytest.mark.parametrize("value", ['"yes"', "1"])
def test_hidden_is_true_or_false(league, value):
    (league.folder / FILE).write_text(f"hidden = {value}\n")
    with pytest.raises(OptionsError, match="hidden must be true or false"):
        read_settings(league.folder)
