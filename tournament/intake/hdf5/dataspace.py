"""The shape of an array or an attribute."""

from tournament.intake.hdf5.reasons import damaged
from tournament.intake.hdf5.source import Fields

MAX_RANK = 32
_WHAT = "a shape"


def read_shape(fields: Fields) -> tuple[int, ...] | None:
    """Return the length of each axis, () of a single element, None where there is none at all."""
    version = fields.expect(1, 2)
    rank, flags = fields.unsigned(1), fields.unsigned(1)
    kind = fields.unsigned(1)
    if version == 1:
        fields.skip(4)
    if rank > MAX_RANK or flags > 1:
        raise damaged(f"{_WHAT} has {rank} axes and flags {flags}")
    if version == 2 and kind == 2:
        return None
    shape = tuple(fields.unsigned(8) for _ in range(rank))
    if version == 2 and kind != (1 if rank else 0):
        raise damaged(f"{_WHAT} has {rank} axes and is of kind {kind}")
    return shape
