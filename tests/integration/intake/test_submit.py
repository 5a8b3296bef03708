"""submit.py and `tournament check` as people call them."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import submit
from golois.kit.options import Parser
from tests.fake_arena import file_network, tiny_network
from tournament import intake
from tournament.commands import check
from tournament.errors import OptionsError
from tournament.intake import Manifest
from tournament.league.league import League
from tournament.networks.tuning import Tuning

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Done:
    """What a command answered."""

    code: int
    out: str
    err: str


@pytest.fixture
def submitted(monkeypatch, capsys) -> Callable[..., Done]:
    """Calls submit.py in this process, without its seconds of tuning."""
    monkeypatch.setattr(intake, "_tune", lambda *_: Tuning())

    def call(*arguments: object) -> Done:
        code = submit.main([str(argument) for argument in arguments])
        return Done(code, *capsys.readouterr())

    return call


def _check(*arguments: object) -> int:
    parser = Parser()
    check.add_check_arguments(parser)
    return check.check_command(parser.parse_args([*map(str, arguments)]))


def test_a_network_is_filed_and_its_file_left_alone(keras_files, tmp_path):
    path = tmp_path / "net.h5"
    shutil.copy(keras_files / "mobilenet.h5", path)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    command = [sys.executable, "submit.py", path, "--name", "Ada_Lovelace"]
    result = subprocess.run(
        [*command, "--league", tmp_path / "league"], cwd=ROOT, capture_output=True, text=True
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert "net.h5: accepted" in result.stdout and "filed as Ada_Lovelace" in result.stdout
    assert hashlib.sha256(path.read_bytes()).hexdigest() == sha256
    [filed] = League(tmp_path / "league", create=False).submissions.all()
    assert (filed.name, filed.sha256) == ("Ada_Lovelace", sha256)
    assert (tmp_path / "league" / "submissions" / f"{sha256}.h5").exists()
    [manifest] = (tmp_path / "league" / "artefacts").glob("*.json")
    assert Manifest.read(manifest).tuning.trials, "how it runs best was found out"


def test_another_network_takes_a_name_only_when_that_is_said(keras_files, tmp_path, submitted):
    name = ("--name", "Ada", "--league", tmp_path / "league")
    assert submitted(keras_files / "mobilenet.h5", *name).code == 0
    result = submitted(keras_files / "resnet.h5", *name)
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert "Ada has had another file" in result.err and "--replace" in result.err
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
    assert result.code == 2 and result.err == ""
    assert "unknown_operator.h5: refused" in result.out
    assert "1. layer" in result.out and "by a layer of keras.layers" in result.out
    assert not (tmp_path / "league").exists()


@pytest.mark.parametrize("name", ["../x", "", "a/b", "x" * 65, "\x1b[2J"])
def test_a_bad_name_is_one_sentence(keras_files, tmp_path, submitted, name):
    result = submitted(
        keras_files / "resnet.h5", f"--name={name}", "--league", tmp_path / "league"
    )
    assert result.code == 2 and result.out == ""
    assert result.err.count("\n") == 1 and "--name must be up to 64 letters" in result.err


@pytest.mark.slow
def test_check_says_the_same_of_one_file(keras_files, capsys):
    assert _check(keras_files / "resnet.h5") == 0
    assert "resnet.h5: accepted" in capsys.readouterr().out
    assert _check(keras_files / "no_value.h5") == 2
    assert "1. the network has no output for the value" in capsys.readouterr().out


def test_check_makes_one_table_of_a_folder(keras_files, tmp_path, capsys):
    for name in ("resnet", "lambda_layer", "planes_21"):
        shutil.copy(keras_files / f"{name}.h5", tmp_path)
    shutil.copy(keras_files / "resnet.h5", tmp_path / "[red]\x1b[2J.h5")
    (tmp_path / "other.KERAS").write_bytes(b"PK")
    (tmp_path / "notes.txt").write_text("no network")
    assert _check(tmp_path, "--jobs", 2) == 2
    output = capsys.readouterr().out
    assert "2 of 5 accepted" in output and "4,993 parameters" in output
    assert "\x1b[2J" not in output and "[red]" in output
    for refused in ("lambda_layer.h5", "planes_21.h5", "other.KERAS"):
        assert [line for line in output.splitlines() if refused in line and "refused" in line]


def test_files_of_one_name_are_told_apart(keras_files, tmp_path, capsys):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "net.h5").write_bytes(b"")
    assert _check(tmp_path / "one", tmp_path / "two") == 2
    first_column = [line.split("│")[1].strip() for line in capsys.readouterr().out.splitlines()
                    if line.startswith("│")]
    names = "".join(first_column)
    assert str(tmp_path / "one" / "net.h5") in names and str(tmp_path / "two" / "net.h5") in names


def test_check_as_json(keras_files, capsys):
    files = [keras_files / f"{name}.h5" for name in ("resnet", "logits")]
    assert _check("--json", *files) == 2
    reports = json.loads(capsys.readouterr().out)
    assert [report["accepted"] for report in reports] == [True, False]
    assert reports[1]["faults"][0]["remedy"]


def test_check_takes_another_budget(keras_files):
    assert _check("--max-params", 4000, keras_files / "resnet.h5") == 2
    with pytest.raises(OptionsError, match="has no .h5 or .keras file"):
        _check(Path(__file__).parent)


def test_options_without_effect_are_refused(submitted, keras_files, tmp_path):
    options = ("--name", "Ada", "--league", tmp_path, "--token", "x")
    done = submitted(keras_files / "resnet.h5", *options)
    assert done.code == 2 and "--token needs --to" in done.err and not any(tmp_path.iterdir())


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
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1) and said in done.err
    assert [filed.name for filed in league.submissions.all()] == ["Alice", "Bob"]


def test_the_file_of_a_name_is_filed_under_it_again(submitted, keras_files, tmp_path):
    name = ("--name", "Alice", "--league", tmp_path / "league")
    for _ in range(2):
        assert submitted(keras_files / "resnet.h5", *name).code == 0
    done = submitted(tmp_path / "gone.h5", *name)
    assert done.code == 2 and "gone.h5: refused" in done.out and done.err == ""


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
    assert submitted(path, "--check-only", *league, *budget).code == 0
    assert submitted(path, "--check-only", *league, *budget, "--count", "total").code == 2
    assert submitted(path, "--check-only", *league, *budget, "--rules", "kit").code == 2
    as_json = submitted(path, "--check-only", "--json", *league, *budget)
    assert json.loads(as_json.out)["accepted"]


def test_check_counts_as_the_word_says(keras_files, capsys):
    path = keras_files / "resnet.h5"
    total = int(np.load(keras_files / "resnet.npz")["parameters"])
    assert _check(path, "--max-params", total - 1) == 2
    capsys.readouterr()
    assert _check(path, path, "--max-params", total - 1, "--rules", "course") == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"rules course: --max-params {total - 1} --count trainable" in out
    assert "trainable parameters" in out and "2 of 2 accepted" in out


def test_the_rules_of_a_server_are_its_own(tmp_path, submitted):
    refused = submitted("net.h5", "--to", "https://go.example.edu", "--rules", "course")
    assert refused.code == 2 and "--rules cannot be given with --to" in refused.err
