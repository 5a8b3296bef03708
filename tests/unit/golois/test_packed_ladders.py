"""Ladders in packed files: batches as without them, and refused where they are damaged."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from golois.__main__ import main
from golois.constants import PASS
from golois.data.batch import Batch
from golois.data.dataset import Dataset
from golois.errors import DataFormatError
from golois.games.game import Game
from golois.games.rules import Go, Hex, Rules
from golois.go.coords import BLACK, WHITE
from golois.native import lib
from golois.records.finished_games import FinishedGame, write_finished_games
from golois.records.ladders import add_ladders
from golois.records.packed_file import GameFile, Record
from golois.records.packing import write_games
from tests.data import EMBEDDED_GAMES, LABELLED_GAMES
from tests.games import altered, record_of

NO_FLIP, MOST_BETWEEN = 511, 127


def with_ladders(path: Path) -> Path:
    """A copy of the file that has them."""
    copy = path.with_stem(f"{path.stem}_with_ladders")
    shutil.copy(path, copy)
    add_ladders(copy)
    GameFile.open(copy).verify()
    return copy


def file_of(folder: Path, source: Path, games: Sequence[int]) -> Path:
    """A file of some games of another one."""
    path, all_games = folder / "some.games", GameFile.open(source)
    write_games([all_games[index] for index in games], path)
    return path


def all_rows(path: Path) -> Batch:
    """Every position of the file, in turn as each symmetry shows it."""
    dataset = Dataset(path, planes="bits", validation_fraction=0.0)
    positions = np.arange(dataset.num_positions("train"))
    batch = Batch.empty(len(positions), "bits", shape=dataset.shape)
    dataset.fill(batch, positions, (positions % 8).astype(np.uint8))
    return batch


def ladder_words(path: Path) -> np.ndarray:
    """The ladder words of all games."""
    layout = lib.golois_packed_file_layout(GameFile.open(path).handle)
    start = layout.ladders_offset + 4 * layout.num_games
    return np.frombuffer(path.read_bytes(), "<u2", layout.num_ladder_words, start)


def begun_game(rules: Rules, num_moves: int) -> FinishedGame:
    """Moves by numbers that skip over the board, so that chains are caught and taken."""
    game, moves = Game(rules), []
    for number in range(num_moves):
        legal = np.flatnonzero(game.legal_moves()).tolist()
        moves.append(legal[37 * number % len(legal)])
        game.play(moves[-1])
    policies = [{move: 1.0} for move in moves]
    return FinishedGame(moves, BLACK, policies, [0.5] * len(moves))


@pytest.mark.parametrize(
    ("source", "games"), [(EMBEDDED_GAMES, (0, 700, 1400)), (LABELLED_GAMES, (5,))]
)
def test_batches_are_those_without(tmp_path, source, games):
    path = file_of(tmp_path, source, games)
    copy = with_ladders(path)
    assert GameFile.open(copy).has_ladders and not GameFile.open(path).has_ladders
    assert GameFile.open(copy).has_targets == (source == LABELLED_GAMES)
    for mine, theirs in zip(all_rows(copy), all_rows(path), strict=True):
        assert np.array_equal(mine, theirs, equal_nan=True)
    for mine, theirs in zip(GameFile.open(copy), GameFile.open(path), strict=True):
        assert np.array_equal(mine.points, theirs.points) and mine.result == theirs.result
        assert (mine.targets is None) == (theirs.targets is None)


def test_they_take_less_than_a_byte_a_move(tmp_path):
    path = file_of(tmp_path, EMBEDDED_GAMES, (0, 700, 1400))
    grown = add_ladders(path)
    assert grown.num_games == 3
    assert 0 < grown.num_bytes < GameFile.open(path).rows["num_moves"].sum()


def after_passes(num_passes: int) -> Record:
    """Passes, and then a white stone that Black has in atari, on the edge, and takes."""
    moves = [*[PASS] * num_passes, 0, 1, PASS, 19]
    colours = [BLACK if index % 2 == 0 else WHITE for index in range(num_passes)]
    colours += [WHITE, BLACK, WHITE, BLACK]
    return record_of(moves, colours)


@pytest.mark.parametrize("num_passes", [0, 125, 126, 127, 300])
def test_words_say_after_how_many_moves_a_mark_changes(tmp_path, num_passes):
    path = tmp_path / "passes.games"
    write_games([after_passes(num_passes)], path)
    copy = with_ladders(path)
    at, flips = 0, []
    for word in ladder_words(copy).tolist():
        at += word >> 9
        flips += [(at, word & 511)] if word & 511 != NO_FLIP else []
    # In the corner it can be caught as soon as it stands there; it is taken by the last move.
    assert flips == [(num_passes + 1, 0), (num_passes + 4, 0)]
    fillers = [w for w in ladder_words(copy).tolist() if w & 511 == NO_FLIP]
    assert len(fillers) == num_passes // MOST_BETWEEN
    for mine, theirs in zip(all_rows(copy), all_rows(path), strict=True):
        assert np.array_equal(mine, theirs, equal_nan=True)


@pytest.mark.parametrize("rules", [Go(5, max_moves=60), Go(9, max_moves=60)], ids=["5", "9"])
def test_small_boards_have_them_too(tmp_path, rules):
    path = tmp_path / "small.games"
    write_finished_games(path, rules, [begun_game(rules, 3 * rules.size)])
    copy = with_ladders(path)
    assert ladder_words(copy).size
    for mine, theirs in zip(all_rows(copy), all_rows(path), strict=True):
        assert np.array_equal(mine, theirs, equal_nan=True)


def test_the_command_adds_them_once(tmp_path, capsys):
    path = file_of(tmp_path, EMBEDDED_GAMES, (3,))
    assert main(["ladders", str(path)]) == 0
    content = path.read_bytes()
    assert "ladders of 1 games, " in capsys.readouterr().out
    assert main(["ladders", str(path)]) == 0
    assert "already has its ladders" in capsys.readouterr().out
    assert path.read_bytes() == content
    assert main(["info", str(path)]) == 0
    assert "ladders in the file" in " ".join(capsys.readouterr().out.split())


def test_other_games_have_none(tmp_path, capsys):
    rules, path = Hex(3), tmp_path / "hex.games"
    write_finished_games(path, rules, [begun_game(rules, 2)])
    assert main(["ladders", str(path)]) == 2
    assert "has games of Hex on 3×3: only Go has ladders\n" in capsys.readouterr().err


@pytest.fixture
def damaged(tmp_path):
    """Changes bytes of a file with ladders, counted from their section."""
    path = with_ladders(file_of(tmp_path, EMBEDDED_GAMES, (0, 1)))
    start = lib.golois_packed_file_layout(GameFile.open(path).handle).ladders_offset
    return lambda at, data: altered(path, start + at, data)


def test_a_changed_word_is_found_and_harms_nothing_else(damaged):
    path = damaged(8, b"\xff\x01\x68\x01\x05\xff")
    with pytest.raises(DataFormatError, match=r"the ladders at bytes \d+ to \d+ have the CRC-32"):
        GameFile.open(path).verify()
    assert len(all_rows(path).planes)


@pytest.mark.parametrize("at", [0, 4])
def test_an_index_beyond_the_words_is_refused(damaged, at):
    path = damaged(at, b"\xff\xff\xff\xff")
    with pytest.raises(DataFormatError, match=r"the ladders of game \d are outside of the file"):
        all_rows(path)
