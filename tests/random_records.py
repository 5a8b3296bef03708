"""A strategy of hypothesis: records of random legal games."""

import numpy as np
from hypothesis import strategies as st

from golois.constants import PASS
from golois.go.board import Board
from golois.go.coords import BLACK, WHITE
from golois.records.packed_file import DRAW, Record


@st.composite
def records(draw) -> Record:
    """A game of random legal moves, with or without values."""
    board, moves = Board(), []
    for wish in draw(st.lists(st.integers(0, PASS), min_size=1, max_size=60)):
        colour = draw(st.sampled_from([BLACK, WHITE])) if wish % 7 == 0 else board.to_play
        if board.is_legal(wish, colour):
            board.play(wish, colour)
            moves.append((colour, wish))
    n = len(moves)
    hundredth = st.one_of(st.just(np.nan), st.integers(0, 100).map(lambda x: x / 100))
    values = draw(st.one_of(st.just([np.nan] * n), st.lists(hundredth, min_size=n, max_size=n)))
    text = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
    margin = st.sampled_from(["", "R", "T", "F"]) | st.integers(1, 722).map(lambda x: f"{x / 2:g}")
    winner = st.sampled_from(["B+", "W+"])
    return Record(
        komi=draw(st.none() | st.integers(-400, 400).map(lambda x: x / 4)),
        rules=draw(text),
        result=draw(st.just(DRAW) | st.builds(str.__add__, winner, margin)),
        points=np.array([point for _, point in moves], np.uint16),
        colours=np.array([colour for colour, _ in moves], np.uint8),
        values=np.array(values, np.float32),
        source=draw(text),
        played_out=draw(st.booleans()),
    )
