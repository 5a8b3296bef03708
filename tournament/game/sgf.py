"""Games as SGF FF[4], one file a game, with what each move cost and how the player judged it."""

import re

from golois.sgf.writing import root_node, tree_text
from tournament.game.record import GameRecord
from tournament.players.protocol import Choice

# Letters and bytes of a file name that a player, a date or a result may have.
MAX_PART, MAX_BYTES = 40, 72


def to_sgf(record: GameRecord) -> str:
    """Return the game as SGF; comments give each move's visits, CPU seconds and P(White wins)."""
    root = root_node(
        GN=record.game_id,
        PB=record.black,
        PW=record.white,
        RU="Chinese",
        KM=record.komi,
        DT=record.started_at[:10],
        PC=record.host,
        RE=record.result,
        GC=record.reason,
    )
    points = [*record.opening, *(move.point for move in record.moves)]
    comments = ["opening"] * len(record.opening) + [_comment(move) for move in record.moves]
    last = root
    for ply, (point, comment) in enumerate(zip(points, comments, strict=True)):
        last = last.add({"BW"[ply % 2]: point, "C": comment})
    return tree_text(root)


def sgf_name(started_at: str, black: str, white: str, result: str) -> str:
    """Return a name for a game's file: `2026-11-21_ada-lovelace_vs_grace-hopper_W+3.5.sgf`.

    Letters of any script stay; what a file system may refuse does not. Games may share a name.
    """
    players = "_vs_".join(_readable(name.lower()) or "unknown" for name in (black, white))
    parts = (_readable(started_at[:10]), players, _cut(re.sub(r"[^\w+.]+", "", result)))
    return f"{'_'.join(filter(None, parts))}.sgf"


def _readable(text: str) -> str:
    return _cut(re.sub(r"[\W_]+", "-", text)).strip("-")


def _cut(text: str) -> str:
    return text[:MAX_PART].encode()[:MAX_BYTES].decode(errors="ignore")


def _comment(move: Choice) -> str:
    return (
        f"visits {move.num_visits}, cpu {move.cpu_seconds:.3f} s, "
        f"P(White wins) {move.value_white:.3f}"
    )
