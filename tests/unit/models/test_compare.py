"""Runs beside each other: the table, the options that differ, and the page of all."""

import json
import os
import shutil
from urllib.parse import quote

import pytest

from models.__main__ import main
from models.sweeps.compare import differing_options, refresh, runs_in
from tests.data import ROOT

NETWORKS = ROOT / "data" / "networks"


@pytest.fixture
def runs(tmp_path):
    """A folder with three runs: a resnet, the same at another rate, and a run just begun."""
    folder = tmp_path / "runs"
    for name in ("one", "<two>", "begun"):
        shutil.copytree(NETWORKS / "resnet", folder / name)
    config = json.loads((folder / "<two>" / "config.json").read_text())
    config["options"]["lr"] = 0.002
    config["model_options"]["blocks"] = 4
    (folder / "<two>" / "config.json").write_text(json.dumps(config))
    (folder / "begun" / "history.csv").unlink()
    return folder


def test_options_that_differ_are_those_of_the_run_and_of_its_network(runs):
    assert differing_options(runs_in([runs / "one", runs / "<two>"])) == {
        "--lr": ["0.01", "0.002"], "--set blocks": ["5", "4"]
    }


def test_a_folder_of_runs_is_compared_and_gets_a_page(runs, tmp_path, capsys):
    assert main(["compare", str(runs), "--out", str(tmp_path / "page")]) == 0
    said = capsys.readouterr().out
    assert "| one   | 95,987 |" in said and "begun has not ended an epoch yet." in said
    assert "42.6% ± 1.5%" in said, "with the interval of its 4,096 positions"
    page = (tmp_path / "page" / "index.html").read_text()
    assert "<h2>&lt;two&gt;</h2>" in page and "<two>" not in page
    assert (runs / "one" / "curves.png").as_uri() in page
    assert {path.name for path in (tmp_path / "page").iterdir()} == {
        "index.html", "table.csv", "curves.png"
    }


def test_games_that_have_got_their_ladders_are_the_same_games(runs, capsys):
    for name, digest in (("one", "1" * 64), ("<two>", "2" * 64)):
        config = json.loads((runs / name / "config.json").read_text())
        config["data"]["files"][0] |= {"sha256": digest, "checksums": {"words": 1}}
        (runs / name / "config.json").write_text(json.dumps(config))
    assert main(["compare", str(runs)]) == 0
    assert "The runs differ in data or seed" not in capsys.readouterr().out


def test_the_page_in_the_folder_of_the_runs_links_without_its_place(runs):
    assert main(["compare", str(runs), "--out", str(runs)]) == 0
    assert '<img src="one/curves.png"' in (runs / "index.html").read_text()


def test_a_name_may_be_any_name_of_a_folder(runs):
    name = "_v#1$\\frac$\udcff"
    (runs / "one").rename(runs / name)
    page = refresh(runs).read_text()
    assert f'<img src="{quote(os.fsencode(name))}/curves.png"' in page


def test_runs_of_self_play_are_left_out(runs, capsys):
    shutil.copytree(ROOT / "data" / "selfplay" / "go5", runs / "sp")
    assert main(["compare", str(runs)]) == 0
    said = capsys.readouterr().out
    assert "begun has not ended an epoch yet." in said and "sp has" not in said
    assert main(["compare", str(runs / "sp")]) == 2
    assert "sp is not the folder of a run of train.py" in capsys.readouterr().err


def test_the_files_of_a_run_are_not_overwritten(runs, capsys):
    before = (runs / "one" / "curves.png").read_bytes()
    assert main(["compare", str(runs / "one"), "--out", str(runs / "one")]) == 2
    assert "one is the folder of a run, and its curves.png" in capsys.readouterr().err
    assert (runs / "one" / "curves.png").read_bytes() == before


def test_runs_of_one_name_are_named_by_their_folders(runs, tmp_path):
    shutil.copytree(runs / "one", tmp_path / "other" / "one")
    found = runs_in([runs / "one", tmp_path / "other"])
    assert [run.name for run in found] == [str(runs / "one"), str(tmp_path / "other" / "one")]


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda runs: shutil.rmtree(runs), "is not the folder of a run of train.py, and has none"),
        (lambda runs: (runs / "one" / "config.json").write_text("{}"), "is not that of a run"),
        (lambda runs: (runs / "one" / "history.csv").write_text("epoch\na\n"), "is damaged"),
        (
            lambda runs: [shutil.rmtree(runs / name) for name in ("one", "<two>")],
            "no run has ended an epoch yet",
        ),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(spoil, words, runs, capsys):
    spoil(runs)
    assert main(["compare", str(runs)]) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1
