"""The provenance of packed files: read as written, refused in words when it is something else."""

import pytest

from golois.__main__ import main
from golois.kit.files import replaced_file
from golois.records.packed_file import GameFile, read_provenance
from golois.records.packing import Packer
from tests.data import EMBEDDED_GAMES
from tests.games import record_of

SOURCE = b'{"name":"a","files":1,"bytes":2,"sha256":"0","games":3}'


def test_what_the_kit_writes_is_read():
    assert GameFile.open(EMBEDDED_GAMES).provenance["kept"] == 2029
    assert read_provenance(b"{}") == {}
    found = read_provenance(b'{"sources":[%b],"texts":[{"rules":"","source":"a"}]}' % SOURCE)
    assert found["sources"][0]["games"] == 3 and found["texts"][0]["source"] == "a"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "Expecting value"),
        (b"\xff", "decode"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[]", "not an object"),
        (b'{"texts":{}}', "texts are not objects with rules, source"),
        (b'{"texts":[{"rules":""}]}', "texts are not objects"),
        (b'{"texts":[{"rules":"","source":1}]}', "texts are not objects"),
        (b'{"sources":[1]}', "sources are not objects with name, bytes, sha256, games"),
        (b'{"sources":[%b]}' % SOURCE.replace(b"2", b"2.5"), "sources are not objects"),
        (b'{"dropped":{"rank":"many"}}', "dropped games are not counted"),
    ],
)
def test_something_else_is_refused_in_words(data, words):
    with pytest.raises(ValueError, match=words):
        read_provenance(data)


def test_a_file_whose_provenance_is_something_else_is_one_sentence(tmp_path, capsys):
    path = tmp_path / "odd.games"
    with replaced_file(path) as file:
        packer = Packer(file)
        packer.add(record_of([72], [1]))
        packer.finish({"sources": [1]})
    output = ("--format", "sgf", "-o", str(tmp_path / "out.sgf"))
    for command in (["info", str(path)], ["export", str(path), *output]):
        assert main(command) == 2
        error = capsys.readouterr().err
        assert "odd.games: the provenance from byte" in error and error.count("\n") == 1
    assert list(tmp_path.iterdir()) == [path]
