"""GTP 2 on the wire: what a line asks, and what its words may be."""

import io
import os

import pytest

from golois.constants import PASS
from golois.go.coords import BLACK, WHITE
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
