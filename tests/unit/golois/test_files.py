"""Files that appear when they are whole, and what killed writers leave."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from golois.kit.files import lock, remove_unfinished, replaced_file, write_whole
from golois.records.importing import import_games
from golois.records.packed_file import GameFile
from tests.data import ROOT
from tests.games import SHORT_GAME, import_bytes

IMPORT_AND_WAIT = """
import sys, time
from golois.records.importing import import_games

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


@pytest.mark.parametrize("durable", [True, False])
@pytest.mark.parametrize("content", [b"new", lambda beside: beside.write_bytes(b"new")])
def test_a_file_is_written_whole_in_a_folder_that_is_made(content, durable, tmp_path):
    path = tmp_path / "not" / "there" / "net.h5"
    for _ in range(2):
        write_whole(path, content, durable=durable)
        assert path.read_bytes() == b"new" and names(path.parent) == {"net.h5"}


@pytest.mark.parametrize("name", [".", "..", "", "folder"])
def test_a_folder_is_not_replaced(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError) as by_write:
        write_whole(Path(name), b"new")
    with pytest.raises(IsADirectoryError) as by_replaced, replaced_file(Path(name)):
        pytest.fail("there is nothing to write to")
    assert by_write.value.filename == by_replaced.value.filename == str(Path(name))
    assert names(tmp_path) == {"folder"} and names(tmp_path / "folder") == set()


@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_a_device_is_not_replaced(kind, tmp_path, monkeypatch):
    """Neither a name that is no file, nor a link beside the devices, as /dev/stdout is."""
    path = tmp_path / "name"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        monkeypatch.setattr("golois.kit.files.DEVICES", tmp_path.resolve())
        (tmp_path / "file").touch()
        path.symlink_to(tmp_path / "file")
    before = path.lstat()
    with pytest.raises(OSError, match="a device or a pipe"):
        write_whole(path, b"new")
    with pytest.raises(OSError, match="a device or a pipe"), replaced_file(path):
        pass
    assert path.lstat().st_ino == before.st_ino


def test_an_error_names_the_file_that_was_asked_for(tmp_path, monkeypatch):
    """Not what is written beside it, which a read-only file system refuses to remove, too."""
    path = tmp_path / "out.games"
    with pytest.raises(OSError, match="No space left on device: ") as full, replaced_file(path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with pytest.raises(FileNotFoundError) as other, replaced_file(path):
        (tmp_path / "source.sgf").read_bytes()

    def refused(file, *_, **__):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(file))

    monkeypatch.setattr(Path, "unlink", refused)
    monkeypatch.setattr(Path, "write_bytes", refused)
    monkeypatch.setattr("builtins.open", refused)
    with pytest.raises(OSError, match="Read-only") as by_write:
        write_whole(path, b"new")
    with pytest.raises(OSError, match="Read-only") as by_replaced, replaced_file(path):
        pytest.fail("there is nothing to write to")
    for error in (full, by_write, by_replaced):
        assert error.value.filename == str(path)
    assert other.value.filename == str(tmp_path / "source.sgf")


def test_a_link_stays_and_so_does_who_may_read(tmp_path):
    """Games may lie on another disk, and be nobody else's to read."""
    games, link = tmp_path / "games", tmp_path / "link"
    games.touch(mode=0o600)
    link.symlink_to(games)
    with replaced_file(link) as file:
        file.write(b"new")
    assert link.is_symlink() and games.read_bytes() == b"new"
    assert games.stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path):
    """But a link's target has no say, and a public file is everybody's to read."""
    usual, path, link = tmp_path / "usual", tmp_path / "table.csv", tmp_path / "link"
    path.touch()
    path.chmod(0o604)
    link.symlink_to(path)
    for name in (usual, path, link):
        write_whole(name, b"new")
    modes = [name.stat().st_mode & 0o777 for name in (usual, path, link)]
    assert modes[1] == 0o604 and modes[2] == modes[0] != 0o604
    write_whole(path, b"new", public=True)
    assert path.stat().st_mode & 0o777 == 0o644


def test_what_writes_a_file_is_given_the_same_ending_and_no_other_name(tmp_path):
    given = []

    def write(beside):
        given.append(beside)
        beside.touch()

    for _ in range(2):
        write_whole(tmp_path / "curves.png", write)
    assert {path.suffix for path in given} == {".png"} and len(set(given)) == 2


@pytest.mark.parametrize("durable", [True, False])
def test_only_a_durable_write_waits_for_the_disk(durable, tmp_path, monkeypatch):
    flushed = []
    monkeypatch.setattr("os.fsync", flushed.append)
    write_whole(tmp_path / "file", b"content", durable=durable)
    assert len(flushed) == durable


def test_what_a_killed_write_leaves_is_removed(tmp_path):
    program = """
import os
from pathlib import Path
from golois.kit.files import write_whole
write_whole(Path("net.h5"), lambda beside: beside.touch() or os._exit(0))
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=environment, check=True)
    (tmp_path / "last.h5").touch()
    assert len(names(tmp_path)) == 2
    remove_unfinished(tmp_path)
    assert names(tmp_path) == {"last.h5"}


def test_a_lock_is_held_until_its_file_is_closed(tmp_path):
    path = tmp_path / "lock"
    with open(path, "w") as first, open(path) as second:
        assert lock(first) and not lock(second)
        first.close()
        assert lock(second)
