"""Wrong arguments of every command: one line on stderr, exit code 2, no usage and no traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

from golois.kit.run_folder import name_of_file
from tests.data import ROOT
from tournament.__main__ import main as tournament_main
from tournament.commands import COMMANDS as TOURNAMENT_COMMANDS

COMMANDS = {
    "golois": ["-m", "golois", "import"],
    "golois, an empty argument": ["-m", "golois", "info", "a.games", ""],
    "models": ["-m", "models", "table", "--bogus"],
    "models fit": ["-m", "models", "fit", "resnet", "--limit", "many"],
    "tournament": ["-m", "tournament", "run", "--seconds", "soon"],
    "submit": ["submit.py", "--bogus"],
    "evaluate": ["evaluate.py", "--bogus"],
    "train": ["train.py", "--bogus"],
    "sweep": ["sweep.py", "nowhere.toml"],
    "selfplay": ["selfplay.py", "--bogus"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_wrong_arguments_are_one_line_and_code_2(command):
    done = subprocess.run(
        [sys.executable, *COMMANDS[command]], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr


def test_ctrl_c_while_a_command_is_imported_is_no_traceback(monkeypatch, capsys):
    def stop(name):
        raise KeyboardInterrupt

    monkeypatch.setattr("tournament.__main__.import_module", stop)
    assert tournament_main(["run"]) == 130
    assert capsys.readouterr().err == "stopped; the same command goes on from here\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("tournament", "runn"), "'runn' (did you mean run?)"),
        (("tournament", "run", "--player", "pukt"), "'pukt' (did you mean puct?)"),
        (("golois", "imprt"), "'imprt' (did you mean import?)"),
        (("models", "chek"), "'chek' (did you mean check?)"),
        (("tournament", "nothing"), "(choose from "),
    ],
)
def test_a_mistyped_choice_is_guessed(arguments, said):
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr and ("choose from" in done.stderr) != ("did you mean" in done.stderr)


HELP = """
import sys
from {module} import main
try:
    main(["--help"])
except SystemExit as end:
    sys.exit(end.code or ", ".join({heavy} & set(sys.modules)) or 0)
"""
HEAVY = {
    "rich", "h5py", "onnx", "keras", "tensorflow", "onnxruntime", "fastapi", "matplotlib", "pandas"
}
HEAVY_FOR = {
    "tournament.__main__": {
        *HEAVY, "numpy", "golois._native", "tournament.league", "tournament.players"
    },
    "submit": {*HEAVY, "numpy", "golois._native", "tournament.league.league"},
    "train": HEAVY,
}


@pytest.mark.parametrize("module", HEAVY_FOR)
def test_help_loads_nothing_that_takes_long(module):
    program = HELP.format(module=module, heavy=HEAVY_FOR[module])
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage: ")


WRONG = {
    "an option": ("train", ["--modle", "resnet"], "(did you mean --model?)"),
    "a number": ("train", ["--lr", "-1"], "--lr must be"),
    "a model": ("train", ["--model", "resnett"], "(did you mean resnet?)"),
    "an option of the model": ("train", ["--set", "bloks=3"], "(did you mean blocks?)"),
    "its value": ("train", ["--set", "blocks=x"], "must be a whole number"),
    "its choice": ("train", ["--set", "policy_activation=x"], "must be one of"),
    "a file of games": ("train", ["--data", "nowhere.games"], "there is no file"),
    "a network": ("train", ["--init-from", "nowhere.h5"], "there is no file"),
    "a model's file": ("train", ["--model", "nowhere.py:build"], "there is no file"),
    "a run": ("train", ["--resume", "nowhere"], "is not the folder of a run"),
    "a network to measure": ("evaluate", ["nowhere.h5"], "there is no file"),
    "self-play's model": ("selfplay.command", ["--model", "x"], "there is no model"),
    "a sweep's model": ("sweep", ["SWEEP", "--out", "OUT"], "there is no model"),
    "a model to fit": ("models.__main__", ["fit", "x"], "there is no model"),
    "a model to check": ("models.__main__", ["check", "vit", "--set", "x=1"], "has no option"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_mistake_is_answered_before_keras_is_imported(what, tmp_path):
    module, arguments, said = WRONG[what]
    (tmp_path / "sweep.toml").write_text('minutes = 1\n[[runs]]\nmodel = "resnett"\n')
    paths = {"SWEEP": str(tmp_path / "sweep.toml"), "OUT": str(tmp_path / "out")}
    arguments = [paths.get(word, word) for word in arguments]
    text = ', ""' if module == "selfplay.command" else ""
    program = (
        f"import sys; from {module} import main; assert main({arguments!r}{text}) == 2; "
        "sys.exit(bool({'keras', 'tensorflow', 'pandas', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (0, "", 1), done.stderr
    assert said in done.stderr


def test_help_names_every_command_of_the_arena(capsys):
    with pytest.raises(SystemExit):
        tournament_main(["--help"])
    shown = capsys.readouterr().out
    assert all(f"\n    {name} " in shown for name in TOURNAMENT_COMMANDS)


@pytest.mark.parametrize("name", TOURNAMENT_COMMANDS)
def test_every_command_of_the_arena_says_what_it_takes(name, capsys):
    with pytest.raises(SystemExit) as end:
        tournament_main([name, "--help"])
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: python -m tournament {name} ")


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("runs/mine/best.h5", "mine"),
        ("runs/resnet_0.5/best.keras", "resnet_0.5"),
        ("best.h5", "here"),
        ("../there/best.h5", "there"),
        ("runs/mine/last.h5", "last"),
        ("net.v2.h5", "net.v2"),
        ("/best.h5", "best"),
        ("/", ""),
    ],
)
def test_the_network_of_a_run_is_called_as_its_run(file, name, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert name_of_file(Path(file)) == name
