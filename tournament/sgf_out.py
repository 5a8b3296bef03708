"""Games as SGF FF[4], one file a game, with what each move cost and how the player judged it."""

from golois.coords import point_to_sgf
from golois.shapes import BOARD_SIZE
from tournament.game import GameRecord, MoveRecord


def to_sgf(record: GameRecord) -> str:
    """The game as SGF text; a chosen move's comment has visits, CPU seconds and P(White wins)."""
    root = {
        "FF": "4",
        "GM": "1",
        "CA": "UTF-8",
        "SZ": str(BOARD_SIZE),
        "GN": record.game_id,
        "PB": record.black,
        "PW": record.white,
        "RU": "Chinese",
        "KM": f"{record.komi:g}",
        "DT": record.started_at[:10],
        "PC": record.host,
        "RE": record.result,
        "GC": record.reason,
    }
    nodes = ["".join(f"{name}[{escape(text)}]" for name, text in root.items() if text)]
    points = [*record.opening, *(move.point for move in record.moves)]
    comments = ["opening"] * len(record.opening) + [_comment(move) for move in record.moves]
    for ply, (point, comment) in enumerate(zip(points, comments, strict=True)):
        nodes.append(f"{'BW'[ply % 2]}[{point_to_sgf(point)}]C[{escape(comment)}]")
    return "(;" + "\n;".join(nodes) + ")\n"


def escape(text: str) -> str:
    """The text as an SGF property value: brackets and backslashes escaped."""
    return text.replace("\\", "\\\\").replace("]", "\\]")


def _comment(move: MoveRecord) -> str:
    return (
        f"visits {move.num_visits}, cpu {move.cpu_seconds:.3f} s, "
        f"P(White wins) {move.value_white:.3f}"
    )
