"""When benchmarks/gnugo.py has GNU Go resign, by programs that answer as it does."""

import sys

import pytest

from benchmarks.gnugo import HOPELESS_MOVES, ConcedingGnuGo
from tournament.programs.client import GtpClient

ANSWERS = """
import sys
answers = dict(pair.split("=") for pair in sys.argv[1:])
for line in sys.stdin:
    print("=", answers[line.split()[0]], end="\\n\\n", flush=True)
"""


def program(**answers: str) -> list[str]:
    given = (f"{name.replace('_', '-')}={answer}" for name, answer in answers.items())
    return [sys.executable, "-c", ANSWERS, *given]


def answers_to_genmove(estimate: str, chance: str) -> list[str]:
    gnugo = program(genmove="D4")
    with (
        GtpClient("network", program(golois_value=f"{chance} for the side to move")) as network,
        ConcedingGnuGo([*gnugo, f"estimate_score={estimate}"], network) as client,
    ):
        return [client.ask("genmove w") for _ in range(HOPELESS_MOVES)]


def test_gnu_go_resigns_what_both_hold_for_lost():
    answers = answers_to_genmove("B+20.5 (upper bound: 8, lower: -9)", "2.9%")
    assert answers == ["D4"] * (HOPELESS_MOVES - 1) + ["resign"]


@pytest.mark.parametrize(
    ("estimate", "chance"),
    [("B+20.5", "3.1%"), ("B+19.5", "0.0%"), ("W+20.5", "0.0%"), ("0.0", "0.0%")],
)
def test_it_plays_on_where_one_of_them_does_not(estimate, chance):
    assert answers_to_genmove(estimate, chance) == ["D4"] * HOPELESS_MOVES
