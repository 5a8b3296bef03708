"""Game trees as text of SGF FF[4]; `golois.sgf.reading` reads games."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from golois.constants import BOARD_SIZE
from golois.go.coords import BLACK, COLOUR_LETTERS, WHITE, point_to_sgf
from golois.sgf.properties import sgf_properties
from golois.sgf.reading import SgfGame

SET_UP = {BLACK: "AB", WHITE: "AW"}


@dataclass
class Node:
    """A node of a game tree: the value of each property, and the nodes that may follow.

    `golois.sgf.properties` has the types: a point is a number, or text on a board of another size;
    a colour is BLACK or WHITE; stones are a list of points. The first child is the main line.
    """

    properties: dict[str, Any]
    children: list["Node"] = field(default_factory=list)

    def add(self, properties: dict[str, Any]) -> "Node":
        """Append a child with these properties, and return it."""
        self.children.append(Node(properties))
        return self.children[-1]


def root_node(**properties: Any) -> Node:
    """Return the first node of a 19×19 game, with those of these properties that have a value."""
    kind = {"FF": 4, "GM": 1, "CA": "UTF-8", "SZ": BOARD_SIZE}
    known = {name: value for name, value in properties.items() if value not in (None, "", [])}
    return Node(kind | known)


def game_root(game: SgfGame, komi: float, **properties: Any) -> Node:
    """Return the first node of a game: what is known of it, its set-up stones, more properties."""
    stones = {
        name: [point for owner, point in game.set_up if owner == colour]
        for colour, name in SET_UP.items()
    }
    return root_node(
        PB=game.black,
        PW=game.white,
        KM=komi,
        RU=game.rules,
        DT=game.date,
        RE=game.result,
        PL=None if game.moves else game.to_play,
        **properties,
        **stones,
    )


def tree_text(root: Node) -> str:
    """Return the game tree as text, a line for each node."""
    pieces: list[str] = []
    todo: list[Node | str] = [")\n", root, "("]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        semicolon = ";" if pieces[-1].endswith("(") else "\n;"
        pieces.append(semicolon + properties_text(item))
        if len(item.children) == 1:
            todo.append(item.children[0])
        else:
            for child in reversed(item.children):
                todo += [")", child, "\n("]
    return "".join(pieces)


def result_of_lead(lead_black: float) -> str:
    """Return the result of a game that was counted, as RE has it: `B+3.5`, or `0` for a draw."""
    return f"{'B' if lead_black > 0 else 'W'}+{abs(lead_black):g}" if lead_black else "0"


def properties_text(node: Node) -> str:
    """Return the node's properties as text, each value by its type."""
    return "".join(name + _writer(name)(value) for name, value in node.properties.items())


def _escaped(text: str) -> str:
    protected = text.replace("\\", "\\\\").replace("]", "\\]")
    return f"[{protected}]"


def _point(point: int | str) -> str:
    return f"[{point if isinstance(point, str) else point_to_sgf(point)}]"


WRITERS: Mapping[str, Callable[[Any], str]] = {
    "number": "[{}]".format,
    "double": "[{}]".format,
    "size": "[{}]".format,
    "real": "[{:g}]".format,
    "colour": lambda colour: f"[{COLOUR_LETTERS[colour]}]",
    "point": _point,
    "stones": lambda points: "".join(map(_point, points)),
    "text": _escaped,
    "simple text": lambda text: _escaped(text.replace("\n", " ").replace("\r", " ")),
}


@cache
def _writer(name: str) -> Callable[[Any], str]:
    types = {row.name: row.type for row in sgf_properties()}
    return WRITERS[types.get(name, "simple text")]
