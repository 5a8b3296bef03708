"""`python -m golois label`: a network's labels of games, stopped and continued, and bad input."""

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

import numpy as np
import pytest

from golois.__main__ import main
from golois.games.game import Game
from golois.games.rules import Go, Hex
from golois.go.board import Board
from golois.go.coords import BLACK, WHITE
from golois.go.symmetry import NUM_SYMMETRIES
from golois.katago.answers import answer
from golois.katago.inputs import KatagoRules, game_inputs
from golois.katago.reading import read_network
from golois.kit.signals import Stopped, StopRequest
from golois.kit.this_machine import ThisMachine
from golois.labels import playing
from golois.labels.journal import Journal
from golois.labels.playing import PlayOptions, play_games
from golois.labels.positions import LabelOptions, game_positions, targets_of
from golois.labels.run import Labelling, Teacher, error_of, label_games
from golois.records.finished_games import FinishedGame, write_finished_games
from golois.records.ladders import add_ladders
from golois.records.packed_file import GameFile
from golois.records.packing import write_games
from golois.search.options import SearchOptions
from golois.search.tree import Tree
from tests.data import ROOT
from tests.games import SHORT_GAME, altered, record_of
from tests.katago_files import BLOCKS, TRANSFORMER, katago_on_keras, write_network
from tests.random_games import fighting_game
from tournament.networks import katago
from tournament.networks.evaluator import KatagoEvaluator
from tournament.networks.katago import KataGoNetwork

pytestmark = pytest.mark.usefixtures("jobs_here")


@cache
def _compiled(network: bytes, batch_size: int, precision: str) -> KataGoNetwork:
    return KataGoNetwork(pickle.loads(network), batch_size, precision)


def compiled(network, batch_size=8, precision="float32", examples=None) -> KataGoNetwork:
    """A network, compiled once for all tests; in int8 it depends on the examples."""
    if precision == "int8":
        return KataGoNetwork(network, batch_size, precision, examples)
    return _compiled(pickle.dumps(network), batch_size, precision)


compiled.__name__ = KataGoNetwork.__name__  # which a journal keeps


@pytest.fixture(scope="module", autouse=True)
def compiled_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(katago, "KataGoNetwork", compiled)
        yield


@pytest.fixture(scope="module")
def teacher(tmp_path_factory) -> Path:
    return write_network(tmp_path_factory.mktemp("net") / "tiny.bin.gz", 8, *BLOCKS)


@pytest.fixture
def games(tmp_path) -> Path:
    """Two games: one with handicap stones, one with a pass; 10 and 9 training positions."""
    values = np.array([np.nan] * 3 + [0.25] * 10, np.float32)
    points = [72, 288, 60, 300, 40, 41, 42, 57, 58, 59, 100, 120, 140]
    handicap = record_of(points, [1] * 3 + [2, 1] * 5, values=values, komi=0.5)
    passing = record_of([72, 361, *points[1:9]], [1, 2] * 5, komi=None)
    write_games([handicap, passing], tmp_path / "some.games")
    return tmp_path / "some.games"


def label(games: Path, teacher: Path, *options: str, name: str = "out.games") -> GameFile:
    output = games.with_name(name)
    command = ["label", str(games), "--teacher", str(teacher), "-o", str(output)]
    assert main([*command, "--precision", "float32", "--processes", "1", *options]) == 0
    assert not output.with_name(f"{name}.unfinished").exists()
    return GameFile.open(output)


def asked_directly(teacher: Path, inputs, views=(0,)):
    network = read_network(teacher)
    return answer(compiled(network), network, inputs, views)


def test_labels_are_what_the_network_says(games, teacher, capsys):
    found = label(games, teacher)
    assert "labels of 19 positions of 2 games" in capsys.readouterr().out
    found.verify()
    before, after = GameFile.open(games)[1], found[1]
    assert after.points.tolist() == before.points.tolist() and after.result == before.result
    turns = np.flatnonzero(before.points != 361)
    inputs = game_inputs(before.points, turns, KatagoRules(7.5), hide_end=True)
    expected = asked_directly(teacher, inputs)
    policies = np.where(expected.policy < 0.001, 0, expected.policy)
    np.testing.assert_allclose(after.targets.values, expected.white_wins, atol=1e-4)
    np.testing.assert_allclose(after.values[turns], expected.white_wins, atol=0.0051)
    np.testing.assert_allclose(after.targets.leads, expected.lead, atol=0.051)
    kept = np.where(policies >= np.sort(policies, axis=1)[:, -32:-31], policies, 0)
    np.testing.assert_allclose(after.targets.policies, kept, atol=1e-4)
    assert np.isnan(after.values[before.points == 361]).all()


def test_handicap_stones_are_no_moves_to_learn_and_no_history(games, teacher):
    before, after = GameFile.open(games)[0], label(games, teacher)[0]
    assert np.isnan(after.values[:3]).all() and len(after.targets) == 10
    setup = [(1, 72), (1, 288), (1, 60)]
    rules, turns = KatagoRules(0.5), np.arange(10)
    inputs = game_inputs(before.points[3:], turns, rules, setup=setup, first=2, hide_end=True)
    expected = asked_directly(teacher, inputs)
    np.testing.assert_allclose(after.targets.values, expected.white_wins, atol=1e-4)


def test_a_colour_that_moves_twice_begins_the_history_again():
    record = record_of([72, 288, 60, 300, 40], [1, 2, 2, 1, 2])
    history = game_positions(record, np.arange(5), False).planes[..., 9:14].sum(axis=(1, 2, 3))
    assert history.tolist() == [0, 1, 0, 1, 2]
    assert game_positions(record_of([72, 288], [1, 1]), np.arange(2), False).legal.shape[0] == 2


@pytest.mark.parametrize("empty_first", [True, False])
def test_a_game_without_training_positions_is_left_out(tmp_path, teacher, capsys, empty_first):
    moves, rules = [72, 288, 60], Go(19, komi=7.5, passes="arena")
    game = FinishedGame(moves, 1, [{point: 1} for point in moves], [0.5] * 3)
    empty = FinishedGame(moves, 1, [{}] * 3, [0.5] * 3)
    games = tmp_path / "games"
    write_finished_games(games, rules, [empty, game] if empty_first else [game, empty])
    for said in ("labels of", "has its labels already:"):
        assert len(label(games, teacher)[0].targets) == 3
        assert f"{said} 3 positions of 1 game\n" in capsys.readouterr().out


def test_games_that_the_copy_lacks_are_told(tmp_path, teacher, capsys):
    source = tmp_path / "two.sgf"
    source.write_text(SHORT_GAME + SHORT_GAME.replace("B+R", "?"))
    label(source, teacher)
    assert "two.sgf: 1 game dropped; see python -m golois info " in capsys.readouterr().out
    assert main(["queries", str(source), "-o", str(tmp_path / "asked")]) == 0
    assert "two.sgf: 1 game dropped" in capsys.readouterr().out


def test_every_third_position(games, teacher):
    whole, third = label(games, teacher), label(games, teacher, "--every", "3", name="3.games")
    for number, (all_, some) in enumerate(zip(whole, third, strict=True)):
        expected = all_.targets.values[number % 3 :: 3]  # so that not each game has the empty board
        np.testing.assert_allclose(some.targets.values, expected, atol=1e-4)


def test_eight_symmetries_are_the_mean(games, tmp_path):
    teacher = write_network(tmp_path / "uneven.bin.gz", 8, *BLOCKS, seed=3)
    record, found = GameFile.open(games)[1], label(games, teacher, "--symmetries", "8")[1]
    inputs = game_positions(record, np.flatnonzero(record.points != 361), False)
    views = [asked_directly(teacher, inputs, [view]) for view in range(NUM_SYMMETRIES)]
    assert np.std([view.policy for view in views], axis=0).max() > 1e-4
    policy = np.mean([view.policy for view in views], axis=0)
    kept = found.targets.policies > 0
    np.testing.assert_allclose(found.targets.policies[kept], policy[kept], atol=2e-5)
    mean = np.mean([view.white_wins for view in views], axis=0)
    np.testing.assert_allclose(found.targets.values, mean, atol=2e-5)


@pytest.mark.slow
def test_a_search_gives_the_shares_of_its_visits(games, teacher):
    record, network = GameFile.open(games)[1], KatagoEvaluator(teacher, 1)
    found, plain = (
        label(games, teacher, "--visits", number, name=f"{number}.games")[1].targets
        for number in ("9", "1")
    )
    assert (found.leads == plain.leads).all() and (found.policies != plain.policies).any()
    board, expected, values = Board(), [], []
    for point, colour in zip(record.points.tolist(), record.colours.tolist(), strict=True):
        own, seen = network.of_game(Game(Go(19, 7.5), board))
        tree = Tree(seen, options=SearchOptions(random_symmetry=False))
        tree.search(own.evaluate, 9, 1)
        expected.append(tree.visits() / 8)
        values.append(0.5 + tree.root_value_to_play * (0.5 if colour == WHITE else -0.5))
        board.play(point)
    again = [0, *range(3, 10)]  # the roots before and after the pass: hidden, and no position
    rows = [turn - (turn > 1) for turn in again]
    np.testing.assert_allclose(found.policies[rows], np.array(expected)[again], atol=2e-5)
    np.testing.assert_allclose(found.values[rows], np.array(values)[again], atol=1e-4)


def test_games_of_other_komi_and_games_that_are_over_are_searched_together(tmp_path, teacher):
    over = record_of([72, 361, 361, 288, 60], [1, 2, 1, 2, 1], komi=-3.75)
    write_games([over, record_of([72, 288], [1, 1], komi=60)], tmp_path / "some.games")
    found, plain = (
        label(tmp_path / "some.games", teacher, "--visits", number, name=number)
        for number in ("5", "1")
    )
    searched = [(a.targets.policies != b.targets.policies).any(axis=1) for a, b in
                zip(found, plain, strict=True)]  # fmt: skip
    assert [list(rows) for rows in searched] == [[True, False, True], [True, True]]
    shares = np.concatenate([game.targets.policies for game in found])[[0, 2, 3, 4]]
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-4)
    np.testing.assert_allclose(shares * 4, np.round(shares * 4), atol=1e-3)


@pytest.mark.parametrize("how", [(), ("--symmetries", "8"), ("--visits", "3"), ("--play", "2")])
@pytest.mark.usefixtures("short_games")
def test_ownership_is_the_networks_before_any_search(games, tmp_path, how):
    teacher = write_network(tmp_path / "uneven.bin.gz", 8, *BLOCKS, seed=3)
    plain, found = (
        label(games, teacher, *how, *more, name=name)
        for name, more in (("plain", ()), ("owned", ("--ownership",)))
    )
    assert found.data[8] == 6 and plain.data[8] == 4 and "ownership" not in str(plain.provenance)
    views = range(8 if "8" in how else 1)
    for mine, theirs in zip(found, plain, strict=True):
        turns = np.flatnonzero(~np.isnan(mine.values))
        said = asked_directly(teacher, game_positions(mine, turns, False), views).ownership
        assert np.std(said) > 0.01
        np.testing.assert_allclose(mine.targets.ownership, said, atol=0.5 / 127 + 1e-4)
        for name in ("policies", "values", "leads"):
            assert np.array_equal(getattr(mine.targets, name), getattr(theirs.targets, name))


def test_int8_is_near_and_says_how_far_off_it_is(tmp_path, teacher, capsys):
    games = many_games(tmp_path)
    plain, found = (
        label(games, teacher, "--every", "9", "--precision", precision, name=precision)
        for precision in ("float32", "int8")
    )
    values, exact = (np.concatenate([game.targets.values for game in f]) for f in (found, plain))
    assert 0 < np.sqrt(np.mean((values - exact) ** 2)) < 0.05
    error = found.provenance["int8"]
    assert error["positions"] == len(exact) and 0 < error["value_rmse"] < 0.05
    assert error["entropy"] <= error["cross_entropy"] < error["entropy"] + 0.05
    options = ["--every", "9", "--precision", "int8", "--processes", "2"]
    again = label(games, teacher, *options, name="again")
    assert again.path.read_bytes() == found.path.read_bytes()
    capsys.readouterr()
    assert main(["info", str(found.path)]) == 0
    said = capsys.readouterr().out
    assert f"int8 against float32  positions 81, cross entropy {error['cross_entropy']}," in said


def test_the_error_of_int8_is_that_of_policy_and_value(games, teacher):
    exact = asked_directly(teacher, game_positions(GameFile.open(games)[1], np.arange(2), False))
    policy = np.zeros((2, 362), np.float32)
    policy[:, :2] = [[0.5, 0.5], [1, 0]]
    exact = exact._replace(policy=policy, white_wins=np.float32([0.5, 0.75]))
    policy = policy.copy()
    policy[0, :2] = [0.25, 0.75]
    found = exact._replace(policy=policy, white_wins=np.float32([0.5, 0.25]))
    assert error_of(found, exact) == {
        "positions": 2,
        "cross_entropy": 0.418494,  # -(ln 0.25 + ln 0.75) / 4
        "entropy": 0.346574,
        "same_first_move": 0.5,
        "value_rmse": 0.353553,
    }


def test_the_largest_move_is_kept_however_small(games, teacher):
    record = GameFile.open(games)[1]
    answers = asked_directly(teacher, game_positions(record, np.array([0, 5]), False))
    kept = targets_of(answers, 0.5).policies
    assert ((kept > 0).sum(axis=1) == 1).all()
    assert (kept.argmax(axis=1) == answers.policy.argmax(axis=1)).all()


def many_games(folder: Path) -> Path:
    moves = [list(fighting_game(seed, 60)) for seed in range(12)]
    games = (record_of([p for _, p in game], [colour for colour, _ in game]) for game in moves)
    write_games(games, folder / "many.games")
    return folder / "many.games"


def run_label(games: Path, teacher: Path, output: Path, *more: str) -> subprocess.Popen:
    command = [sys.executable, "-m", "golois", "label", games, "--teacher", teacher, "-o", output]
    options = ["--precision", "float32", "--processes", "2", *more]
    return subprocess.Popen(
        [*map(str, command), *options], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


@pytest.mark.parametrize(
    ("number", "how"),
    [
        (signal.SIGKILL, ("--symmetries", "8", "--ownership", "--every", "3")),
        pytest.param(signal.SIGTERM, ("--visits", "8"), marks=pytest.mark.slow),
    ],
)
def test_a_stopped_command_goes_on_to_the_same_bytes(tmp_path, teacher, number, how):
    games, output = many_games(tmp_path), tmp_path / "cut.games"
    whole = label(games, teacher, *how, name="whole.games").path
    unfinished = tmp_path / "cut.games.unfinished"
    process = run_label(games, teacher, output, *how)
    while process.poll() is None and not (unfinished.exists() and unfinished.stat().st_size > 5000):
        time.sleep(0.01)
    process.send_signal(number)
    said = process.communicate()[0].decode()
    if process.returncode:  # it may have ended just before
        assert process.returncode == (-number if number == signal.SIGKILL else 128 + number), said
        assert not output.exists() and unfinished.stat().st_size > 5000
        assert number == signal.SIGKILL or "stopped by SIGTERM; the same command goes on" in said
        with open(unfinished, "ab") as file:  # as a write that was cut
            file.write(b"\x01\x00\x00\x00\x07")
    label(games, teacher, *how, name=output.name)
    assert output.read_bytes() == whole.read_bytes() and not unfinished.exists()


AFTER_THE_LAST_BATCH = ["labels.run._labelled_games", "labels.run.Packer", "__main__.add_ladders"]


@pytest.mark.parametrize("step", AFTER_THE_LAST_BATCH)
def test_a_signal_after_the_last_batch_stops_the_command(games, teacher, monkeypatch, capsys, step):
    whole, output = label(games, teacher, name="whole.games").path, games.with_name("out.games")
    done = resolve_name(f"golois.{step}")

    def signalled(*given, **named):
        signal.raise_signal(signal.SIGTERM)  # os.kill may reach another thread, later
        return done(*given, **named)

    command = ["label", str(games), "--teacher", str(teacher), "--precision", "float32"]
    with monkeypatch.context() as patch:
        patch.setattr(f"golois.{step}", signalled)
        code = main([*command, "--processes", "1", "-o", str(output)])
    assert code == 128 + signal.SIGTERM
    assert "stopped by SIGTERM; the same command goes on" in capsys.readouterr().err
    label(games, teacher)
    assert output.read_bytes() == whole.read_bytes()


def test_what_is_labelled_is_not_labelled_again(games, teacher, capsys):
    first = label(games, teacher).path.read_bytes()
    capsys.readouterr()
    assert label(games, teacher).path.read_bytes() == first
    assert "has its labels already: 19 positions" in capsys.readouterr().out
    assert add_ladders(games).num_bytes
    label(games, teacher)
    assert "has its labels already: 19 positions" in capsys.readouterr().out
    assert len(label(games, teacher, "--every", "100")[0].targets) == 1


@pytest.mark.parametrize(("how", "ending"), [((), ""), (("--play", "2"), ".played")])
@pytest.mark.usefixtures("short_games")
def test_only_the_journal_of_work_that_is_done_is_removed(games, teacher, how, ending):
    """A kill after the file was written leaves it."""
    label(games, teacher, *how)
    about = GameFile.open(games.with_name(f"out.games{ending}")).provenance["labelled"]
    unfinished = games.with_name(f"out.games{ending}.unfinished")
    for whose, stays in ((about, False), ({**about, "with": {}}, True)):
        with Journal(unfinished, whose) as journal:
            journal.add(0, b"zero")
        command = ["label", str(games), "--teacher", str(teacher), "--precision", "float32", *how]
        assert main([*command, "-o", str(games.with_name("out.games"))]) == 0
        assert unfinished.exists() == stays


def test_pieces_that_were_found_are_not_asked_again(games, teacher):
    asked: list[tuple[int, int, int]] = []
    work = Teacher(teacher, compiled)
    output = games.with_name("out.games")
    label_games(games, output, work, on_progress=lambda *counts: asked.append(counts))
    assert asked[0] == (0, 0, 19) and sorted(asked)[-1] == (19, 19, 19) and len(asked) == 4


def test_a_journal_keeps_whole_pieces(tmp_path):
    path = tmp_path / "journal"
    with Journal(path, {"a": 1}) as journal:
        journal.add(0, b"zero")
        journal.add(8, b"eight")
    size = path.stat().st_size
    altered(path, size - 1, b"?")
    with Journal(path, {"a": 1}) as journal:
        assert journal.pieces == {0: b"zero"}
        journal.add(16, b"")
    with Journal(path, {"a": 1}) as journal:
        assert journal.pieces == {0: b"zero", 16: b""}
    path.write_bytes(path.read_bytes()[:5])  # killed while it began
    with Journal(path, {"a": 1}) as journal:
        assert journal.pieces == {}
    assert not path.exists()


BAD = [
    (["{games}", "--teacher", "{teacher}", "-o", "{games}"], "would overwrite the source"),
    (["{games}", "--teacher", "{teacher}", "-o", "{folder}"], "Is a directory"),
    (["{games}", "--teacher", "{teacher}", "-o", "."], "Is a directory"),
    (["{games}", "--teacher", "{teacher}", "-o", "{folder}/no/x"], "No such file"),
    (["{games}", "--teacher", "{teacher}", "-o", "{new}", "--every", "0"], "every must be from 1"),
    (["{games}", "--teacher", "{teacher}", "-o", "{new}", "--every", "9" * 20], "every must be"),
    (["{games}", "--teacher", "{teacher}", "-o", "{new}", "--symmetries", "2"], "invalid choice"),
    (["{games}", "--teacher", "{teacher}", "-o", "{new}", "--processes", "0"], "processes must"),
    (["{games}", "--teacher", "{teacher}", "-o", "{new}", "--play", "2", "--processes", "-1"],
     "processes must"),
    (["{hex}", "--teacher", "{teacher}", "-o", "{new}", "--play", "2"],
     "needs games of Go on 19×19"),
    (["{played}", "--teacher", "{teacher}", "-o", "{new}", "--play", "2"],
     "overwrite the source {played}"),
    (["{games}", "--teacher", "{teacher}", "-o", "{new}", "--visits", "0"], "visits must be from"),
    (["{games}", "--teacher", "{alive}", "-o", "{new}", "--visits", "2"], "pass-alive areas"),
    (["{games}", "--teacher", "{alive}", "-o", "{new}", "--precision", "int8"], "a transformer"),
    (["{games}", "--teacher", "{teacher}", "-o", "{new}", "--least-share", "0"], "least_share"),
    (["{games}", "--teacher", "{teacher}", "-o", "{new}", "--device", "gpu", "--precision", "bf16"],
     "takes float32"),
    (["{games}", "--teacher", "{teacher}", "-o", "{new}", "--play", "0"], "play must be 1"),
    (["{games}", "--teacher", "{teacher}", "-o", "{new}", "--seed", "1"], "--seed needs --play"),
    (["{games}", "--teacher", "{games}", "-o", "{new}"], "not a KataGo network"),
    (["{games}", "--teacher", "tinny", "-o", "{new}"], "no network 'tinny' (did you mean tiny?)"),
    (["{games}", "--teacher", "no.bin.gz", "-o", "{new}"], "cannot use no.bin.gz"),
    (["{folder}/no.sgf", "--teacher", "{teacher}", "-o", "{new}"], "No such file"),
    (["{hex}", "--teacher", "{teacher}", "-o", "{new}"], "needs games of Go on 19×19"),
    (["{unmoved}", "--teacher", "{teacher}", "-o", "{new}", "--precision", "int8"],
     "{unmoved} has no position to label"),
    (["{teacher}", "--teacher", "{teacher}", "-o", "{new}"], "no games could be read"),
    (["{games}", "--teacher", "{teacher}", "-o", "{other}"], "left by another labelling"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "why"), BAD, ids=[why for _, why in BAD])
def test_bad_input_is_one_sentence(games, teacher, tmp_path, monkeypatch, capsys, arguments, why):
    monkeypatch.setenv("KATAGO_NETWORKS", str(teacher.parent))
    places = {"games": games, "teacher": tmp_path / "tiny.bin.gz", "folder": tmp_path}
    places |= {name: tmp_path / name for name in ("new", "other", "hex", "unmoved")}
    places["alive"] = write_network(tmp_path / "alive.bin.gz", 15, *TRANSFORMER)
    places["teacher"].write_bytes(teacher.read_bytes())
    write_finished_games(places["hex"], Hex(3), [FinishedGame([4], 2, [{4: 1}], [0.5])])
    unmoved = FinishedGame([], BLACK, [], [])
    write_finished_games(places["unmoved"], Go(19, 7.5, "arena"), [unmoved])
    places["played"] = tmp_path / "new.played"
    places["played"].write_bytes(games.read_bytes())
    (tmp_path / "other.unfinished").write_text("something else\n")
    assert main(["label", *(text.format_map(places) for text in arguments)]) == 2
    said = capsys.readouterr().err
    assert why.format_map(places) in said and said.count("\n") == 1
    assert places["played"].read_bytes() == games.read_bytes()
    assert not places["new"].exists() and not (tmp_path / "new.unfinished").exists()


def test_without_a_gpu_nothing_is_left(games, teacher, monkeypatch, capsys):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    output = games.with_name("out.games")
    command = ["label", str(games), "--teacher", str(teacher), "-o", str(output)]
    assert main([*command, "--device", "gpu"]) == 2
    assert "sees no GPU" in capsys.readouterr().err
    assert main([*command, "--device", "gpu", "--processes", "0"]) == 2
    assert "processes must be 1 or more, not 0" in capsys.readouterr().err
    assert not output.exists() and not output.with_name("out.games.unfinished").exists()


def test_keras_gives_the_same_labels(games, teacher):
    output = games.with_name("keras.games")
    label_games(games, output, Teacher(teacher, katago_on_keras))
    for by_keras, usual in zip(GameFile.open(output), label(games, teacher), strict=True):
        np.testing.assert_allclose(by_keras.targets.values, usual.targets.values, atol=1e-4)


@pytest.fixture
def short_games(monkeypatch) -> None:
    monkeypatch.setattr(playing, "MOST_MOVES", 60)


def play(
    games: Path, teacher: Path, name: str, *options: str, number: int = 2
) -> tuple[GameFile, GameFile]:
    """The new games with labels, and as they were played."""
    found = label(games, teacher, "--play", str(number), *options, name=name)
    return found, GameFile.open(games.with_name(f"{name}.played"))


@pytest.mark.usefixtures("short_games")
def test_new_games_continue_given_ones_and_have_labels(games, teacher):
    sources = [record.points.tolist() for record in GameFile.open(games)]
    found, played = play(games, teacher, "new.games", "--perturbed", "0.5", number=3)
    assert len(found) == len(played) == 3
    for game, labels in zip(played, found, strict=True):
        start = int(np.flatnonzero(~np.isnan(game.values))[0])
        assert any(game.points[:start].tolist() == points[:start] for points in sources)
        is_new = (np.arange(game.num_moves) >= start) & (game.points < 361)
        assert len(labels.targets) == is_new.sum() and np.isnan(labels.values[:start]).all()
        ends = game.points[-2:].tolist() == [361, 361]
        assert ends or game.num_moves == playing.MOST_MOVES
    before = played.path.stat()
    how = ("--perturbed", "0.5", "--every", "9", "--least-share", "0.1")
    fewer, again = play(games, teacher, "new.games", *how, number=3)
    assert again.path.stat() == before and fewer.num_positions < found.num_positions


@pytest.mark.usefixtures("short_games")
def test_a_game_without_moves_is_continued_too(tmp_path, teacher):
    games = tmp_path / "resigned.games"
    write_finished_games(games, Go(19, 7.5, "arena"), [FinishedGame([], BLACK, [], [])])
    assert len(play(games, teacher, "new.games", number=1)[1]) == 1


@pytest.mark.slow
@pytest.mark.usefixtures("short_games")
def test_new_games_follow_from_seed_and_options(games, teacher):
    first, again, searched = (
        play(games, teacher, name, "--visits", visits)[1].words.tolist()
        for name, visits in (("a", "1"), ("b", "1"), ("c", "2"))
    )
    assert first == again == searched
    for number, options in enumerate((["--seed", "1"], ["--temperature", "0.1"])):
        assert play(games, teacher, f"{number}", *options)[1].words.tolist() != first


@pytest.mark.slow
def test_a_stopped_game_goes_on_to_the_same_moves(games, teacher, monkeypatch):
    """In one process, and then in two others."""
    whole, output = games.with_name("whole.played"), games.with_name("cut.played")
    stop = StopRequest()
    work = Labelling(games, Teacher(teacher, KataGoNetwork), LabelOptions(batch_size=1))
    play_games(work, whole, PlayOptions(3))

    def stop_soon(now: int, over: int, total: int) -> None:
        stop.signal = signal.SIGTERM if now > 200 else None

    with pytest.raises(Stopped):
        play_games(work, output, PlayOptions(3), stop=stop, on_progress=stop_soon)
    assert not output.exists()
    monkeypatch.setattr(playing, "ThisMachine", ThisMachine)
    monkeypatch.setattr(katago, "KataGoNetwork", KataGoNetwork)  # other processes find it there
    play_games(work, output, PlayOptions(3), processes=2)
    assert output.read_bytes() == whole.read_bytes()


def test_two_commands_do_not_share_a_journal(games, teacher, capsys):
    with Journal(games.with_name("out.games.unfinished"), {}):
        command = ["label", str(games), "--teacher", str(teacher)]
        assert main([*command, "-o", str(games.with_name("out.games"))]) == 2
    assert "another process uses" in capsys.readouterr().err


def test_teacher_finds_the_networks_of_katrain(tmp_path, teacher, monkeypatch, capsys):
    models = tmp_path / "katrain" / "models"
    models.mkdir(parents=True)
    (tmp_path / "katrain" / "__init__.py").write_text("raise SystemExit('it was imported')")
    (models / "b3.bin.gz").write_bytes(teacher.read_bytes())
    (models / "broken.bin.gz").write_bytes(b"no")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("KATAGO_NETWORKS", os.pathsep.join(["", str(teacher.parent)]))
    assert main(["teacher"]) == 0
    said = capsys.readouterr().out
    for words in ("tiny", "b3c6-test, version 8, 3 blocks of 6 channels", "unknown to this kit"):
        assert words in said
    assert str(models / "b3.bin.gz") in said and "cannot unpack it" in said
    for place in (tmp_path, models, models / "b3.bin.gz"):
        assert main(["teacher", str(place)]) == 0
        assert str(models / "b3.bin.gz") in capsys.readouterr().out
    write_games([record_of([72], [1])], tmp_path / "one.games")
    assert main(["label", str(tmp_path / "one.games"), "--teacher", "b3", "-o",
                 str(tmp_path / "out.games"), "--processes", "1"]) == 0  # fmt: skip


@pytest.mark.parametrize("place", ["empty", "missing", None])
def test_no_teacher_says_where_to_get_one(tmp_path, place, monkeypatch, capsys):
    monkeypatch.delenv("KATAGO_NETWORKS", raising=False)
    (tmp_path / "empty").mkdir()
    assert main(["teacher", *([str(tmp_path / place)] if place else [])]) == 2
    said = capsys.readouterr().err
    assert ("No such file" if place == "missing" else "pip download --no-deps katrain") in said


def test_options_out_of_range_are_refused():
    for wrong in ({"every": 0}, {"symmetries": 4}, {"least_share": 0.6}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            LabelOptions(**wrong)
