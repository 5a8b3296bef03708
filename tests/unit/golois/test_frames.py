"""Results as DataFrames, and what a DataFrame must not do to them."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from golois import frames
from golois.kit.run_folder import read_table
from models.sweeps.results import Result
from models.sweeps.results import write_csv as write_results
from models.training.history import write_csv
from selfplay.journal import read_journal, write_journal
from tests.data import ROOT
from tests.fake_arena import OPTIONS, league_of, record_of
from tests.runs import tournament
from tournament.errors import LeagueError, OptionsError
from tournament.league.league import League
from tournament.league.weeks import Placing
from tournament.running.plan import scheduled_jobs

WEEKS = ("2026-10-09", "2026-10-16")
RESULT = Result("007", 100, 90, 1 / 3, 0.1, 0.1 + 0.2, None, None, 2.5, 640)
STUDENTS = (
    '\ufeff"Last name";"First name";"ID number";"Notes"\n'
    '"O\'Neill";"Zoë";"0017";"likes; semicolons"\n"Lovelace";"Ada";"0007";"NA"\n'
)


@pytest.fixture
def played(tmp_path) -> League:
    """A league in which Black has won each game of a round, and that has kept two weeks."""
    league = league_of(tmp_path, ("001", "Ada", "None"))
    for job in scheduled_jobs(league, OPTIONS, 1):
        league.games.record(record_of(job, started_at="2026-10-09T20:00:00.5+00:00"))
    league.written_names.note({"Ada": "Ada <b>Lovelace</b>, \"Countess\""})
    for week in WEEKS:
        league.weeks.note_placings(week, [
            Placing(week, name, name, rank, rank, rank, 100.0 / rank, 10.0, 1, 2, 50.0 - rank)
            for rank, name in enumerate(("Ada", "001"), start=1)
        ])
    return league


def test_a_history_has_every_number(tmp_path):
    row = {"epoch": 1, "step": 10, "loss": 0.1 + 0.2, "val_loss": 1 / 3}
    more = {"epoch": 2, "step": 20, "loss": float("inf"), "val_value_mae": 1e-17}
    write_csv(tmp_path / "history.csv", [row, more])
    history = frames.history(tmp_path)
    assert (history.index.name, list(history.index)) == ("epoch", [1, 2])
    assert history["step"].tolist() == [10, 20]
    for numbers in read_table(tmp_path / "history.csv"):
        kept = history.loc[numbers.pop("epoch")].dropna()
        assert kept.to_dict() == pytest.approx(numbers, rel=1e-15)


def test_the_networks_of_the_kit_have_histories():
    for path in (ROOT / "data/networks").glob("*/history.csv"):
        history = frames.history(path.parent)
        assert len(history) > 3 and history["val_policy_accuracy"].max() > 0.3
        assert set(history.dtypes.astype(str)) <= {"int64", "float64"}


def test_a_journal_of_self_play_is_a_history(tmp_path):
    write_journal(tmp_path / "journal.csv", [{"iteration": 0, "player": 0, "value_mse": 1 / 3}])
    history = frames.history(str(tmp_path))
    assert (history.index.name, list(history.index)) == ("iteration", [0])
    (row,) = read_journal(tmp_path / "journal.csv")
    assert history["value_mse"].tolist() == pytest.approx([row["value_mse"]])
    assert history["games"].isna().all()


def test_a_folder_without_results_is_said(tmp_path):
    for read, error, words in (
        (frames.history, FileNotFoundError, "neither history.csv nor journal.csv"),
        (frames.sweep, FileNotFoundError, "there is no table.csv"),
        (frames.ranking, LeagueError, "there is no league in"),
        (frames.season, LeagueError, "neither a league nor a folder of leagues"),
    ):
        with pytest.raises(error, match=words):
            read(tmp_path if error is FileNotFoundError else tmp_path / "league")
    assert not list(tmp_path.iterdir())


def test_a_sweep_has_the_names_and_numbers_of_its_results(tmp_path):
    rated = replace(RESULT, name="NA", value_mae=0.2, elo=-1.5, games=8, is_separated=False)
    write_results(tmp_path / "table.csv", [rated, RESULT])
    table = frames.sweep(tmp_path)
    assert list(table.index) == ["NA", "007"] and table.index.name == "run"
    assert table["value_mse"].tolist() == pytest.approx(2 * [0.3])
    assert table["parameters_total"].tolist() == [100, 100]
    assert (table["elo"]["NA"], table["elo"].isna().tolist()) == (-1.5, [False, True])
    assert table["is_separated"].isna().tolist() == [False, True]
    assert not table["is_separated"]["NA"]


def test_a_ranking_is_that_of_the_csv(played):
    assert tournament("report", "--league", played.folder)[0] == 0
    ranking = frames.ranking(played.folder)
    assert ranking.index.name == "network" and set(ranking.index) == {"001", "Ada", "None"}
    assert ranking["wins"].tolist() == [2, 2, 2] and ranking["games"].dtype == "int64"
    assert ranking["written_name"]["Ada"] == "Ada <b>Lovelace</b>, \"Countess\""
    text = pd.read_csv(
        played.folder / "ranking.csv", dtype=str, keep_default_na=False, index_col="name"
    )
    assert list(text.index) == list(ranking.index) and list(text.columns) == list(ranking.columns)
    assert text["elo"].astype(float).tolist() == pytest.approx(ranking["elo"].tolist())


def test_a_league_without_games_has_ranks_of_nobody(tmp_path):
    league = league_of(tmp_path, ("Ada",))
    assert frames.ranking(league.folder)["rank"].isna().tolist() == [True]
    games = frames.games(league.folder)
    assert len(games) == 0 and {"black", "winner", "started_at"} <= set(games.columns)
    empty = League(tmp_path / "empty")
    assert len(frames.ranking(empty.folder)) == 0


def test_games_have_names_and_times(played):
    games = frames.games(played.folder)
    assert len(games) == 6 and games["black"].value_counts().to_dict() == {
        "001": 2, "Ada": 2, "None": 2
    }
    assert games["winner"].unique().tolist() == ["black"]
    assert games["started_at"][0] == pd.Timestamp("2026-10-09T20:00:00.5Z")
    assert str(games["finished_at"].dt.tz) == "UTC"
    assert games.groupby("white")["num_plies"].sum().to_dict() == {
        name: 2 * games["num_plies"][0] for name in ("001", "Ada", "None")
    }


def test_a_season_is_that_of_the_csv(played, tmp_path):
    path = tmp_path / "season.csv"
    assert tournament("season", played.folder, "--csv", path)[0] == 0
    season = frames.season(played.folder)
    read = pd.read_csv(path, dtype={"name": str, "sha256": str})
    pd.testing.assert_frame_equal(read, season, check_dtype=False)
    assert path.read_bytes().startswith(b"title,week,name,") and b"\r" not in path.read_bytes()
    assert "Ada <b>Lovelace</b>, \"\"Countess\"\"" in path.read_text()
    points = season.pivot(index="name", columns="title", values="points")
    assert points.loc["001"].to_dict() == dict.fromkeys(WEEKS, 48.0)


def test_grades_are_those_of_the_rule(played):
    grades = frames.grades(played.folder, rule="rank", scale=(1, 20))
    assert grades["grade"].to_dict() == {"Ada": 20, "001": 1}
    assert grades["points"].to_dict() == {"Ada": 98, "001": 96}
    played.submissions.set_anchor("001", 0.0)
    assert list(frames.grades(played.folder).index) == ["Ada"]
    with pytest.raises(OptionsError, match="rule must be of rank, interval, anchors, not 'x'"):
        frames.grades(played.folder, rule="x")
    with pytest.raises(OptionsError, match="two different numbers"):
        frames.grades(played.folder, scale=(3, 3))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_a_roster_stays_text(tmp_path, encoding):
    path = tmp_path / "students.csv"
    path.write_bytes(STUDENTS.encode(encoding))
    roster = frames.roster(path)
    assert list(roster.index) == ["Zoe_O_Neill", "Ada_Lovelace"]
    assert list(roster.columns) == ["Last name", "First name", "ID number", "Notes"]
    assert roster["ID number"].tolist() == ["0017", "0007"]
    assert roster["Notes"].tolist() == ["likes; semicolons", "NA"]


def test_a_roster_finds_its_networks_by_number_and_joins_the_grades(tmp_path):
    path, league = tmp_path / "students.csv", tmp_path / "league"
    path.write_text(STUDENTS, encoding="utf-8")
    assert tournament("tokens", path, "--league", league)[0] == 0
    League(league).weeks.note_placings(
        WEEKS[0], [Placing(WEEKS[0], "Ada_Lovelace", "a", 1, 1, 1, 0.0, 1.0, 1, 2, 50.0)]
    )
    other = tmp_path / "other.csv"
    other.write_text("Student;Number\nCountess of Lovelace;0007\nKurt Gödel;0001\n")
    columns = {"name": "Student", "id": "Number"}
    roster = frames.roster(other, league, columns=columns)
    assert list(roster.index) == ["Ada_Lovelace", "Kurt_Godel"]
    both = roster.join(frames.grades(league))
    assert both["grade"]["Ada_Lovelace"] == 100 and both["grade"].isna().tolist() == [False, True]
    other.write_text("Student;Number\nCountess of Lovelace;0007\nAda Lovelace;\n")
    with pytest.raises(OptionsError, match="have the same network"):
        frames.roster(other, league, columns=columns)


def test_the_module_is_imported_without_pandas_and_without_the_tournament():
    heavy = {"pandas", "numpy", "tournament"}
    check = f"import sys; from golois import frames; print({heavy} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("set()\n", "")


def test_the_page_names_every_function():
    text = Path(ROOT / "docs/student/dataframes.md").read_text("utf-8")
    names = [name for name, value in vars(frames).items()
             if getattr(value, "__module__", "") == frames.__name__ and not name.startswith("_")]
    assert len(names) == 9 and all(f"`{name}(" in text for name in names)
