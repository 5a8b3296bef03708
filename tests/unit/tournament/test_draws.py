"""The seed of a league: committed to before anybody's games are decided, revealed after them."""

import asyncio
import hashlib
import json
import re
import stat
import zipfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.data import ROOT
from tests.fake_arena import OPTIONS, file_network, league_of, tiny_network
from tests.runs import tournament
from tests.unit.tournament.test_plan import Referee
from tournament.errors import LeagueError, OptionsError
from tournament.game.options import EventOptions
from tournament.league.draws import commitment_of, seed_of
from tournament.league.games import Target
from tournament.league.league import League
from tournament.report import build
from tournament.report.league_zip import export_leagues, import_leagues
from tournament.report.snapshot import snapshot_of
from tournament.running.coordinator import run_event
from tournament.running.opening_book import load_openings
from tournament.running.plan import scheduled_jobs
from tournament.running.schedule import pairings
from tournament.running.views import QuietView
from tournament.server.desk import Desk
from tournament.server.service import ServerOptions
from tournament.server.student_api import league as about_league
from tournament.server.term import Calendar

DRAWN = EventOptions(visits=4)
CHECK = ROOT / "examples" / "check_draw.py"


@pytest.fixture
def league(tmp_path) -> League:
    """Files and artefacts have different digests, as in every real league."""
    league = League(tmp_path / "league")
    for seed, name in enumerate(("Ada", "Grace", "Kurt")):
        file_network(league, name, tiny_network(seed), tmp_path, file=name.encode())
    return league


def run(league: League, referee: Referee | None = None, rounds: int = 1) -> None:
    referee = referee or Referee()
    run_event(league, DRAWN, Target(rounds), referee, QuietView(), referee.clock)


def secret_of(league: League) -> str:
    [path] = (league.folder / "secrets").iterdir()
    return path.read_text()


def public_texts(league: League, folder: Path) -> list[bytes]:
    """All that others get to see of a league: page, archive, and what the server says."""
    build(league)
    export_leagues([league], folder / "league.zip")
    with zipfile.ZipFile(folder / "league.zip") as archive:
        texts = [archive.read(name) for name in archive.namelist()]
        assert not any("secrets" in name for name in archive.namelist())
    texts += [path.read_bytes() for path in (league.folder / "site").rglob("*") if path.is_file()]
    parts = SimpleNamespace(
        league=league,
        for_league=Desk(),
        title="Weekly",
        calendar=Calendar(lambda: "2026-11-22T18:00:00Z"),
        options=ServerOptions(league.folder),
    )
    texts.append(str(asyncio.run(about_league(parts))).encode())
    texts += [path.read_bytes() for path in league.folder.glob("league.sqlite*")]
    return texts


def test_the_hash_is_public_with_the_first_network_and_the_secret_is_not(league, tmp_path):
    secret = secret_of(league)
    assert len(bytes.fromhex(secret)) == 32
    [draw] = league.draws.all()
    assert (draw.commitment, draw.networks, draw.secret) == (commitment_of(secret), (), None)
    jobs = scheduled_jobs(league, DRAWN, 1)
    for published in (public_texts(league, tmp_path), [repr(jobs).encode()]):
        assert not any(secret.encode() in text for text in published)
    shown = [text for text in public_texts(league, tmp_path) if draw.commitment.encode() in text]
    assert len(shown) >= 5, "page, JSON, archive, server and journal"


def test_only_its_user_can_read_the_secret(league):
    folder = league.folder / "secrets"
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())]
    assert modes == [0o700, 0o600]


def test_the_seed_is_a_function_of_the_secret_and_of_all_names(league):
    [secret, entrants] = [secret_of(league), league.submissions.entrants()]
    names = [entrant.name for entrant in entrants]
    seed = seed_of(secret, names)
    assert league.draws.seeds(entrants) == dict.fromkeys(names, seed)
    text = "\n".join([secret, *sorted(names)])
    assert seed == hashlib.sha256(text.encode()).hexdigest() == seed_of(secret, names[::-1])
    assert seed != seed_of(secret, names[1:])
    book = load_openings(DRAWN.opening_plies)
    seeds = dict.fromkeys(names, seed)
    assert scheduled_jobs(league, DRAWN, 2) == pairings(entrants, 2, seeds, book)


def test_two_leagues_of_the_same_networks_have_other_games(league, tmp_path):
    (tmp_path / "other").mkdir()
    other = league_of(tmp_path / "other")
    ids = [{job.game_id for job in scheduled_jobs(one, DRAWN, 1)} for one in (league, other)]
    assert not ids[0] & ids[1]


def test_the_secret_is_published_with_the_table_and_what_the_docs_say_checks_it(
    league, tmp_path, monkeypatch, capsys
):
    secret = secret_of(league)
    run(league, rounds=3)
    [draw] = league.draws.all()
    assert draw.secret == secret and len(draw.networks) == 3
    assert f"secret {secret}, its SHA-256 {draw.commitment}" in " ".join(report_of(league).split())
    assert secret in (league.folder / "site" / "index.html").read_text(encoding="utf-8")
    snippet = CHECK.read_text("utf-8")
    monkeypatch.chdir(league.folder / "site")
    capsys.readouterr()
    exec(snippet, {})
    assert capsys.readouterr().out == "18 games follow from 3 drawn names\n"
    site = Path("league.json")
    for true, false in ((secret, secret[::-1]), (league.games.rows()[0].game_id, "0" * 16)):
        published = site.read_text()
        site.write_text(published.replace(true, false))
        with pytest.raises(AssertionError):
            exec(snippet, {})
        site.write_text(published)
    file_network(league, "Ada", tiny_network(8), tmp_path, file=b"8", replace=True)
    file_network(league, "Emmy", tiny_network(7), tmp_path, file=b"7")
    report_of(league)
    exec(snippet, {})  # of the games that still count; nothing is drawn for these two yet


@pytest.mark.parametrize("options", [DRAWN, OPTIONS], ids=["drawn", "chosen"])
def test_a_changed_file_draws_nothing_anew(league, tmp_path, options):
    """Neither before nor after the secret is published; nor does one of a new training."""
    before = scheduled_jobs(league, options, 3)
    league.fix_options(options)
    file_network(league, "Ada", tiny_network(8), tmp_path, file=b"changed", replace=True)
    assert luck_of(scheduled_jobs(league, options, 3)) == luck_of(before)
    run_event(league, options, Target(1), referee := Referee(), QuietView(), referee.clock)
    file_network(league, "Ada", tiny_network(9), tmp_path, file=b"once more", replace=True)
    after = scheduled_jobs(league, options, 3)
    assert luck_of(after) == luck_of(before)
    own, others = (
        {job.game_id for job in before if ("Ada" in (job.black, job.white)) is of_ada}
        for of_ada in (True, False)
    )
    ids = {job.game_id for job in after}
    assert others <= ids and not own & ids, "games of another network are other games"


def luck_of(jobs):
    return [(job.black, job.white, job.opening, job.seed, job.round) for job in jobs]


def test_a_league_that_drew_for_artefacts_goes_on_so(league, tmp_path, monkeypatch):
    """One that an earlier version began: its games, and what the docs say checks them."""
    league.fix_options(DRAWN)
    with league.at_one_moment() as journal:
        pass
    with journal.transaction():
        journal.set_header("networks_known_by", "artefact")
    run(league)
    identities = tuple(sorted(one.artefact for one in league.submissions.entrants()))
    [draw] = league.draws.all()
    assert draw.networks == identities
    seeds = dict.fromkeys(identities, seed_of(draw.secret, identities))
    old = [replace(one, lucky_by_name=False) for one in league.submissions.entrants()]
    book = load_openings(DRAWN.opening_plies)
    assert scheduled_jobs(league, DRAWN, 1) == pairings(old, 1, seeds, book)
    build(league)
    snippet = CHECK.read_text("utf-8")
    monkeypatch.chdir(league.folder / "site")
    exec(snippet, {})
    site = Path("league.json")
    site.write_text(re.sub(r', "lucky_by_name": \w+', "", site.read_text()))
    exec(snippet, {})  # as the earlier version published it


def test_what_checks_a_draw_knows_networks_as_the_league_does(league):
    """One that was begun when networks were known by their files has no artefacts for it."""
    run(league)
    build(league)
    entrants = {one.name: one.artefact for one in league.submissions.entrants()}
    assert artefacts_in(league) == entrants and None not in entrants.values()
    with league.at_one_moment() as journal:
        pass
    with journal.transaction():
        journal.execute("DELETE FROM header WHERE key = 'networks_known_by'")
    build(league)
    assert artefacts_in(league) == dict.fromkeys(entrants)


def artefacts_in(league: League) -> dict[str, str | None]:
    published = json.loads((league.folder / "site" / "league.json").read_text())
    return {row["name"]: row["artefact"] for row in published["ranking"]}


def report_of(league: League) -> str:
    code, out, errors = tournament("report", "--league", league.folder)
    assert (code, errors) == (0, "")
    return out


def test_a_stopped_run_goes_on_with_the_same_games_and_keeps_the_secret_until_the_end(league):
    first, second = Referee(stop_after=3), Referee()
    with pytest.raises(KeyboardInterrupt):
        run(league, first)
    assert league.draws.all()[0].secret is None
    jobs = scheduled_jobs(league, DRAWN, 1)
    run(league, second)
    assert first.jobs + second.jobs == jobs
    assert [draw.secret for draw in league.draws.all()] == [secret_of(league)]


def test_a_run_that_is_refused_closes_no_draw(league, tmp_path):
    run(league)
    file_network(league, "Emmy", tiny_network(7), tmp_path)
    draws = league.draws.all()
    with pytest.raises(OptionsError, match="already has other options"):
        run_event(league, EventOptions(visits=5), Target(1), Referee(), QuietView())
    assert league.draws.all() == draws and not draws[-1].networks


def test_who_comes_after_the_secret_was_published_gets_another_draw(league, tmp_path):
    run(league)
    before = {job.game_id: job.opening for job in scheduled_jobs(league, DRAWN, 1)}
    file_network(league, "Ada", tiny_network(0), tmp_path, file=b"Ada's again")
    assert len(league.draws.all()) == 1, "the network has a draw already"
    file_network(league, "Emmy", tiny_network(7), tmp_path, file=b"Emmy")
    first, second = league.draws.all()
    assert first.secret and (second.networks, second.secret) == ((), None)
    run(league)
    after = {job.game_id: job.opening for job in scheduled_jobs(league, DRAWN, 1)}
    assert before.items() <= after.items() and len(after) == 12
    assert league.games.count() == 12, "the games of the others stay"
    [first, second] = league.draws.all()
    assert second.networks == ("Emmy",) and second.secret
    drawn = [*first.networks, *second.networks]
    known = dict.fromkeys(drawn, seed_of(first.secret, first.networks))
    foreseen = pairings(league.submissions.entrants(), 1, known, [()])
    assert {job.game_id for job in foreseen} & set(after) == set(before)


def test_who_comes_while_games_are_played_gets_another_draw(league, tmp_path):
    def before(number):
        if number == 2:
            file_network(league, "Emmy", tiny_network(7), tmp_path)

    run(league, Referee(before=before))
    assert [len(draw.networks) for draw in league.draws.all()] == [3, 1]
    assert league.games.count() == 12


def test_a_seed_that_is_chosen_is_said_to_be(league):
    scheduled_jobs(league, OPTIONS, 1)
    league.fix_options(OPTIONS)
    snapshot = snapshot_of(league)
    assert dict(snapshot.rules)["Seed"] == "0, chosen and not drawn" and snapshot.draws == ()
    assert league.draws.all()[0].networks == ()
    jobs = scheduled_jobs(league, OPTIONS, 1)
    book = load_openings(OPTIONS.opening_plies)
    assert jobs == pairings(league.submissions.entrants(), 1, 0, book)


def test_a_league_of_before_goes_on_with_its_seed(league, tmp_path):
    """Its options have a seed, and its journal has no draws."""
    league.fix_options(OPTIONS)
    with league.at_one_moment() as journal:
        pass
    with journal.transaction():
        journal.execute("DELETE FROM header WHERE key = 'draws'")
    file_network(league, "Emmy", tiny_network(7), tmp_path)
    assert league.draws.all() == []
    again = League(league.folder, create=False)
    assert again.options() == OPTIONS
    run_event(again, OPTIONS, Target(1), referee := Referee(), QuietView(), referee.clock)
    assert again.draws.all() == [] and again.games.count() == 12


def test_an_archive_is_continued_only_with_the_secret(league, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run(league, Referee(stop_after=1))
    export_leagues([league], tmp_path / "league.zip")
    [folder] = import_leagues(tmp_path / "league.zip", tmp_path / "elsewhere")
    imported = League(folder)
    build(imported)
    with pytest.raises(LeagueError, match="the secret of this league's seed is not in .*copy"):
        run(imported)
    (folder / "secrets").mkdir()
    (folder / "secrets" / f"{imported.draws.all()[0].commitment}.txt").write_text("another one")
    with pytest.raises(LeagueError, match="the secret of this league's seed is not in"):
        run(imported)
    for path in (league.folder / "secrets").iterdir():
        (folder / "secrets" / path.name).write_bytes(path.read_bytes())
    run(imported)
    assert imported.draws.all()[0].secret == secret_of(league)


def test_a_secret_that_is_lost_before_the_start_is_drawn_again_for_all_to_see(league):
    lost = league.draws.all()[0]
    for path in (league.folder / "secrets").iterdir():
        path.unlink()
    run(league)
    assert [draw.commitment == lost.commitment for draw in league.draws.all()] == [True, False]
    assert [bool(draw.secret) for draw in league.draws.all()] == [False, True]


def test_the_secret_of_a_run_that_was_stopped_for_good_can_be_published(league):
    with pytest.raises(KeyboardInterrupt):
        run(league, Referee(stop_after=1))
    code, out, errors = tournament("reveal", "--league", league.folder)
    assert (code, errors) == (0, "") and secret_of(league) in out
    assert league.draws.all()[0].secret == secret_of(league)
    assert secret_of(league) in (league.folder / "site" / "league.json").read_text()


def test_a_budget_that_ends_before_the_rounds_publishes_no_secret(league):
    for hours, is_published in ((3.0, False), (6.0, True)):
        referee = Referee()
        run_event(league, DRAWN, Target(1, hours), referee, QuietView(), referee.clock)
        assert bool(league.draws.all()[0].secret) == is_published


def test_a_match_has_no_draw(tmp_path):
    league = League(tmp_path / "match")
    assert league.draws.all() == [] and not (league.folder / "secrets").exists()


def test_a_run_prints_the_hash_at_its_start_and_the_secret_at_its_end(league):
    rules = ("--visits", "2", "--max-plies", "8", "--workers", "1")
    code, out, errors = tournament("run", "--league", league.folder, *rules)
    assert (code, errors) == (0, "")
    [draw], lines = league.draws.all(), out.splitlines()
    assert draw.commitment in lines[0] and "not yet published" in lines[0]
    assert draw.secret and draw.secret not in out[: out.index("games")]
    assert f"secret {draw.secret}, its SHA-256 {draw.commitment}" in " ".join(out.split())
