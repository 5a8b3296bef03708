"""A game ends early only when it is won whatever happens, or both networks have long agreed."""

from dataclasses import replace

import pytest

from golois.constants import PASS
from golois.go.coords import gtp_to_point
from golois.kit.options import Parser
from tests.diagrams import set_up
from tournament.commands.arguments import add_rule_arguments, event_options
from tournament.errors import OptionsError
from tournament.game.job import Entrant
from tournament.game.options import EventOptions
from tournament.game.play import agreed_winner, play_game, winner_by_settled_points
from tournament.game.record import PLAYED, GameRecord
from tournament.league.games import row_of
from tournament.players.protocol import Choice, Player
from tournament.report.formats import outcome
from tournament.report.snapshot import rules_of
from tournament.running.schedule import pairings

JOB = pairings([Entrant("Ada", "a" * 64), Entrant("Grace", "b" * 64)], 1, 0, [(60, 300)])[0]


@pytest.mark.parametrize(
    ("values_white", "winner", "num_moves"),
    [
        ([0.5, 0.03, 0.01, 0.0, 0.02, 0.5], "black", 5),
        ([0.97, 1.0, 0.98, 0.99, 0.1], "white", 4),
        ([0.01, 0.01, 0.01, 0.04, 0.01, 0.01, 0.01], None, 7),  # one move saw a chance
        ([0.01, 0.99, 0.01, 0.99, 0.01, 0.99], None, 6),  # each network believes in itself
        ([0.99, 0.99, 0.01, 0.01, 0.01, 0.01], "black", 6),
        ([0.01, 0.01, 0.01], None, 3),
        ([], None, 0),
    ],
)
def test_four_moves_in_a_row_must_agree(values_white, winner, num_moves):
    assert agreed_winner(values_white, 0.03, 4) == winner
    assert agreed_winner(values_white[:num_moves], 0.03, 4) == winner
    assert agreed_winner(values_white[: num_moves - 1], 0.03, 4) is None


def test_no_plies_mean_never():
    assert agreed_winner([0.0] * 700, 0.03, 0) is None


class Believer(Player):
    """Plays the first legal point, and tells what it is given as P(White wins), move by move."""

    def __init__(self, *values_white):
        self._values_white = list(values_white)

    def choose(self, game):
        return Choice(int(game.legal_moves().argmax()), 1, 0.0, self._values_white.pop(0))


def played(black: list[float], white: list[float], **options) -> GameRecord:
    return play_game(JOB, Believer(*black), Believer(*white), EventOptions(visits=1, **options))


def test_an_adjudicated_game_counts_as_won_but_the_end_of_the_game_comes_first():
    record = played([0.9, 0.98, 0.99], [0.97, 0.98], resign_plies=4)
    assert (record.kind, record.winner, record.result) == (PLAYED, "white", "W+R")
    assert len(record.moves) == 5
    assert record.reason == "adjudicated, 4 moves in a row gave the loser 3 % or less"
    words = "wins by adjudication: 4 moves in a row gave the loser 3 % or less"
    assert outcome(row_of(record)) == f"{JOB.white} (White) {words}"
    for max_plies, reason in ((6, ""), (7, "adjudicated")):
        record = played([0.0] * 2, [0.0] * 2, resign_plies=4, opening_plies=2, max_plies=max_plies)
        assert len(record.moves) == 4 and record.reason.startswith(reason)
        assert bool(record.reason) == bool(reason)


@pytest.mark.parametrize("options", [{"resign": False, "resign_plies": 4}, {"resign_plies": 0}])
def test_without_adjudication_the_same_game_is_played_to_its_end(options):
    record = played([0.99] * 4, [0.99] * 4, max_plies=10, **options)
    assert record.reason == "" and len(record.moves) == 8 and "R" not in record.result


ONE_SIDE_SETTLED = """
. X . X .
X X X X X
O O O O O
. O . . .
. O . . .
"""
BOTH_SETTLED = """
. X . X .
X X X X X
O O O O O
. O . O .
O O O O O
"""


@pytest.mark.parametrize(
    ("diagram", "komi", "winner"),
    [
        (ONE_SIDE_SETTLED, -5.5, "black"),  # 10 points of 25 are enough
        (ONE_SIDE_SETTLED, -4.5, None),
        (ONE_SIDE_SETTLED, 0.5, None),
        (BOTH_SETTLED, -4.5, "white"),
        (BOTH_SETTLED, -5.5, "black"),
    ],
)
def test_settled_points_decide_when_the_rest_cannot_outweigh_them(diagram, komi, winner):
    assert winner_by_settled_points(set_up(diagram), komi) == winner


@pytest.mark.parametrize("resign", [True, False])
def test_a_game_ends_when_settled_points_win(resign):
    """Black settles the upper ten rows while White passes; both would give Black no chance."""
    eyes = {gtp_to_point(vertex) for vertex in ("B18", "D18")}
    opening = [p for point in range(190) if point not in eyes for p in (point, PASS)]
    job = replace(JOB, opening=tuple(opening[:-1]))
    options = EventOptions(visits=1, resign=resign, resign_plies=0, max_plies=len(opening) + 1)
    record = play_game(job, Believer(1.0), Believer(1.0, 1.0), options)
    if resign:
        assert (record.result, record.reason) == ("B+R", "adjudicated, settled points alone win")
        assert record.moves == ()
    else:
        assert (record.reason, len(record.moves)) == ("", 2)


@pytest.mark.parametrize(
    "options",
    [{"resign_plies": 1}, {"resign_plies": -2}, {"resign_value": 0.5}, {"resign_value": -1}],
)
def test_options_are_checked(options):
    with pytest.raises(OptionsError):
        EventOptions(**options)


def test_the_report_states_the_rule():
    def stated(**options):
        return dict(rules_of(EventOptions(**options)))["Adjudication"]

    agreement = "when 20 moves in a row gave one colour 3 % or less"
    assert stated(resign_plies=20) == f"when settled points alone win, or {agreement}"
    assert stated(resign_plies=0) == "when settled points alone win"
    assert stated(resign=False) == "none, games are played to their end"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], EventOptions()),
        (["--resign-plies", "30"], EventOptions(resign_plies=30)),
        (["--no-resign"], EventOptions(resign=False)),
    ],
)
def test_the_command_line_turns_it_on_and_off(given, expected):
    parser = Parser()
    add_rule_arguments(parser)
    assert event_options(parser.parse_args(given), None) == expected
