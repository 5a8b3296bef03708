"""`python -m golois`: what it prints, and how it refuses."""

from io import BytesIO, TextIOWrapper
from itertools import islice

import pytest

from golois.__main__ import main
from golois.games.rules import Go, Hex
from golois.go.coords import BLACK, WHITE
from golois.kit.files import sha256_of
from golois.records.exporting import export_games
from golois.records.finished_games import FinishedGame, write_finished_games
from golois.records.packed_file import GameFile
from golois.records.packing import write_games
from tests.data import EMBEDDED_GAMES
from tests.games import SHORT_GAME, altered

NO_KOMI = SHORT_GAME.replace("KM[7.5]", r"SO[[b\]]")


def test_import_and_info(tmp_path, capsys):
    source, packed = tmp_path / "week.sgfs", tmp_path / "week.games"
    source.write_text(f"{SHORT_GAME}\n{SHORT_GAME.replace('B+R', '?')}\n")
    assert main(["import", str(source), "-o", str(packed)]) == 0
    text = capsys.readouterr().out
    assert "dropped: no result" in text
    assert "week.games: 3 training positions" in text
    assert "week.sgfs:2: no result: " in text
    assert len(GameFile.open(packed)) == 1

    assert main(["info", str(packed)]) == 0
    text = capsys.readouterr().out
    for words in ("checksums right", "training positions", "7.5", "0–49", "SHA-256", "week.sgfs"):
        assert words in text


def test_info_shows_sources_of_one_name(tmp_path, capsys):
    sources = [tmp_path / folder / "week.sgf" for folder in ("a", "b")]
    for source, game in zip(sources, (SHORT_GAME, NO_KOMI), strict=True):
        source.parent.mkdir()
        source.write_text(game)
    assert main(["import", *map(str, sources), "-o", str(tmp_path / "out.games")]) == 0
    assert main(["info", str(tmp_path / "out.games")]) == 0
    text = capsys.readouterr().out
    assert all(sha256_of(source) in text for source in sources)
    assert "week.sgf (source 2)" in text


def test_an_import_that_is_interrupted_at_the_ladders_is_told(tmp_path, monkeypatch, capsys):
    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("golois.__main__.add_ladders", interrupted)
    (tmp_path / "a.sgf").write_text(SHORT_GAME)
    assert main(["import", str(tmp_path / "a.sgf"), "-o", str(tmp_path / "a.games")]) == 130
    said = capsys.readouterr()
    assert "a.games: 3 training positions" in said.out
    assert "a.games is written without its ladders" in said.err
    assert len(GameFile.open(tmp_path / "a.games")) == 1


def test_info_names_the_game_and_the_board(tmp_path, capsys):
    games = [FinishedGame([4, 9, 9], BLACK, [{4: 3}, {9: 1, 0: 1}, {}], [0.5, 0.25, 0.5])]
    path = tmp_path / "small.games"
    write_finished_games(path, Go(3), games)
    assert main(["info", "--phases", str(path)]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "game Go on 3×3 with passes in the policy training positions 2" in text
    assert "with a policy of a teacher or a search 100.0%" in text
    assert "0–49 2 100.0%" in text and "komi" in text
    write_finished_games(path, Hex(3, swap=True), [FinishedGame([4], WHITE, [{4: 1}], [0.5])])
    assert main(["info", str(path)]) == 0
    text = capsys.readouterr().out
    assert "Hex on 3×3 with swap" in text and "komi" not in text


def test_dedupe_phases_and_export(tmp_path, capsys):
    source, packed, text = (tmp_path / name for name in ("week.sgfs", "week.games", "week.data"))
    source.write_text(f"{SHORT_GAME}\n{SHORT_GAME}\n{NO_KOMI}\n")
    assert main(["import", str(source), "-o", str(packed)]) == 0
    assert main(["info", "--phases", str(packed)]) == 0
    output = capsys.readouterr().out
    for words in ("all sources", "week.sgfs", "[b]", "0–49", "White won"):
        assert words in output
    assert main(["export", str(packed), "--format", "games.data", "-o", str(text)]) == 0
    output = capsys.readouterr().out
    assert "week.data: 2 games in games.data" in output
    assert "left out: 1 unknown komi" in output
    assert main(["import", "--dedupe", str(text), "-o", str(packed)]) == 0
    assert "dropped: duplicate" in capsys.readouterr().out
    assert len(GameFile.open(packed)) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["import", "missing.sgf", "-o", "out.games"], "missing.sgf: No such file"),
        (["import", "plain.txt", "-o", "out.games"], "no games could be read from plain.txt"),
        (["import", "game.sgf", "-o", "nowhere/out.games"], "nowhere: No such file"),
        (["import", ".", "-o", "game.sgf"], "overwrite the source game.sgf: choose another"),
        (["export", "missing.games", "--format", "sgf", "-o", "x"], "missing.games: No such file"),
        (["export", "plain.txt", "--format", "sgf", "-o", "x"], "txt: this is not a packed file"),
        (["info", "missing.games"], "missing.games: No such file"),
        (["info", "plain.txt"], "plain.txt: this is not a packed file"),
        (["info", "."], ".: Is a directory"),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(tmp_path, monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.txt").write_text("nothing")
    (tmp_path / "game.sgf").write_text(SHORT_GAME)
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.startswith("golois: ") and error.count("\n") == 1
    assert {path.name for path in tmp_path.iterdir()} == {"plain.txt", "game.sgf"}
    assert (tmp_path / "game.sgf").read_text() == SHORT_GAME


def test_a_name_that_stdout_has_no_letters_for_is_printed(tmp_path, monkeypatch):
    stdout = TextIOWrapper(BytesIO(), "ascii")
    monkeypatch.setattr("sys.stdout", stdout)
    (tmp_path / "a.sgf").write_text(SHORT_GAME)
    assert main(["import", str(tmp_path / "a.sgf"), "-o", str(tmp_path / "Züri.games")]) == 0
    stdout.flush()
    assert b"Z\\xfcri.games: 3 training positions" in stdout.buffer.getvalue()


def test_info_finds_damage(tmp_path, capsys):
    source, packed = tmp_path / "a.sgf", tmp_path / "a.games"
    source.write_text(SHORT_GAME)
    main(["import", str(source), "-o", str(packed)])
    assert main(["info", str(altered(packed, 130, b"\xff"))]) == 2
    assert "CRC-32" in capsys.readouterr().err


def test_import_stores_the_ladders_unless_told_otherwise(tmp_path, capsys):
    write_games(islice(GameFile.open(EMBEDDED_GAMES), 20), tmp_path / "few.games")
    export_games(tmp_path / "few.games", tmp_path / "games.sgf", "sgf")
    for options, has_ladders in (((), True), (("--no-ladders",), False)):
        packed = tmp_path / f"{has_ladders}.games"
        assert main(["import", str(tmp_path / "games.sgf"), "-o", str(packed), *options]) == 0
        assert GameFile.open(packed).has_ladders == has_ladders
    assert main(["ladders", str(packed)]) == 0
    assert packed.read_bytes() == (tmp_path / "True.games").read_bytes()
