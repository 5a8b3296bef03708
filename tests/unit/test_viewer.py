"""The board that the browser shows is the board of the rules, after every move."""

import json
import shutil
import subprocess

import pytest

from golois.board import Board
from golois.coords import BLACK, WHITE
from tests.fake_standings import random_points
from tournament.report.markup import ASSETS

NUM_GAMES = 4
NUM_PLIES = 500
# Runs replay.js as a browser would, on games from stdin.
SCRIPT = """
const fs = require("fs"), vm = require("vm");
vm.runInThisContext(fs.readFileSync(process.argv[1], "utf8"));
const games = JSON.parse(fs.readFileSync(0, "utf8"));
console.log(JSON.stringify(games.map((points) => positionsOf(19, points).map((position) => ({
  stones: Array.from(position.stones).join(""), captured: position.captured,
  name: position.point === null ? "" : pointName(19, position.point),
})))));
"""


@pytest.fixture(scope="module")
def replayed() -> list[tuple[list[int], list[dict]]]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    games = [random_points(NUM_PLIES, seed) for seed in range(NUM_GAMES)]
    command = [node, "-e", SCRIPT, str(ASSETS / "replay.js")]
    answer = subprocess.run(
        command, input=json.dumps(games), capture_output=True, text=True, check=True, timeout=60
    )
    return list(zip(games, json.loads(answer.stdout), strict=True))


def test_positions_are_those_of_the_rules(replayed):
    num_captured = 0
    for points, positions in replayed:
        board = Board()
        assert len(positions) == len(points) + 1
        for ply, point in enumerate([*points, None]):
            stones = board.stones()
            assert positions[ply]["stones"] == "".join(map(str, stones.ravel())), ply
            num_moved = {BLACK: (ply + 1) // 2, WHITE: ply // 2}
            for colour in (BLACK, WHITE):
                passes = sum(colour == c and p == 361 for c, p in board.moves)
                on_board = int((stones == colour).sum())
                taken = positions[ply]["captured"][BLACK + WHITE - colour]
                assert on_board == num_moved[colour] - passes - taken
            if point is not None:
                board.play(point)
        num_captured += sum(positions[-1]["captured"])
    assert num_captured > 200


def test_points_are_named_as_gtp_names_them(replayed):
    names = {position["name"] for _, positions in replayed for position in positions}
    assert "pass" in names and {"A19", "T1", "J10"} <= names
    assert not any(name.startswith("I") for name in names)
