"""Names of networks: which look alike, and how people write them."""

import csv
import json
from pathlib import Path

import pytest

from tests.fake_arena import OPTIONS, file_network, record_of, tiny_network
from tests.runs import command, tournament
from tournament.errors import SubmissionError
from tournament.league.league import League
from tournament.league.names import network_of, skeleton
from tournament.report.meetings import meetings_of
from tournament.running.plan import scheduled_jobs


@pytest.mark.parametrize(
    "names",
    [
        ("Alice", "alice", "AIice", "A1ice", "A|ice", "Alice.", "_Al-ice", "Álice"),
        ("Alice", "Аlice", "Αlice", "Alісе"),  # Cyrillic A, Greek A, Cyrillic ice
        ("Otto", "0tto", "ОТТО", "ΟΤΤΟ"),
        ("Bernd", "Bemd"),
        ("Willem", "VVillem"),
        ("Ada_Lovelace", "Ada Lovelace", "ada.lovelace", "AdaLovelace"),
        ("fin", "ﬁn", "ｆｉｎ"),
        ("team10", "team_10", "teamIO"),
        ("李明", "李明\u3164", "李\u115f明"),  # letters that are not seen
        ("محمد", "محمّد"),
    ],
)
def test_names_that_look_alike_have_one_skeleton(names):
    assert len({skeleton(name) for name in names}) == 1


@pytest.mark.parametrize(
    "names",
    [
        ("Ada", "Adam", "Adan"),
        ("Grace", "Gracie"),
        ("Clara", "Dara"),
        ("group_1_11", "group_11_1", "group_111"),
        ("net0.1", "net01"),
        ("राम", "रीमा", "रामा", "रम"),  # Ram, Rima, Rama, Ram without its vowel
        ("ปุ", "ปู", "ปี"),
        tuple(f"team{number}" for number in range(60)),
        tuple(f"Network_{number:03d}" for number in range(200)),
    ],
)
def test_other_names_have_their_own(names):
    assert len({skeleton(name) for name in names}) == len(names)


NAMES = {"Zoe_O_Neill": "Zoë O'Neill", "u674e_u660e": "李 明", "Ada": "Ada"}


@pytest.fixture
def league(tmp_path) -> League:
    league = League(tmp_path / "league")
    for seed, (network, name) in enumerate(NAMES.items()):
        assert network_of(name) == network
        file_network(league, network, tiny_network(seed), tmp_path)
    league.written_names.note(NAMES)
    league.fix_options(OPTIONS)
    for job in scheduled_jobs(league, OPTIONS, 1):
        league.games.record(record_of(job))
    return league


def test_pages_and_the_table_show_them_as_written(league):
    league.submissions.set_anchor("Zoe_O_Neill", 100.0)
    league.submissions.withdraw("u674e_u660e")
    code, out, _ = command(league.folder, "report")
    assert code == 0 and "Zoë O'Neill" in out and "李 明" in out
    assert "The scale is fixed by Zoë O'Neill at 100." in " ".join(out.split())
    assert "\n李 明: withdrawn on " in out
    site = league.folder / "site"
    index = (site / "index.html").read_text(encoding="utf-8")
    assert "Zoë O&#39;Neill" in index and ">李 明</a>" in index and "Zoe_O_Neill" not in index
    (page,) = (site / "networks").glob("u674e*.html")
    assert "<h1>李 明</h1>" in page.read_text(encoding="utf-8")
    meetings = list((site / "games").rglob("*.js"))
    assert len(meetings) == 3
    for meeting in meetings:
        _, _, script = meeting.read_text(encoding="utf-8").splitlines()
        shown = json.loads(script.removeprefix("showMeeting(").removesuffix(");"))
        for game in shown:
            assert {game["black"]["name"], game["white"]["name"]} <= {*NAMES.values()}
            assert game["outcome"].split(" (")[0] in NAMES.values()
    ranking, games = (rows_of(league.folder / f"{name}.csv") for name in ("ranking", "games"))
    assert {row["name"]: row["written_name"] for row in ranking} == NAMES, "for other programs"
    for colour in ("black", "white"):
        written = {row[colour]: row[f"{colour}_written_name"] for row in games}
        assert written.items() <= NAMES.items()
    everything = json.loads((site / "league.json").read_text(encoding="utf-8"))
    assert {row["written_name"] for row in everything["ranking"]} == {*NAMES.values()}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_season_shows_them_as_written(league, tmp_path):
    command(league.folder, "report", "--quiet")
    code, out, _ = tournament("season", league.folder, "--csv", tmp_path / "season.csv")
    assert code == 0 and "Zoë O'Neill" in out and "李 明" in out
    rows = rows_of(tmp_path / "season.csv")
    assert {row["name"]: row["written_name"] for row in rows} == NAMES


def test_games_are_written_anew_only_where_a_name_changes(league):
    rows = league.games.rows()
    before, after = meetings_of(rows, (), {}), meetings_of(rows, (), {"Ada": "Áda"})
    changed = [one.head("") != other.head("") for one, other in zip(before, after, strict=True)]
    with_ada = ["Ada" in (one.games[0].black, one.games[0].white) for one in before]
    assert changed == with_ada and not all(changed)


def test_only_names_that_differ_are_stored(league):
    assert league.written_names.all() == {
        "Zoe_O_Neill": "Zoë O'Neill", "u674e_u660e": "李 明"
    }
    league.written_names.note({"u674e_u660e": "李明"})
    assert league.written_names.all()["u674e_u660e"] == "李明"


def test_a_written_name_that_looks_like_another_or_a_plain_one_is_refused(league):
    with pytest.raises(SubmissionError, match="'ZOE O’Neill' looks like \"Zoë O'Neill\""):
        league.written_names.note({"Zoe2": "ZOE O’Neill"})
    assert "Zoe2" not in league.written_names.all()
    with pytest.raises(SubmissionError, match="'Аda' looks like 'Ada': choose another"):
        league.written_names.note({"da": "Аda"})
    league.written_names.note({"Ada": "Áda"})  # a network may change its own
    assert league.written_names.all()["Ada"] == "Áda"


@pytest.mark.parametrize(
    ("name", "network"),
    [
        ("अमित", "u905u92eu93fu924"),
        ("ปิยะ", "ue1bue34ue22ue30"),
        ("தமிழ்", "uba4ubaeubbfubb4ubcd"),
        ("محمّد", "u645u62du645u651u62f"),
        ("Zoe\u0308", "Zoe"),
        ("Ṣẹ́gun", "Segun"),
    ],
)
def test_marks_belong_to_the_letters_of_a_name(name, network):
    assert network_of(name) == network


@pytest.mark.parametrize(
    "name", [None, "", " ", "../x", "a/b", "x" * 65, "\x1b[2J", "Ada\u202e", "…", "<b>", "a\nb"]
)
def test_a_name_that_is_none_is_refused(name):
    with pytest.raises(SubmissionError, match="--name must be up to 64 letters"):
        network_of(name)
