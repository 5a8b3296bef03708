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
        ([], "the following arguments are required: NET.h5"),
        (["nowhere.h5"], "expected a network's .h5: got nowhere.h5, which is not there"),
        (["net.h5", "--positions", "0"], "expected --positions above 0: got 0"),
        (["net.h5", "--positions", "many"], "--positions: invalid int value: 'many'"),
        (["net.h5", "--validation-fraction", "1"], "above 0 and below 1: got 1.0"),
        (["net.h5", "--seed", "-1"], "expected --seed from 0, below 4294967296: got -1"),
        (["net.h5", "--seed", "4294967296"], "below 4294967296: got 4294967296"),
        (["net.h5", "--probe", "joseki"], "invalid choice: 'joseki'"),
        (["net.h5", "--mask-ladders"], "expected --mask-ladders with --probe ladder only"),
        (["net.h5", "--point", "Q16"], "expected --point with --probe attention only"),
        (
            ["net.h5", "--probe", "ladder", "--sgf", "a.sgf"],
            "expected --sgf with --probe circular or --probe attention only",
        ),
        (
            ["net.h5", "--probe", "attention", "--sgf", "a", "--sgf", "b"],
            "expected one --sgf for --probe attention: got 2",
        ),
    ],
)
def test_bad_input_is_one_sentence(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert evaluate.main(arguments) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.err.startswith("evaluate.py: ") and captured.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("script", [train, evaluate, sweep])
def test_names_that_are_no_text_can_be_printed(script, monkeypatch):
    output = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(output, "utf-8", write_through=True))
    assert script.main(["--no-such-option"]) == 2
    print("into a\udcff")
    assert output.getvalue() == b"into a\\udcff\n"
