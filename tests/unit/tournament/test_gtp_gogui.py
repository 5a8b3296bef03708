"""What a Go program is shown of a network's inside, and what it is refused."""

import numpy as np
import pytest

from golois.go.coords import BLACK, gtp_to_point
from tournament.gtp.game import GtpGame
from tournament.gtp.gogui import InsightCommands
from tournament.gtp.protocol import Arguments, GtpError


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


def test_ownership_is_influence_by_black():
    influence, text = asked(Fake(), "golois-ownership").splitlines()
    words = influence.split()
    assert words[0] == "INFLUENCE" and len(words) == 1 + 2 * 361
    owners = dict(zip(words[1::2], words[2::2], strict=True))
    assert (owners["Q16"], owners["D4"], owners["A1"]) == ("1.00", "-0.50", "0.00")
    assert text == "TEXT +0.5 points for Black"


def test_attention_is_a_colour_a_point_and_a_mark():
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
