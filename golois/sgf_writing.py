"""Game trees as text of SGF FF[4]; `golois.sgf` reads games."""

from dataclasses import dataclass, field

from golois.shapes import BOARD_SIZE


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
