"""When a run is over."""

from collections.abc import Sequence
from math import isfinite, nan

from selfplay.options import Options
from selfplay.watch import Row, best_row


def is_over(options: Options, rows: Sequence[Row]) -> bool:
    """Whether all iterations are done, or the next one would take more than what time is left.

    Time is that of the journal's iterations, so it goes on counting in a resumed run.
    """
    if not rows:
        return False
    seconds = [row["seconds"] for row in rows]
    return (
        (options.iterations > 0 and len(rows) > options.iterations)
        or (options.patience > 0 and num_without_better(rows) >= options.patience)
        or (options.minutes > 0 and sum(seconds) + seconds[-1] > 60 * options.minutes)
    )


def num_without_better(rows: Sequence[Row]) -> int:
    """How many iterations have gone by since the last network that was better than all before.

    By the gate where there is one, otherwise by the wins that are kept.
    """
    last, best = rows[-1], best_row(rows)
    if isfinite(last.get("gate_share", nan)) or best is None:
        return int(last["iteration"] - last["player"])
    return int(last["iteration"] - best["iteration"])
