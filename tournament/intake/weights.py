"""How weights pass from one child to the next: shapes in the header, numbers in the payload."""

from collections.abc import Iterable
from math import prod

import numpy as np

from tournament.intake.faults import refuse

MAX_NAME = 256
_REMEDY = "save the model again with Keras itself: model.save('net.h5')"


def pack(arrays: Iterable[tuple[str, np.ndarray]]) -> tuple[list[list], bytes]:
    """Return [[layer, shape], …] and all numbers in a row, little-endian float32.

    Raises:
        Refused: the name of a layer is longer than that of a layer may be.
    """
    listed, payload = [], []
    for layer, array in arrays:
        if len(layer) > MAX_NAME:
            raise refuse(f"the name of a layer has {len(layer)} characters", _REMEDY)
        listed.append([layer, list(array.shape)])
        payload.append(array.astype("<f4").tobytes())
    return listed, b"".join(payload)


def unpack(listed: object, payload: bytes) -> dict[str, list[np.ndarray]]:
    """Return each layer's float32 arrays, in order; the message may be forged.

    Raises:
        Refused: the arrays do not fill the payload exactly, or a number is not finite.
    """
    damaged = refuse("the weights of the file do not fit together", _REMEDY)
    if not isinstance(listed, list) or len(payload) % 4:
        raise damaged
    numbers = np.frombuffer(payload, "<f4")
    weights: dict[str, list[np.ndarray]] = {}
    start = 0
    for item in listed:
        if not isinstance(item, list) or len(item) != 2 or not isinstance(item[0], str):
            raise damaged
        layer, shape = item
        if not isinstance(shape, list) or not all(type(n) is int and n >= 0 for n in shape):
            raise damaged
        end = start + prod(shape)
        if end > numbers.size:
            raise damaged
        weights.setdefault(layer, []).append(numbers[start:end].reshape(shape))
        start = end
    if start != numbers.size or not np.isfinite(numbers).all():
        raise damaged
    return weights
