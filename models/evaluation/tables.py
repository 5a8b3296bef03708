"""What was measured as tables, which read the same on a terminal and in a file."""

from collections.abc import Iterable
from typing import Any

from rich.table import Table

from golois.kit.console import Console
from models.training.history import four_digits

PLACES = {
    "top": "plain",
    "teacher_top": "the teacher's first move",
    "extended_top": "extended, by the rules",
    "strict_extended_top": "extended, strict (by input)",
    "collapsed_top": "collapsed orbits",
}
OPINIONS = ("student", "teacher")
VIEWS = {"one_view": "one view", "eight_views": "eight views", "constant": "constant"}


WIDEST = 1000
"""Columns that a table may take: wider than any, as a narrower console shortens its numbers."""


def console(width: int | None = None) -> Console:
    """Return a console that never breaks lines; None for the width of the terminal."""
    return Console(highlight=False, soft_wrap=True, width=width)


def show(shown: Table) -> None:
    """Print a table with every number whole, however narrow the terminal is, or without one."""
    console(WIDEST).print(shown)


def table(title: str, columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> Table:
    """Make a table: text left in the first column, numbers right in the others."""
    result = Table(title=title, title_justify="left", title_style="bold", box=None)
    for index, name in enumerate(columns):
        result.add_column(name, justify="right" if index else "left", no_wrap=True)
    for row in rows:
        result.add_row(*(str(cell) for cell in row))
    return result


def prediction_tables(report: dict[str, Any]) -> list[Table]:
    """Return the tables of a report of `models.evaluation.measure.measure`."""
    tables = [_policy_table(report), _value_table(report)]
    if "ownership" in report:
        tables.append(_ownership_table(report["ownership"]))
    tables += [
        _group_table("by phase, moves played", report["by_phase"]),
        _group_table("by source", report["by_source"]),
    ]
    return tables


def speed_table(speed: dict[str, Any]) -> Table:
    """Return milliseconds a position by size of the batch, and what the whole measurement took."""
    core = "all cores" if speed["core"] is None else f"core {speed['core']} alone"
    total = speed["total"]
    each = 1000 / total["answers"]
    rows: list[tuple[Any, ...]] = [
        (f"batch of {size}", f"{of['wall']:.2f}", f"{of['cpu']:.2f}", of["calls"], "")
        for size, of in speed["milliseconds"].items()
    ]
    wall, cpu = total["seconds"], total["cpu_seconds"]
    asked = f"all {total['answers']:,} answers above, on all cores"
    rows.append((asked, f"{each * wall:.2f}", f"{each * cpu:.2f}", "", f"{wall:.1f}"))
    return table(
        f"ms per position on {speed['device']}, batches on {core}",
        ("", "wall clock", "CPU", "timed calls", "seconds"),
        rows,
    )


def _policy_table(report: dict[str, Any]) -> Table:
    one, eight = (report["policy"][views] for views in ("one_view", "eight_views"))
    return table(
        f"policy, {report['num_symmetric_positions']} of "
        f"{report['num_positions']} positions symmetric; ×8: averaged over eight views",
        ("", "top-1", "top-5", "×8 top-1", "×8 top-5"),
        (
            (title, *(per_cent(found[f"{name}{k}"]) for found in (one, eight) for k in (1, 5)))
            for name, title in PLACES.items()
            if f"{name}1" in one
        ),
    )


def _value_table(report: dict[str, Any]) -> Table:
    rows = []
    for name, title in VIEWS.items():
        errors = report["value"][name]
        gap = report["calibration"][name]["error"] if name in report["calibration"] else None
        numbers = (errors["mse"], errors["mae"], errors["brier"], gap)
        rows.append((title, *map(four_digits, numbers)))
    return table(
        "value: MSE and MAE to the label, Brier and calibration to the result",
        ("", "MSE", "MAE", "Brier", "calibration error"),
        rows,
    )


def _ownership_table(errors: dict[str, Any]) -> Table:
    titles = {**VIEWS, "present_stones": "the present stones"}
    return table(
        f"ownership of {errors['num_positions']} positions of games that were played out",
        ("", "MSE (0 … 4)", "owner found"),
        (
            (title, f"{errors[name]['mse']:.4f}", per_cent(errors[name]["sign_accuracy"]))
            for name, title in titles.items()
            if name in errors
        ),
    )


def _group_table(title: str, groups: dict[str, Any]) -> Table:
    return table(
        f"{title}; value errors beside those of a constant",
        (
            "", "positions", "top-1", "top-5", "MSE", "constant", "MAE", "constant", "Brier",
        ),
        (
            (
                name,
                group["num_positions"],
                per_cent(group["policy"]["one_view"]["top1"]),
                per_cent(group["policy"]["one_view"]["top5"]),
                *(
                    four_digits(group["value"][by][name])
                    for name in ("mse", "mae")
                    for by in ("one_view", "constant")
                ),
                four_digits(group["value"]["one_view"]["brier"]),
            )
            for name, group in groups.items()
        ),
    )


def teacher_tables(report: dict[str, Any]) -> list[Table]:
    """Return the tables of a report of `models.evaluation.teacher.compare`."""
    groups = {"all": report, **report["by_phase"]}
    measures = ("cross_entropy", "entropy", "value_mse", "value_mae")
    agreement = table(
        f"agreement with the teacher {report['teacher']['name']}",
        (
            "moves played", "positions", "top-1", "cross-entropy", "of the teacher itself",
            "value MSE", "value MAE",
        ),
        (
            (
                name,
                group["num_positions"],
                per_cent(group["top1"]),
                *(four_digits(group[measure]) for measure in measures),
            )
            for name, group in groups.items()
        ),
    )
    largest = table(
        "the largest disagreements: moves with their shares, and P(White wins)",
        ("file, game, move", "to play", "network", "teacher", "network's value", "teacher's"),
        (
            (
                f"{row['file']}, {row['game']}, {row['move_number']}",
                row["to_play"],
                *(f"{row[by]['move']} {per_cent(row[by]['share'])}" for by in OPINIONS),
                *(f"{row[by]['value_white']:.2f}" for by in OPINIONS),
            )
            for row in report["disagreements"]
        ),
    )
    return [agreement, largest]


def ladder_table(report: dict[str, Any]) -> Table:
    """Return the accuracy of the head, and of a line through the ladder planes."""
    return table(
        f"ladders: accuracy on {report['num_test_positions']} games; an answer between "
        "-0.5 and 0.5 is wrong",
        ("", "accuracy", "unknown", "escapes", "captures"),
        (
            (title, *(per_cent(n) for n in report[name].values()))
            for name, title in (
                ("head", f"head on {report['trunk']['layer']}"),
                ("line_through_ladder_planes", "a line through planes 1 to 4"),
            )
        ),
    )


def circular_table(rows: list[dict[str, Any]], mean: float) -> Table:
    """Return the error on each marked group; ownership is from -1, White's, to 1, Black's."""
    return table(
        f"circular groups: mean MSE {mean:.4f} of {len(rows)} positions",
        ("position", "points", "owner", "ownership", "MSE (0 … 4)"),
        (
            (
                row["position"],
                row["num_points"],
                row["owner"],
                f"{row['mean']:+.3f}",
                f"{row['mse']:.4f}",
            )
            for row in rows
        ),
    )


def per_cent(share: float) -> str:
    """Return a share as text, such as `41.25%`."""
    return f"{100 * share:.2f}%"
