"""data/reference_league.zip: the league of the networks in data/networks, as the docs quote it."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.data import ROOT
from tournament.game.job import schedule_hash
from tournament.league.league import League
from tournament.report.formats import signed
from tournament.report.league_zip import import_leagues
from tournament.report.snapshot import snapshot_of
from tournament.report.standings import Standings
from tournament.running.plan import scheduled_jobs

NETWORKS = ROOT / "data" / "networks"
RATED = re.compile(r"^\| \[(\w+)\].*\| ([+−]\d+ ± \d+) \|$", re.MULTILINE)


@pytest.fixture(scope="module")
def league(tmp_path_factory) -> Iterator[League]:
    folder = tmp_path_factory.mktemp("leagues")
    (imported,) = import_leagues(ROOT / "data" / "reference_league.zip", folder)
    league = League(imported, create=False)
    yield league
    league.close()


def test_its_networks_are_those_of_the_repository(league):
    def digest(path: Path) -> str:
        return hashlib.sha256(path.read_bytes()).hexdigest()

    there = {path.parent.name: digest(path) for path in NETWORKS.glob("*/best.h5")}
    played = {entrant.name: entrant.sha256 for entrant in league.submissions.entrants()}
    assert there == played


def test_its_games_are_those_that_its_seed_and_rules_schedule(league):
    schedule = league.schedules.last()
    jobs = scheduled_jobs(league, league.options(), schedule.target.rounds)
    assert schedule_hash(jobs) == schedule.hash
    assert {job.game_id for job in jobs} == league.games.finished_ids() and len(jobs) == 420


def test_the_ratings_are_those_of_the_table_of_networks(league):
    told = dict(RATED.findall((NETWORKS / "README.md").read_text(encoding="utf-8")))
    rows = Standings(snapshot_of(league)).rows
    assert told == {row.name: f"{signed(row.elo)} ± {row.elo_halfwidth:.0f}" for row in rows}
