"""Games as SGF FF[4], one file a game, with what each move cost and how the player judged it."""

from golois.coords import point_to_sgf
from golois.sgf_writing import Node, root_node, tree_text
from tournament.game.record import GameRecord, MoveRecord


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


def _comment(move: MoveRecord) -> str:
    return (
        f"visits {move.num_visits}, cpu {move.cpu_seconds:.3f} s, "
        f"P(White wins) {move.value_white:.3f}"
    )
