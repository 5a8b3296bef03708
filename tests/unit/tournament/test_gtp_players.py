"""A player by its name as a GTP engine, on boards of several sizes."""

import re
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.gtp_controller import GtpConversation
from tournament.errors import OptionsError
from tournament.gtp.any_player import PlayerCommands
from tournament.gtp.game import GtpGame
from tournament.gtp.protocol import Answers

FISHNET = f"isn:{Path(__file__).parents[3] / 'data' / 'fishnet9.npz'}"
COMMANDS = """
boardsize clear_board final_score final_status_list fixed_handicap genmove known_command komi
list_commands loadsgf name place_free_handicap play protocol_version quit set_free_handicap
showboard undo version
"""


@pytest.fixture(params=("random", FISHNET))
def engine(request):
    with ExitStack() as opened:

        def make(lines, output):
            player = PlayerCommands(request.param, GtpGame(7.5), 3, opened)
            return player.session(lines, Answers(output))

        with GtpConversation(make) as controller:
            yield controller


def stones(engine) -> str:
    return re.sub("[^XO]", "", engine.ask("showboard").partition("to play")[0])


def test_a_game_on_two_sizes(engine):
    assert engine.ask("list_commands").split() == ["=", *COMMANDS.split()]
    for size in (5, 9):
        assert engine.ask(f"boardsize {size}") == "="
        assert engine.ask("komi 3.5") == "="
        assert engine.ask("play b C3") == "="
        move = engine.ask("genmove w")
        assert re.fullmatch(f"= ([A-HJ][1-{size}]|pass)", move) and move != "= C3"
        assert engine.ask("play b C3").startswith("? illegal move")
        assert engine.ask("undo") == "=" and stones(engine) == "X"
        assert engine.ask("final_score") == f"= B+{size * size - 3.5}"
        assert engine.ask("clear_board") == "=" and engine.ask("final_score") == "= W+3.5"
        assert engine.ask("play b E5") == "=" and engine.ask("genmove b").startswith("= ")
        assert "O" not in stones(engine)  # a move out of turn follows a pass
        assert engine.ask("play b pass") == engine.ask("play w pass") == "="
        assert engine.ask("genmove b") == "= pass"


@pytest.mark.parametrize(
    "line",
    ["boardsize 20", "boardsize 1", "boardsize 5 7", "play b Z9", "play x C3", "undo", "genmove"],
)
def test_what_cannot_be_done_is_an_error(engine, line):
    assert engine.ask(line).startswith("? ")


@pytest.mark.parametrize(
    ("size", "stones", "points"),
    [
        (9, 5, "G7 C3 C7 G3 E5"),
        (9, 9, "G7 C3 C7 G3 E7 E3 C5 G5 E5"),
        (13, 4, "K10 D4 D10 K4"),
        (8, 4, "F6 C3 C6 F3"),
        (7, 4, "E5 C3 C5 E3"),
    ],
)
def test_handicap_stones_of_smaller_boards(size, stones, points):
    player = PlayerCommands("random", GtpGame(0), 0, ExitStack())
    with GtpConversation(lambda lines, output: player.session(lines, Answers(output))) as engine:
        assert engine.ask(f"boardsize {size}") == "="
        answer = engine.ask(f"fixed_handicap {stones}")
        assert sorted(answer.split()[1:]) == sorted(points.split())
        assert engine.ask("clear_board") == "="
        most = 9 if size > 7 and size % 2 else 4
        assert engine.ask(f"fixed_handicap {most + 1}") == "? invalid number of stones"


def test_a_name_of_no_player_is_refused():
    with pytest.raises(OptionsError):
        PlayerCommands("mohex", GtpGame(7.5), 0, ExitStack())
