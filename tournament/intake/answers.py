"""The positions that a network is tried on in a child, and what its answers must be."""

import math
import time
from base64 import b64decode

import numpy as np
from numpy.random import default_rng

from golois.constants import NUM_PLANES, PLANES_SHAPE, packed_size
from tournament.intake.child import Message
from tournament.intake.faults import refusal
from tournament.networks.evaluator import NetworkEvaluator

NUM_POSITIONS = 8
NUM_QUESTIONS = 32
NUM_TURNED = 8  # of the questions: the first ones, in all symmetries
# A slow network is tried on fewer positions.
MAX_SECONDS = 0.5
# Games allow ten times as much, so that no network fails there for its rounding.
POLICY_TOLERANCE = 1e-3


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


def with_positions(request: Message, planes: np.ndarray, seed: int) -> Message:
    """Return a request with positions behind its own payload, and the seed that they are drawn by.

    `planes` are uint8 [n, 19, 19, 31] of 0 and 1, and become bits.
    """
    bits = np.packbits(planes.reshape(len(planes), -1), axis=1)
    header = {**request.header, "seed": seed, "num_positions": len(planes)}
    return Message(header, request.payload + bits.tobytes())


def without_positions(request: Message) -> tuple[bytes, np.ndarray]:
    """Return the payload that `with_positions` was given, and the planes; none without it."""
    number = request.header["num_positions"]
    if number == 0:
        return request.payload, np.empty((0, *PLANES_SHAPE), np.uint8)
    split = len(request.payload) - number * packed_size(NUM_PLANES)
    bits = np.frombuffer(request.payload, np.uint8, offset=split).reshape(number, -1)
    planes = np.unpackbits(bits, axis=1, count=math.prod(PLANES_SHAPE))
    return request.payload[:split], planes.reshape(number, *PLANES_SHAPE)


def try_positions(
    evaluator: NetworkEvaluator, planes: np.ndarray, seed: int
) -> tuple[int, float]:
    """Return how many positions were answered before all were, or the time was up.

    Also return the milliseconds of processor time of one position in a whole batch.

    Raises:
        Refused: an answer is not a policy and a value.
        NetworkError: the network fails.
    """
    started, done, spent, size = time.process_time(), 0, 0.0, evaluator.batch_size
    while done < len(planes) and (done == 0 or time.process_time() - started < MAX_SECONDS):
        batch = planes[done : done + size].astype(np.float32)
        before = time.process_time()
        policy, value = evaluator.evaluate(batch)
        spent += time.process_time() - before
        check_outputs(policy, value[:, np.newaxis], f" on a position of a real game (seed {seed})")
        done += len(batch)
    return done, 1000.0 * spent / max(size * -(-done // size), 1)


def check_outputs(policy: np.ndarray, value: np.ndarray, where: str = "") -> None:
    """Refuse answers, policy [k, moves] and value [k, 1], that are not probabilities.

    Raises:
        Refused: a number that is not finite, or out of range, or a policy that does not sum to 1.
    """
    if not (np.isfinite(policy).all() and np.isfinite(value).all()):
        raise refusal("not-finite", where=where)
    if policy.min() < 0.0 or np.abs(policy.sum(axis=1) - 1.0).max() > POLICY_TOLERANCE:
        raise refusal("policy", size=policy.shape[1], where=where)
    if value.min() < 0.0 or value.max() > 1.0:
        raise refusal("value", low=value.min(), high=value.max(), where=where)
