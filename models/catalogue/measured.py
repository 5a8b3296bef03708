"""What was measured of the budget presets: data/measured_networks.csv.

`benchmarks/networks.py` writes the milliseconds; accuracy and rating are filled in by hand once a
network is trained and rated, and are empty until then.
"""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from golois.kit.files import write_whole

FILE = Path(__file__).resolve().parents[2] / "data" / "measured_networks.csv"
COLUMNS = ("model", "ms", "accuracy", "rating")


class Measured(NamedTuple):
    """One network's numbers as the file has them, "" where one is not known.

    Attributes:
        ms: milliseconds of processor time for one position in batches of 8, as the arena runs it.
        accuracy: of the policy on held-out positions, in percent.
        rating: in Elo, of a league.
    """

    ms: str = ""
    accuracy: str = ""
    rating: str = ""


def read_measured(path: Path = FILE) -> dict[str, Measured]:
    """Read what is known of each network of the registry; nothing where there is no file."""
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return {row["model"]: Measured(*(row[name] for name in COLUMNS[1:])) for row in rows}


def write_times(times: Mapping[str, float], path: Path = FILE) -> None:
    """Write milliseconds of some networks, and keep what else the file knows."""
    known = read_measured(path)
    new = {name: known.get(name, Measured())._replace(ms=f"{ms:.2f}") for name, ms in times.items()}
    rows = [(name, *numbers) for name, numbers in {**known, **new}.items()]

    def write(beside: Path) -> None:
        with beside.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])

    write_whole(path, write, durable=False)
