"""The journal of a run, one row an iteration; what goes wrong in a run, and when it is over."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan
from pathlib import Path

import numpy as np

from golois.go.symmetry import point_table
from golois.kit.run_folder import read_table, write_table
from golois.records.packed_file import GameFile
from selfplay.options import Options
from tournament.matches.round_robin import Elo
from tournament.ratings.bradley_terry import share_gap_interval

Row = Mapping[str, float]

COLUMNS = (
    "iteration",
    "player",
    "games",
    "positions",
    "window_games",
    "moves_a_game",
    "black_wins",
    "draws",
    "beaten",
    "resigned",
    "wrong_resignations",
    "double_passes",
    "repeated",
    "step",
    "steps",
    "learning_rate",
    "loss",
    "policy_loss",
    "value_loss",
    "value_mse",
    "value_mse_of_a_constant",
    "value_mae",
    "dominion_loss",
    "score_loss",
    "gate_share",
    "kept",
    "kept_of_decisive",
    "kept_positions",
    "in_network",
    "seconds_playing",
    "seconds_training",
    "seconds",
)
"""docs/student/selfplay.md explains the columns. Only the last four differ between machines."""

FIRST_MOVES = 8
LEAST_POINTS = 25
"""On smaller boards games repeat by nature."""

NO_BETTER_THAN_A_CONSTANT = 0.98
IN_A_ROW = 3
DISCARDED_IN_A_ROW = 5


@dataclass(frozen=True)
class Bounds:
    """Between which numbers a column of the journal should lie, and what is said otherwise."""

    words: str
    least: float = -inf
    most: float = inf


BOUNDS: Mapping[str, Bounds] = {
    "double_passes": Bounds(
        "two early passes end {:.0%} of the games: in a new run, try more simulations, or a komi "
        "half a point away from the fair komi",
        most=0.05,
    ),
    "repeated": Bounds(
        f"{{:.0%}} of the games have the same first {FIRST_MOVES} moves as another game, up to "
        "symmetry: in a new run, raise --early-moves or --early-temperature",
        most=0.2,
    ),
    "in_network": Bounds(
        "the network uses only {:.0%} of the processor time of the games: a larger network would "
        "cost little",
        least=0.5,
    ),
}


def read_elo(path: Path) -> dict[int, Elo]:
    """The ratings of a league by iteration, none where there is no file."""
    if not path.exists():
        return {}
    return {
        int(row["iteration"]): Elo(row["elo"], row["elo_halfwidth"], row.get("elo_of_updates"))
        for row in read_table(path)
    }


def read_journal(path: Path) -> list[dict[str, float]]:
    """The rows that were written, none where there is no file; CheckpointError: it is damaged."""
    return read_table(path, empty=nan) if path.exists() else []


def playing_now(rows: Sequence[Row], baked: Sequence[int]) -> int:
    """The network that plays after the last row; a gate may have kept an earlier network."""
    return int(rows[-1]["player"]) if rows else baked[-1]


def write_journal(path: Path, rows: Sequence[Row]) -> None:
    """Write all rows; what was not measured is left empty."""
    write_table(path, COLUMNS, [[_cell(row.get(name, nan)) for name in COLUMNS] for row in rows])


def _cell(value: float) -> str:
    if not isfinite(value):
        return ""
    return str(int(value)) if value == int(value) else f"{value:.6g}"


def line(row: Row) -> str:
    """An iteration in one line."""
    parts = [f"iteration {row['iteration']:.0f}"]
    if row["iteration"] > 0:
        parts += [
            f"{row['games']:,.0f} games of {row['moves_a_game']:.1f} moves",
            f"Black wins {row['black_wins']:.0%}",
            _losses(row),
        ]
    if isfinite(row.get("beaten", nan)):
        parts.append(f"beats the victim in {row['beaten']:.0%}")
    if isfinite(row.get("gate_share", nan)):
        verdict = "kept" if row["player"] == row["iteration"] else "discarded"
        parts.append(f"gate {row['gate_share']:.0%}, {verdict}")
    if isfinite(row.get("kept", nan)):
        parts.append(f"keeps {row['kept']:.1%} of the wins")
    if row["iteration"] > 0:
        parts.append(f"{row['in_network']:.0%} of the games' time in the network")
        parts.append(f"{row['seconds']:.0f} s")
    return ", ".join(parts)


def _losses(row: Row) -> str:
    if not isfinite(row.get("policy_loss", nan)):
        return "too few positions for a batch"
    errors = f"value MSE {_number(row['value_mse'])} MAE {_number(row.get('value_mae', nan))}"
    return f"policy {_number(row['policy_loss'])}, {errors}"


def _number(value: float) -> str:
    return f"{value:.3f}" if isfinite(value) else "–"


def repeated_share(files: Iterable[Path]) -> float:
    """The share of games whose eight first moves, up to symmetry, repeat; NaN below 25 points."""
    beginnings: list[tuple] = []
    for path in files:
        games = GameFile.open(path)
        if games.size**2 < LEAST_POINTS:
            return nan
        symmetries = (0, 3) if games.game == "hex" else range(8)
        beginnings += [
            _beginning(games[i].points, games.size, symmetries) for i in range(len(games))
        ]
    return 1 - len(set(beginnings)) / len(beginnings) if beginnings else nan


def double_pass_share(files: Iterable[Path]) -> float:
    """The share of games of Go that two passes end before a quarter is filled; else NaN."""
    ends: list[bool] = []
    for path in files:
        games = GameFile.open(path)
        if games.game != "go":
            return nan
        for i in range(len(games)):
            points = games[i].points
            is_early = len(points) - 2 < games.size**2 / 4
            ends.append(is_early and points[-2:].tolist() == 2 * [games.size**2])
    return float(np.mean(ends)) if ends else nan


def warnings(rows: Sequence[Row]) -> dict[str, str]:
    """What is wrong after the last of a journal's rows: a sentence by the name of its kind."""
    trained = [row for row in rows if row["iteration"] > 0]
    if not trained:
        return {}
    accepted = [row for row in trained if row["player"] == row["iteration"]]  # by the gate, if any
    found = {
        "value": _value_at_the_mean(trained),
        "gate": _stuck_at_the_gate(trained[-1]),
        "collapse": _collapse(accepted),
    }
    found |= {name: _beyond(trained[-1].get(name, nan), BOUNDS[name]) for name in BOUNDS}
    return {kind: text for kind, text in found.items() if text}


def best_row(rows: Sequence[Row]) -> Row | None:
    """The row of the network that keeps most of the wins, the earliest of equals; None if none."""
    measured = [row for row in rows if isfinite(row.get("kept", nan))]
    return max(measured, key=lambda row: row["kept"], default=None)


def _beginning(points: np.ndarray, size: int, symmetries: Iterable[int]) -> tuple:
    tables = (np.append(point_table(size)[symmetry], size * size) for symmetry in symmetries)
    return min(tuple(table[points[:FIRST_MOVES]].tolist()) for table in tables)


def _beyond(number: float, bounds: Bounds) -> str:
    return bounds.words.format(number) if number < bounds.least or number > bounds.most else ""


def _value_at_the_mean(rows: Sequence[Row]) -> str:
    last = [row for row in rows[-IN_A_ROW:] if isfinite(row.get("value_mse", nan))]
    if len(last) < IN_A_ROW or any(
        row["value_mse"] < NO_BETTER_THAN_A_CONSTANT * row["value_mse_of_a_constant"]
        for row in last
    ):
        return ""
    row = last[-1]
    return (
        f"for {IN_A_ROW} iterations the value head has been no better than a constant: its squared "
        f"error is {row['value_mse']:.3f}, and a constant's {row['value_mse_of_a_constant']:.3f}"
    )


def _stuck_at_the_gate(row: Row) -> str:
    discarded = row["iteration"] - row["player"]
    if discarded < DISCARDED_IN_A_ROW:
        return ""
    return (
        f"the gate has discarded the last {discarded:.0f} networks: in a new run, a higher --reuse "
        "trains longer before each match"
    )


def _collapse(rows: Sequence[Row]) -> str:
    best = best_row(rows)
    if best is None:
        return ""
    since = [row for row in rows if row["iteration"] > best["iteration"]][-IN_A_ROW:]
    if len(since) < IN_A_ROW or any(not _is_below(row, best) for row in since):
        return ""
    return (
        f"the network has become worse: it keeps {since[-1]['kept']:.1%} of the wins, and the "
        f"network of iteration {best['iteration']:.0f} kept {best['kept']:.1%}; the best network "
        f"is nets/{int(best['iteration']):04}.h5"
    )


def _is_below(row: Row, best: Row) -> bool:
    """Whether one share lies below another by more than chance explains, at 95 %."""
    _, most = share_gap_interval(*_kept(row), *_kept(best))
    return most < 0


def _kept(row: Row) -> tuple[float, int]:
    count = int(row["kept_positions"])
    return row["kept"] * count, count


def is_over(options: Options, rows: Sequence[Row]) -> bool:
    """Whether all iterations are done, or the next would take more than the journal's time left."""
    if not rows:
        return False
    seconds = [row["seconds"] for row in rows]
    coming = seconds[-1] if len(rows) > 1 else 0  # row 0 has what was learned before iteration 1
    return (
        (options.iterations > 0 and len(rows) > options.iterations)
        or (options.patience > 0 and num_without_better(rows) >= options.patience)
        or (options.minutes > 0 and sum(seconds) + coming > 60 * options.minutes)
    )


def num_without_better(rows: Sequence[Row]) -> int:
    """How many iterations ago the last better network came, by the gate or by the kept wins."""
    last, best = rows[-1], best_row(rows)
    if isfinite(last.get("gate_share", nan)) or best is None:
        return int(last["iteration"] - last["player"])
    return int(last["iteration"] - best["iteration"])
