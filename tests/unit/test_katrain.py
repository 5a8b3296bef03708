"""KataGo's JSON as KaTrain speaks it: what is asked, what comes back, and in which order."""

import itertools
import json
import os
import threading

import numpy as np
import pytest

from golois.coords import point_to_gtp
from golois.shapes import NUM_POINTS
from tests.fake_arena import FakeEvaluator, busy
from tests.fake_network import hashed, uniform
from tests.gtp_controller import PATIENCE
from tournament.gtp.katrain import KaTrainEngine
from tournament.gtp.lines import Lines
from tournament.gtp.thinking import GtpOptions
from tournament.players.limits import Limits

QUESTION = {
    "id": "a", "boardXSize": 19, "boardYSize": 19, "rules": "chinese", "komi": 7.5,
    "moves": [["B", "Q16"], ["W", "D4"]], "initialStones": [], "initialPlayer": "B",
    "maxVisits": 20, "includeOwnership": True, "includePolicy": True,
}  # fmt: skip


class Asker:
    """Starts an engine with a fake network; a context that ends its input and waits for its end."""

    def __init__(self, answer=hashed, cpu_seconds: float = 0.0):
        to_engine, self._input = os.pipe()
        output, from_engine = os.pipe()
        self._lines, self._output = Lines(output), os.fdopen(from_engine, "w")
        engine = KaTrainEngine(
            "Ada",
            "1",
            FakeEvaluator(busy(answer, cpu_seconds)),
            GtpOptions(Limits(seconds=1)),
            Lines(to_engine),
            self._output,
        )
        self._thread = threading.Thread(target=engine.run, daemon=True)
        self._thread.start()

    def __enter__(self) -> "Asker":
        return self

    def __exit__(self, *exception) -> None:
        os.close(self._input)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        self._output.close()

    def say(self, *asked: dict | str) -> None:
        lines = [line if isinstance(line, str) else json.dumps(line) for line in asked]
        os.write(self._input, "".join(f"{line}\n" for line in lines).encode())

    def hear(self) -> dict:
        assert self._lines.wait(PATIENCE), "the engine says nothing"
        return json.loads(self._lines.next())


def white_wins(planes):
    policy, _ = uniform(planes)
    return policy, np.full(len(planes), 0.9, np.float32)


def test_a_question_is_answered_with_moves_root_and_policy():
    with Asker() as asker:
        asker.say(QUESTION)
        answer = asker.hear()
    assert (answer["id"], answer["turnNumber"], answer["isDuringSearch"]) == ("a", 2, False)
    assert (answer["rootInfo"]["visits"], answer["rootInfo"]["currentPlayer"]) == (20, "B")
    moves = answer["moveInfos"]
    assert [move["order"] for move in moves] == list(range(len(moves)))
    assert sum(move["visits"] for move in moves) == 19
    assert all(move["pv"][0] == move["move"] for move in moves)
    policy = answer["policy"]
    assert len(policy) == 362 and sum(p for p in policy if p > 0) == pytest.approx(1, abs=1e-3)
    assert (policy[72], policy[288]) == (-1, -1)  # the stones
    assert "ownership" not in answer


@pytest.mark.parametrize(
    ("reported_as", "win_rate", "lead"),
    [(None, 0.1, -40), ("WHITE", 0.9, 40), ("BLACK", 0.1, -40), ("SIDETOMOVE", 0.9, 40)],
)
def test_chances_are_told_for_whom_one_asks_and_points_are_per_cents(reported_as, win_rate, lead):
    """White is to move and wins."""
    settings = {"reportAnalysisWinratesAs": reported_as} if reported_as else {}
    with Asker(white_wins) as asker:
        asker.say({**QUESTION, "moves": QUESTION["moves"][:1], "overrideSettings": settings})
        answer = asker.hear()
    for told in (answer["rootInfo"], answer["moveInfos"][0]):
        assert told["winrate"] == pytest.approx(win_rate, abs=1e-4)
        assert told["scoreLead"] == pytest.approx(lead, abs=1e-2)


def test_every_turn_asked_for_is_answered_with_its_own_side_to_move():
    stones = {"initialStones": [["B", "K10"], ["B", "Q4"]], "initialPlayer": "W"}
    with Asker() as asker:
        asker.say({**QUESTION, **stones, "moves": [["W", "D4"]], "analyzeTurns": [0, 1]})
        answers = [asker.hear() for _ in range(2)]
    assert [answer["turnNumber"] for answer in answers] == [0, 1]
    assert [answer["rootInfo"]["currentPlayer"] for answer in answers] == ["W", "B"]


def test_the_urgent_goes_first_and_what_is_taken_back_is_answered_as_far_as_it_is():
    endless = {**QUESTION, "id": "endless", "maxVisits": 10**7, "reportDuringSearchEvery": 0.01}
    with Asker(cpu_seconds=0.001) as asker:
        asker.say(endless)
        partial = asker.hear()
        assert partial["isDuringSearch"] and 0 < partial["rootInfo"]["visits"] < 10**5
        asker.say({**QUESTION, "id": "later", "priority": -1, "maxVisits": 10**6})
        asker.say({**QUESTION, "id": "short"}, {**QUESTION, "id": "urgent", "priority": 1})
        finished = []
        while len(finished) < 2:
            answer = asker.hear()
            finished += [] if answer["isDuringSearch"] else [answer["id"]]
        assert finished == ["urgent", "short"]
        asker.say({"id": "t", "action": "terminate", "terminateId": "endless"})
        while (answer := asker.hear())["isDuringSearch"]:
            pass
        assert answer["id"] == "endless" and answer["rootInfo"]["visits"] > 0
        assert asker.hear() == {"id": "t", "action": "terminate", "terminateId": "endless"}
        asker.say({"id": "u", "action": "terminate_all"})
        assert asker.hear()["id"] == "later"
        assert asker.hear()["id"] == "u"


def test_a_question_has_its_time():
    limited = {**QUESTION, "maxVisits": 10**6, "overrideSettings": {"maxTime": 0.05}}
    with Asker(cpu_seconds=0.001) as asker:
        asker.say(limited)
        assert 0 < asker.hear()["rootInfo"]["visits"] < 10**4


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("{", "Expecting"),
        pytest.param("[" * 100_000, "expected JSON: ", id="deep"),
        ("[1]", "expected a JSON object with an id"),
        ({"maxVisits": 1}, "expected a JSON object with an id"),
        ({"id": "a"}, "boardXSize is missing"),
        ({**QUESTION, "boardXSize": 9}, "expected a board of 19×19 points"),
        ({**QUESTION, "moves": [["B", "Q16"], ["W", "Q16"]]}, "Illegal move: "),
        ({**QUESTION, "moves": [["B", "Z99"]]}, "Illegal move: 'Z99' is not a GTP vertex"),
        ({**QUESTION, "analyzeTurns": [7]}, "expected a turn from 0 to 2: got 7"),
        ({**QUESTION, "komi": None}, "expected a finite komi: got null"),
        ({**QUESTION, "komi": True}, "expected a finite komi: got true"),
        ({**QUESTION, "komi": 10**400}, "expected a finite komi: got 10000"),
        ({**QUESTION, "komi": float("nan")}, "expected a finite komi: got nan"),
        ({**QUESTION, "komi": "inf"}, "expected a finite komi: got inf"),
        ({**QUESTION, "moves": [[1, "Q16"]]}, "expected B or W as a colour in moves: got 1"),
        ({**QUESTION, "overrideSettings": None}, "expected overrideSettings as a JSON object"),
        ({**QUESTION, "maxVisits": float("inf")}, "expected a whole number as maxVisits: got inf"),
        ({**QUESTION, "avoidMoves": [{"moves": ["Q16"]}]}, "are not supported"),
        ({"id": "a", "action": "dance"}, "action dance is not supported"),
    ],
)
def test_what_cannot_be_answered_is_an_error_and_the_engine_lives_on(asked, why):
    with Asker() as asker:
        asker.say(asked, {"id": "v", "action": "query_version"})
        answer = asker.hear()
        assert why in answer["error"]
        assert answer.get("id") == (asked.get("id") if isinstance(asked, dict) else None)
        assert asker.hear()["version"] == "1"


NUMBERS = ("komi", "reportDuringSearchEvery", "maxTime")
FIELDS = (
    "boardXSize", "boardYSize", "moves", "initialStones", "initialPlayer", "analyzeTurns",
    "maxVisits", "overrideSettings", "priority", "includePolicy", "reportAnalysisWinratesAs",
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *itertools.product((*NUMBERS, *FIELDS), ([[]], [None], "Ünsinn", float("nan"))),
        *itertools.product(FIELDS, (1.5,)),
        *itertools.product(NUMBERS, ({"a": 1}, False)),
    ],
)
def test_a_field_of_the_wrong_kind_is_named_in_a_sentence(name, value):
    settings = ("maxTime", "reportAnalysisWinratesAs")
    wrong = {"overrideSettings": {name: value}} if name in settings else {name: value}
    with Asker() as asker:
        asker.say({**QUESTION, **wrong})
        error = asker.hear()["error"]
    assert error.startswith("expected ") and ": got " in error and "Error" not in error
    assert name in error or (name.startswith("board") and "19×19" in error)
    assert "\n" not in error and len(error) < 150


@pytest.mark.parametrize("name", ["boardXSize", "boardYSize", "komi", "moves"])
def test_a_field_that_is_missing_is_named(name):
    with Asker() as asker:
        asker.say({key: value for key, value in QUESTION.items() if key != name})
        assert asker.hear() == {"error": f"{name} is missing", "id": "a"}


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"moves": [["B"]]}, 'expected moves such as ["B", "Q16"] in moves: got ["B"]'),
        ({"moves": ["Q16"]}, 'expected moves such as ["B", "Q16"] in moves: got Q16'),
        ({"moves": [["B", 72]]}, 'expected moves such as ["B", "Q16"] in moves: got ["B", 72]'),
        ({"moves": [["X", "Q16"]]}, "expected B or W as a colour in moves: got X"),
        ({"moves": {"B": "Q16"}}, 'expected moves as a list such as [["B", "Q16"]]: got {"B": "Q'),
        ({"initialStones": [["E", "D4"]]}, "expected B or W as a colour in initialStones: got E"),
        ({"initialStones": [["B", "D44"]]}, "Illegal move: 'D44' is not a GTP vertex"),
        ({"boardYSize": 13}, "expected a board of 19×19 points: got 19×13"),
        ({"analyzeTurns": [True]}, "expected whole numbers in analyzeTurns: got true"),
        ({"analyzeTurns": [-1]}, "expected a turn from 0 to 2: got -1"),
        ({"id": None}, "expected text as id: got null"),
    ],
    ids=str,
)
def test_what_is_wrong_within_a_field_is_shown(wrong, why):
    with Asker() as asker:
        asker.say({**QUESTION, **wrong})
        assert why in asker.hear()["error"]


def test_a_sole_candidate_is_shown_with_the_chances_of_the_position():
    """Two eyes of one black chain are all that is left; White is to move and wins."""
    eyes = (20, 22)
    stones = [["B", point_to_gtp(p)] for p in range(NUM_POINTS) if p not in eyes]
    with Asker(white_wins) as asker:
        asker.say({**QUESTION, "moves": [["W", "pass"]], "initialStones": stones})
        answer = asker.hear()
    (info,) = answer["moveInfos"]
    assert (info["move"], info["order"], info["visits"], info["pv"]) == ("pass", 0, 0, ["pass"])
    for value in ("winrate", "scoreLead"):
        assert info[value] == answer["rootInfo"][value]
    assert info["prior"] == 1


def test_a_network_that_fails_is_an_error():
    def crash(planes):
        raise ZeroDivisionError("in a layer")

    with Asker(crash) as asker:
        asker.say(QUESTION)
        assert asker.hear() == {
            "id": "a", "error": "the network failed: ZeroDivisionError: in a layer"
        }  # fmt: skip
