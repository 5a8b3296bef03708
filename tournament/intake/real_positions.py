"""Positions of real games: new ones at each judgement, and those that every network is asked.

New ones depend on a seed, so a file cannot know them and behave for the judge alone. `questions`
are the same for all networks, and show which are alike; the first few come in all eight
symmetries, since a copy may be turned. The parent sends both, as a child opens no file of games.
"""

import random
from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from golois.constants import PASS, TOURNAMENT_KOMI
from golois.errors import GoloisError
from golois.go.board import Board
from golois.go.coords import opponent
from golois.go.symmetry import NUM_SYMMETRIES, transform_board, transform_point
from golois.records.packed_file import GameFile, Record
from tournament.intake.child import Message
from tournament.intake.faults import IntakeError

NUM_QUESTIONS = 32
NUM_TURNED = 8  # of the questions: the first ones, in all symmetries
NUM_GAMES = 40  # each gives five positions, or four if it has no ko
NUM_PHASES = 3
MAX_PLIES_AFTER = 60
MAX_OPENING = 120
NUM_POINTS_ASKED = 8  # of a position: those of the moves that follow in its game
_EVERY = 60  # of the games; each gives one position, at another stage than the game before
_STAGES = (0.1, 0.25, 0.4, 0.55, 0.7, 0.85)


def draw_positions(seed: int) -> np.ndarray:
    """Return some 200 positions [n, 19, 19, 31] as a network sees them, uint8 of 0 and 1.

    Of each game: one position of each third; one in a ko, if there is any; and one after its end,
    when up to 60 random moves have filled the board further. Komi, side to move and symmetry are
    drawn, too. They come in random order, so any part of them has all of these.

    Raises:
        IntakeError: the games of the repository cannot be read.
    """
    rng = random.Random(seed)
    planes = [shown for game in _draw_games(rng, NUM_GAMES) for shown in _positions(game, rng)]
    rng.shuffle(planes)
    return np.array(planes, np.uint8)


def with_positions(request: Message, planes: np.ndarray, seed: int) -> Message:
    """Return a request with positions behind its own payload, and the seed that they are drawn by.

    `planes` are uint8 [n, 19, 19, 31] of 0 and 1, and become bits.
    """
    bits = np.packbits(planes.reshape(len(planes), -1), axis=1)
    header = {**request.header, "seed": seed, "num_positions": len(planes)}
    return Message(header, request.payload + bits.tobytes())


def draw_opening(seed: int) -> tuple[int, ...]:
    """Return the first moves of a real game, up to 120 of them, as points.

    Raises:
        IntakeError: the games of the repository cannot be read.
    """
    rng = random.Random(seed)
    (game,) = _draw_games(rng, 1)
    return tuple(game.points[: rng.randrange(min(MAX_OPENING, game.num_moves))].tolist())


def _draw_games(rng: random.Random, number: int) -> list[Record]:
    try:
        file = GameFile.open(GAMES)
        return [file[rng.randrange(len(file))] for _ in range(number)]
    except (OSError, GoloisError) as error:
        raise IntakeError(f"the games to judge by cannot be read: {error}") from error


def _positions(game: Record, rng: random.Random) -> Iterator[np.ndarray]:
    third = game.num_moves / NUM_PHASES
    wanted = {int(third * (phase + rng.random())) for phase in range(NUM_PHASES)}
    board, in_ko = Board(), []
    moves = zip(game.points.tolist(), game.colours.tolist(), strict=True)
    for ply, (point, colour) in enumerate(moves):
        if ply in wanted:
            yield _shown(board, rng)
        board.play(point, colour)
        if board.ko_point is not None:
            in_ko.append(ply)
            if rng.randrange(len(in_ko)) == 0:
                ko = _shown(board, rng)
    if in_ko:
        yield ko
    for _ in range(rng.randrange(MAX_PLIES_AFTER)):
        on_board = np.flatnonzero(board.legal_moves()[:PASS])
        board.play(int(rng.choice(on_board)) if on_board.size else PASS)
    yield _shown(board, rng)


def _shown(board: Board, rng: random.Random) -> np.ndarray:
    """Return what a network sees of the board, in half of the cases with the other side to move."""
    komi = TOURNAMENT_KOMI if rng.random() < 0.5 else rng.randrange(-2, 13) + 0.5
    to_play = board.to_play
    if rng.random() < 0.5:
        board.to_play = opponent(to_play)
    planes = board.planes(komi, rng.randrange(NUM_SYMMETRIES))
    board.to_play = to_play
    return planes


GAMES = Path(__file__).resolve().parents[2] / "data" / "katago_b6.games"


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
    return {
        "planes": b64encode(bits.tobytes()).decode("ascii"), "points": list(points),
        "number": NUM_QUESTIONS, "turned": NUM_TURNED,
    }


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
