"""Where a file keeps text: local heaps for names in groups, global ones for text of any length."""

from tournament.intake.hdf5.reasons import damaged
from tournament.intake.hdf5.source import Source

_LOCAL, _GLOBAL = "a heap of names", "a heap of texts"
_COLLECTION_PREFIX, _OBJECT_PREFIX = 16, 16


class LocalHeap:
    """The names in a group, each by the place of its first byte."""

    def __init__(self, source: Source, address: int) -> None:
        source.once(address, _LOCAL)
        fields = source.fields(address, 32, _LOCAL)
        fields.signature(b"HEAP")
        fields.expect(0)
        fields.skip(3)
        size = fields.unsigned(8)
        fields.skip(8)  # where free room begins
        self._data = source.read(fields.address(), size, _LOCAL)

    def name(self, place: int) -> bytes:
        """Return the name that begins at a place; raises Refused where none does."""
        end = self._data.find(b"\0", place)
        if end <= place:
            raise damaged("a name in a group has no end or no letters")
        return self._data[place:end]


class GlobalHeap:
    """Texts by the address of their collection and their number in it."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._collections: dict[int, dict[int, tuple[int, int]]] = {}

    def read(self, collection: int, number: int, size: int) -> bytes:
        """Return the first `size` bytes of an object; each reading counts towards the budget."""
        if collection not in self._collections:
            self._collections[collection] = self._list(collection)
        place = self._collections[collection].get(number)
        if place is None or place[1] < size:
            raise damaged("a text is not where an attribute says")
        return self._source.read(place[0], size, _GLOBAL)

    def _list(self, collection: int) -> dict[int, tuple[int, int]]:
        """Return where each object of a collection is, and how long."""
        fields = self._source.fields(collection, _COLLECTION_PREFIX, _GLOBAL)
        fields.signature(b"GCOL")
        fields.expect(1)
        fields.skip(3)
        end = collection + fields.unsigned(8)
        at, found = collection + _COLLECTION_PREFIX, {}
        while at + _OBJECT_PREFIX <= end:
            prefix = self._source.fields(at, _OBJECT_PREFIX, _GLOBAL)
            number = prefix.unsigned(2)
            if number == 0:  # what follows is free
                break
            prefix.skip(2 + 4)  # the number of references, reserved
            size = prefix.unsigned(8)
            at += _OBJECT_PREFIX
            if at + size > end or number in found:
                raise damaged(f"{_GLOBAL} contradicts itself")
            found[number] = (at, size)
            at += -(-size // 8) * 8
        return found
