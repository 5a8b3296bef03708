"""The games that train.py learns from: which it takes, how it mixes them, and how it turns them."""

from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import train
from golois.games.rules import Go
from golois.go.coords import BLACK
from golois.records.finished_games import FinishedGame, write_finished_games
from golois.records.importing import import_games
from models.training.checkpoint import RunState
from tests.data import EMBEDDED_GAMES, ROOT

GOLDEN = ROOT / "tests" / "golden" / "data"


def test_games_that_cannot_be_trained_on_are_refused_in_words(tmp_path, capsys):
    path = tmp_path / "small.games"
    write_finished_games(path, Go(9), [FinishedGame([4], BLACK, [{4: 1}], [0.5])] * 50)
    for arguments, words in (
        (["--validation-fraction", "0"], "has no games for training or none for validation"),
        (["--data", str(path)], "this needs games of Go on 19×19"),
    ):
        assert train.main(["--smoke", *arguments, "--out", str(tmp_path / "run")]) == 2
        assert words in capsys.readouterr().err


def test_heads_for_which_no_game_has_a_target_are_refused_in_words(tmp_path, capsys):
    (tmp_path / "other.sgf").write_text(40 * "(;SZ[19]KM[7.5]RE[B+R];B[aa];W[bb])\n")
    import_games([tmp_path / "other.sgf"], tmp_path / "other.games")
    command = ["--smoke", "--data", str(tmp_path / "other.games"), "--validation-fraction", "0.5"]
    for name, words in (
        ("score", "were played to the end"),
        ("soft_policy", "a teacher has labelled"),
        ("short_term_values", "have a value for each move"),
        ("optimistic_policy", "have a value for each move"),
    ):
        assert train.main([*command, "--aux", name, "--out", str(tmp_path / "run")]) == 2
        said = capsys.readouterr().err
        assert f"--aux {name} needs games that {words}, and --data has none: " in said
        assert said.count("\n") == 1


def test_a_text_file_is_packed_once(tmp_path):
    games = tmp_path / "games.data"
    games.write_bytes((GOLDEN / "games.data").read_bytes())
    options = train.Options(data={str(games): 1.0}, validation_fraction=0.5)
    num_positions = train.open_games(options).num_positions("train")
    packed = tmp_path / "games.data.games"
    packed_at = packed.stat().st_mtime_ns
    assert train.open_games(options).num_positions("train") == num_positions
    assert packed.stat().st_mtime_ns == packed_at


def test_several_files_are_mixed_and_hold_out_their_own_games(tmp_path):
    import_games([GOLDEN / "games.data"], tmp_path / "small.games")
    embedded = str(EMBEDDED_GAMES)
    both = {embedded: 1.0, str(tmp_path / "small.games"): 3.0}
    games = train.open_games(train.Options(data=both, validation_fraction=0.5))
    alone = train.open_games(train.Options(data={embedded: 1.0}, validation_fraction=0.5))
    assert games.sources[0].num_positions("train") == alone.num_positions("train")
    positions, _ = games.sampled_rows(2000, 0)
    from_small = (positions >= alone.num_positions("train")).mean()
    assert from_small == pytest.approx(0.75, abs=0.05)


def test_games_without_the_tournament_s_komi_are_said(tmp_path, capsys):
    record = "(;SZ[19]KM[6.5]RE[B+R];B[aa];W[bb])\n"
    (tmp_path / "other.sgf").write_text(40 * record)
    import_games([tmp_path / "other.sgf"], tmp_path / "other.games")
    other = {str(tmp_path / "other.games"): 1.0}
    train.warn_of_komi(train.open_games(train.Options(data=other, validation_fraction=0.5)))
    assert "no game has komi 7.5" in capsys.readouterr().out
    mixed = {**other, str(EMBEDDED_GAMES): 1.0}
    train.warn_of_komi(train.open_games(train.Options(data=mixed, validation_fraction=0.5)))
    assert capsys.readouterr().out == ""


def test_training_positions_are_turned_unless_they_are_to_be_shown_as_played():
    options = train.Options(batch_size=32)
    games = train.open_games(options)
    positions, symmetries = games.sampled_rows(32, 3)
    assert len(set(symmetries.tolist())) > 4
    turned = train.training_sample(options, games)(3)
    np.testing.assert_array_equal(turned.planes, games.rows(positions, symmetries).planes)
    as_played = train.training_sample(replace(options, symmetry="none"), games)(3)
    np.testing.assert_array_equal(as_played.planes, games.rows(positions, 0 * symmetries).planes)
    assert (as_played.planes != turned.planes).any()
    ordered = train.training_sample(replace(options, symmetry="ordered"), games)(3)
    expected = games.sampled_rows(32, 3, symmetry="ordered")
    np.testing.assert_array_equal(ordered.planes, games.rows(*expected).planes)
    assert len(set(expected[1].tolist())) > 4


@pytest.mark.parametrize("symmetry", ["random", "ordered", "none"])
def test_an_average_is_measured_on_positions_turned_as_in_training(symmetry, monkeypatch):
    samples = []
    monkeypatch.setattr(train, "averaged", lambda *given: samples.append(given[2]) or nullcontext())
    monkeypatch.setattr(train, "evaluate", lambda *_: {"loss": 1.0})
    options = train.Options(batch_size=32, ema=0.5, symmetry=symmetry)
    games = train.open_games(options)
    model = SimpleNamespace(get_weights=list)
    train.measure(options, model, RunState(), [], games, lambda: 0.0)
    [sample] = samples
    expected = train.training_sample(options, games)(3).planes
    np.testing.assert_array_equal(sample(32, 3).planes, expected)
