"""Positions of real games to try a submission on: others at each judgement, the same for a seed.

A file can't know them, as it could know fixed ones, and behave for the judge alone.
"""

import random
from collections.abc import Iterator

import numpy as np

from golois.board import Board
from golois.coords import opponent
from golois.errors import GoloisError
from golois.records import GameFile, Record
from golois.shapes import PASS, TOURNAMENT_KOMI
from golois.symmetry import NUM_SYMMETRIES
from tournament.intake.faults import IntakeError
from tournament.intake.questions import GAMES

NUM_GAMES = 40  # each gives five positions, or four if it has no ko
NUM_PHASES = 3
MAX_PLIES_AFTER = 60
MAX_OPENING = 120


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
