"""What evaluate.py takes on its command line, and the one sentence it says about the rest."""

import pytest

import evaluate


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "the following arguments are required: NET.h5"),
        (["nowhere.h5"], "expected a network's .h5: got nowhere.h5, which is not there"),
        (["net.h5", "--positions", "0"], "expected --positions above 0: got 0"),
        (["net.h5", "--positions", "many"], "--positions: invalid int value: 'many'"),
        (["net.h5", "--validation-fraction", "1"], "above 0 and below 1: got 1.0"),
        (["net.h5", "--seed", "-1"], "expected --seed from 0: got -1"),
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
