"""`--rules`: a league's rules in one word."""

from dataclasses import fields, replace

import pytest

from golois.kit.options import Parser
from tests.data import ROOT
from tests.fake_arena import OPTIONS, file_network, league_of, tiny_network
from tests.runs import RULES, tournament
from tournament.commands.arguments import add_rule_arguments, event_options
from tournament.commands.rules import in_effect, rules_of_league
from tournament.commands.verdict import add_budget_arguments, judge_options
from tournament.errors import OptionsError
from tournament.game.options import EventOptions
from tournament.game.presets import COURSE, KIT, PRESETS, flags
from tournament.intake import JudgeOptions
from tournament.report import course_report
from tournament.report.snapshot import snapshot_of
from tournament.report.standings import Standings


def judging(*words: str, rules: str | None) -> JudgeOptions:
    parser = Parser()
    add_budget_arguments(parser)
    return judge_options(parser.parse_args(words), rules)


def playing(*words: str, begun_with: EventOptions | None = None, rules: str) -> EventOptions:
    parser = Parser()
    add_rule_arguments(parser)
    return event_options(parser.parse_args(words), begun_with, rules)


@pytest.mark.parametrize("word", PRESETS)
def test_a_word_sets_options_that_there_are(word):
    preset = PRESETS[word]
    assert preset.judging.keys() <= {field.name for field in fields(JudgeOptions)}
    assert preset.games.keys() <= {field.name for field in fields(EventOptions)}


def test_the_rules_of_the_kit_are_its_defaults_and_the_courses_count_what_is_trained():
    assert judging(rules=KIT) == judging(rules=None) == JudgeOptions()
    assert playing(rules=KIT) == EventOptions()
    judge, games = judging(rules=COURSE), playing(rules=COURSE)
    assert (judge.max_params, judge.count) == (100_000, "trainable")
    assert (games.seconds, games.time_plan, games.komi, games.player) == (2, "flat", 7.5, "puct")


def test_what_is_given_comes_before_the_word_and_what_holds_is_said():
    assert judging("--count", "total", rules=COURSE).count == "total"
    judge = judging("--max-params", "50000", rules=COURSE)
    assert (judge.max_params, judge.count) == (50_000, "trainable")
    games = playing("--visits", "9", "--tta", rules=COURSE)
    assert (games.seconds, games.visits, games.tta) == (None, 9, True)
    slower = EventOptions(seconds=5.0, komi=6.5)
    assert playing("--seconds", "1", begun_with=slower, rules=COURSE) == EventOptions(seconds=1.0)
    said = in_effect(COURSE, judging("--max-params", "50000", rules=COURSE))
    assert said == "rules course: --max-params 50000 --count trainable"
    said = in_effect(COURSE, playing("--seconds", "0.5", rules=COURSE))
    assert said == "rules course: --seconds 0.5 --time-plan flat --komi 7.5 --player puct --no-tta"
    assert flags({"seconds": None, "visits": 8, "tta": True}) == "--visits 8 --tta"
    text = (ROOT / "docs/teacher/league.md").read_text(encoding="utf-8")
    course = PRESETS[COURSE]
    assert f"| `{COURSE}` | `{flags({**course.judging, **course.games})}`" in text


def test_a_league_keeps_the_word_also_when_it_has_begun_by_the_same_rules(tmp_path):
    league = league_of(tmp_path)
    assert league.rules() is None and rules_of_league(tmp_path / "nowhere") is None
    league.keep_rules(None)
    assert league.rules() is None
    league.fix_options(EventOptions())
    league.keep_rules(COURSE)
    league.keep_rules(None)
    assert rules_of_league(league.folder) == COURSE


def test_a_command_that_is_refused_changes_no_rules(tmp_path):
    league = league_of(tmp_path, ("Ada", "Kurt"))
    where = ("--league", league.folder, "--rules", COURSE)
    assert tournament("run", "--visits", "0", *where).code == 2
    assert league.rules() is None


def test_no_export_overwrites_a_league(tmp_path):
    league = league_of(tmp_path, ("Ada", "Kurt"))
    before = (league.folder / "league.sqlite").read_bytes()
    output = league.folder / "league.sqlite"
    assert "is a file of the league" in tournament("export", league.folder, "-o", output).refusal
    assert output.read_bytes() == before
    inside = league.folder / "hand_in" / "parts" / "new.zip"  # as the server does
    inside.parent.mkdir(parents=True)
    assert tournament("export", league.folder, "-o", inside).code == 0 and inside.exists()


def test_a_league_takes_no_word_of_other_games_or_another_version(tmp_path):
    league = league_of(tmp_path)
    league.fix_options(OPTIONS)
    with pytest.raises(OptionsError, match="already has other options: .*seconds None → 2.0"):
        league.keep_rules(COURSE)
    assert league.rules() is None
    league._journal.set_header("rules", "students")
    with pytest.raises(OptionsError, match="'students' are of another version of the kit"):
        rules_of_league(league.folder)


def test_the_table_has_the_number_that_the_rules_count(tmp_path):
    league = league_of(tmp_path)
    snapshot = snapshot_of(league)
    assert "Preset" not in dict(snapshot.rules)
    assert "Ada ( 31 ): " in course_report(Standings(snapshot))[0]
    league.keep_rules(COURSE)
    snapshot = snapshot_of(league)
    assert dict(snapshot.rules)["Preset"].startswith(
        "course: by default at most 100,000 trainable parameters"
    )
    assert "Ada ( 30 ): " in course_report(Standings(snapshot))[0]
    code, out, _ = tournament("report", "--league", league.folder)
    assert code == 0 and "Parameters are the trainable ones." in out
    head, first, *_ = (league.folder / "ranking.csv").read_text().splitlines()
    ada = dict(zip(head.split(","), first.split(","), strict=True))
    assert (ada["parameters_total"], ada["parameters_trainable"]) == ("31", "30")


@pytest.mark.slow
def test_a_run_says_and_keeps_the_word(tmp_path):
    folder = league_of(tmp_path, ("Ada", "Grace")).folder
    short = ("--rounds", "1", "--max-plies", "20", "--workers", "1")
    for words in (("--rules", COURSE), ()):
        code, out, err = tournament("run", "--league", folder, *words, *RULES, *short)
        assert (code, err) == (0, "")
        assert "rules course: --visits 8 --time-plan flat --komi 7.5" in out
    assert rules_of_league(folder) == COURSE
    for word, said in ((COURSE, "visits 8 → None"), ("mine", "invalid choice: 'mine'")):
        assert said in tournament("run", "--league", folder, "--rules", word).refusal


def test_a_new_league_is_begun_by_the_word_that_it_keeps(tmp_path, monkeypatch):
    """The word comes with a submission; the run does not repeat it."""
    games = {"visits": 8, "komi": 5.5}
    monkeypatch.setitem(PRESETS, COURSE, replace(PRESETS[COURSE], games=games))
    league = league_of(tmp_path, ("Ada",))
    league.keep_rules(COURSE)
    file_network(league, "Grace", tiny_network(1), tmp_path)
    code, out, _ = tournament(
        "run", "--league", league.folder, "--max-plies", "30", "--workers", "1", "--seed", "0"
    )
    assert code == 0 and "rules course: --visits 8 --komi 5.5" in out
    assert (league.options().visits, league.options().komi) == (8, 5.5)
