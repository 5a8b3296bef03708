"""The notebooks and the script of examples run as they are; only their work is shorter."""

import json
import os
import runpy
import sys
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

import golois
import train
from golois.__main__ import _parser as golois_parser
from golois.kit.command import UsageError
from golois.records.exporting import export_games
from golois.records.packed_file import GameFile
from golois.records.packing import write_games
from tests.data import EMBEDDED_GAMES, ROOT
from tests.katago_files import write_network

NOTEBOOK = ROOT / "examples" / "first_network.ipynb"
TEACHER = NOTEBOOK.with_name("teacher.ipynb")
INSIGHT = NOTEBOOK.with_name("insight.ipynb")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A folder of examples that lies in the kit, for a notebook's kernel."""
    (tmp_path / "examples").mkdir()
    for name in ("train.py", "evaluate.py", "submit.py", "data"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PATH", f"{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}")
    return tmp_path / "examples"


def executed(path: Path, folder: Path, changes: dict[str, str]):
    """A notebook after it ran in a folder, with texts of its cells changed, and what it printed."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "it is kept without results"
    for text, other in changes.items():
        assert sum(cell.source.count(text) for cell in notebook.cells), text
        for cell in notebook.cells:
            cell.source = cell.source.replace(text, other)
    client = nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return notebook, "".join(str(output.get("text", "")) for output in outputs)


@pytest.mark.slow
def test_it_runs_whole(folder):
    notebook, text = executed(NOTEBOOK, folder, {"MINUTES = 5": "MINUTES = 0.2"})
    for words in ("planes: (19, 19, 31)", "the network to hand in is", "best.h5: accepted"):
        assert words in text, text[-2000:]
    assert _num_pictures(notebook) == 4
    assert (folder / "first_network" / "own_loop.h5").is_file()
    assert "val_value_mae" in _tables(notebook)


@pytest.mark.slow
def test_the_teachers_notebook_runs_whole(folder):
    (folder / "teacher").mkdir()
    write_network(folder / "teacher" / "tiny.bin.gz", 8)
    few = folder / "few.games"
    write_games(islice(GameFile.open(ROOT / "data" / "katago_b6.games"), 40), few)
    export_games(few, few.with_suffix(".sgf"), "sgf")
    changes = {
        "!pip download": "!echo instead of pip download",
        "!unzip": "!echo instead of unzip",
        'KIT / "data" / "katago_b6.games"': '"few.sgf"',
        "--minutes 5": "--minutes 0.1",
        "--positions 512": "--positions 16",
    }
    _, text = executed(TEACHER, folder, changes)
    for words in ("b3c6-test, version 8", "labels of 408 positions", "taught/best.h5"):
        assert words in text, text[-2000:]
    assert text.count("the network to hand in is") == 2
    assert text.count("the teacher's first move") == 2


@pytest.mark.slow
def test_the_notebook_on_runs_and_leagues_runs_whole(folder):
    notebook, text = executed(INSIGHT, folder, {"--positions 512": "--positions 32"})
    for words in ("isn_tower", "--optimizer", "32 positions of ", "Reference networks"):
        assert words in text, text[-2000:]
    assert _num_pictures(notebook) == 5
    assert "elo_halfwidth" in _tables(notebook)
    assert (folder / "compared" / "index.html").is_file()


def cell_with(text: str) -> list[str]:
    """The lines of the one cell of code that has a text."""
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    code = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
    [found] = [lines for lines in code if text in "".join(lines)]
    return found


def arguments_of_training(out: Path, **changed: object) -> dict:
    """What the training cell gives train.py, with other values of some of its names."""
    *assignments, command = cell_with("!python {KIT}/train.py")
    names: dict = {"OUT": out, "KIT": ROOT}
    for line in assignments:
        name = line.partition(" = ")[0]
        exec(f"{name} = {changed[name]!r}" if name in changed else line, names)
    return train.parse_arguments(command.format(**names).split()[2:])


def test_more_minutes_make_the_run_longer(tmp_path):
    out = tmp_path / "first_network"
    options, _ = train.new_run(arguments_of_training(out))
    assert (options.model, options.minutes) == ("mobilenet", 5)
    out.mkdir()
    (out / "config.json").write_text(json.dumps({"options": vars(options)}))
    assert train.old_run(arguments_of_training(out))[0].minutes == 5
    assert train.old_run(arguments_of_training(out, MINUTES=30))[0].minutes == 30
    with pytest.raises(UsageError, match="differs from the run that --resume continues"):
        train.old_run(arguments_of_training(out, NETWORK="--model resnet"))


def test_the_address_of_the_repository_is_asked_for():
    cell = "".join(cell_with("!git clone"))
    assert "address = input(" in cell and "!git clone --quiet {address} kit" in cell


def _num_pictures(notebook) -> int:
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return sum("image/png" in output.get("data", {}) for output in outputs)


def _tables(notebook) -> str:
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return "".join(output.get("data", {}).get("text/html", "") for output in outputs)


def test_it_uses_files_that_the_kit_has():
    text = Path(NOTEBOOK).read_text("utf-8")
    for name in ("train.py", "evaluate.py", "submit.py"):
        assert f"{{KIT}}/{name}" in text and (ROOT / name).is_file()


SCRIPT = ROOT / "examples" / "minimal_train.py"


@pytest.mark.usefixtures("without_graphs")
@pytest.mark.filterwarnings("ignore:Even though the `tf.config:UserWarning")
def test_the_example_leaves_a_network_that_can_be_handed_in(tmp_path, monkeypatch, capfd):
    out = tmp_path / "my runs" / "best.h5"
    arguments = ["--epochs", "1", "--steps", "1", "--out", str(out)]
    few_held_out = partial(golois.Dataset, EMBEDDED_GAMES, validation_fraction=0.0005)
    monkeypatch.setattr(golois, "Dataset", lambda path, **_: few_held_out())
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), *arguments])
    monkeypatch.setattr(sys, "path", [*sys.path])  # the script finds the kit by itself
    runpy.run_path(str(SCRIPT), run_name="__main__")
    said = capfd.readouterr().out
    assert "accepted" in said and out.is_file()
    assert said.endswith(f"to hand it in: python submit.py '{out}' --name Your_Name\n")
    assert len(SCRIPT.read_text().splitlines()) <= 150


def test_the_commands_of_the_teachers_notebook_can_be_parsed():
    cells = json.loads(TEACHER.read_text("utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] for cell in code)
    lines = [line.strip() for cell in code for line in cell["source"]]
    names: dict = {"KIT": ROOT, "NETWORK": "net.bin.gz", "find_spec": lambda _: None}
    commands = []
    for line in lines:
        if line.startswith("!python"):
            commands.append(line.format(**names).split()[1:])
        elif line.startswith(("EVERY", "GAMES", "DEVICE", "HOW", "STUDENT")):
            exec(line, names)
    asked = [words[2:] for words in commands if words[:2] == ["-m", "golois"]]
    runs = [golois_parser().parse_args(words).run.__name__ for words in asked]
    assert runs == ["_run_teacher", "_run_label"]
    trained = [words[1:] for words in commands if words[0].endswith("train.py")]
    outs = [train.parse_arguments(words)["out"] for words in trained]
    assert [str(out) for out in outs] == ["taught", "plain"]
