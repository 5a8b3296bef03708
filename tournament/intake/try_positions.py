"""Whether a network answers positions of real games, in the child of the gates B and C.

The parent draws them (real_positions.py), since the child can read no file.
"""

import math
import time

import numpy as np

from golois.shapes import NUM_PLANES, PLANES_SHAPE, packed_size
from tournament.intake.child import Message
from tournament.intake.outputs import check_outputs
from tournament.networks.evaluator import NetworkEvaluator

# A slow network is tried on fewer positions.
MAX_SECONDS = 0.5


def with_positions(request: Message, planes: np.ndarray, seed: int) -> Message:
    """Return a request with positions, as bits behind its own payload.

    Args:
        request: to add them to.
        planes: uint8 [n, 19, 19, 31] of 0 and 1.
        seed: that they were drawn with, for the verdict.
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


def try_positions(evaluator: NetworkEvaluator, planes: np.ndarray, seed: int) -> int:
    """Evaluate the positions until all are answered or the time is up.

    Returns:
        how many were answered.

    Raises:
        Refused: an answer is not a policy and a value.
        NetworkError: the network fails.
    """
    started, done = time.process_time(), 0
    while done < len(planes) and (done == 0 or time.process_time() - started < MAX_SECONDS):
        batch = planes[done : done + evaluator.batch_size]
        policy, value = evaluator.evaluate(batch.astype(np.float32))
        check_outputs(policy, value[:, np.newaxis], f" on a position of a real game (seed {seed})")
        done += len(batch)
    return done
