"""The labelled games are those that data/README.md describes."""

import hashlib

import numpy as np

from golois.data.dataset import Dataset
from golois.records.packed_file import GameFile
from tests.data import LABELLED_GAMES, ROOT

NUM_GAMES, NUM_POSITIONS = 321, 89_033
SHA256 = "16248023538dd196800b101b0b0462bb20ae125d65bed2ff78155ac795430091"


def test_the_file_is_the_one_described():
    data = LABELLED_GAMES.read_bytes()
    assert hashlib.sha256(data).hexdigest() == SHA256
    readme = (ROOT / "data" / "README.md").read_text()
    for number in (NUM_GAMES, NUM_POSITIONS, len(data)):
        assert f" {number:,} |" in readme
    assert f"`{SHA256}`" in readme


def test_its_games():
    games = GameFile.open(LABELLED_GAMES)
    games.verify()
    assert (len(games), games.num_positions) == (NUM_GAMES, NUM_POSITIONS)
    assert games.num_soft_positions() == games.num_valued_positions() == NUM_POSITIONS
    assert games.komi_histogram() == {7.5: NUM_GAMES}


def test_the_teacher_often_prefers_the_move_that_was_played():
    data = Dataset(LABELLED_GAMES, threads=1)
    batch = data.walk(2000, 0, "train", targets=("policy", "played", "value_white"))
    agreement = np.mean(batch.policy.argmax(axis=1) == batch.played.argmax(axis=1))
    assert 0.5 < agreement < 0.9
    assert np.mean((batch.policy * batch.played).sum(axis=1) > 0) > 0.9
    assert 0.3 < batch.value_white.mean() < 0.7
