"""Games as SGF FF[4], one file a game, with what each move cost and how the player judged it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from golois.coords import point_to_sgf
from golois.shapes import BOARD_SIZE
from tournament.game.record import GameRecord, MoveRecord


@dataclass
class Node:
    """A node of a game tree: the values of each property, and the nodes that may follow.

    The first child is the main line.
    """

    properties: Mapping[str, Sequence[str]]
    children: list["Node"] = field(default_factory=list)


def to_sgf(record: GameRecord) -> str:
    """Return the game as SGF; comments give each move's visits, CPU seconds and P(White wins)."""
    root = root_node(
        GN=record.game_id,
        PB=record.black,
        PW=record.white,
        RU="Chinese",
        KM=f"{record.komi:g}",
        DT=record.started_at[:10],
        PC=record.host,
        RE=record.result,
        GC=record.reason,
    )
    points = [*record.opening, *(move.point for move in record.moves)]
    comments = ["opening"] * len(record.opening) + [_comment(move) for move in record.moves]
    last = root
    for ply, (point, comment) in enumerate(zip(points, comments, strict=True)):
        node = Node({"BW"[ply % 2]: [point_to_sgf(point)], "C": [comment]})
        last.children.append(node)
        last = node
    return tree_text(root)


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
        pieces.append(semicolon + _properties_text(item))
        if len(item.children) == 1:
            todo.append(item.children[0])
        else:
            for child in reversed(item.children):
                todo += [")", child, "\n("]
    return "".join(pieces)


def escape(text: str) -> str:
    """Return the text as an SGF property value: brackets and backslashes escaped."""
    return text.replace("\\", "\\\\").replace("]", "\\]")


def _properties_text(node: Node) -> str:
    return "".join(
        name + "".join(f"[{escape(value)}]" for value in values)
        for name, values in node.properties.items()
    )


def _comment(move: MoveRecord) -> str:
    return (
        f"visits {move.num_visits}, cpu {move.cpu_seconds:.3f} s, "
        f"P(White wins) {move.value_white:.3f}"
    )
