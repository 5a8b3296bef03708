"""`python -m tournament analyze` as somebody types it."""

import re
import sys

import pytest

from golois.sgf.reading import read_sgf
from tests.fake_arena import tiny_network
from tests.katago_files import write_network
from tests.runs import Said, tournament
from tournament.commands import analyze

GAME = "(;SZ[19]PB[Ada]PW[Grace]KM[0.5]RE[B+3.5];B[pd];W[dd];B[pp];W[dp];B[])"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "tiny.onnx").write_bytes(tiny_network(5))
    (tmp_path / "game.sgf").write_text(GAME)
    return tmp_path


def run(files, *options: str, game: str = "game.sgf", output: str = "out.sgf") -> Said:
    paths = [files / name for name in ("tiny.onnx", game)]
    limits = ["--visits", "6", "--threshold", "0.01"]
    return tournament("analyze", *paths, "-o", files / output, *limits, *options)


def test_the_game_comes_back_with_comments_and_the_same_seed_gives_the_same_bytes(files):
    said, again = run(files), run(files, output="again.sgf")
    assert said.code == again.code == 0
    text = (files / "out.sgf").read_bytes()
    assert text == (files / "again.sgf").read_bytes()
    assert read_sgf(text).moves == read_sgf(GAME.encode()).moves
    assert b"KM[0.5]" in text and b"Reviewed by tiny (SHA-256 " in text
    assert "written: " in said.out
    assert sorted(path.suffix for path in files.iterdir()) == [".onnx", ".sgf", ".sgf", ".sgf"]


def test_a_game_without_mistakes_says_where_it_slipped(files):
    said = run(files, "--threshold", "1", "--png")
    assert said.code == 0
    assert "no single move lost 100 %; the largest losses: move " in said.out
    assert list(files.glob("out_move_*.png"))


@pytest.mark.slow
def test_pictures_are_written_beside_the_game(files):
    assert run(files, "--png").code == 0
    names = {path.name for path in files.glob("*.png")}
    assert "out_values.png" in names and len(names) > 1
    assert run(files, "--move", "2", output="other.sgf").code == 0
    names = {path.name for path in files.glob("other*.png")}
    assert names == {"other_values.png", "other_move_002.png"}
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in files.glob("*.png"))


@pytest.mark.parametrize(
    ("game", "options", "why"),
    [
        ("(;SZ[9];B[dd])", [], "game.sgf: the board must have 19×19 points"),
        ("(;B[dd];W[dd])", [], "cannot play D16 as move 2: occupied"),
        ("(;PB[Ada])", [], "game.sgf: the game has no moves"),
        ("(;B[dd]AE[dd])", [], "game.sgf: set-up that removes stones"),
        (GAME, ["--move", "6"], "--move must be from 1 to 5, not 6"),
        (GAME, ["--visits", "0"], "visits must be 1 or more, not 0"),
        (GAME, ["--komi", "6.3"], "--komi must be quarters of points from −100 to 100, not 6.3"),
        (GAME, ["--komi", "-101"], "--komi must be quarters of points from −100 to 100, not -101"),
    ],
)
def test_what_cannot_be_analysed_is_one_sentence_and_nothing_is_written(files, game, options, why):
    (files / "game.sgf").write_text(game)
    assert why in run(files, *options).refusal
    assert not list(files.glob("out*"))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_names_of_any_bytes_are_read_and_written(files):
    network, game, output = (files / f"\udcff.{suffix}" for suffix in ("onnx", "sgf", "out.sgf"))
    (files / "tiny.onnx").rename(network)
    game.write_text("(;SZ[19];B[pd];W[dd])")
    limits = ("--visits", "2", "--png")
    said = tournament("analyze", network, game, "-o", output, *limits)
    assert said.code == 0 and "written: " in said.out
    assert b"Reviewed by " in output.read_bytes()


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("game.sgf", "the output would overwrite the game"),
        ("tiny.onnx", "the output would overwrite the network"),
        (".", "it must be a file, not the folder"),
    ],
)
def test_the_output_is_a_file_of_its_own(files, output, why):
    before = {path: path.read_bytes() for path in files.iterdir()}
    assert why in run(files, output=output).refusal
    assert {path: path.read_bytes() for path in files.iterdir()} == before


def test_an_interrupted_analysis_leaves_no_half_file(files, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(analyze, "review_positions", interrupted)
    code, _, errors = run(files, "--png")
    assert code == 130 and "stopped; nothing was written" in errors
    assert not list(files.glob("out*"))


def test_pictures_without_matplotlib_are_refused_in_a_sentence(files, monkeypatch):
    monkeypatch.delitem(sys.modules, "tournament.review.pictures", raising=False)
    monkeypatch.delattr("tournament.review.pictures", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert "pictures need matplotlib" in run(files, "--png").refusal


def test_a_teacher_gives_a_second_opinion(files):
    teacher = str(write_network(files / "teacher.bin.gz", 14))
    said = run(files, "--teacher", teacher)
    assert said.code == 0
    assert run(files, "--teacher", f"katago:{teacher}", output="again.sgf").code == 0
    text = (files / "out.sgf").read_bytes()
    assert text == (files / "again.sgf").read_bytes()
    printed = said.out.splitlines()
    apart = [line for line in printed if re.match(r"before move \d, \w+'s chances: tiny ", line)]
    assert apart and all(re.search(r"; teacher \d+ %, prefers \w+$", line) for line in apart)
    assert apart[0].encode() in text and b"They differ most:" in text
    assert text.count(b"chances: tiny ") == 5 + len(apart)
    assert re.search(rb"Reviewed by tiny \(SHA-256 \w+\) and teacher \(SHA-256 \w+\), 6 ", text)


@pytest.mark.parametrize(
    ("teacher", "why"),
    [
        ("none.bin.gz", "none.bin.gz: No such file"),
        ("text.bin.gz", "text.bin.gz: not a KataGo network"),
        ("out.sgf", "the output would overwrite the network"),
    ],
)
def test_what_is_no_teacher_is_one_sentence(files, teacher, why):
    (files / "text.bin.gz").write_text("no network")
    assert why in run(files, "--teacher", str(files / teacher)).refusal
    assert not list(files.glob("out*"))
