"""Drawn positions: what some moves make of a board, and which moves no board allows."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PlayRow:
    """Moves, the boards before and after; the score is Black's, by area, without komi."""

    name: str
    moves: str
    boards: str
    num_captured: int
    ko: str | None
    score_black: int


@dataclass(frozen=True)
class IllegalRow:
    """Moves that are legal, then one that is not, and why not."""

    name: str
    before: str
    moves: str
    illegal: str
    reason: str


PLAY_ROWS = (
    PlayRow(
        "one stone in the corner is no ko for a stone with two liberties",
        "W A2",
        """
        X O .  |  . O .
        . . .  |  O . .
        . . .  |  . . .
        """,
        num_captured=1, ko=None, score_black=-9,
    ),
    PlayRow(
        "a chain of two",
        "B C2",
        """
        . X X .  |  . X X .
        X O O X  |  X . . X
        . X . .  |  . X X .
        . . . .  |  . . . .
        """,
        num_captured=2, ko=None, score_black=16,
    ),
    PlayRow(
        "three chains at one blow",
        "B C3",
        """
        . . . . .  |  . . . . .
        . X X X .  |  . X X X .
        X O . O X  |  X . X . X
        . X O X .  |  . X . X .
        . . X . .  |  . . X . .
        """,
        num_captured=3, ko=None, score_black=25,
    ),
    PlayRow(
        "a stone without liberties that captures is no suicide",
        "W A3",
        """
        . X O  |  O . O
        X O .  |  . O .
        O . .  |  O . .
        """,
        num_captured=2, ko=None, score_black=-9,
    ),
    PlayRow(
        "snapback: one stone given, five taken",
        "W B4, B A4, W B4",
        """
        . . X O  |  . O . O
        X X X O  |  . . . O
        O O O .  |  O O O .
        . . . .  |  . . . .
        """,
        num_captured=6, ko=None, score_black=-16,
    ),
    PlayRow(
        "a ko is taken",
        "B C3",
        """
        . X O .  |  . X O .
        X O . O  |  X . X O
        . X O .  |  . X O .
        . . . .  |  . . . .
        """,
        num_captured=1, ko="B3", score_black=2,
    ),
    PlayRow(
        "a ko is taken back after a threat and its answer",
        "B C3, W D1, B A1, W B3",
        """
        . X O .  |  . X O .
        X O . O  |  X O . O
        . X O .  |  . X O .
        . . . .  |  X . . O
        """,
        num_captured=2, ko="C3", score_black=-2,
    ),
    PlayRow(
        "a pass lifts the ko",
        "B C3, W pass",
        """
        . X O .  |  . X O .
        X O . O  |  X . X O
        . X O .  |  . X O .
        . . . .  |  . . . .
        """,
        num_captured=1, ko=None, score_black=2,
    ),
    PlayRow(
        "one stone taken by a chain of two is no ko",
        "B C3",
        """
        . X O .  |  . X O .
        X O . X  |  X . X X
        . X O .  |  . X O .
        . . . .  |  . . . .
        """,
        num_captured=1, ko=None, score_black=5,
    ),
    PlayRow(
        "handicap: one colour twice in a row",
        "B A1, B C3, W B2",
        """
        . . .  |  . . X
        . . .  |  . O .
        . . .  |  X . .
        """,
        num_captured=0, ko=None, score_black=1,
    ),
    PlayRow(
        "seki: the two shared liberties are nobody's",
        "W B2",
        """
        X . O  |  X . O
        X . O  |  X O O
        X . O  |  X . O
        """,
        num_captured=0, ko=None, score_black=-1,
    ),
    PlayRow(
        "dame count for nobody",
        "B pass, W pass",
        """
        . X . O .  |  . X . O .
        . X . O .  |  . X . O .
        . X . O .  |  . X . O .
        . X . O .  |  . X . O .
        X . . . O  |  X . . . O
        """,
        num_captured=0, ko=None, score_black=0,
    ),
    PlayRow(
        "dead stones are not taken off before counting",
        "B pass",
        """
        . X . .  |  . X . .
        X X . O  |  X X . O
        . X . .  |  . X . .
        . X . .  |  . X . .
        """,
        num_captured=0, ko=None, score_black=7,
    ),
    PlayRow(
        "an empty board is nobody's",
        "B pass",
        """
        . .  |  . .
        . .  |  . .
        """,
        num_captured=0, ko=None, score_black=0,
    ),
)

TRIPLE_KO = """
    X O . O X . X O .
    . X O . . X O . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . X O . . . . . .
    X O . O . . . . .
    """

SEND_TWO = """
    . O . O
    X X O .
    . . . .
    . . . .
    """

ILLEGAL_ROWS = (
    IllegalRow(
        "an occupied point",
        """
        X .
        . .
        """,
        "", "W A2", "occupied",
    ),
    IllegalRow(
        "suicide of one stone",
        """
        . X .
        X . .
        . . .
        """,
        "", "W A3", "suicide",
    ),
    IllegalRow(
        "suicide of a chain",
        """
        . O X
        X X X
        . . .
        """,
        "", "W A3", "suicide",
    ),
    IllegalRow(
        "retaking a ko at once",
        """
        . X O .
        X O . O
        . X O .
        . . . .
        """,
        "B C3", "W B3", "ko",
    ),
    IllegalRow(
        "retaking a ko after two passes would repeat the board all the same",
        """
        . X O .
        X O . O
        . X O .
        . . . .
        """,
        "B C3, W pass, B pass", "W B3", "superko",
    ),
    IllegalRow("send two, return one", SEND_TWO, "W A4, B C4", "W B4", "superko"),
    IllegalRow(
        "triple ko: the sixth capture repeats the board",
        TRIPLE_KO, "B C9, W F9, B C1, W B9, B G9", "W B1", "superko",
    ),
)
