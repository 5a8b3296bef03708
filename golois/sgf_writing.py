"""Game trees as text of SGF FF[4]; `golois.sgf` reads games."""

from dataclasses import dataclass, field

from golois.coords import BLACK, WHITE, point_to_sgf
from golois.sgf import SgfGame
from golois.shapes import BOARD_SIZE

LETTERS = {BLACK: "B", WHITE: "W"}
SET_UP = {BLACK: "AB", WHITE: "AW"}


@dataclass
class Node:
    """A node of a game tree: the values of each property, and the nodes that may follow.

    The first child is the main line.
    """

    properties: dict[str, list[str]]
    children: list["Node"] = field(default_factory=list)


def root_node(**texts: str) -> Node:
    """Return the first node of a 19×19 game, with those of these properties that are not empty."""
    kind = {"FF": "4", "GM": "1", "CA": "UTF-8", "SZ": str(BOARD_SIZE)}
    return Node({name: [text] for name, text in (kind | texts).items() if text})


def game_root(game: SgfGame, komi: float, **texts: str) -> Node:
    """Return the first node of a game: what is known of it, its set-up stones, more texts."""
    root = root_node(
        PB=game.black,
        PW=game.white,
        KM=f"{komi:g}",
        RU=game.rules,
        DT=game.date,
        RE=game.result,
        **texts,
    )
    for colour, name in SET_UP.items():
        stones = [point_to_sgf(point) for owner, point in game.set_up if owner == colour]
        if stones:
            root.properties[name] = stones
    return root


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


def properties_text(node: Node) -> str:
    """Return the node's properties as text, brackets and backslashes escaped."""
    return "".join(
        name + "".join(f"[{_escaped(value)}]" for value in values)
        for name, values in node.properties.items()
    )


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")
