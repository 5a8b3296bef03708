"""Export: the text to the letter, what is left out, and what is refused."""

import numpy as np
import pytest

from golois.errors import ArgumentError, DataFormatError
from golois.records.exporting import export_games
from golois.records.importing import import_games
from golois.records.packed_file import GameFile
from golois.records.packing import write_games
from tests.data import EMBEDDED_GAMES
from tests.games import HEAD, SHORT_GAME, TEXT_GAME, altered, import_bytes, record_of


def exported(folder, data: str, format: str) -> str:
    import_bytes(folder, data, "source")
    export_games(folder / "out.games", folder / "text", format)
    return (folder / "text").read_text(encoding="utf-8")


def test_games_data_to_the_letter(tmp_path):
    text = exported(tmp_path, f"2\n{TEXT_GAME}\n6.25 B 1 3 1 1.00 5.20\n", "games.data")
    assert text == (
        "2\n6.5 W 3 72 1 -1.00 0.00 60 0 0.53 0.00 361 1 0.07 0.00 \n6.25 B 1 3 1 1.00 0.00 \n"
    )


def test_games_data_gives_the_result_where_there_are_no_values(tmp_path):
    assert exported(tmp_path, SHORT_GAME, "games.data") == (
        "1\n7.5 B 3 72 1 0.00 0.00 60 0 0.00 0.00 319 1 0.00 0.00 \n"
    )


def test_sgf_to_the_letter(tmp_path):
    head = r"(;FF[4]GM[1]SZ[19]RU[a\]b\\c]RE[W+2.5]SO[über]"
    text = exported(tmp_path, f"{head};B[pd]C[0.53 0.47 0.00 0.4 v=1];W[];W[dd])", "sgf")
    assert text == (
        r"(;FF[4]GM[1]CA[UTF-8]SZ[19]RU[a\]b\\c]RE[W+2.5]SO[über]"
        ";B[pd]C[0.53 0.47 0.00 0.0];W[];W[dd])\n"
    )


def test_games_without_komi_or_winner_are_left_out_of_games_data(tmp_path):
    draw = HEAD.replace("B+R", "0") + ";B[pd])"
    no_komi = SHORT_GAME.replace("KM[7.5]", "")
    import_bytes(tmp_path, SHORT_GAME + draw + no_komi)
    summary = export_games(tmp_path / "out.games", tmp_path / "text", "games.data")
    assert (summary.num_games, summary.left_out) == (1, {"unknown komi": 1, "drawn": 1})
    summary = export_games(tmp_path / "out.games", tmp_path / "text", "sgf")
    assert (summary.num_games, summary.left_out) == (3, {})


def test_a_game_is_left_out_for_one_reason(tmp_path):
    no_komi = (record_of([72], [1], komi=None, result=result) for result in ("?", "0"))
    write_games([*no_komi, record_of([72], [1])], tmp_path / "games")
    summary = export_games(tmp_path / "games", tmp_path / "text", "games.data")
    assert (summary.num_games, summary.left_out) == (1, {"unknown komi": 2})


def test_an_unknown_result_is_no_draw(tmp_path):
    write_games([record_of([72], [1], result=result) for result in ("?", "0")], tmp_path / "games")
    with pytest.raises(DataFormatError, match=r"\(1 drawn, 1 unknown result\)"):
        export_games(tmp_path / "games", tmp_path / "text", "games.data")


@pytest.mark.parametrize("format", ["games.data", pytest.param("sgf", marks=pytest.mark.slow)])
def test_embedded_games_come_back(tmp_path, format):
    seen = []
    export_games(
        EMBEDDED_GAMES, tmp_path / "text", format, on_progress=lambda *done: seen.append(done)
    )
    import_games([tmp_path / "text"], tmp_path / "back.games")
    before, after = GameFile.open(EMBEDDED_GAMES), GameFile.open(tmp_path / "back.games")
    np.testing.assert_array_equal(before.words, after.words)
    lost = {"margin_halves"} if format == "games.data" else set()
    for name in set(before.rows.dtype.names) - lost:
        np.testing.assert_array_equal(before.rows[name], after.rows[name], err_msg=name)
    assert seen == [(500, 2029), (1000, 2029), (1500, 2029), (2000, 2029)]


def test_refusals(tmp_path):
    import_bytes(tmp_path, SHORT_GAME.replace("KM[7.5]", ""))
    packed, damaged, text = (tmp_path / name for name in ("out.games", "damaged", "text"))
    damaged.write_bytes(packed.read_bytes())
    altered(damaged, 130, b"\xff")
    for source, output, format, error, words in (
        (packed, text, "gib", ArgumentError, "format must be one of games.data, sgf"),
        (packed, packed, "sgf", ArgumentError, "would overwrite the packed file"),
        (packed, text, "games.data", DataFormatError, r"can hold none of .*\(1 unknown"),
        (tmp_path / "games", text, "sgf", DataFormatError, "this is not a packed file"),
        (damaged, text, "sgf", DataFormatError, "CRC-32"),
    ):
        with pytest.raises(error, match=words):
            export_games(source, output, format)
    assert not text.exists()
