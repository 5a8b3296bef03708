"""Files that appear when they are whole, and what killed writers leave."""

import os
import signal
import subprocess
import sys

import pytest

from golois.importing import import_games
from golois.records import GameFile
from golois.replacing import replaced_file
from tests.data import ROOT
from tests.games import SHORT_GAME, import_bytes

IMPORT_AND_WAIT = """
import sys, time
from golois.importing import import_games

def wait(progress):
    print("reading", flush=True)
    time.sleep(60)

import_games(["games"], "out.games", on_progress=wait)
"""


@pytest.fixture
def importing(tmp_path):
    """Another process, in the middle of an import to out.games."""
    (tmp_path / "games").write_text(SHORT_GAME)
    process = subprocess.Popen(
        [sys.executable, "-c", IMPORT_AND_WAIT],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    )
    assert process.stdout.readline() == b"reading\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def names(folder) -> set[str]:
    return {file.name for file in folder.iterdir()}


def test_a_killed_import_leaves_no_half_file_and_the_next_one_cleans_up(tmp_path, importing):
    part = f".out.games.{importing.pid}.part"
    importing.send_signal(signal.SIGKILL)
    importing.wait()
    assert names(tmp_path) == {"games", part}
    assert import_bytes(tmp_path, SHORT_GAME).num_games == 1
    assert names(tmp_path) == {"games", "out.games"}


def test_what_a_living_import_writes_is_left_alone(tmp_path, importing):
    part = f".out.games.{importing.pid}.part"
    import_games([tmp_path / "games"], tmp_path / "out.games")
    assert names(tmp_path) == {"games", "out.games", part}
    GameFile.open(tmp_path / "out.games").verify()


def test_only_parts_of_the_same_file_are_removed(tmp_path):
    others = {".out.games.12.part.bak", ".out.games.x.part", ".other.games.12.part", "out.games.12"}
    for name in (*others, ".out.games.12.part"):
        (tmp_path / name).touch()
    with replaced_file(tmp_path / "out.games") as file:
        file.write(b"whole")
    assert names(tmp_path) == {*others, "out.games"}
