"""A teacher's labels: from queries and answers of KataGo's analysis engine to batches."""

import gzip
import json
import lzma
from pathlib import Path

import numpy as np
import pytest

from golois.__main__ import main
from golois.data.dataset import Dataset
from golois.data.mixture import Mixture
from golois.errors import ArgumentError, DataFormatError
from golois.go.coords import BLACK, WHITE
from golois.go.symmetry import NUM_SYMMETRIES, point_table
from golois.labels.positions import Sample
from golois.records.importing import import_analysis
from golois.records.packed_file import GameFile
from golois.records.packing import write_games
from golois.records.queries import to_query, write_queries
from golois.records.targets import Targets
from tests.games import HEAD, SHORT_GAME, altered, import_bytes, record_of

MOVES = [["B", "Q16"], ["W", "D4"], ["B", "Q4"], ["W", "pass"], ["B", "pass"]]
Q16, D4, Q4, PASS = 72, 288, 300, 361


def query(id: str = "a", **changes) -> dict:
    return {"id": id, "moves": MOVES, "rules": "chinese", "komi": 7.5, **changes}


def answer(turn: int, shares: dict[int, float], winrate: float = 0.5, id: str = "a") -> dict:
    """An answer as KataGo writes it: -1 for illegal points, the win rate Black's."""
    policy = [0.0] * 362
    policy[0] = -1
    for point, share in shares.items():
        policy[point] = share
    player = "BW"[turn % 2]
    info = {"currentPlayer": player, "winrate": winrate, "scoreLead": 1.25, "visits": 1}
    more = {"moveInfos": [{"move": "Q16", "pv": ["Q16", "D4"]}], "isDuringSearch": False}
    return {"id": id, "turnNumber": turn, "rootInfo": info, "policy": policy, **more}


def packed(folder: Path, *lines, **how) -> GameFile:
    """The file that queries and answers pack into, out of two files of lines."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (folder / "queries.jsonl").write_text(texts[0] + "\n")
    (folder / "answers.jsonl").write_text("\n".join(texts[1:]) + "\n")
    sources = [folder / "queries.jsonl", folder / "answers.jsonl"]
    import_analysis(sources, folder / "out.games", **how)
    return GameFile.open(folder / "out.games")


@pytest.fixture
def labelled(tmp_path) -> GameFile:
    return packed(
        tmp_path,
        query(),
        answer(0, {Q16: 0.6, D4: 0.2, PASS: 0.1}, winrate=0.3),
        answer(2, {D4: 0.5, Q4: 0.4}, winrate=0.75),
    )


def test_only_labelled_turns_are_training_positions(labelled):
    data = Dataset(labelled.path, validation_fraction=0)
    assert data.num_positions("train") == 2
    assert data.origins(np.arange(2), "train")[1].tolist() == [0, 2]


def test_a_batch_has_the_teachers_policy_and_value_and_the_move_played(labelled):
    batch = Dataset(labelled.path, validation_fraction=0).rows(np.arange(2), np.zeros(2, np.uint8))
    assert batch.policy[0, [Q16, D4]] == pytest.approx([0.75, 0.25], abs=1e-4)  # without the pass
    assert batch.policy[1, [D4, Q4]] == pytest.approx([5 / 9, 4 / 9], abs=1e-4)
    assert batch.policy.sum(axis=1) == pytest.approx([1, 1])
    assert batch.value_white == pytest.approx([0.7, 0.25], abs=1e-4)
    assert batch.played.argmax(axis=1).tolist() == [Q16, Q4]
    assert batch.played.sum(axis=1).tolist() == [1, 1]


@pytest.mark.parametrize("symmetry", range(NUM_SYMMETRIES))
def test_a_policy_is_turned_with_the_board(labelled, symmetry):
    data = Dataset(labelled.path, validation_fraction=0)
    plain, turned = (data.rows(np.arange(2), np.full(2, s, np.uint8)) for s in (0, symmetry))
    assert (turned.policy[:, point_table()[symmetry]] == plain.policy).all()
    assert (turned.played[:, point_table()[symmetry]] == plain.played).all()


@pytest.mark.parametrize(
    ("whose", "expected"), [("black", 0.7), ("white", 0.3), ("sidetomove", 0.7)]
)
def test_win_rates_are_of_whom_the_caller_says(tmp_path, whose, expected):
    file = packed(tmp_path, query(), answer(0, {Q16: 1.0}, winrate=0.3), winrates_as=whose)
    assert file[0].targets.values == pytest.approx([expected], abs=1e-4)
    assert file[0].targets.leads == pytest.approx([1.3 if expected == 0.3 else -1.3])


def test_targets_come_back_in_a_record(labelled, tmp_path_factory):
    record, folder = labelled[0], tmp_path_factory.mktemp("plain")
    assert record.result == "?" and record.komi == 7.5 and record.rules == "chinese"
    assert record.targets.policies[0, [Q16, D4, PASS]] == pytest.approx([0.6, 0.2, 0.1], abs=1e-4)
    plain = GameFile.open(import_bytes(folder, SHORT_GAME).path)[0]
    write_games([plain, record, plain], folder / "again.games")
    again = GameFile.open(folder / "again.games")
    again.verify()
    assert [game.targets is None for game in again] == [True, False, True]
    for name in ("policies", "values", "leads"):
        assert (getattr(again[1].targets, name) == getattr(record.targets, name)).all()


def test_games_without_targets_have_the_moves_played_beside_them(labelled, tmp_path_factory):
    plain = import_bytes(tmp_path_factory.mktemp("plain"), SHORT_GAME).path
    sources = [Dataset(path, validation_fraction=0) for path in (labelled.path, plain)]
    mixed = Mixture([(source, 1.0) for source in sources])
    assert mixed.has_targets and not Dataset(plain).has_targets
    batch = mixed.walk(5, 0, "train")
    is_soft = (batch.policy.max(axis=1) < 1).tolist()
    assert sorted(is_soft) == [False] * 3 + [True] * 2
    hard = ~np.array(is_soft)
    assert (batch.policy[hard] == batch.played[hard]).all()


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
def test_compressed_files_are_read(tmp_path, compress):
    for name, line in (("q", query()), ("a", answer(0, {Q16: 1.0}))):
        (tmp_path / name).write_bytes(compress(json.dumps(line).encode()))
    summary = import_analysis([tmp_path / "q", tmp_path / "a"], tmp_path / "out.games")
    assert (summary.num_games, summary.num_positions) == (1, 1)


def test_lines_that_can_not_be_used_are_counted_with_reason_and_line(tmp_path):
    (tmp_path / "q").write_text(json.dumps(query()) + "\n" + json.dumps(query("b")) + "\n")
    lines = [
        answer(0, {Q16: 1.0}),
        answer(0, {D4: 1.0}),
        answer(9, {D4: 1.0}),
        answer(1, {D4: 1.0}, id="z"),
        {"error": "Illegal move 3: Q4", "id": "b"},
        {"id": "a", "turnNumber": 1, "isDuringSearch": True},
        answer(5, {PASS: 1.0}),
    ]
    broken = json.dumps(answer(1, {D4: 1.0}))[:-30]
    (tmp_path / "a").write_text("\n".join([*map(json.dumps, lines), broken]))
    summary = import_analysis([tmp_path / "q", tmp_path / "a"], tmp_path / "out.games")
    assert (summary.num_games, summary.num_positions) == (1, 1)
    assert summary.dropped == {
        "malformed": 2,
        "duplicate": 1,
        "no such query": 1,
        "refused by the engine": 1,
        "no positions": 1,
    }
    places = [drop.split(": ")[:2] for drop in summary.first_drops]
    assert places[0] == ["a:2", "duplicate"] and ["a:8", "malformed"] in places
    assert places[-1] == ["q:2", "no positions"]


def test_stones_that_stand_at_the_beginning_come_before_the_turns(tmp_path):
    set_up = [["B", "K10"], ["W", "K11"]]
    file = packed(tmp_path, query(initialStones=set_up), answer(1, {D4: 1.0}))
    data = Dataset(file.path, validation_fraction=0)
    assert data.origins(np.arange(1), "train")[1].tolist() == [3]
    assert file[0].colours.tolist()[:4] == [BLACK, WHITE, BLACK, WHITE]


@pytest.mark.parametrize(
    ("lines", "how", "words"),
    [
        ([query(boardXSize=9, boardYSize=9), answer(0, {Q16: 1.0})], {}, "board size"),
        ([answer(0, {Q16: 1.0})], {}, "no such query"),
        ([query()], {"winrates_as": "mover"}, "black, white, sidetomove"),
    ],
)
def test_what_cannot_be_packed_is_refused(tmp_path, lines, how, words):
    with pytest.raises(ArgumentError if how else DataFormatError, match=words):
        packed(tmp_path, *lines, **how)


def test_a_target_out_of_range_is_refused(labelled):
    targets = labelled[0].targets
    with pytest.raises(DataFormatError, match="policies"):
        Targets(targets.policies * 2, targets.values, targets.leads).to_words()
    for lead in (3276.8, -3276.8, np.inf):
        with pytest.raises(DataFormatError, match="leads must be from −3276.7 to 3276.7 points"):
            Targets(targets.policies, targets.values, np.full_like(targets.leads, lead)).to_words()
    with pytest.raises(DataFormatError, match=r"\[P\]"):
        Targets(targets.policies, targets.values[:1], targets.leads).to_words()


def test_damaged_targets_are_found_by_their_checksum(labelled):
    at = labelled._layout.targets_offset + 8 + 3 * 2 + 8
    other = bytes([labelled.data[at] ^ 1])
    with pytest.raises(DataFormatError, match="the targets at bytes .* CRC-32"):
        GameFile.open(altered(labelled.path, at, other)).verify()


def test_queries_ask_about_every_move_on_the_board(labelled):
    asked = to_query(labelled[0], "x", np.arange(3))
    assert asked["moves"] == MOVES and asked["komi"] == 7.5 and asked["includePolicy"]
    assert asked["analyzeTurns"] == [0, 1, 2]
    for every, of_games in ((2, ([0, 2], [1])), (100, ([0], [1], [2], [0]))):
        queries = [
            to_query(labelled[0], "x", np.arange(3), index, every)["analyzeTurns"]
            for index in range(len(of_games))
        ]
        assert queries == list(of_games)


def test_what_the_engine_takes_otherwise_is_not_asked():
    """It plays by halves of komi, and answers for the colour that has not just moved."""
    record = record_of([72, 288, 60, 300], [1, 1, 2, 2], komi=3.75)
    asked = to_query(record, "x", np.arange(4))
    assert asked["komi"] == 4 and asked["analyzeTurns"] == [0, 2]
    assert to_query(record, "x", np.arange(4), 1, every=100)["analyzeTurns"] == [2]


@pytest.mark.parametrize(
    ("moves", "turns"),
    [
        ("AB[aa][bb];W[pd];B[dd]", [2, 3]),
        ("AB[aa][bb]AW[cc];B[pd];W[dd]", [3, 4]),
        (";B[pd];W[dd];AB[aa]AW[cc];B[pq];W[dp]", [0, 1, 4, 5]),
    ],
)
def test_set_up_stones_are_not_asked_about(tmp_path, moves, turns):
    games = import_bytes(tmp_path, f"{HEAD}{moves})").path
    files = write_queries(games, tmp_path / "labels")
    assert json.loads(files.queries.read_text())["analyzeTurns"] == turns
    source = GameFile.open(games)
    assert Sample(source, 1).turns(0, source[0]).tolist() == turns


def test_an_answer_for_the_colour_that_does_not_move_is_dropped(tmp_path):
    moves = [["B", "Q16"], ["B", "D4"]]
    answers = [answer(turn, {Q4: 0.9}) for turn in range(2)]
    games = packed(tmp_path, query(moves=moves), *answers)
    assert np.isnan(games[0].values).tolist() == [False, True]
    assert "turn 1 of a is of the colour that does not move" in str(games.provenance)


def test_what_is_asked_and_answered_packs_into_the_same_games(tmp_path):
    source = import_bytes(tmp_path, SHORT_GAME).path
    files = write_queries(source, tmp_path / "labels")
    assert (files.num_games, files.num_positions) == (1, 3)
    assert "reportAnalysisWinratesAs = BLACK" in files.config.read_text()
    answers = [answer(turn, {D4: 0.9}, id="game-0") for turn in range(3)]
    files.answers.write_text("".join(json.dumps(line) + "\n" for line in answers))
    import_analysis([files.queries, files.answers], tmp_path / "labelled.games")
    before, after = GameFile.open(source)[0], GameFile.open(tmp_path / "labelled.games")[0]
    assert after.points.tolist() == before.points.tolist()
    assert len(after.targets) == 3


def test_the_commands_of_a_teacher(tmp_path, capsys):
    source, folder = import_bytes(tmp_path, SHORT_GAME).path, tmp_path / "my labels"
    assert main(["queries", str(source), "-o", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert "1 game, 3 positions to label" in printed
    assert f"katago analysis -config '{folder}/analysis.cfg' -model" in printed
    assert f"< '{folder}/queries.jsonl' > '{folder}/answers.jsonl'\n" in printed
    assert f"--analysis '{folder}/queries.jsonl' '{folder}/answers.jsonl' -o" in printed
    answers = folder / "answers.jsonl"
    answers.write_text(json.dumps(answer(0, {Q16: 1.0}, id="game-0")))
    queries, output = folder / "queries.jsonl", tmp_path / "out.games"
    command = ["import", "--analysis", str(queries), str(answers), "-o", str(output)]
    assert main([*command, "--winrates-as", "white"]) == 0
    assert "1 training positions" in capsys.readouterr().out
    assert main(["info", str(output)]) == 0
    assert "with a policy of a teacher or a search" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["queries", "{games}", "-o", "{folder}", "--every", "0"], "every must be from 1 to"),
        (["import", "{games}", "-o", "{folder}/x", "--winrates-as", "white"], "--analysis"),
        (["import", "--analysis", "--dedupe", "{games}", "-o", "{folder}/x"], "--dedupe"),
        (["import", "--analysis", "--min-rank=4d", "{games}", "-o", "{folder}/x"], "--min-rank"),
    ],
)
def test_what_can_not_be_is_one_sentence(tmp_path, capsys, arguments, why):
    games = str(import_bytes(tmp_path, SHORT_GAME).path)
    given = [text.format(games=games, folder=tmp_path / "new") for text in arguments]
    assert main(given) == 2
    assert why in capsys.readouterr().err
