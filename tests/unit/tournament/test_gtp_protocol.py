"""GTP 2 on the wire, the status of chains, and what a program is shown of a network's inside."""

import io
import os

import numpy as np
import pytest

from golois.constants import PASS
from golois.go.coords import BLACK, WHITE, gtp_to_point
from tests.diagrams import set_up
from tournament.gtp.game import ALIVE, DEAD, SEKI, GtpGame, chains_by_status
from tournament.gtp.gogui import InsightCommands
from tournament.gtp.protocol import Answers, Arguments, GtpError, Lines, Request, parse_request


@pytest.mark.parametrize(
    ("line", "request_id", "command", "words"),
    [
        ("name", "", "name", ()),
        ("007 play b D4", "007", "play", ("b", "D4")),
        ("\t2  komi\t6.5  \r", "2", "komi", ("6.5",)),
        ("play w q16 # good", "", "play", ("w", "q16")),
        ("3#name", "3", "", ()),
        ("na\x01\x7f\x1bme", "", "name", ()),
        ("10boardsize 19", "", "10boardsize", ("19",)),
        ("Name", "", "Name", ()),
    ],
)
def test_a_line_is_an_id_a_command_and_its_words(line, request_id, command, words):
    assert parse_request(line) == Request(request_id, command, words)


@pytest.mark.parametrize("line", ["", " \t ", "# a comment", "  # 1 name", "\x00\r"])
def test_empty_lines_and_comments_ask_nothing(line):
    assert parse_request(line) is None


def test_words_are_taken_in_order_in_either_case():
    arguments = Arguments(["b", "White", "7", "6.5", "q16", "PASS", "a", "b"])
    assert (arguments.colour(), arguments.colour()) == (BLACK, WHITE)
    assert (arguments.integer(), arguments.number()) == (7, 6.5)
    assert (arguments.point(), arguments.point()) == (72, PASS)
    assert (arguments.rest(), bool(arguments)) == (["a", "b"], False)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("word", ""), ("integer", ""), ("integer", "-1"), ("integer", "1.5"), ("integer", "²"),
        ("integer", "2147483648"), ("integer", "9" * 5000),
        ("number", "much"), ("number", "nan"), ("number", "inf"), ("colour", "green"),
        ("point", "i5"), ("point", "a20"), ("point", "z"), ("point", "resign"),
    ],
)  # fmt: skip
def test_wrong_and_missing_words_are_syntax_errors(kind, words):
    with pytest.raises(GtpError, match="^syntax error$"):
        getattr(Arguments(words.split()), kind)()


def test_an_input_that_can_no_longer_be_read_has_ended():
    end, descriptor = os.pipe()  # reading from the second fails, as from a terminal that hangs up
    lines = Lines(descriptor)
    assert lines.wait(20)
    assert (lines.next(), lines.next()) == ("", None)
    os.close(end)
    os.close(descriptor)


def test_answers_are_whole_or_grow_and_end_with_an_empty_line():
    output = io.StringIO()
    answers = Answers(output)
    answers.begin("")
    answers.succeed("")
    answers.begin("12")
    answers.succeed("D4")
    answers.fail("what\n went wrong")
    answers.begin("3")
    answers.stream("info 1")
    answers.stream("info 2")
    answers.succeed("play D4")
    answers.begin("4")
    answers.stream("info")
    answers.succeed("")
    assert output.getvalue() == (
        "=\n\n=12 D4\n\n?12 what went wrong\n\n=3\ninfo 1\ninfo 2\nplay D4\n\n=4\ninfo\n\n"
    )


# Black's chain at the top and White's beside it share two liberties and have no eye.
SHARED_LIBERTIES = """
O X X . O O X .
O X X . O O X X
O X X X O O X .
O O O O X X X X
O . O O X X . X
O O O O X X X X
O . O O X . X .
O O O O X X X X
"""


def test_chains_are_in_seki_or_dead_within_settled_points():
    chains = chains_by_status(set_up(SHARED_LIBERTIES))
    assert [chain[0] for chain in chains[SEKI]] == [gtp_to_point("B8", 8), gtp_to_point("E8", 8)]
    assert [len(chain) for chain in chains[SEKI]] == [7, 6]
    assert [len(chain) for chain in chains[ALIVE]] == [21, 21]
    assert chains[DEAD] == []
    board = set_up(
        """
        . X . X O .
        X X X X O .
        . O X O O .
        X X X O . .
        O O O O . .
        . . . . . .
        """
    )
    chains = chains_by_status(board)
    assert chains[DEAD] == [[gtp_to_point("B4", 6)]]
    assert [len(chain) for chain in chains[ALIVE]] == [10, 9]


class Fake:
    """Says that the stones on the board own their points; looks at points by their number."""

    def __init__(self, has_ownership: bool = True, heads=((1, 1), (1, 2), (2, 1))):
        self.has_ownership = has_ownership
        self.heads = heads

    def ownership(self, board, komi):
        stones = board.stones().reshape(-1)
        return (stones == BLACK) * 1.0 - (stones > BLACK) * 0.5

    def attention(self, board, komi, block, head, point):
        return np.arange(361) / 360


def asked(insight, *lines: str) -> str:
    game = GtpGame(7.5)
    game.play(1, gtp_to_point("Q16"))
    game.play(2, gtp_to_point("D4"))
    handlers = InsightCommands(game, insight).handlers()
    (answer,) = (handlers[name](Arguments(words)) for name, *words in map(str.split, lines))
    return answer


def test_ownership_is_influence_by_black_and_attention_colours_with_a_mark():
    influence, text = asked(Fake(), "golois-ownership").splitlines()
    words = influence.split()
    assert words[0] == "INFLUENCE" and len(words) == 1 + 2 * 361
    owners = dict(zip(words[1::2], words[2::2], strict=True))
    assert (owners["Q16"], owners["D4"], owners["A1"]) == ("1.00", "-0.50", "0.00")
    assert text == "TEXT +0.5 points for Black"
    lines = asked(Fake(), "golois-attention 2 1 q16").splitlines()
    assert len(lines) == 362
    assert lines[0] == "COLOR #ffffff A19" and lines[360] == "COLOR #ff0000 T1"
    assert lines[361] == "SQUARE Q16"


def test_gogui_is_offered_what_there_is():
    assert asked(Fake(), "gogui-analyze_commands").splitlines() == [
        "gfx/Ownership/golois-ownership",
        "gfx/Attention of block 1, head 1/golois-attention 1 1 %p",
        "gfx/Attention of block 1, head 2/golois-attention 1 2 %p",
        "gfx/Attention of block 2, head 1/golois-attention 2 1 %p",
    ]
    only = asked(Fake(heads=()), "gogui-analyze_commands")
    assert only == "gfx/Ownership/golois-ownership"
    handlers = InsightCommands(GtpGame(7.5), Fake(has_ownership=False)).handlers()
    assert set(handlers) == {"gogui-analyze_commands", "golois-attention"}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("golois-attention 1 1 pass", "syntax error"),
        ("golois-attention 1 1", "syntax error"),
        ("golois-attention one 1 q16", "syntax error"),
        ("golois-attention 3 1 q16", "the network has no head 1 in a block 3 of attention"),
    ],
)
def test_what_cannot_be_shown_is_refused(line, words):
    with pytest.raises(GtpError, match=words):
        asked(Fake(), line)
