"""Files of finished games: written, read and delivered as batches, against slow games."""

import math
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from golois import getBatch
from golois.data.batch import Batch, unpack_planes
from golois.data.dataset import Dataset
from golois.data.mixture import Mixture
from golois.errors import ArgumentError, ArgumentTypeError, DataFormatError
from golois.games.game import Game, after_moves
from golois.games.rules import Go, Hex, NoGo, Rules
from golois.go.coords import BLACK, EMPTY, WHITE
from golois.go.symmetry import transform_board
from golois.planes.row_shapes import RowShape
from golois.records.exporting import export_games
from golois.records.finished_games import FinishedGame, write_finished_games
from golois.records.packed_file import GameFile, Record
from golois.records.packing import write_games
from golois.records.queries import write_queries
from golois.records.targets import Targets
from tests.data import examples_of
from tests.reference_games import ReferenceNoGo, reference_game, reference_planes
from tests.reference_life import score_black

ALL_RULES = (
    Go(2, komi=1.0, max_moves=12),
    Go(3, komi=-0.5, max_moves=30),
    Go(5, komi=0.5, max_moves=60, planes="zero"),
    Go(7, komi=6.5, max_moves=70),
    Go(19, komi=7.5, max_moves=12, planes="zero"),
    NoGo(2),
    NoGo(4, planes="zero"),
    NoGo(7),
    Hex(2, swap=True),
    Hex(3, swap=True),
    Hex(6),
    Hex(19),
)
GAMES_OF_A_FILE = 5
SMALLEST_UNIT = 1 / 65534


def name_of(rules: Rules) -> str:
    return f"{type(rules).__name__}{rules.size}"


def random_game(rules: Rules, seed: int) -> FinishedGame:
    """Random moves; four positions of five have a policy, of a few legal moves."""
    rng = random.Random(seed)
    game = Game(rules)
    moves, policies, values = [], [], []
    while not game.is_over:
        legal = np.flatnonzero(game.legal_moves()).tolist()
        points = [move for move in legal if move != game.pass_point]
        choices = points if points and rng.random() < 0.9 else legal
        chosen = rng.sample(legal, min(len(legal), rng.randint(1, 8)))
        weighs = rng.random() < 0.8
        policies.append({move: rng.randint(1, 50) for move in chosen} if weighs else {})
        values.append(rng.random() if weighs else math.nan)
        moves.append(rng.choice(choices))
        game.play(moves[-1])
    return FinishedGame(moves, game.winner, policies, values)


def random_games(rules: Rules) -> list[FinishedGame]:
    return [random_game(rules, seed) for seed in range(GAMES_OF_A_FILE)]


def written(folder: Path, rules: Rules, games: list[FinishedGame]) -> Path:
    path = folder / "finished.games"
    write_finished_games(path, rules, games)
    return path


def shares(policy: Mapping[int, float], length: int) -> np.ndarray:
    """A policy as an array that sums to 1."""
    array = np.zeros(length)
    for move, weight in policy.items():
        array[move] = weight / sum(policy.values())
    return array


@pytest.mark.parametrize("rules", ALL_RULES, ids=name_of)
def test_games_come_back_as_they_were_played(tmp_path, rules):
    games = random_games(rules)
    file = GameFile.open(written(tmp_path, rules, games))
    file.verify()
    assert len(file) == len(games)
    num_labelled = sum(bool(policy) for game in games for policy in game.policies)
    assert file.num_positions == file.num_soft_positions() == num_labelled
    for index, game in enumerate(games):
        record = file[index]
        assert record.points.tolist() == list(game.moves)
        assert record.colours.tolist() == [(BLACK, WHITE)[i % 2] for i in range(len(game.moves))]
        assert record.winner == game.winner and record.size == rules.size
        assert record.komi == (rules.komi if isinstance(rules, Go) else None)
        np.testing.assert_allclose(record.values, game.values, atol=0.0051)
        labelled = [i for i, policy in enumerate(game.policies) if policy]
        if not labelled:
            assert record.targets is None
            continue
        expected = [shares(game.policies[i], rules.size**2 + 1) for i in labelled]
        np.testing.assert_allclose(record.targets.policies, expected, atol=SMALLEST_UNIT)
        expected_values = [game.values[i] for i in labelled]
        np.testing.assert_allclose(record.targets.values, expected_values, atol=SMALLEST_UNIT)
        assert np.isnan(record.targets.leads).all()

        again = after_moves(file.rules_of(index), record.points.tolist())
        if again.is_over:  # a limit of moves is not in the file
            assert again.winner == record.winner


@pytest.mark.parametrize("rules", ALL_RULES[:-1], ids=name_of)
def test_rows_are_what_a_slow_game_shows(tmp_path, rules):
    games = random_games(rules)
    features = rules.planes if isinstance(rules, Go | NoGo) else None
    path = written(tmp_path, rules, games)
    dataset = Dataset(path, validation_fraction=0, features=features)
    num_positions = dataset.num_positions("train")
    positions = np.arange(num_positions)
    symmetries = np.array(dataset.shape.symmetries, np.uint8)[
        positions % len(dataset.shape.symmetries)
    ]
    batch = dataset.rows(positions, symmetries)
    origins, plies = dataset.origins(positions, "train")
    row = 0
    for index, played in enumerate(games):
        slow, game = reference_game(rules), Game(rules)
        ends = final_state(rules, played)
        for ply, move in enumerate(played.moves):
            if played.policies[ply]:
                assert (origins[row], plies[row]) == (index, ply)
                symmetry = int(symmetries[row])
                shown = transform_board(reference_planes(slow, rules), symmetry)
                np.testing.assert_array_equal(batch.planes[row], shown)
                np.testing.assert_array_equal(batch.planes[row], game.planes(symmetry))
                check_targets(batch, row, played, ply, rules, symmetry)
                check_end(batch, row, ends, slow.to_play, rules, symmetry)
                row += 1
            slow.play(move)
            game.play(move)
    assert row == num_positions


def check_targets(
    batch: Batch, row: int, played: FinishedGame, ply: int, rules: Rules, symmetry: int
) -> None:
    length = batch.policy.shape[1]
    policy = turned(shares(played.policies[ply], rules.size**2 + 1), symmetry, rules.size)
    np.testing.assert_allclose(batch.policy[row], policy[:length], atol=2e-4)
    assert batch.policy[row].sum() == pytest.approx(1, abs=1e-5)
    for name, move in (
        ("played", played.moves[ply]),
        ("reply", played.moves[ply + 1] if ply + 1 < len(played.moves) else None),
    ):
        one_hot = np.zeros(rules.size**2 + 1)
        if move is not None:
            one_hot[move] = 1
        expected = turned(one_hot, symmetry, rules.size)[:length]
        np.testing.assert_array_equal(getattr(batch, name)[row], expected)
    assert batch.value_white[row] == pytest.approx(played.values[ply], abs=SMALLEST_UNIT)


def turned(policy: np.ndarray, symmetry: int, size: int) -> np.ndarray:
    board = transform_board(policy[:-1].reshape(size, size), symmetry)
    return np.append(board.reshape(-1), policy[-1])


def final_state(rules: Rules, played: FinishedGame):
    slow = reference_game(rules)
    for move in played.moves:
        slow.play(move)
    return slow


def check_end(batch: Batch, row: int, ends, own: int, rules: Rules, symmetry: int) -> None:
    """The last stones and who owns the board, for the side that was to move."""
    if isinstance(rules, Hex):
        assert batch.area is batch.ownership is batch.groups is batch.ownership_known is None
        return
    size, stones = rules.size, np.array(ends.states[-1]).reshape(rules.size, rules.size)
    two_passes = len(ends.states) > 2 and ends.states[-1] == ends.states[-2] == ends.states[-3]
    assert batch.ownership_known[row] == (isinstance(rules, NoGo) or two_passes)
    if not batch.ownership_known[row]:
        assert not batch.area[row].any() and not batch.ownership[row].any()
        return
    last = np.stack([stones == own, stones == BLACK + WHITE - own], -1)
    np.testing.assert_array_equal(batch.ownership[row], transform_board(last, symmetry))
    if isinstance(rules, Go):
        sign = 1 if own == BLACK else -1
        assert batch.area[row].sum() == sign * score_black(ends.states[-1], size)
        return
    may_play = {colour: moves_of(ends, colour) for colour in (BLACK, WHITE)}
    owner = np.array(ends.states[-1])
    owner[list(may_play[BLACK] - may_play[WHITE])] = BLACK
    owner[list(may_play[WHITE] - may_play[BLACK])] = WHITE
    owner = owner.reshape(size, size)
    area = (owner == own).astype(int) - (owner == BLACK + WHITE - own)
    np.testing.assert_array_equal(batch.area[row], transform_board(area, symmetry))
    gap = len(may_play[own]) - len(may_play[BLACK + WHITE - own])
    assert batch.nogo_score()[row] == np.clip(gap, -5, 5)


def moves_of(game: ReferenceNoGo, colour: int) -> set[int]:
    other = ReferenceNoGo(NoGo(game.size))
    other.states, other.to_play = list(game.states), colour
    return other.legal_moves()


@pytest.mark.parametrize("rules", [Go(5, max_moves=40), NoGo(5), Hex(5)], ids=name_of)
def test_planes_come_as_numbers_and_as_bits(tmp_path, rules):
    path = written(tmp_path, rules, random_games(rules))
    floats = Dataset(path, validation_fraction=0).sample(32, 1)
    for planes in ("uint8", "bits"):
        shown = Dataset(path, validation_fraction=0, planes=planes).sample(32, 1).planes
        if planes == "bits":
            shown = unpack_planes(shown, floats.planes.shape[-1], rules.size)
        np.testing.assert_array_equal(shown, floats.planes)


@pytest.mark.parametrize("rules", [Go(3, max_moves=20), NoGo(3), Hex(3)], ids=name_of)
def test_random_symmetries_are_those_of_the_game(tmp_path, rules):
    dataset = Dataset(written(tmp_path, rules, random_games(rules)), validation_fraction=0)
    _, symmetries = dataset.sampled_rows(500, 0)
    assert set(symmetries.tolist()) == set(Game(rules).symmetries)
    _, symmetries = dataset.walked_rows(500, 0, symmetry=True)
    assert set(symmetries.tolist()) == set(dataset.shape.symmetries)


@pytest.mark.parametrize("rules", [NoGo(3), Hex(3)], ids=name_of)
def test_ordered_symmetries_walk_through_those_of_the_game(tmp_path, rules):
    """The next of them at each pass over the data, from a start of each position's own."""
    dataset = Dataset(written(tmp_path, rules, random_games(rules)), validation_fraction=0)
    size, order = dataset.num_positions("train"), dataset.shape.symmetries
    starts: dict[int, set[int]] = {}
    for step in range(9 * size):
        taken = {
            step * 4 // size: dataset.sampled_rows(4, step, symmetry="ordered"),
            step // size: dataset.walked_rows(1, step, symmetry="ordered"),
        }
        for nth_pass, rows in taken.items():
            for position, symmetry in zip(*(part.tolist() for part in rows), strict=True):
                start = (order.index(symmetry) - nth_pass) % len(order)
                starts.setdefault(position, set()).add(start)
    assert len(starts) == size
    assert {len(found) for found in starts.values()} == {1}
    assert len(set().union(*starts.values())) > len(order) / 2
    turned = dataset.sample_game(7, symmetry="ordered")
    positions = dataset.draw_game(7, "train")
    for row, position in enumerate(positions.tolist()):
        nth = next(iter(starts[position])) + 7 // GAMES_OF_A_FILE
        one = dataset.rows(positions[row : row + 1], np.array([order[nth % len(order)]]))
        np.testing.assert_array_equal(turned.planes[row], one.planes[0])


def test_a_symmetry_that_hex_has_not_is_refused(tmp_path):
    dataset = Dataset(written(tmp_path, Hex(3), random_games(Hex(3))), validation_fraction=0)
    with pytest.raises(ArgumentError, match="Hex has no symmetry 4: only 0 and 3"):
        dataset.rows(np.zeros(1, int), np.array([4]))


def test_values_are_mixed_from_the_search_and_the_result(tmp_path):
    games = random_games(NoGo(4))
    path = written(tmp_path, NoGo(4), games)
    positions = np.arange(GameFile.open(path).num_positions)
    symmetries = np.zeros(len(positions))
    labels, results, mixed = (
        Dataset(path, validation_fraction=0, result_share=share)
        .rows(positions, symmetries, targets=("value_white",))
        .value_white
        for share in (0, 1, 0.25)
    )
    expected = [float(game.winner == WHITE) for game in games for policy in game.policies if policy]
    np.testing.assert_array_equal(results, expected)
    np.testing.assert_allclose(mixed, 0.75 * labels + 0.25 * results, atol=1e-6)
    for share in (-0.1, 1.1, math.nan):
        with pytest.raises(ArgumentError, match="result_share must be from 0 to 1"):
            Dataset(path, result_share=share)


def test_a_game_that_was_resigned_has_a_winner_and_no_last_position(tmp_path):
    game = FinishedGame([4, 0], WHITE, [{4: 1}, {0: 3, 8: 1}], [0.5, 0.75])
    dataset = Dataset(written(tmp_path, NoGo(3), [game]), validation_fraction=0, result_share=1)
    batch = dataset.rows(np.arange(2), np.zeros(2))
    assert batch.value_white.tolist() == [1, 1]
    assert batch.policy[1][[0, 8]].tolist() == pytest.approx([0.75, 0.25], abs=1e-4)
    assert not batch.ownership_known.any() and not batch.nogo_score().any()


def test_a_game_without_any_policy_is_kept_and_shown_by_no_row(tmp_path):
    games = [FinishedGame([0], BLACK, [{}], [0.5]), FinishedGame([0], BLACK, [{1: 2}], [0.5])]
    dataset = Dataset(written(tmp_path, NoGo(2), games), validation_fraction=0)
    assert len(dataset.file) == 2
    assert dataset.origins(np.arange(1), "train")[0].tolist() == [1]
    assert dataset.rows(np.zeros(1, int), np.zeros(1)).policy[0].tolist() == [0, 1, 0, 0]


def test_small_shares_of_a_policy_are_left_out(tmp_path):
    policy = {move: 1.0 for move in range(40)} | {40: 100.0, 41: 0.01}
    games = [FinishedGame([40], BLACK, [policy], [0.5])]
    kept = GameFile.open(written(tmp_path, NoGo(9), games))[0].targets.policies[0]
    assert np.flatnonzero(kept).tolist() == [*range(31), 40]
    games = [FinishedGame([40], BLACK, [{40: 1.0, 41: 0.0009, 42: 0.002}], [0.5])]
    kept = GameFile.open(written(tmp_path, NoGo(9), games))[0].targets.policies[0]
    assert np.flatnonzero(kept).tolist() == [40, 42]


def test_go_on_19x19_is_written_as_records_are(tmp_path):
    """The arena's game needs nothing new: the same bytes as from records, of version 2."""
    points = [60, 300, 72, 361, 361]
    policies = [{60: 3, 61: 1}, {300: 1}, {72: 1, 361: 1}, {5: 1}, {5: 1}]
    finished = FinishedGame(points, BLACK, policies, [0.5] * 5)
    rules = Go(19, komi=-50, passes="arena")
    write_finished_games(tmp_path / "finished.games", rules, [finished])
    dense = np.array([shares(policy, 362) for policy in policies[:3]], np.float32)
    values = np.full(3, 0.5, np.float32)
    record = Record(
        komi=-50,
        rules="",
        result="B+",
        points=np.array(points, np.uint16),
        colours=np.array([1, 2, 1, 2, 1], np.uint8),
        values=np.full(5, 0.5, np.float32),
        source="",
        played_out=True,
        targets=Targets(dense, values, np.full(3, np.nan, np.float32)),
    )
    write_games([record], tmp_path / "records.games")
    ours, theirs = (GameFile.open(tmp_path / name) for name in ("finished.games", "records.games"))
    assert ours.data[8] == theirs.data[8] == 2 and not ours.data[104:128].any()
    ends = ours._layout.provenance_offset
    np.testing.assert_array_equal(ours.data[128:ends], theirs.data[128:ends])
    ours.require_arena_game()


def test_other_games_and_boards_have_version_3(tmp_path):
    for rules in (Go(19, komi=0.5, max_moves=4), Go(9, max_moves=4, passes="arena"), NoGo(19)):
        game = Game(rules)
        game.play(0)
        path = written(tmp_path, rules, [FinishedGame([0], BLACK, [{0: 1}], [0.5])])
        assert path.read_bytes()[8] == 3
        assert GameFile.open(path).policy_size == game.policy_size


@pytest.mark.parametrize("rules", [Go(3, max_moves=9), NoGo(3), Hex(3, swap=True)], ids=name_of)
def test_a_file_cut_anywhere_is_refused(tmp_path, rules):
    content = written(tmp_path, rules, random_games(rules)[:1]).read_bytes()
    cut = tmp_path / "cut.games"
    for size in range(len(content)):
        cut.write_bytes(content[:size])
        with pytest.raises(DataFormatError, match=r"cut\.games: "):
            GameFile.open(cut)


GAME = FinishedGame([4, 0], BLACK, [{4: 1}, {0: 3, 8: 1}], [0.5, 0.75])


@pytest.mark.parametrize(
    ("rules", "changes", "words"),
    [
        (NoGo(3), {"moves": [4, 4]}, "move 2: an occupied point"),
        (NoGo(3), {"moves": [4, 9]}, "move 2: a pass"),
        (NoGo(3), {"moves": [4, 10]}, "move 2: 10 is not from 0 to 9"),
        (NoGo(3), {"moves": [4, -1]}, "move 2: -1 is not from 0 to 9"),
        (NoGo(3), {"policies": [{4: 1}, {4: 1}]}, "move 2: its policy has an occupied point"),
        (NoGo(3), {"policies": [{4: 1}, {9: 1}]}, "move 2: its policy has a pass"),
        (Hex(3), {"policies": [{12: 1}, {0: 1}]}, "move 1: 12 is not from 0 to 9"),
        (NoGo(3), {"policies": [{4: 1}, {0: -1, 1: 2}]}, "move 2: the weights of its policy"),
        (NoGo(3), {"policies": [{4: 0.0}, {0: 1}]}, "move 1: the weights of its policy"),
        (NoGo(3), {"policies": [{4: math.nan}, {0: 1}]}, "move 1: the weights of its policy"),
        (NoGo(3), {"values": [0.5, 1.5]}, "move 2: its value must be from 0 to 1, not 1.5"),
        (NoGo(3), {"values": [math.nan, 0.5]}, "move 1: its value must be from 0 to 1, not nan"),
        (NoGo(3), {"values": [0.5]}, "must be of one length, not 2, 2 and 1"),
        (NoGo(3), {"winner": 3}, "the winner must be BLACK, WHITE or EMPTY, not 3"),
        (Go(3, komi=0.3), {}, "komi must be a multiple of 1/4"),
        (Go(3, max_moves=1), {}, "move 2: the game is over"),
        (Go(3, komi=-8, max_moves=2), {"winner": WHITE}, "the winner on the board is another one"),
    ],
)
def test_bad_games_are_not_written(tmp_path, rules, changes, words):
    with pytest.raises(DataFormatError, match=rf"game \d: .*{words}"):
        write_finished_games(tmp_path / "out.games", rules, [GAME, replace(GAME, **changes)])
    assert list(tmp_path.iterdir()) == []


def test_bad_rules_of_a_file_are_refused(tmp_path):
    with pytest.raises(ArgumentTypeError, match="rules must be Go"):
        write_finished_games(tmp_path / "out.games", "nogo", [GAME])


@pytest.fixture
def nogo(tmp_path) -> Path:
    return written(tmp_path, NoGo(3), [GAME])


def test_what_takes_only_the_arenas_game_says_so(tmp_path, nogo):
    words = r"finished\.games has games of NoGo on 3×3: this needs games of Go on 19×19"
    with pytest.raises(DataFormatError, match=words):
        export_games(nogo, tmp_path / "out.sgf", "sgf")
    with pytest.raises(DataFormatError, match=words):
        write_queries(nogo, tmp_path / "queries")
    with pytest.raises(DataFormatError, match="only Go on 19×19 is packed from records, not NoGo"):
        write_games(GameFile.open(nogo), tmp_path / "out.games")


def test_the_courses_calls_take_only_the_arenas_game(tmp_path, monkeypatch):
    write_finished_games(tmp_path / "games.data", Go(9), [GAME])
    monkeypatch.chdir(tmp_path)
    shapes = ((19, 19, 31), (361,), (), (19, 19, 2), (19, 19, 1))
    arrays = [np.zeros((1, *shape), np.float32) for shape in shapes]
    with pytest.raises(DataFormatError, match="games of Go on 9×9 with passes in the policy"):
        getBatch(*arrays, 0)


def test_planes_that_a_game_has_not_are_refused(tmp_path, nogo):
    with pytest.raises(ArgumentError, match="features of NoGo on 3×3 must be one of zero, nogo"):
        Dataset(nogo, features="course")
    go = tmp_path / "go.games"
    write_finished_games(go, Go(3), [GAME])
    with pytest.raises(ArgumentError, match="must be one of course, zero, not 'vit'"):
        Dataset(go, features="vit")
    assert Dataset(go).features == "course" and Dataset(nogo).features == "nogo"


def test_targets_that_a_game_has_not_are_refused(tmp_path):
    dataset = Dataset(written(tmp_path, Hex(3), [GAME]), validation_fraction=0)
    with pytest.raises(ArgumentError, match="Hex has no target area, groups: it has policy"):
        dataset.sample(4, 0, targets=("policy", "groups", "area"))
    room = Batch.empty(4, shape=RowShape("nogo", 3, 4, 9))
    with pytest.raises(ArgumentError, match="Hex has no target"):
        dataset.fill(room, np.zeros(4, int), np.zeros(4))


def test_a_mixture_of_several_shapes_is_refused(tmp_path, nogo):
    hex_path = tmp_path / "hex.games"
    write_finished_games(hex_path, Hex(3), [GAME])
    sources = [(Dataset(path, validation_fraction=0), 1) for path in (nogo, hex_path)]
    words = "need the same game and board, not Hex on 3×3 with 9 moves, NoGo on 3×3 with 9 moves"
    with pytest.raises(ArgumentError, match=words):
        Mixture(sources)


def test_a_mixture_of_shards_shows_the_rows_of_each(tmp_path):
    paths = [tmp_path / f"{shard}.games" for shard in range(2)]
    for seed, path in enumerate(paths):
        games = [random_game(Hex(5), 10 * seed + index) for index in range(4)]
        write_finished_games(path, Hex(5), games)
    sources = [Dataset(path, validation_fraction=0) for path in paths]
    mixture = Mixture([(source, source.num_positions("train")) for source in sources], seed=3)
    positions, symmetries = mixture.sampled_rows(40, 0)
    batch = mixture.sample(40, 0)
    first = sources[0].num_positions("train")
    assert batch.planes.shape == (40, 5, 5, 4) and set(symmetries.tolist()) == {0, 3}
    for row, position in enumerate(positions):
        source, within = sources[int(position >= first)], position - first * (position >= first)
        one = source.rows(np.array([within]), symmetries[row : row + 1])
        np.testing.assert_array_equal(batch.planes[row], one.planes[0])
        np.testing.assert_array_equal(batch.policy[row], one.policy[0])


def test_a_draw_is_a_result_of_a_half(tmp_path):
    game = FinishedGame([4, 9, 9], BLACK, [{4: 1}, {9: 1}, {9: 1}], [0.5, 0.25, 0.75])
    drawn = replace(game, winner=EMPTY)
    path = written(tmp_path, Go(3, komi=9), [drawn])
    batch = Dataset(path, validation_fraction=0, result_share=1).rows(np.arange(3), np.zeros(3))
    assert batch.value_white.tolist() == [0.5] * 3
    assert batch.policy[1].argmax() == 9 and batch.reply[0].argmax() == 9
    assert batch.ownership_known.tolist() == [1] * 3


def test_the_examples_of_the_page_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for example in examples_of("student/data.md", "Learning from finished games"):
        exec(example, {})
    output = capsys.readouterr().out
    assert output.startswith("(64, 3, 3, 21) (64, 9) 0.0\nNoGo on 3×3 B+ [0.1]\n")
    assert " 2 . X .\n" in output
