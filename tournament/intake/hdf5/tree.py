"""B-trees of version 1, over the symbols of a group or the chunks of an array."""

from collections.abc import Iterator

from tournament.intake.hdf5.reasons import damaged
from tournament.intake.hdf5.source import UNDEFINED, Source

MAX_LEVEL = 8
_WHAT = "a tree"
_PREFIX = 24


def read_tree(
    source: Source, address: int, kind: int, key_bytes: int
) -> Iterator[tuple[bytes, int]]:
    """Yield the key before each entry of the leaves, and the entry's address; from left to right.

    Args:
        address: of the root.
        kind: 0 for a group's, 1 for an array's.
        key_bytes: the size of a key.
    """
    pending: list[tuple[int, int | None]] = [(address, None)]
    while pending:
        address, expected = pending.pop()
        source.once(address, _WHAT)
        fields = source.fields(address, _PREFIX, _WHAT)
        fields.signature(b"TREE")
        fields.expect(kind, of="kind")
        level, number = fields.unsigned(1), fields.unsigned(2)
        if level > MAX_LEVEL or expected not in (None, level):
            raise damaged(f"{_WHAT} has a node of level {level} below one of {expected}")
        entries = source.fields(address + _PREFIX, number * (key_bytes + 8), _WHAT)
        children = [(entries.take(key_bytes), entries.address()) for _ in range(number)]
        if any(child == UNDEFINED for _, child in children):
            raise damaged(f"{_WHAT} has an entry that leads nowhere")
        if level == 0:
            yield from children
        else:
            pending.extend((child, level - 1) for _, child in reversed(children))
