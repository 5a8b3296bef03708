"""B-trees of version 1, over the symbols of a group or the chunks of an array."""

from collections.abc import Callable, Iterator
from itertools import pairwise

from tournament.intake.hdf5.reasons import damaged
from tournament.intake.hdf5.source import UNDEFINED, Source

MAX_LEVEL = 8
_WHAT = "a tree"
_PREFIX = 24
Bounds = tuple[bytes, bytes]


def read_tree(
    source: Source,
    address: int,
    kind: int,
    key_bytes: int,
    order: Callable[[bytes], object] | None = None,
) -> Iterator[tuple[bytes, int]]:
    """Yield the key before each entry of the leaves, and the entry's address; from left to right.

    Args:
        source: the file.
        address: of the root.
        kind: 0 for a group's, 1 for an array's.
        key_bytes: the size of a key.
        order: returns what keys are in order of. The keys of a node are then checked, since a
            search by them would miss an entry else.
    """
    pending: list[tuple[int, int | None, Bounds | None]] = [(address, None, None)]
    while pending:
        address, expected, bounds = pending.pop()
        source.once(address, _WHAT)
        fields = source.fields(address, _PREFIX, _WHAT)
        fields.signature(b"TREE")
        fields.expect(kind, of="kind")
        level, number = fields.unsigned(1), fields.unsigned(2)
        if level > MAX_LEVEL or expected not in (None, level):
            raise damaged(f"{_WHAT} has a node of level {level} below one of {expected}")
        entries = source.fields(address + _PREFIX, number * (key_bytes + 8) + key_bytes, _WHAT)
        keys, children = [entries.take(key_bytes)], []
        for _ in range(number):
            children.append(entries.address())
            keys.append(entries.take(key_bytes))
        if UNDEFINED in children:
            raise damaged(f"{_WHAT} has an entry that leads nowhere")
        if order is not None:
            _check_order([order(key) for key in keys], bounds and [order(key) for key in bounds])
        if level == 0:
            yield from zip(keys, children, strict=False)
        else:
            inner = zip(children, pairwise(keys), strict=True)
            pending.extend((child, level - 1, around) for child, around in [*inner][::-1])


def _check_order(keys: list, bounds: list | None) -> None:
    if any(key >= following for key, following in pairwise(keys)):
        raise damaged(f"{_WHAT} is not in order")
    if bounds is not None and [keys[0], keys[-1]] != bounds:
        raise damaged(f"{_WHAT} has a node that is out of place")
