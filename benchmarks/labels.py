"""How many megabytes of KataGo's answers a second an import reads, checks and packs.

The answers are written from the targets of a packed file, as KataGo's analysis engine writes them:
a line a position with 362 shares. Named peer: Python's json, which only reads the lines.

    python benchmarks/labels.py [--data FILE.games] [--games 100] [--rounds 3]
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from golois.importing import import_analysis
from golois.labelling import to_query
from golois.records import GameFile, Record

DATA = Path(__file__).resolve().parent.parent / "data" / "katago_b15.games"


def answers(record: Record, id: str) -> Iterator[str]:
    """A line for each training position; the shares as KataGo prints them, the win rate Black's."""
    targets = record.targets
    turns = [turn for turn, value in enumerate(record.values) if value == value]
    turns = [turn for turn in turns if record.points[turn] < len(targets.policies[0]) - 1]
    for turn, policy, value in zip(turns, targets.policies, targets.values, strict=True):
        info = {"currentPlayer": "BW"[turn % 2], "winrate": round(1 - float(value), 4), "visits": 1}
        shares = [round(float(share), 4) for share in policy]
        line = {"id": id, "turnNumber": turn, "rootInfo": info, "policy": shares}
        yield json.dumps(line, separators=(",", ":")) + "\n"


def write(games: GameFile, count: int, folder: Path) -> tuple[Path, Path]:
    """The files of queries and of answers of the first games."""
    queries, responses = folder / "queries.jsonl", folder / "answers.jsonl"
    with open(queries, "w") as asked, open(responses, "w") as answered:
        for index in range(min(count, len(games))):
            record, id = games[index], f"game-{index}"
            asked.write(json.dumps(to_query(record, id)) + "\n")
            answered.writelines(answers(record, id))
    return queries, responses


def read_as_json(path: Path) -> int:
    with open(path, "rb") as file:
        return sum(len(json.loads(line)["policy"]) for line in file)


def cost(run: Callable[[], object], rounds: int) -> tuple[float, float]:
    """The least wall and CPU seconds of several runs."""
    seconds = []
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        run()
        seconds.append((time.perf_counter() - wall, time.process_time() - cpu))
    return min(wall for wall, _ in seconds), min(cpu for _, cpu in seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()

    table = Table(title=f"labels on {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before")
    for name in ("what", "MB", "s", "CPU s", "MB/s", "MB/CPU s", "against golois, CPU"):
        table.add_column(name, justify="left" if name == "what" else "right")
    with tempfile.TemporaryDirectory() as folder:
        files = write(GameFile.open(options.data), options.games, Path(folder))
        megabytes = files[1].stat().st_size / 1e6
        output = Path(folder) / "out.games"
        ways = {
            "golois import --analysis": lambda: import_analysis(files, output),
            "Python: json.loads": lambda: read_as_json(files[1]),
        }
        costs = {name: cost(run, options.rounds) for name, run in ways.items()}
    least = next(iter(costs.values()))[1]
    for name, (wall, cpu) in costs.items():
        numbers = (megabytes, wall, cpu, megabytes / wall, megabytes / cpu)
        table.add_row(name, *(f"{x:,.1f}" for x in numbers), f"{least / cpu:.2f}×")
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
