"""The notebook runs as it is, from the first cell to the last; only its training is shorter."""

import os
from pathlib import Path

import pytest

from tests.data import ROOT

NOTEBOOK = ROOT / "notebooks" / "first_network.ipynb"


@pytest.mark.slow
def test_it_runs_whole(tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "it is kept without results"
    for cell in notebook.cells:
        cell.source = cell.source.replace("MINUTES = 5", "MINUTES = 0.2")
    (tmp_path / "notebooks").mkdir()
    for name in ("train.py", "evaluate.py", "submit.py", "data"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PATH", f"{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}")
    folder = tmp_path / "notebooks"
    client = nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    text = "".join(
        str(output.get("text", "")) for cell in notebook.cells for output in cell.get("outputs", [])
    )
    for words in ("planes: (19, 19, 31)", "the network to hand in is", "best.h5: accepted"):
        assert words in text, text[-2000:]
    assert _num_pictures(notebook) == 3
    assert (folder / "first_network" / "own_loop.h5").is_file()


def _num_pictures(notebook) -> int:
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return sum("image/png" in output.get("data", {}) for output in outputs)


def test_it_uses_files_that_the_kit_has():
    text = Path(NOTEBOOK).read_text("utf-8")
    for name in ("train.py", "evaluate.py", "submit.py"):
        assert f"{{KIT}}/{name}" in text and (ROOT / name).is_file()
