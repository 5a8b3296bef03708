"""Positions of real games that every network is asked about, to see which networks are alike.

The same ones for all, and no secret. A child cannot open the file of games, so its parent sends
them along; `sample.read_questions` reads them.
"""

from base64 import b64encode
from functools import cache
from pathlib import Path

import numpy as np

from golois.board import Board
from golois.records import GameFile, Record
from golois.shapes import PASS, TOURNAMENT_KOMI

GAMES = Path(__file__).resolve().parents[2] / "data" / "katago_b6.games"
NUM_QUESTIONS = 32
_EVERY = 60  # of the games; each gives one position, at another stage than the game before
_STAGES = (0.1, 0.25, 0.4, 0.55, 0.7, 0.85)


@cache
def questions() -> dict:
    """Return the positions and the move that was played in each, as JSON values."""
    games = GameFile.open(GAMES)
    asked = [
        _position(games[_EVERY * number], _STAGES[number % len(_STAGES)])
        for number in range(NUM_QUESTIONS)
    ]
    planes, moves = zip(*asked, strict=True)
    bits = np.packbits(np.stack(planes).astype(bool))
    return {"planes": b64encode(bits.tobytes()).decode("ascii"), "moves": list(moves)}


def _position(game: Record, stage: float) -> tuple[np.ndarray, int]:
    """Return the planes of a position at a stage of a game, and the move that was played there."""
    place = int(stage * game.num_moves)
    while game.points[place] == PASS:
        place -= 1
    board = Board()
    for point, colour in zip(game.points[:place], game.colours[:place], strict=True):
        board.play(int(point), int(colour))
    board.to_play = int(game.colours[place])
    komi = TOURNAMENT_KOMI if game.komi is None else game.komi
    return board.planes(komi), int(game.points[place])
