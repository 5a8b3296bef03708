"""Ablations and curricula of self-play: their files, the runs that are left, and the tables."""

from dataclasses import replace
from pathlib import Path
from signal import SIGINT
from threading import Barrier
from types import SimpleNamespace

import pytest

from golois.kit.command import UsageError
from golois.kit.console import Reporter
from models.errors import ModelsError
from selfplay.ablation import (
    Finished,
    Meeting,
    Run,
    compare,
    play_all,
    play_stages,
    read_ablation,
    read_curriculum,
)
from selfplay.journal import write_journal
from selfplay.options import Options
from tests.data import ROOT
from tournament.matches.games import MatchGame
from tournament.matches.round_robin import Elo, RoundRobin

FILE = """
size = 3
iterations = 1

[grid]
seed = [0, 1, 2, 3]

[[runs]]
name = "base"
planes = "zero"

[[runs]]
name = "wide"
set = { filters = 8 }

[league]
games = 4
"""


def ablation_of(folder: Path, text: str = FILE) -> tuple[list[Run], Meeting]:
    path = folder / "file.toml"
    path.write_text(text)
    return read_ablation(path, folder / "out")


def finish(run: Run, *kept: float) -> None:
    """Write what a run that is over leaves; its gate keeps the first network alone."""
    rows = [{"iteration": i, "player": min(i, 1), "games": 8 * i, "kept": one, "seconds": 1}
            for i, one in enumerate(kept or (0.9, 0.9))]  # fmt: skip
    run.layout.path.mkdir(parents=True)
    write_journal(run.layout.journal, rows)


def test_every_run_meets_every_seed(tmp_path):
    runs, meeting = ablation_of(tmp_path)
    assert [run.name for run in runs[:5]] == [*(f"base_seed{i}" for i in range(4)), "wide_seed0"]
    assert {run.title for run in runs} == {"base", "wide"} and meeting == Meeting(4, 64)
    assert runs[0].options == Options(size=3, iterations=1, planes="zero")
    assert runs[4].options.set == {"filters": "8"}
    assert runs[0].command()[2:] == [
        "--size=3", "--iterations=1", "--planes=zero", "--seed=0",
        "--out", str(tmp_path / "out" / "runs" / "base_seed0"),
    ]  # fmt: skip


def test_a_switch_of_a_preset_can_be_turned_off(tmp_path):
    common = 'preset = "restnet_hex19"\niterations = 1\n[grid]\nseed = [0, 1]\n'
    assert ablation_of(tmp_path, common)[0][0].options.swap
    assert not ablation_of(tmp_path, f"swap = false\n{common}")[0][0].options.swap


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("size = 3", "run run never ends"),
        ("iterations = 1\nbloks = 3", "there is no option bloks: use those of selfplay.py"),
        ("iterations = 1\nsize = 1", "run run: a board's size"),
        ("iterations = 1\n[grid]\nsize = [3, 4]", "all runs must play one game, not NoGo"),
        ("iterations = 1\n[league]\ngames = 3", "games in .league. must be even"),
        ("iterations = 1\n[league]\nvisits = 3", "no option visits: use games and simulations"),
        ("iterations = 1", "has one run: list two or more"),
        ("iterations", "is not TOML"),
        ('iterations = 1\nmodel = "foo"', "run run: there is no model 'foo'"),
        ("iterations = 1\nset = { width = 3 }", "run run: .*no option 'width'"),
        ('iterations = 1\ninit_from = "no.h5"', "run run: there is no file no.h5"),
    ],
)
def test_mistakes_are_said_in_words(text, words, tmp_path):
    with pytest.raises((UsageError, ModelsError), match=words):
        ablation_of(tmp_path, text)


def test_what_is_over_is_not_run_again_and_what_was_begun_goes_on(tmp_path):
    runs, _ = ablation_of(tmp_path)
    finish(runs[0])
    runs[1].layout.path.mkdir(parents=True)
    runs[1].layout.write_config({"options": {"size": 3, "planes": "zero", "seed": 1}})
    commands = []
    children = SimpleNamespace(run=commands.append, stop=SimpleNamespace(signal=None))
    assert play_all(runs, children, Reporter()) == runs[1:]
    assert len(commands) == 7 and commands[0][2:4] == ["--resume", str(runs[1].layout.path)]
    assert "--iterations=1" in commands[0] and "--out" in commands[1]
    runs[1].require_same_options()
    runs[1].layout.write_config({"options": {"size": 4, "seed": 1}})
    with pytest.raises(UsageError, match="was begun with --"):
        runs[1].require_same_options()


def test_the_wins_kept_are_those_of_the_network_that_meets_the_others(tmp_path):
    runs, _ = ablation_of(tmp_path)
    finish(runs[0], 0.9, 0.7, 0.5)  # the gate has discarded the last network
    assert runs[0].rival(4).name == "base_seed0-0001"
    assert Finished(runs[0], Elo(0, 0), []).kept == pytest.approx(70)


def test_runs_side_by_side_share_the_cores_and_have_logs(tmp_path, capsys, monkeypatch):
    runs, _ = ablation_of(tmp_path)
    finish(runs[0])
    started = []
    two_run = Barrier(2, timeout=60)

    def run(command, stdout, stderr, env):
        started.append(command[-3:])
        assert stdout is stderr and env["TF_NUM_INTRAOP_THREADS"] == "4"
        stdout.write(b"iteration 0\n")
        if len(started) <= 6:
            two_run.wait()  # a run alone would wait in vain

    monkeypatch.setattr("selfplay.ablation.num_cpus", lambda: 8)
    children = SimpleNamespace(run=run, stop=SimpleNamespace(signal=None))
    assert play_all(runs, children, Reporter(), 2) == runs[1:]
    assert sorted(started) == sorted(
        ["--out", str(run.layout.path), "--workers=4"] for run in runs[1:]
    )
    assert all(run.log.read_text() == "iteration 0\n" for run in runs[1:])
    shown = " ".join(capsys.readouterr().out.split())
    assert "run 2 of 8: base_seed1, its lines go to" in shown
    assert "base_seed1: iteration 0" in shown
    children.stop.signal = SIGINT
    assert play_all(runs, children, Reporter(), 2) == runs[1:] and len(started) == 7


@pytest.mark.parametrize(("wins", "verdict"), [(4, False), (2, True)])
def test_rows_are_compared_over_seeds(wins, verdict, tmp_path, monkeypatch):
    runs, meeting = ablation_of(tmp_path)
    for number, run in enumerate(runs):
        finish(run, *2 * [0.9 if run.title == "base" else 0.9 + 0.01 * (number % 2)])

    def planted(self, rivals, stop):
        """A wide network wins so many of four games against a base one; others draw level."""
        games = []
        for first in rivals:
            for second in rivals:
                if first.name >= second.name:
                    continue
                differ = first.name[0] != second.name[0]
                for number in range(4):
                    is_won = number >= (wins if differ else 2)  # by the first, which is the base
                    black, white = (first, second) if number % 2 else (second, first)
                    colour = "black" if (black is first) == is_won else "white"
                    opening = f"drawn {number // 2 + 1}"
                    games.append(MatchGame(opening, number % 2, black.name, white.name, colour))
        return games

    monkeypatch.setattr(RoundRobin, "play", planted)
    children = SimpleNamespace(stop=None)
    text = compare(runs, meeting, tmp_path / "out", children)
    assert (tmp_path / "out" / "table.md").read_text() == text
    each, over_seeds = text.split("over seeds")
    assert "| base_seed0 |" in each and "| wide_seed3 |" in each and "8 | " in each
    (row,) = [line for line in over_seeds.splitlines() if line.startswith("| wide")]
    cells = [cell.strip() for cell in row.split("|")]
    assert ("not separated" in cells[3]) == verdict
    assert "not separated" in cells[5]  # 0.5 % more, ± 0.6: between seeds it differs by as much


def test_the_tables_of_the_papers_are_ablations():
    """Whose rows differ in what they compare alone."""
    runs, meeting = read_ablation(ROOT / "papers" / "nogozero" / "table2.toml", Path("out"))
    assert [run.title for run in runs[::2]] == ["base", "garb_mtl", "garb_asf", "mtl_asf", "all"]
    assert [run.options.planes for run in runs[::2]] == ["zero", "zero", "", "", ""]
    assert len({str(replace(run.options, set={}, planes="", seed=0)) for run in runs}) == 1
    assert all(run.options.gate_games for run in runs)
    runs, _ = read_ablation(ROOT / "papers" / "restnet" / "blocks_go9.toml", Path("out"))
    assert [run.title for run in runs] == 4 * ["6R"] + 4 * ["RRTRRT"]
    assert len({str(replace(run.options, set={}, seed=0)) for run in runs}) == 1
    assert [run.options.set["blocks"] for run in runs] == 4 * ["RRRRRR"] + 4 * ["RRTRRT"]
    assert len({run.options.set["filters"] for run in runs}) == 1


STAGES = """
size = 3
iterations = 1

[[runs]]
name = "small"

[[runs]]
name = "large"
set = { filters = 8 }

[[runs]]
name = "largest"
set = { filters = 16 }
"""


def curriculum_of(folder: Path, text: str = STAGES) -> list[Run]:
    path = folder / "file.toml"
    path.write_text(text)
    return read_curriculum(path, folder / "out")[0]


def test_each_stage_begins_with_the_games_of_the_one_before(tmp_path):
    small, large, largest = curriculum_of(tmp_path)
    assert small.options.games_from == ""
    assert large.options.games_from == str(small.layout.path)
    assert largest.options.games_from == str(large.layout.path)
    assert "--games-from=" + str(large.layout.path) in largest.command()


def test_the_paper_s_curriculum_has_its_three_networks():
    stages, meeting = read_curriculum(ROOT / "papers/nogozero/curriculum.toml", Path("out"))
    assert [(one.options.set["blocks"], one.options.set["filters"]) for one in stages] == [
        ("5", "32"), ("10", "64"), ("20", "128"),
    ]  # fmt: skip
    assert {one.options.patience for one in stages} == {5} and meeting == Meeting(40, 64)
    assert stages[2].options.games_from == "out/runs/10x64"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (STAGES + "\n[grid]\nseed = [0, 1]", "takes no .grid. and sets games_from itself"),
        (STAGES + 'games_from = "runs/x"', "takes no .grid. and sets games_from itself"),
        ("iterations = 1", "has one run: list two or more"),
    ],
)
def test_mistakes_in_a_curriculum_are_said_in_words(text, words, tmp_path):
    with pytest.raises(UsageError, match=words):
        curriculum_of(tmp_path, text)


def test_a_stage_that_does_not_end_has_no_next_one(tmp_path):
    stages, commands = curriculum_of(tmp_path), []

    def run(command):
        commands.append(command)
        if len(commands) == 1:
            finish(stages[0])

    children = SimpleNamespace(run=run, stop=SimpleNamespace(signal=None))
    assert play_stages(stages, children, Reporter()) == stages[1:2] and len(commands) == 2
    commands.clear()
    finish(stages[1])
    finish(stages[2])
    assert play_stages(stages, children, Reporter()) == [] == commands
