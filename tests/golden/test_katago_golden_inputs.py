"""KataGo's inputs of version 7, bit for bit as KataGo 1.17.2 wrote them."""

import csv
import json

import numpy as np
import pytest

from golois.go.coords import BLACK, WHITE
from golois.katago.inputs import KatagoRules, game_inputs
from tests.data import GOLDEN_FOLDERS

FOLDERS = [folder / "katago" for folder in GOLDEN_FOLDERS if (folder / "katago").exists()]
COLOURS = {"B": BLACK, "W": WHITE}
TAGS = {
    *("ko", "superko", "ladder", "longladder", "ladderhistory", "work", "suicidepoint", "pass"),
    *("passends", "hidden", "ended", "opening", "late", "endgame", "simple", "situational"),
    *("suicide", "setup", "komi", "human", "katago", "random"),
}


@pytest.fixture(scope="module", params=FOLDERS, ids=lambda folder: folder.parent.parent.name)
def golden(request):
    """The rows of positions, each with its number as "row"; the games; the expected arrays."""
    with open(request.param / "positions.csv", newline="") as file:
        rows = [{**row, "row": number} for number, row in enumerate(csv.DictReader(file))]
    games = [json.loads(line) for line in (request.param / "games.jsonl").open()]
    with np.load(request.param / "inputs.npz") as arrays:
        return rows, {str(game["game"]): game for game in games}, dict(arrays)


def inputs_of(game, rows, planes):
    return game_inputs(
        game["moves"],
        [int(row["turn"]) for row in rows],
        KatagoRules(game["komi"], game["ko"], game["suicide"]),
        setup=[(COLOURS[colour], point) for colour, point in game["setup"]],
        first=COLOURS[game["first"]],
        hide_end=[row["hidden"] == "1" for row in rows],
        planes=planes,
    )


def rows_by_game(rows):
    by_game = {}
    for row in sorted(rows, key=lambda row: int(row["turn"])):
        by_game.setdefault(row["game"], []).append(row)
    return by_game.items()


def test_every_bit_number_and_legal_move_agrees(golden):
    rows, games, arrays = golden
    assert {tag for row in rows for tag in row["tags"].split()} == TAGS
    for number, of_game in rows_by_game(rows):
        inputs = inputs_of(games[number], of_game, "bits")
        where = [row["row"] for row in of_game]
        np.testing.assert_array_equal(inputs.planes, arrays["planes"][where])
        assert inputs.globals.tobytes() == arrays["globals"][where].tobytes()
        legal = np.packbits(inputs.legal, axis=1)
        np.testing.assert_array_equal(legal, arrays["legal"][where])
        assert inputs.white_to_move.tolist() == [row["to_move"] == "W" for row in of_game]


@pytest.mark.parametrize("planes", ["float32", "uint8"])
def test_unpacked_planes_are_the_bits(golden, planes):
    rows, games, arrays = golden
    number, of_game = next(iter(rows_by_game(rows)))
    inputs = inputs_of(games[number], of_game, planes)
    bits = np.unpackbits(arrays["planes"][[row["row"] for row in of_game]], axis=1)[:, : 22 * 361]
    expected = np.moveaxis(bits.reshape(-1, 22, 19, 19), 1, -1)
    assert inputs.planes.dtype == planes
    np.testing.assert_array_equal(inputs.planes, expected)
