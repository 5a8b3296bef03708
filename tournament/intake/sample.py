"""The positions that a submission is tried on."""

from base64 import b64decode

import numpy as np
from numpy.random import default_rng

from golois.shapes import NUM_PLANES, PLANES_SHAPE

NUM_POSITIONS = 8
NUM_QUESTIONS = 32
NUM_TURNED = 8  # of the questions: the first ones, in all symmetries


def read_questions(values: dict) -> tuple[np.ndarray, np.ndarray]:
    """Return the planes, float32 [n, 19, 19, 31], and points [n, p] of what `questions` gives."""
    points = np.array(values["points"], np.int64)
    bits = np.frombuffer(b64decode(values["planes"]), np.uint8)
    shape = (len(points), *PLANES_SHAPE)
    return np.unpackbits(bits, count=int(np.prod(shape))).reshape(shape).astype(np.float32), points


def sample_positions(planes_shape: tuple[int, int, int] = PLANES_SHAPE) -> np.ndarray:
    """Return eight fixed inputs [8, *planes_shape].

    Those of 31 planes look like positions of a game of komi 7.5, others are random.
    """
    rng = default_rng(19)
    if planes_shape[2] != NUM_PLANES:
        return (rng.random((NUM_POSITIONS, *planes_shape)) < 0.2).astype(np.float32)
    planes = np.zeros((NUM_POSITIONS, *planes_shape), np.float32)
    for number, board in enumerate(planes):
        stones = rng.choice(3, size=planes_shape[:2], p=(1 - number / 10, number / 20, number / 20))
        board[..., 0] = number % 2
        for plane in range(1, 11):
            board[..., plane] = (stones > 0) & (rng.random(stones.shape) < 0.2)
        for plane in range(11, 21):
            board[..., plane] = stones == 1 + (plane + 1) % 2
        board[..., 28] = 1
    return planes
