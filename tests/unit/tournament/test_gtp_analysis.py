"""Searches that a Go program watches: the lines that come, and what stops them."""

import re

import pytest

from golois.constants import NUM_POINTS
from golois.go.coords import point_to_sgf
from tests.gtp_controller import Controller

VERTEX = "([A-HJ-T](1[0-9]|[1-9])|pass)"
LZ = rf"info move {VERTEX} visits \d+ winrate \d+ prior \d+ order \d+ pv {VERTEX}( {VERTEX})*"
SHARE = r"[01](\.\d+)?(e-\d+)?"
KATA = (
    rf"info move {VERTEX} visits \d+ winrate {SHARE} prior {SHARE} order \d+ "
    rf"pv {VERTEX}( {VERTEX})*"
)


@pytest.fixture(scope="module")
def engine():
    with Controller(cpu_seconds=0.002) as controller:
        yield controller


def fields(line: str, key: str) -> list[float]:
    return [float(value) for value in re.findall(rf" {key} (\S+)", line)]


@pytest.mark.parametrize(
    ("command", "info"),
    [
        ("lz-analyze 1", LZ),
        ("lz-analyze b interval 1 minmoves 2", LZ),
        ("kata-analyze w 1", KATA),
        ("kata-analyze interval 1 ownership true pvVisits false", KATA),
    ],
)
def test_lines_come_until_the_next_line_of_the_controller(engine, command, info):
    engine.say(f"7 {command}\n")
    assert engine.hear_line() == "=7"
    lines = [engine.hear_line() for _ in range(3)]
    for line in lines:
        assert re.fullmatch(f"{info}( {info})*", line)
        visits = fields(line, "visits")
        assert visits == sorted(visits, reverse=True) and min(visits) > 0
        assert fields(line, "order") == list(range(len(visits)))
    num_visits = [sum(fields(line, "visits")) for line in lines]
    assert num_visits == sorted(num_visits) and num_visits[0] < num_visits[-1]
    engine.say("8 name\n")
    engine.hear()  # lines that were on their way
    assert engine.hear() == "=8 Ada"


def test_an_analysis_stops_at_any_line_and_leaves_the_game_even_an_ended_one(engine):
    engine.say("lz-analyze 1000\n\n")
    answer = engine.hear()
    assert answer.startswith("=\ninfo move")
    assert engine.ask("name") == "= Ada"
    engine.ask("clear_board")
    before = engine.ask("showboard")
    engine.ask("lz-analyze w 1\n")
    assert engine.ask("showboard") == before
    for command in ("clear_board", "play b k10", "play w pass", "play b pass"):
        engine.ask(command)
    assert "info move" in engine.ask("lz-analyze 1\n")


def test_options_limit_the_moves_and_add_the_root(engine):
    for max_moves in (1, 0):  # 0 would leave nothing to show
        answer = engine.ask(f"kata-analyze 1 maxmoves {max_moves} rootInfo true\n")
        first = answer.split("\n")[1]
        assert first.count("info move") == 1
        assert re.search(rf" rootInfo visits \d+ winrate {SHARE}$", first)


@pytest.mark.parametrize(
    ("command", "info"), [("lz-genmove_analyze", LZ), ("kata-genmove_analyze", KATA)]
)
def test_a_move_can_be_watched_and_is_not_stopped(engine, command, info):
    engine.ask("clear_board")
    engine.say(f"{command} b 1\n5 showboard\n")
    head, *lines, move = engine.hear().split("\n")
    assert head == "=" and lines
    assert all(re.fullmatch(f"{info}( {info})*", line) for line in lines)
    assert re.fullmatch(f"play {VERTEX}", move)
    assert "White to play, komi 7.5, 1 moves" in engine.hear()


def test_when_nothing_is_left_to_find_out_the_lines_still_come(engine, tmp_path):
    """On a full board but for two eyes a pass is the only candidate."""
    black = "".join(
        f"[{point_to_sgf(point)}]" for point in range(NUM_POINTS) if point not in (20, 22)
    )
    (tmp_path / "full.sgf").write_text(f"(;SZ[19]AB{black})")
    engine.ask(f"loadsgf {tmp_path / 'full.sgf'}")
    engine.say("lz-analyze b 1\n")
    assert engine.hear_line() == "="
    assert [engine.hear_line().split(" visits")[0] for _ in range(3)] == 3 * ["info move pass"]
    engine.say("clear_board\n")
    engine.hear()
    assert engine.hear() == "="
    engine.ask(f"loadsgf {tmp_path / 'full.sgf'}")
    assert engine.ask("golois-search").startswith("= VAR w pass\nTEXT ")


def test_gogui_gets_its_pictures(engine):
    for command in ("clear_board", "play b k10"):
        engine.ask(command)
    listed = engine.ask("gogui-analyze_commands").removeprefix("= ").split("\n")
    names = [line.split("/")[-1] for line in listed]
    assert all(engine.ask(f"known_command {name}") == "= true" for name in names)
    policy = engine.ask("golois-policy")
    assert re.search(rf"COLOR #ff0000 {VERTEX}\nLABEL {VERTEX} \d+", policy)
    assert re.search(rf"^= VAR w {VERTEX}( [bw] {VERTEX})*\nLABEL", engine.ask("golois-search"))
    assert engine.ask("golois-area").startswith("= TERRITORY_BLACK A19 B19")
    assert re.fullmatch(r"= \d+\.\d% for the side to move, 200 visits", engine.ask("golois-value"))
