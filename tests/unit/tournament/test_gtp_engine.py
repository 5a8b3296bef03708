"""A GTP 2 engine as a controller sees it: every command, its answer and its errors."""

import re

import numpy as np
import pytest

from golois.constants import NUM_POINTS
from golois.go.coords import BLACK, point_to_gtp
from tests.fake_network import uniform
from tests.gtp_controller import Controller
from tournament.gtp import engine as engine_module
from tournament.gtp.thinking import Thinker

COMMANDS = """
boardsize clear_board cputime final_score final_status_list fixed_handicap genmove
gogui-analyze_commands golois-area golois-policy golois-search golois-value kata-analyze
kata-genmove_analyze kgs-genmove_cleanup kgs-time_settings known_command komi list_commands
loadsgf lz-analyze lz-genmove_analyze name place_free_handicap play protocol_version quit
reg_genmove set_free_handicap showboard time_left time_settings undo version
"""
VERTEX = "[A-HJ-T](1[0-9]|[1-9])"
EVERY_POINT = " ".join(map(point_to_gtp, range(NUM_POINTS)))


@pytest.fixture(scope="module")
def engine():
    with Controller() as controller:
        yield controller


# What was asked on one board, line after line, and what came back.
DIALOGUES = {
    "administration": [
        ("protocol_version", "= 2"),
        ("1 name", "=1 Ada"),
        ("2147483647 version", "=2147483647 1"),
        ("known_command genmove", "= true"),
        ("known_command Genmove", "= false"),
        ("known_command", "= false"),
        ("9 quux 1 2", "?9 unknown command"),
        ("10", "?10 unknown command"),
        ("NAME", "? unknown command"),
    ],
    "board and komi": [
        ("boardsize 9", "? unacceptable size"),
        ("boardsize 19 13", "? unacceptable size"),
        ("boardsize 13 19", "? unacceptable size"),
        ("boardsize 19:13", "? syntax error"),
        ("boardsize 19 19", "="),
        ("boardsize", "? syntax error"),
        ("boardsize 19", "="),
        ("komi 6.5", "="),
        ("komi x", "? syntax error"),
        ("final_score", "= W+6.5"),
        ("komi 0", "="),
        ("final_score", "= 0"),
        ("komi 7.5", "="),
    ],
    "moves": [
        ("play B Q16", "="),
        ("play black q16", "? illegal move: Black cannot play Q16 as move 2: occupied"),
        ("PLAY white d4", "? unknown command"),
        ("play White PASS", "="),
        ("play w d4", "="),
        ("play green d4", "? syntax error"),
        ("play b i5", "? syntax error"),
        ("play b", "? syntax error"),
        ("undo", "="),
        ("undo", "="),
        ("play w q4", "="),
        ("final_score", "= W+7.5"),
        ("undo", "="),
        ("undo", "="),
        ("undo", "? cannot undo"),
    ],
    "ko": [
        *((f"play {move}", "=") for move in ("b c3", "w d3", "b b2", "w e2", "b c1", "w d1")),
        ("play b d2", "="),
        ("play w c2", "="),
        ("play b d2", "? illegal move: Black cannot play D2 as move 9: ko"),
        ("play b pass", "="),
        ("play w pass", "="),
        ("play b d2", "? illegal move: Black cannot play D2 as move 11: superko"),
    ],
    "handicap": [
        ("fixed_handicap 1", "? invalid number of stones"),
        ("fixed_handicap 10", "? invalid number of stones"),
        ("fixed_handicap 5", "= D4 Q16 D16 Q4 K10"),
        ("undo", "? cannot undo"),
        ("fixed_handicap 2", "? board not empty"),
        ("clear_board", "="),
        ("place_free_handicap 30", "= D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"),
        ("clear_board", "="),
        ("set_free_handicap d4", "? bad vertex list"),
        ("set_free_handicap d4 D4", "? bad vertex list"),
        ("set_free_handicap d4 pass", "? bad vertex list"),
        (f"set_free_handicap {EVERY_POINT}", "? Black cannot play T1 as move 361: suicide"),
        ("final_score", "= W+7.5"),
        ("set_free_handicap d4 k10 q16", "="),
        ("final_score", "= B+353.5"),
    ],
    "time": [
        ("time_left b 10 0", "="),
        ("time_settings 60 30", "? syntax error"),
        ("time_settings 60 30 5", "="),
        ("time_left b 10 5", "="),
        ("time_left b", "? syntax error"),
        ("kgs-time_settings byoyomi 60 30 5", "="),
        ("kgs-time_settings canadian 60 300 25", "="),
        ("kgs-time_settings absolute 60", "="),
        ("kgs-time_settings fischer 60 5", "? syntax error"),
        ("kgs-time_settings none", "="),
    ],
    "analysis that cannot be": [
        ("lz-analyze green", "? syntax error: green is not supported"),
        ("kata-analyze b 10 ownership maybe", "? syntax error"),
        ("kata-analyze b avoid b q16 5", "? syntax error: avoid is not supported"),
        ("lz-analyze interval", "? syntax error"),
        ("loadsgf", "? syntax error"),
        ("final_status_list ill", "? syntax error"),
        ("reg_genmove", "? syntax error"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", DIALOGUES)
def test_every_command_is_answered_as_the_draft_says(engine, name):
    assert engine.ask("clear_board") == "="
    for command, answer in DIALOGUES[name]:
        assert (command, engine.ask(command)) == (command, answer)


def test_many_lines_are_answered_in_order_and_all_commands_are_listed(engine):
    engine.say("1 clear_board\r\n\n# no command\n2\tplay\tb  D4 # here\r\n  \n")
    engine.say("3 play b D4\n4 undo\n")
    answers = [engine.hear() for _ in range(4)]
    assert [answer.partition(":")[0] for answer in answers] == [
        "=1", "=2", "?3 illegal move", "=4"
    ]  # fmt: skip
    listed = engine.ask("list_commands").removeprefix("= ").split("\n")
    assert listed == sorted(COMMANDS.split())
    assert {engine.ask(f"known_command {name}") for name in listed} == {"= true"}


def test_moves_are_generated_for_either_colour_and_chains_listed_by_status(engine):
    engine.ask("clear_board")
    for colour in ("w", "black", "B", "W"):
        assert re.fullmatch(f"= {VERTEX}", engine.ask(f"genmove {colour}"))
    before = engine.ask("showboard")
    assert re.fullmatch(f"= {VERTEX}", engine.ask("reg_genmove w"))
    assert engine.ask("showboard") == before
    assert before.startswith("= \n19 ") or before.startswith("=\n19 ")
    assert "Black to play, komi 7.5, 4 moves" in before
    for command in ("clear_board", "play b a1", "play b b1", "play w c3"):
        engine.ask(command)
    assert engine.ask("final_status_list alive") == "="  # no liberty counts for anybody
    assert engine.ask("final_status_list seki") == "= C3\nA1 B1"
    assert engine.ask("final_status_list DEAD") == "="


def test_the_same_seed_gives_the_same_moves_and_the_end_of_the_input_ends_the_engine():
    games = []
    for _ in range(2):
        with Controller(seed=5) as controller:
            games.append([controller.ask(f"genmove {colour}") for colour in "bwbw"])
    assert games[0] == games[1]
    with Controller() as controller:
        controller.say("name")  # without a newline
    with Controller() as controller:
        assert controller.ask("5 quit") == "=5"
        assert controller.has_ended()
        controller.say("name\n")


def test_a_pass_that_wins_answers_a_pass_and_cleanup_plays_on(engine):
    for command in ("clear_board", "play b k10", "play w pass"):
        engine.ask(command)
    assert engine.ask("genmove b") == "= pass"
    assert engine.ask("reg_genmove w") == "= pass"
    assert engine.ask("genmove w") == "= pass"
    for command in ("clear_board", "play b k10", "play w pass", "play b pass"):
        engine.ask(command)
    assert re.fullmatch(f"= {VERTEX}", engine.ask("kgs-genmove_cleanup w"))
    assert "4 moves" in engine.ask("showboard")


def white_wins(planes):
    policy, _ = uniform(planes)
    return policy, np.full(len(planes), 0.99, np.float32)


def test_a_game_that_has_long_been_hopeless_is_resigned_but_not_by_its_winner():
    with Controller(white_wins, resign_moves=3) as controller:
        answers = [controller.ask(f"genmove {colour}") for colour in "bwbwb"]
        assert [answer == "= resign" for answer in answers] == [False] * 4 + [True]
        assert "4 moves" in controller.ask("showboard")
        controller.ask("clear_board")
        assert controller.ask("genmove b") != "= resign"
    with Controller(white_wins, resign_moves=1, resigns=False) as controller:
        assert controller.ask("genmove b") != "= resign"
    with Controller(white_wins, resign_moves=1) as controller:
        controller.ask("fixed_handicap 2")
        assert controller.ask("genmove b") != "= resign"


@pytest.mark.parametrize("command", ["clear_board", "loadsgf {path}"])
def test_hopeless_moves_of_another_game_do_not_count(tmp_path, command):
    path = tmp_path / "game.sgf"
    path.write_text("(;SZ[19];B[dd];W[pd];B[pp];W[dp])")
    with Controller(white_wins, resign_moves=2) as controller:
        controller.ask("genmove b")
        assert controller.ask(command.format(path=path)) == "="
        for move in ("b k10", "w k3", "b c10", "w r10"):
            controller.ask(f"play {move}")
        assert re.fullmatch(f"= {VERTEX}", controller.ask("genmove b"))
        assert controller.ask("genmove b") == "= resign"


def test_a_file_may_say_whose_turn_it_is(tmp_path):
    path = tmp_path / "position.sgf"
    path.write_bytes("(;CA[GBK]SZ[19]PB[李]C[誠]AB[dd]AW[pp]PL[W])".encode("gbk"))
    with Controller() as controller:
        assert controller.ask(f"loadsgf {path}") == "="
        assert "White to play" in controller.ask("showboard")


def test_a_network_that_fails_is_an_error_and_is_asked_again():
    failures = []

    def crash_once(planes):
        if planes.any() and not failures:
            failures.append(planes)
            raise ZeroDivisionError("in a layer")
        return uniform(planes)

    with Controller(crash_once, visits=1) as controller:
        assert controller.ask("genmove b") == (
            "? the network failed: ZeroDivisionError: in a layer"
        )
        assert re.fullmatch(f"= {VERTEX}", controller.ask("genmove b"))


@pytest.fixture
def timed(monkeypatch):
    """An engine with a clock, and what one of its moves may take."""
    thinkers = []

    def thinker(*arguments):
        thinkers.append(Thinker(*arguments))
        return thinkers[-1]

    monkeypatch.setattr(engine_module, "Thinker", thinker)
    with Controller() as controller:
        controller.ask("time_settings 200 0 0")
        yield controller, lambda: thinkers[0].clock.seconds_for(BLACK, 0)


@pytest.mark.parametrize("command", ["clear_board", "boardsize 19", "loadsgf {path}"])
def test_another_game_begins_with_all_its_time(timed, tmp_path, command):
    controller, seconds = timed
    path = tmp_path / "game.sgf"
    path.write_text("(;SZ[19];B[dd])")
    at_first = seconds()
    controller.ask("time_left b 1 0")
    for refused in ("boardsize 9", "loadsgf no_such_file"):
        controller.ask(refused)
        assert seconds() < 1
    assert controller.ask(command.format(path=path)) == "="
    assert seconds() == at_first


def test_a_move_that_is_not_played_takes_no_time(timed):
    controller, seconds = timed
    at_first = seconds()
    controller.ask("reg_genmove b")
    assert seconds() == at_first
    controller.ask("genmove b")
    assert seconds() < at_first


def test_games_are_loaded_up_to_a_move(engine, tmp_path):
    path = tmp_path / "a game.sgf"
    path.write_text("(;SZ[19]KM[0.5]AB[pd][dp];W[dd];B[pp];W[])")
    assert engine.ask(f"loadsgf {path}") == "="
    assert "Black to play, komi 0.5, 5 moves" in engine.ask("showboard")
    assert engine.ask(f"loadsgf {path} 2") == "="
    assert "Black to play, komi 0.5, 3 moves" in engine.ask("showboard")
    assert engine.ask("undo") == "="
    assert engine.ask("undo") == "? cannot undo"
    assert engine.ask(f"loadsgf {path} 0") == "="
    assert "White to play" in engine.ask("showboard")
    engine.ask("komi 7.5")


@pytest.mark.parametrize(
    ("text", "why"), [(None, "No such file"), ("(;B[dd];W[dd])", "occupied"), ("", "no game tree")]
)
def test_what_cannot_be_loaded_leaves_the_game(engine, tmp_path, text, why):
    engine.ask("clear_board")
    engine.ask("play b k10")
    path = tmp_path / "bad.sgf"
    if text is not None:
        path.write_text(text)
    answer = engine.ask(f"loadsgf {path}")
    assert answer.startswith("? cannot load file: ") and why in answer
    assert engine.ask(f"loadsgf {path} ²") == "? syntax error"
    assert "1 moves" in engine.ask("showboard")
