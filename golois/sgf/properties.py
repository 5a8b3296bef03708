"""The properties of SGF that the kit knows: the core's table, for those who write SGF."""

from functools import cache
from typing import NamedTuple

from golois.native import ffi, lib


class SgfProperty(NamedTuple):
    """A row of the table: the capitals, where the property stands, and how its value is written."""

    name: str
    kind: str
    type: str

    @property
    def is_of_root(self) -> bool:
        """Whether the property tells that a game begins."""
        return self.kind in ("root", "game")


@cache
def sgf_properties() -> tuple[SgfProperty, ...]:
    """The table of sgf_properties.cpp."""
    rows: list[SgfProperty] = []
    while (name := lib.golois_sgf_property(len(rows), 0)) != ffi.NULL:
        columns = (lib.golois_sgf_property(len(rows), column) for column in (1, 2))
        rows.append(SgfProperty(*(ffi.string(text).decode() for text in (name, *columns))))
    return tuple(rows)
