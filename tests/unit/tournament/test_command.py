"""Wrong arguments of every command: one line on stderr, exit code 2, no usage and no traceback."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from golois.kit.run_folder import name_of_file
from tests.data import ROOT
from tournament.__main__ import main as tournament_main
from tournament.commands import COMMANDS as TOURNAMENT_COMMANDS

# The module with `main`, its arguments, and a part of what is said.
WRONG = {
    "golois": ("golois.__main__", ["import"], "SRC"),
    "golois, an empty argument": ("golois.__main__", ["info", "a.games", ""], ""),
    "golois, mistyped": ("golois.__main__", ["imprt"], "'imprt' (did you mean import?)"),
    "models": ("models.__main__", ["table", "--bogus"], "--bogus"),
    "models, mistyped": ("models.__main__", ["chek"], "'chek' (did you mean check?)"),
    "models fit": ("models.__main__", ["fit", "resnet", "--limit", "many"], "--limit"),
    "a model to fit": ("models.__main__", ["fit", "x"], "there is no model"),
    "a model to check": ("models.__main__", ["check", "vit", "--set", "x=1"], "has no option"),
    "tournament": ("tournament.__main__", ["run", "--seconds", "soon"], "--seconds"),
    "its command": ("tournament.__main__", ["runn"], "'runn' (did you mean run?)"),
    "its player": (
        "tournament.__main__", ["run", "--player", "pukt"], "'pukt' (did you mean puct?)"
    ),
    "no command": ("tournament.__main__", ["nothing"], "(choose from "),
    "submit": ("submit", ["net.h5", "--bogus"], "--bogus"),
    "evaluate": ("evaluate", ["net.h5", "--bogus"], "--bogus"),
    "a network to measure": ("evaluate", ["nowhere.h5"], "there is no file"),
    "a league's folder": ("submit", ["net.h5", "--league", ""], "--league: expected a path"),
    "train": ("train", ["--bogus"], "--bogus"),
    "a folder": ("train", ["--out", ""], "--out: expected a path, and got an empty text"),
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
    "sweep": ("sweep", ["nowhere.toml"], "nowhere.toml"),
    "a sweep's model": ("sweep", ["sweep.toml", "--out", "out"], "there is no model"),
    "self-play": ("selfplay.command", ["--bogus"], "--bogus"),
    "self-play's model": ("selfplay.command", ["--model", "x"], "there is no model"),
}
# Calls each of them, and tells what came back and which large packages were loaded by then.
CALL = """
import contextlib, importlib, io, json, sys
answers = {}
for what, (module, arguments, _) in json.load(sys.stdin).items():
    out, errors = io.StringIO(), io.StringIO()
    text = [""] if module == "selfplay.command" else []
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            code = importlib.import_module(module).main(arguments, *text)
        except SystemExit as end:
            code = end.code
    loaded = {"keras", "tensorflow", "pandas", "matplotlib"} & {*sys.modules}
    answers[what] = code, out.getvalue(), errors.getvalue(), [*loaded]
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory) -> dict[str, list]:
    """What all of them answer, in one process."""
    folder = tmp_path_factory.mktemp("wrong")
    (folder / "sweep.toml").write_text('minutes = 1\n[[runs]]\nmodel = "resnett"\n')
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{CALL}"],
        cwd=folder, input=json.dumps(WRONG), capture_output=True, text=True,
    )
    assert done.returncode == 0, done.stderr
    assert [path.name for path in folder.iterdir()] == ["sweep.toml"]
    return json.loads(done.stdout)


@pytest.mark.parametrize("what", WRONG)
def test_a_mistake_is_one_line_and_code_2_before_keras_is_imported(answers, what):
    code, out, errors, loaded = answers[what]
    assert (code, out, errors.count("\n"), loaded) == (2, "", 1, []), errors
    said = WRONG[what][2]
    assert said in errors and ("choose from" in errors) == ("choose from" in said)


@pytest.mark.parametrize("command", [["-m", "golois", "import"], ["selfplay.py", "--bogus"]])
def test_the_code_is_that_of_the_process(command):
    done = subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr


def test_ctrl_c_while_a_command_is_imported_is_no_traceback(monkeypatch, capsys):
    def stop(name):
        raise KeyboardInterrupt

    monkeypatch.setattr("tournament.__main__.import_module", stop)
    assert tournament_main(["run"]) == 130
    assert capsys.readouterr().err == "stopped; the same command goes on from here\n"


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
