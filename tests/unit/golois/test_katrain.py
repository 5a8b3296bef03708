"""KataGo's JSON as KaTrain speaks it: what is asked, what comes back, and in which order."""

import itertools

import pytest

from golois.constants import NUM_POINTS
from golois.go.coords import point_to_gtp
from tests.fake_network import white_wins
from tests.gtp_controller import Asker
from tests.katago_files import write_network
from tournament.networks.evaluator import KatagoEvaluator

QUESTION = {
    "id": "a", "boardXSize": 19, "boardYSize": 19, "rules": "chinese", "komi": 7.5,
    "moves": [["B", "Q16"], ["W", "D4"]], "initialStones": [], "initialPlayer": "B",
    "maxVisits": 20, "includeOwnership": True, "includePolicy": True,
}  # fmt: skip
A_MOVE = 'expected moves such as ["B", "Q16"]'


def test_a_question_is_answered_with_moves_root_and_policy():
    with Asker() as asker:
        asker.ask(QUESTION)
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
        asker.ask({**QUESTION, "moves": QUESTION["moves"][:1], "overrideSettings": settings})
        answer = asker.hear()
    for told in (answer["rootInfo"], answer["moveInfos"][0]):
        assert told["winrate"] == pytest.approx(win_rate, abs=1e-4)
        assert told["scoreLead"] == pytest.approx(lead, abs=1e-2)


def test_every_turn_asked_for_is_answered_with_its_own_side_to_move():
    stones = {"initialStones": [["B", "K10"], ["B", "Q4"]], "initialPlayer": "W"}
    with Asker() as asker:
        asker.ask({**QUESTION, **stones, "moves": [["W", "D4"]], "analyzeTurns": [0, 1]})
        answers = [asker.hear() for _ in range(2)]
    assert [answer["turnNumber"] for answer in answers] == [0, 1]
    assert [answer["rootInfo"]["currentPlayer"] for answer in answers] == ["W", "B"]


def test_the_urgent_goes_first_and_what_is_taken_back_is_answered_as_far_as_it_is():
    endless = {**QUESTION, "id": "endless", "maxVisits": 10**7, "reportDuringSearchEvery": 0.01}
    with Asker(cpu_seconds=0.001) as asker:
        asker.ask(endless)
        partial = asker.hear()
        assert partial["isDuringSearch"] and 0 < partial["rootInfo"]["visits"] < 10**5
        asker.ask({**QUESTION, "id": "later", "priority": -1, "maxVisits": 10**6})
        asker.ask({**QUESTION, "id": "short"}, {**QUESTION, "id": "urgent", "priority": 1})
        finished = []
        while len(finished) < 2:
            answer = asker.hear()
            finished += [] if answer["isDuringSearch"] else [answer["id"]]
        assert finished == ["urgent", "short"]
        asker.ask({"id": "t", "action": "terminate", "terminateId": "endless"})
        while (answer := asker.hear())["isDuringSearch"]:
            pass
        assert answer["id"] == "endless" and answer["rootInfo"]["visits"] > 0
        assert asker.hear() == {"id": "t", "action": "terminate", "terminateId": "endless"}
        asker.ask({"id": "u", "action": "terminate_all"})
        assert asker.hear()["id"] == "later"
        assert asker.hear()["id"] == "u"


def test_a_komi_that_the_network_lacks_is_told_and_the_next_question_answered(tmp_path):
    network = KatagoEvaluator(write_network(tmp_path / "tiny.bin.gz", 14), 4)
    with Asker(evaluator=network) as asker:
        asker.ask({**QUESTION, "komi": 3.75}, {**QUESTION, "id": "b", "maxVisits": 2})
        heard = {answer["id"]: answer for answer in (asker.hear(), asker.hear())}
    assert "komi must be a whole or half number, not 3.75" in heard["a"]["error"]
    assert heard["b"]["rootInfo"]["visits"] == 2


def test_a_question_has_its_time():
    limited = {**QUESTION, "maxVisits": 10**6, "overrideSettings": {"maxTime": 0.05}}
    with Asker(cpu_seconds=0.001) as asker:
        asker.ask(limited)
        assert 0 < asker.hear()["rootInfo"]["visits"] < 10**4


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("{", "Expecting"),
        pytest.param("[" * 100_000, "expected JSON: ", id="deep"),
        ("[1]", "expected a JSON object with an id"),
        ({"maxVisits": 1}, "expected a JSON object with an id"),
        *(
            ({key: value for key, value in QUESTION.items() if key != name}, f"{name} is missing")
            for name in ("boardXSize", "boardYSize", "komi", "moves")
        ),
        ({**QUESTION, "moves": [["B", "Q16"], ["W", "Q16"]]}, "Illegal move: "),
        ({**QUESTION, "analyzeTurns": [7]}, "expected a turn from 0 to 2: got 7"),
        ({**QUESTION, "komi": None}, "expected a finite komi: got null"),
        ({**QUESTION, "komi": True}, "expected a finite komi: got true"),
        ({**QUESTION, "komi": 10**400}, "expected a finite komi: got 10000"),
        ({**QUESTION, "komi": float("nan")}, "expected a finite komi: got nan"),
        ({**QUESTION, "komi": "inf"}, "expected a finite komi: got inf"),
        ({**QUESTION, "overrideSettings": None}, "expected overrideSettings as a JSON object"),
        ({**QUESTION, "maxVisits": float("inf")}, "expected a whole number as maxVisits: got inf"),
        ({**QUESTION, "avoidMoves": [{"moves": ["Q16"]}]}, "are not supported"),
        ({**QUESTION, "moves": [["B"]]}, f'{A_MOVE} in moves: got ["B"]'),
        ({**QUESTION, "moves": ["Q16"]}, f"{A_MOVE} in moves: got Q16"),
        ({**QUESTION, "moves": [["B", 72]]}, f'{A_MOVE} in moves: got ["B", 72]'),
        ({**QUESTION, "moves": [["X", "Q16"]]}, "expected B or W as a colour in moves: got X"),
        ({**QUESTION, "moves": {"B": "Q16"}}, 'a list such as [["B", "Q16"]]: got {"B": "Q'),
        ({**QUESTION, "initialStones": [["E", "D4"]]}, "as a colour in initialStones: got E"),
        ({**QUESTION, "initialStones": [["B", "D44"]]}, "Illegal move: 'D44' is not a GTP vertex"),
        ({**QUESTION, "boardYSize": 13}, "expected a board of 19×19 points: got 19×13"),
        ({**QUESTION, "analyzeTurns": [True]}, "expected whole numbers in analyzeTurns: got true"),
        ({**QUESTION, "analyzeTurns": [-1]}, "expected a turn from 0 to 2: got -1"),
        ({**QUESTION, "id": None}, "expected text as id: got null"),
        ({**QUESTION, "id": 7}, "expected text as id: got 7"),
        ({"id": "a", "action": "dance"}, "action dance is not supported"),
    ],
    ids=lambda asked: str(asked)[:60],
)
def test_what_cannot_be_answered_is_an_error_and_the_engine_lives_on(asked, why):
    with Asker() as asker:
        asker.ask(asked, {"id": "v", "action": "query_version"})
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
        asker.ask({**QUESTION, **wrong})
        error = asker.hear()["error"]
    assert error.startswith("expected ") and ": got " in error and "Error" not in error
    assert name in error or (name.startswith("board") and "19×19" in error)
    assert "\n" not in error and len(error) < 150


def test_a_sole_candidate_is_shown_with_the_chances_of_the_position():
    """Two eyes of one black chain are all that is left; White is to move and wins."""
    eyes = (20, 22)
    stones = [["B", point_to_gtp(p)] for p in range(NUM_POINTS) if p not in eyes]
    with Asker(white_wins) as asker:
        asker.ask({**QUESTION, "moves": [["W", "pass"]], "initialStones": stones})
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
        asker.ask(QUESTION)
        assert asker.hear() == {
            "id": "a", "error": "the network failed: ZeroDivisionError: in a layer"
        }  # fmt: skip
