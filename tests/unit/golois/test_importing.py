"""Where games come from: files, folders, archives, pieces; and the file that they end in."""

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from golois.errors import ArgumentError
from golois.kit.files import replaced_file
from golois.records.importing import import_games
from golois.records.packed_file import GameFile
from golois.records.packing import Packer
from tests.games import HEAD, SHORT_GAME, TEXT_GAME, import_bytes

GAMES = SHORT_GAME + "\n" + f"{HEAD};B[dd];W[pp])" + "\n"
TEXT = f"2\n{TEXT_GAME}\n{TEXT_GAME}\n"


def zipped(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def tarred(members: dict[str, bytes], mode: str = "w") -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return file.getvalue()


MEMBERS = {
    "a/1.sgf": SHORT_GAME.encode(),
    "a/2.sgf.gz": gzip.compress(GAMES.encode()),
    "games.data": TEXT.encode(),
    "README.txt": b"(;not a game",
    "__MACOSX/._1.sgf": b"junk",
}

# name of the file, its bytes, games in it
FILES = [
    ("one.sgf", SHORT_GAME.encode(), 1),
    ("two.sgfs", GAMES.encode(), 2),
    ("without_a_suffix", GAMES.encode(), 2),
    ("games.data", TEXT.encode(), 2),
    ("games.data.gz", gzip.compress(TEXT.encode()), 2),
    ("two.sgfs.xz", lzma.compress(GAMES.encode()), 2),
    ("two.sgfs.bz2", bz2.compress(GAMES.encode()), 2),
    ("misnamed.txt", gzip.compress(GAMES.encode()), 2),
    ("many.zip", zipped(MEMBERS), 5),
    ("many.tar", tarred(MEMBERS), 5),
    ("many.tar.gz", tarred(MEMBERS, "w:gz"), 5),
    ("many.tar.xz", tarred(MEMBERS, "w:xz"), 5),
    ("many.tbz2", tarred(MEMBERS, "w:bz2"), 5),
]


@pytest.mark.parametrize(("name", "data", "num_games"), FILES, ids=[row[0] for row in FILES])
def test_every_kind_of_file(tmp_path, name, data, num_games):
    summary = import_bytes(tmp_path, data, name)
    assert (summary.num_games, dict(summary.dropped)) == (num_games, {})
    (source,) = GameFile.open(summary.path).provenance["sources"]
    assert (source["name"], source["games"], source["bytes"]) == (name, num_games, len(data))


@pytest.fixture
def folder(tmp_path) -> Path:
    folder = tmp_path / "games"
    for name, data in {**MEMBERS, "b/more.zip": zipped(MEMBERS)}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def test_folders_are_searched(folder, tmp_path):
    summary = import_games([folder], tmp_path / "out.games")
    assert (summary.num_games, dict(summary.dropped)) == (10, {})
    assert GameFile.open(summary.path).provenance["sources"][0]["files"] == 4


def test_the_same_sources_give_the_same_bytes(folder, tmp_path):
    import_games([folder], tmp_path / "first.games")
    moved = folder.rename(tmp_path / "elsewhere").rename(tmp_path / "games")
    import_games([moved], tmp_path / "second.games")
    first, second = ((tmp_path / f"{name}.games").read_bytes() for name in ("first", "second"))
    assert first == second
    assert str(tmp_path).encode() not in first


@pytest.mark.parametrize(
    "text",
    [GAMES, TEXT, "W 2 1 72 1 60 0\n" * 2, "(;GM[1]B[\n" + GAMES, r"(;C[a \] b]" + GAMES + HEAD],
    ids=["SGF", "games.data", "older games.data", "a broken game first", "a broken game last"],
)
def test_pieces_may_end_anywhere(tmp_path, text):
    data = text.encode()

    def packed(pieces: list[bytes]) -> bytes:
        path = tmp_path / "out.games"
        with replaced_file(path) as file:
            packer = Packer(file)
            packer.begin_source("a", "a")
            for piece in pieces:
                packer.feed(piece)
            packer.end_source()
            packer.finish({"dropped": packer.dropped(), "first_drops": packer.reports()})
        return path.read_bytes()

    whole = packed([data])
    for cut in range(len(data) + 1):
        assert packed([data[:cut], data[cut:]]) == whole
    assert packed([data[i : i + 1] for i in range(len(data))]) == whole


def test_threads_change_nothing(tmp_path, monkeypatch):
    """Not the bytes, and not which of two duplicates stays or which drops come first."""
    broken = SHORT_GAME.replace("W[dd]", "W[pd]")
    source = tmp_path / "games"
    source.write_text((SHORT_GAME + broken + "\n" + f"{HEAD};B[dd])" + "(;B[aa])\n") * 700)
    packed = set()
    for num_threads in (1, 2, 7):
        monkeypatch.setattr("golois.records.packing.num_cpus", lambda n=num_threads: n)
        summary = import_games([source], tmp_path / "out.games", dedupe=True)
        packed.add(summary.path.read_bytes())
    assert len(packed) == 1
    assert dict(summary.dropped) == {"illegal move": 700, "no result": 700, "duplicate": 1398}


# name, bytes, games kept from it, words of the report
DAMAGED = [
    ("cut.xz", lzma.compress(GAMES.encode() * 999)[:-40], None, "end-of-stream"),
    ("cut.gz", gzip.compress(GAMES.encode())[:-4], None, "end-of-stream"),
    ("bad.bz2", b"BZh9" + bytes(99), 0, "Invalid data stream"),
    ("cut.zip", zipped(MEMBERS)[:-9], 0, "not a zip file"),
    ("cut.tar", tarred(MEMBERS)[:2000], None, "unexpected end of data"),
    ("nested.tar", tarred({"inner.zip": zipped(MEMBERS)}), 0, "unpack the outer archive"),
    ("bad name.zip", zipped({"é.sgf": b""}).replace("é".encode(), b"\xc3\xc3"), 0, "decode"),
    ("bad member.zip", zipped({"a.gz": b"\x1f\x8b\x08junk", **MEMBERS}), 5, "a.gz"),
]


@pytest.mark.parametrize(
    ("name", "data", "num_kept", "words"), DAMAGED, ids=[row[0] for row in DAMAGED]
)
def test_damaged_archives_are_reported_and_cost_no_other(tmp_path, name, data, num_kept, words):
    damaged, sound = tmp_path / name, tmp_path / "z.sgf"
    damaged.write_bytes(data)
    sound.write_text(SHORT_GAME)
    summary = import_games([damaged, sound], tmp_path / "out.games")
    assert summary.dropped["unreadable source"] == 1
    assert any("unreadable source" in report and words in report for report in summary.first_drops)
    if num_kept is not None:
        assert summary.num_games == num_kept + 1


def test_a_file_without_games_is_reported(tmp_path):
    (tmp_path / "a.sgf").write_text(SHORT_GAME)
    (tmp_path / "b.sgf").write_text("nothing here")
    (tmp_path / "c.sgf").write_text("")
    summary = import_games(
        [tmp_path / name for name in ("a.sgf", "b.sgf", "c.sgf")], tmp_path / "out.games"
    )
    assert dict(summary.dropped) == {"malformed": 2}
    assert "b.sgf:1: malformed: there are no games" in summary.first_drops[0]


def test_progress_ends_at_the_total(tmp_path):
    (tmp_path / "a.sgf").write_text(SHORT_GAME)
    (tmp_path / "b.sgfs").write_text(GAMES * 100)
    seen = []
    sources = [tmp_path / "a.sgf", tmp_path / "b.sgfs"]
    import_games(sources, tmp_path / "out.games", on_progress=seen.append)
    assert seen[-1].num_bytes == seen[-1].total_bytes == sum(s.stat().st_size for s in sources)
    assert seen[-1].num_games == 201


def test_bad_arguments(tmp_path):
    with pytest.raises(ArgumentError, match="no source of games"):
        import_games([], tmp_path / "out.games")
    with pytest.raises(FileNotFoundError):
        import_games([tmp_path / "missing.sgf"], tmp_path / "out.games")
    (tmp_path / "a.sgf").write_text(SHORT_GAME)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        import_games([tmp_path / "a.sgf"], tmp_path / "nowhere" / "out.games")


def test_a_source_is_not_overwritten_and_what_was_packed_before_is(tmp_path):
    source, copy = tmp_path / "games.data", tmp_path / "copy.data"
    source.write_text(GAMES)
    copy.symlink_to(source)
    for output in (source, copy):
        with pytest.raises(ArgumentError, match="overwrite the source .*: choose another"):
            import_games([tmp_path], output)
    assert source.read_text() == GAMES
    copy.unlink()
    for _ in range(2):  # the second time the packed file lies in the folder
        assert import_games([tmp_path], copy).num_games == 2
    packed = copy.read_bytes()
    with pytest.raises(ArgumentError, match="overwrite the source .*: choose another"):
        import_games([copy, source], copy)
    assert copy.read_bytes() == packed


def test_a_device_or_a_pipe_is_refused_by_name(tmp_path):
    with pytest.raises(OSError, match=f"a device or a pipe: give a file: '{os.devnull}'"):
        import_games([os.devnull], tmp_path / "out.games")


def test_an_interrupted_import_leaves_the_old_file(tmp_path):
    import_bytes(tmp_path, SHORT_GAME)
    before = (tmp_path / "out.games").read_bytes()

    def interrupt(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_games([tmp_path / "games"], tmp_path / "out.games", on_progress=interrupt)
    assert (tmp_path / "out.games").read_bytes() == before
    assert {file.name for file in tmp_path.iterdir()} == {"games", "out.games"}


def test_a_packed_file_is_not_packed_again(tmp_path):
    """Its games would be sought as text, and none be found."""
    import_bytes(tmp_path, SHORT_GAME)
    with pytest.raises(ArgumentError, match="out.games is packed already: name each packed file"):
        import_games([tmp_path / "games", tmp_path / "out.games"], tmp_path / "both.games")
    assert not (tmp_path / "both.games").exists()
