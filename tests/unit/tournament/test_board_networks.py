"""What the page of a network asks of it: requests as they are read, one network for many tabs."""

import json
import os
import threading
from pathlib import Path

import numpy as np
import pytest

from golois.constants import PASS
from golois.errors import IllegalMoveError
from golois.go.coords import BLACK, WHITE
from tests.boards import asked
from tests.fake_arena import FakeEvaluator
from tests.fake_network import hashed
from tournament.board.asked import MAX_SECONDS, MAX_VISITS, Asked, read_asked
from tournament.board.networks import SharedNetwork, names_of
from tournament.errors import OptionsError, RequestError
from tournament.players.limits import Limits

MOVES = ((BLACK, 72), (WHITE, 300), (BLACK, 60), (WHITE, PASS), (BLACK, 80), (WHITE, 41))


def read(**fields) -> Asked:
    return read_asked(json.dumps(asked(MOVES, **fields)).encode())


def stay() -> None:
    """Nobody has left."""


def test_a_request_is_a_position_of_a_game():
    request = read(ply=2, game={"komi": 6.5, "black": " Ada \n Lovelace", "set_up": [[1, 0]]})
    assert (request.komi, request.ply, request.game.black) == (6.5, 2, "Ada Lovelace")
    assert (request.game.set_up, request.game.moves) == (((1, 0),), MOVES)
    assert read(visits=7).limits() == Limits(visits=7)
    assert read(seconds=0.5).limits() == Limits(seconds=0.5)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"ply": 7}, "ply must be a whole number from 0 to 6"),
        ({"ply": True}, "ply must be a whole number"),
        ({"game": {"komi": None}}, "komi must be a number"),
        ({"game": {"komi": 1e9}}, "komi must be from -361 to 361"),
        ({"game": {"komi": float("nan")}}, "komi must be a number"),
        ({"game": {"komi": 10**400}}, "komi must be a number"),
        ({"game": {"moves": [[3, 0]]}}, "a colour must be a whole number from 0 to 2"),
        ({"game": {"moves": [[0, 0]]}}, r"a colour must be 1 \(Black\) or 2 \(White\)"),
        ({"game": {"moves": [[1, 362]]}}, "a point must be a whole number from 0 to 361"),
        ({"game": {"moves": [[1]]}}, "a move of moves must be a colour and a point"),
        ({"game": {"moves": [[1, 0]] * 2001}}, "moves must be a list of up to 2000 moves"),
        ({"game": {"moves": "Q16"}, "ply": 0}, "moves must be a list"),
        ({"game": {"set_up": [[1, 361]]}}, "set_up must not have passes"),
        ({"game": {"black": 7}}, "black must be text"),
        ({"game": {"black": "a" * 201}}, "black must be text of up to 200 letters"),
    ],
)
def test_a_request_that_is_none_is_refused_in_a_sentence(fields, why):
    with pytest.raises(RequestError, match=why):
        read(**fields)


@pytest.mark.parametrize("body", [b"", b"\xff", b"[]", b"{}", b'{"game": 3}', b"[" * 100_000])
def test_what_is_no_request_is_refused(body):
    with pytest.raises(RequestError, match="the request"):
        read_asked(body)


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"visits": 3, "seconds": 1},
        {"visits": 0},
        {"visits": MAX_VISITS + 1},
        {"visits": 1.5},
        {"seconds": 0},
        {"seconds": MAX_SECONDS + 1},
        {"seconds": "1"},
    ],
)
def test_a_search_has_one_limit_within_reason(limits):
    with pytest.raises(RequestError):
        read(**limits).limits()


@pytest.mark.parametrize(("first", "ply"), [(0, 0), (0, 6), (2, 5), (5, 5), (1, 4)])
def test_a_look_is_the_networks_own_answer_to_each_position(first, ply):
    request = read(ply=ply)
    network = SharedNetwork("net", FakeEvaluator(batch_size=3))
    policy, values_white = network.look(request, first, stay)
    boards = (request.game.replay(number) for number in range(first, ply + 1))
    policies, values = hashed(np.stack([board.planes(7.5) for board in boards]))
    assert values_white == pytest.approx(values.tolist())
    assert np.array_equal(policy, policies[-1])


def test_equal_questions_have_equal_answers_and_a_search_on_the_clock_ends():
    network = SharedNetwork("net", FakeEvaluator())
    first = network.search(read(ply=3), Limits(visits=20), stay)
    network.search(read(ply=4), Limits(visits=50), stay)
    choice, review = network.search(read(ply=3), Limits(visits=20), stay)
    assert (choice.point, choice.num_visits) == (first[0].point, 20)
    assert review.candidates == first[1].candidates
    assert review.to_play == WHITE and choice.point == review.candidates[0].point
    assert read(ply=3).game.replay(3).is_legal(choice.point)
    choice, _ = SharedNetwork("net", FakeEvaluator()).search(read(), Limits(seconds=0.01), stay)
    assert choice.num_visits > 0 and choice.budget_seconds == 0.01


def test_an_illegal_game_is_not_thought_about():
    request = read(game={"moves": [[1, 0], [2, 0]]})
    network = SharedNetwork("net", FakeEvaluator())
    with pytest.raises(IllegalMoveError):
        network.look(request, 0, stay)
    with pytest.raises(IllegalMoveError):
        network.search(request, Limits(visits=3), stay)
    network.search(read(), Limits(visits=3), stay)  # the network is free again


class Gone(Exception):
    """Whoever asked has left."""


def test_who_leaves_ends_the_search_and_frees_the_network():
    network, began, leaves = SharedNetwork("net", FakeEvaluator()), threading.Event(), []

    def stay_until_told() -> None:
        began.set()
        if leaves:
            raise Gone

    ended = []

    def search() -> None:
        with pytest.raises(Gone):
            network.search(read(), Limits(seconds=600), stay_until_told)
        ended.append(True)

    thread = threading.Thread(target=search)
    thread.start()
    began.wait()
    asks = []

    def give_up_at_third() -> None:
        asks.append(1)
        if len(asks) == 3:
            raise Gone

    with pytest.raises(Gone):  # one who waits for the network may leave too
        network.look(read(), 0, give_up_at_third)
    leaves.append(True)
    assert len(network.look(read(), 0, stay)[1]) == 7
    thread.join()
    assert ended


def test_names_tell_networks_apart():
    def names(*paths: str) -> list[str]:
        return names_of([Path(path) for path in paths])

    assert names("/runs/mine/best.h5", "/nets/ada.keras") == ["mine", "ada"]
    assert names("/a/net.h5", "/b/net.h5", "/b/other.h5") == ["a/net", "b/net", "other"]
    assert names("/x/a/net.h5", "/y/a/net.h5", "/b/net.h5") == ["x/a/net", "y/a/net", "b/net"]
    assert names("/a/net.h5", "/a/net.keras") == ["net.h5", "net.keras"]
    assert names("/runs/a/best.h5", "/runs/a.h5") == ["best.h5", "a.h5"]
    assert names("/runs/mine/best.keras", "/runs/yours/best.h5") == ["mine", "yours"]
    assert names("/") == ["/"]
    assert names(os.fsdecode(b"/zo\xeb.h5")) == [r"zo\udceb"]
    with pytest.raises(OptionsError, match="/a/net.h5 is given twice"):
        names("/a/net.h5", "/a/net.h5")
