"""Positions of real games that every network is asked about, to see which networks are alike.

The same ones for all, and no secret. The first few are asked in all eight symmetries, since a copy
may be turned. A child cannot open the file of games, so its parent sends them along;
`sample.read_questions` reads them.
"""

from base64 import b64encode
from functools import cache
from pathlib import Path

import numpy as np

from golois.board import Board
from golois.records import GameFile, Record
from golois.shapes import PASS, TOURNAMENT_KOMI
from golois.symmetry import NUM_SYMMETRIES, transform_board, transform_point
from tournament.intake.sample import NUM_QUESTIONS, NUM_TURNED

GAMES = Path(__file__).resolve().parents[2] / "data" / "katago_b6.games"
NUM_POINTS_ASKED = 8  # of a position: those of the moves that follow in its game
_EVERY = 60  # of the games; each gives one position, at another stage than the game before
_STAGES = (0.1, 0.25, 0.4, 0.55, 0.7, 0.85)


@cache
def questions() -> dict:
    """Return the positions and the points whose chances are asked for, as JSON values.

    First come NUM_QUESTIONS positions, then NUM_TURNED of them in each symmetry but the first. The
    first point of each is the move that was played.
    """
    games = GameFile.open(GAMES)
    asked = [
        _position(games[_EVERY * number], _STAGES[number % len(_STAGES)])
        for number in range(NUM_QUESTIONS)
    ]
    for symmetry in range(1, NUM_SYMMETRIES):
        asked += [
            (transform_board(board, symmetry), [transform_point(one, symmetry) for one in points])
            for board, points in asked[:NUM_TURNED]
        ]
    planes, points = zip(*asked, strict=True)
    bits = np.packbits(np.stack(planes).astype(bool))
    return {"planes": b64encode(bits.tobytes()).decode("ascii"), "points": list(points)}


def _position(game: Record, stage: float) -> tuple[np.ndarray, list[int]]:
    """Return the planes of a position at a stage of a game, and the next points played there."""
    place = int(stage * game.num_moves)
    while game.points[place] == PASS:
        place -= 1
    board = Board()
    for point, colour in zip(game.points[:place], game.colours[:place], strict=True):
        board.play(int(point), int(colour))
    board.to_play = int(game.colours[place])
    komi = TOURNAMENT_KOMI if game.komi is None else game.komi
    following = dict.fromkeys(int(point) for point in game.points[place:] if point != PASS)
    return board.planes(komi), list(following)[:NUM_POINTS_ASKED]
