"""submit.py and `tournament check` as people call them."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import submit
from tests.data import ROOT
from tests.fake_arena import file_network, tiny_network
from tests.runs import Said, called, tournament
from tournament import intake
from tournament.intake import Manifest
from tournament.league.league import League
from tournament.networks.tuning import Tuning

pytestmark = pytest.mark.usefixtures("forked_children")


@pytest.fixture
def submitted(monkeypatch) -> Callable[..., Said]:
    """Calls submit.py in this process, without its seconds of tuning."""
    monkeypatch.setattr(intake, "_tune", lambda *_: Tuning())
    return partial(called, submit.main)


def test_a_network_is_filed_and_its_file_left_alone(keras_files, tmp_path, monkeypatch):
    path = tmp_path / "net.h5"
    shutil.copy(keras_files / "mobilenet.h5", path)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.setattr(submit, "MAX_TUNE_SECONDS", 0.5)
    named = ("--name", "Ada_Lovelace", "--league", tmp_path / "league")
    result = called(submit.main, path, *named)
    assert (result.code, result.errors) == (0, "")
    assert "net.h5: accepted" in result.out and "filed as Ada_Lovelace" in result.out
    assert hashlib.sha256(path.read_bytes()).hexdigest() == sha256
    [filed] = League(tmp_path / "league", create=False).submissions.all()
    assert (filed.name, filed.sha256) == ("Ada_Lovelace", sha256)
    assert (tmp_path / "league" / "submissions" / f"{sha256}.h5").exists()
    [manifest] = (tmp_path / "league" / "artefacts").glob("*.json")
    assert Manifest.read(manifest).tuning.trials, "how it runs best was found out"


def test_another_network_takes_a_name_only_when_that_is_said(keras_files, tmp_path, submitted):
    name = ("--name", "Ada", "--league", tmp_path / "league")
    assert submitted(keras_files / "mobilenet.h5", *name).code == 0
    refusal = submitted(keras_files / "resnet.h5", *name).refusal
    assert "Ada has had another file" in refusal and "--replace" in refusal
    assert submitted(keras_files / "resnet.h5", *name, "--replace").code == 0
    statuses = {filed.status for filed in League(tmp_path / "league").submissions.all()}
    assert statuses == {"active", "superseded"}


def test_check_only_files_nothing(keras_files, tmp_path, submitted):
    result = submitted(
        keras_files / "resnet.h5", "--check-only", "--json", "--league", tmp_path / "league"
    )
    report = json.loads(result.out)
    assert result.code == 0 and report["accepted"] and not report["filed"]
    assert report["manifest"]["parameters_total"] > 0
    assert not (tmp_path / "league").exists()


def test_a_refusal_is_said_in_words(keras_files, tmp_path, submitted):
    result = submitted(
        keras_files / "unknown_operator.h5", "--name", "Ada", "--league", tmp_path / "league"
    )
    assert result.code == 2 and result.errors == ""
    assert "unknown_operator.h5: refused" in result.out
    assert "1. layer" in result.out and "by a layer of keras.layers" in result.out
    assert not (tmp_path / "league").exists()


@pytest.mark.parametrize("name", ["../x", "", "a/b", "x" * 65, "\x1b[2J"])
def test_a_bad_name_is_one_sentence(keras_files, tmp_path, submitted, name):
    named = (f"--name={name}", "--league", tmp_path / "league")
    assert "--name must be up to 64 letters" in submitted(keras_files / "resnet.h5", *named).refusal


def test_check_makes_one_table_of_a_folder(keras_files, tmp_path):
    for name in ("resnet", "lambda_layer", "planes_21"):
        shutil.copy(keras_files / f"{name}.h5", tmp_path)
    shutil.copy(keras_files / "resnet.h5", tmp_path / "[red]\x1b[2J.h5")
    (tmp_path / "other.KERAS").write_bytes(b"PK")
    (tmp_path / "notes.txt").write_text("no network")
    code, output, _ = tournament("check", tmp_path, "--jobs", 2)
    assert code == 2 and "2 of 5 accepted" in output and "4,993 parameters" in output
    assert "\x1b[2J" not in output and "[red]" in output
    for refused in ("lambda_layer.h5", "planes_21.h5", "other.KERAS"):
        assert [line for line in output.splitlines() if refused in line and "refused" in line]


def test_check_as_json(keras_files):
    files = [keras_files / f"{name}.h5" for name in ("resnet", "logits")]
    code, out, _ = tournament("check", "--json", "--jobs", 1, *files)
    reports = json.loads(out)
    assert (code, [report["accepted"] for report in reports]) == (2, [True, False])
    assert reports[1]["faults"][0]["remedy"]


def test_check_takes_another_budget_and_tells_files_of_one_name_apart(keras_files, tmp_path):
    assert tournament("check", "--max-params", 4000, keras_files / "resnet.h5").code == 2
    assert "has no .h5 or .keras file" in tournament("check", Path(__file__).parent).refusal
    paths = [tmp_path / folder / "net.h5" for folder in ("one", "two")]
    for path in paths:
        path.parent.mkdir()
        path.touch()
    code, out, _ = tournament("check", *(path.parent for path in paths))
    rows = [line for line in out.splitlines() if line.startswith("│")]
    names = "".join(row.split("│")[1].strip() for row in rows)
    assert code == 2 and all(str(path) in names for path in paths)


def test_what_has_no_effect_or_is_the_servers_is_refused(submitted, keras_files, tmp_path):
    options = ("--name", "Ada", "--league", tmp_path, "--token", "x")
    assert "--token needs --to" in submitted(keras_files / "resnet.h5", *options).refusal
    assert not any(tmp_path.iterdir())
    to_a_server = ("--to", "https://go.example.edu", "--rules", "course")
    assert "--rules cannot be given with --to" in submitted("net.h5", *to_a_server).refusal


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Аlice", "'Аlice' looks like 'Alice': choose another"),
        ("AIice", "looks like 'Alice'"),
        ("Alice", "Alice has had another file since 20"),
        ("Bob", "Bob no longer plays: it was withdrawn on 20"),
    ],
)
def test_a_name_that_clashes_is_refused_before_the_file_is_judged(
    submitted, tmp_path, monkeypatch, name, said
):
    league = League(tmp_path / "league")
    for number, filed in enumerate(("Alice", "Bob")):
        file_network(league, filed, tiny_network(number), tmp_path)
    league.submissions.withdraw("Bob")
    monkeypatch.setattr("tournament.intake.trial.judge_and_try", lambda *all, **more: pytest.fail())
    (tmp_path / "net.h5").write_bytes(b"another file")
    done = submitted(tmp_path / "net.h5", "--name", name, "--league", tmp_path / "league")
    assert said in done.refusal
    assert [filed.name for filed in league.submissions.all()] == ["Alice", "Bob"]


@pytest.mark.slow
def test_the_file_of_a_name_is_filed_under_it_again(submitted, keras_files, tmp_path):
    name = ("--name", "Alice", "--league", tmp_path / "league")
    for _ in range(2):
        assert submitted(keras_files / "resnet.h5", *name).code == 0
    done = submitted(tmp_path / "gone.h5", *name)
    assert done.code == 2 and "gone.h5: refused" in done.out and done.errors == ""


def test_without_the_native_core_it_says_what_to_do(tmp_path):
    """A fresh clone, not installed yet."""
    blocker = tmp_path / "sitecustomize.py"
    blocker.write_text("import sys\nsys.modules['golois._native'] = None\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    result = subprocess.run(
        [sys.executable, "submit.py", "net.h5"], cwd=ROOT, env=environment, capture_output=True,
        text=True, timeout=60,
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1 and "pip install -r requirements.txt" in result.stderr


def test_a_word_sets_what_the_budget_counts_and_the_league_keeps_it(
    keras_files, tmp_path, submitted
):
    """Between what is trained and all of it, for a network with moving statistics."""
    path = keras_files / "resnet.h5"
    total = int(np.load(keras_files / "resnet.npz")["parameters"])
    budget = ("--max-params", str(total - 1))
    league = ("--league", tmp_path / "league")
    assert submitted(path, "--name", "Ada", *league, *budget).code == 2
    assert not (tmp_path / "league").exists()
    filed = submitted(path, "--name", "Ada", *league, *budget, "--rules", "course")
    assert filed.code == 0 and f"rules course: {' '.join(budget)} --count trainable" in filed.out
    assert League(tmp_path / "league", create=False).rules() == "course"
    later = submitted(path, "--name", "Ada", *league, *budget)
    assert later.code == 0 and "rules course: " in later.out
    assert submitted(path, "--check-only", *league, *budget, "--count", "total").code == 2
    assert submitted(path, "--check-only", *league, *budget, "--rules", "kit").code == 2
    as_json = submitted(path, "--check-only", "--json", *league, *budget)
    assert json.loads(as_json.out)["accepted"]


def test_check_counts_as_the_word_says(keras_files):
    path = keras_files / "resnet.h5"
    total = int(np.load(keras_files / "resnet.npz")["parameters"])
    budget = ("--max-params", total - 1)
    assert tournament("check", path, *budget).code == 2
    code, out, _ = tournament("check", path, path, *budget, "--rules", "course", "--jobs", 1)
    assert code == 0
    out = " ".join(out.split())
    assert f"rules course: --max-params {total - 1} --count trainable" in out
    assert "trainable parameters" in out and "2 of 2 accepted" in out
