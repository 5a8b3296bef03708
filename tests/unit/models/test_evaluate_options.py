"""What evaluate.py takes on its command line, and the one sentence it says about the rest."""

import sys
from io import BytesIO, TextIOWrapper

import pytest

import evaluate
import sweep
import train


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("", "the following arguments are required: NET.h5"),
        ("nowhere.h5", "there is no file nowhere.h5: give the .h5 of a network"),
        ("net.h5 --positions 0", "--positions must be above 0, not 0"),
        ("net.h5 --positions many", "--positions: invalid int value: 'many'"),
        ("net.h5 --validation-fraction 1", "above 0 and below 1, not 1.0"),
        ("net.h5 --seed -1", "--seed must be from 0, below 4294967296, not -1"),
        ("net.h5 --seed 4294967296", "below 4294967296, not 4294967296"),
        ("net.h5 --probe joseki", "invalid choice: 'joseki'"),
        ("net.h5 --mask-ladders", "--mask-ladders is only for --probe ladder"),
        ("net.h5 --point Q16", "--point is only for --probe attention"),
        ("net.h5 --races", "--races is only for --probe circular"),
        ("net.h5 --probe circular --races --sgf a.sgf", "generates positions: leave out --sgf"),
        ("net.h5 --contrast", "--contrast is only for --probe attention or --gtp"),
        ("net.h5 --gtp --out x", "--gtp shows its answers in a Go program"),
        ("net.h5 --sgf a.sgf", "for --probe ladder or --probe circular or --probe attention"),
        ("net.h5 --probe attention --sgf a --sgf b", "--probe attention reads one --sgf, not 2"),
        ("net.h5 --probe ladder --positions 9", "--positions has no effect with --probe ladder: "),
        ("net.h5 --probe circular --data my.games", "--data has no effect with --probe circular: "),
        (
            "net.h5 --probe attention --sgf a.sgf --validation-fraction 0.5",
            "--validation-fraction has no effect with --probe attention and --sgf: leave it out",
        ),
        ("net.h5 --data a.games --data ./a.games", "--data names a.games twice"),
        ("net.h5 --probe ladder --sgf a.sgf --sgf a.sgf", "--sgf names a.sgf twice: name each"),
        ("net.h5 --probe ladder --teacher a.bin.gz", "--teacher has no effect with --probe ladder"),
        ("net.h5 --gtp --teacher a.bin.gz", "--teacher has no effect with --gtp: leave it out"),
        ("net.h5 --gtp --seed 1", "--seed has no effect with --gtp: leave it out"),
    ],
)
def test_bad_input_is_one_sentence(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert evaluate.main(arguments.split()) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.err.startswith("evaluate.py: ") and captured.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_known_before_anything_is_measured(
    tmp_path, monkeypatch, capsys
):
    (tmp_path / "net.h5").touch()
    (tmp_path / "report").touch()
    monkeypatch.setattr(evaluate, "import_keras_quietly", lambda: pytest.fail("too late"))
    assert evaluate.main([str(tmp_path / "net.h5"), "--out", str(tmp_path / "report")]) == 2
    assert capsys.readouterr().err == f"evaluate.py: cannot use {tmp_path}/report: File exists\n"


@pytest.mark.parametrize("script", [train, evaluate, sweep])
def test_names_that_are_no_text_can_be_printed(script, monkeypatch):
    output = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(output, "utf-8", write_through=True))
    assert script.main(["--no-such-option"]) == 2
    print("into a\udcff")
    assert output.getvalue() == b"into a\\udcff\n"
