"""How many megabytes of text a second an import reads, replays and packs.

The texts are the embedded games, exported and repeated: SGF with comments, bare SGF (moves only)
and games.data of the size of the course's file. Named peers, which only read the moves and play
none of them: a regular expression in Python, and sgfmill where it is installed (`pip install
sgfmill`).

    python benchmarks/importing.py [--data FILE.games] [--sgf-megabytes 100] [--text-megabytes 542]
"""

import argparse
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from golois.exporting import export_games
from golois.importing import import_games

DATA = Path(__file__).resolve().parent.parent / "data" / "katago_b6.games"
COMMENT = re.compile(rb"C\[[^\]]*\]")
SGF_MOVE = re.compile(rb";([BW])\[([a-s]{0,2})\]")
SGFMILL_GAMES = 200  # it takes about a second for them


def texts(data: Path, folder: Path) -> dict[str, bytes]:
    """The embedded games once as each kind of text, without games.data's first line."""
    contents = {}
    for name, text_format in (("games.data", "games.data"), ("SGF with comments", "sgf")):
        export_games(data, folder / "text", text_format)
        contents[name] = (folder / "text").read_bytes()
    contents["games.data"] = contents["games.data"].partition(b"\n")[2]
    contents["bare SGF"] = COMMENT.sub(b"", contents["SGF with comments"])
    return contents


def import_rate(content: bytes, megabytes: float, folder: Path) -> tuple[int, float, float]:
    """Bytes, wall seconds and CPU seconds of one import of the content, repeated."""
    source = folder / "source"
    num_repeats = max(1, round(megabytes * 1e6 / len(content)))
    with open(source, "wb") as file:
        for _ in range(num_repeats):
            file.write(content)
    wall, cpu = time.perf_counter(), time.process_time()
    import_games([source], folder / "out.games")
    seconds = time.perf_counter() - wall, time.process_time() - cpu
    return len(content) * num_repeats, *seconds


def regex_moves(content: bytes) -> int:
    return sum(len(SGF_MOVE.findall(line)) for line in content.splitlines())


def regex_numbers(content: bytes) -> int:
    return sum(len([int(word) for word in line.split()[3::4]]) for line in content.splitlines())


def sgfmill_moves(content: bytes) -> int:
    from sgfmill import sgf

    games = map(sgf.Sgf_game.from_bytes, content.splitlines())
    nodes = (node for game in games for node in game.get_main_sequence())
    return sum(node.get_move()[0] is not None for node in nodes)


def peers(contents: dict[str, bytes]) -> Iterator[tuple[str, str, float]]:
    """Kind of text, name of the peer and its bytes a second."""
    yield "games.data", "Python: split, int", rate(regex_numbers, contents["games.data"])
    for name in ("SGF with comments", "bare SGF"):
        yield name, "Python: re.findall", rate(regex_moves, contents[name])
        try:
            import sgfmill
        except ImportError:
            continue
        few = b"".join(contents[name].splitlines(True)[:SGFMILL_GAMES])
        yield name, f"sgfmill {sgfmill.__version__}", rate(sgfmill_moves, few)


def rate(read: Callable[[bytes], int], content: bytes) -> float:
    start = time.perf_counter()
    read(content)
    return len(content) / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--sgf-megabytes", type=float, default=100)
    parser.add_argument("--text-megabytes", type=float, default=542)
    options = parser.parse_args()

    table = Table(title=f"import on {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before")
    for name in ("text", "what", "MB", "s", "CPU s", "MB/s", "against golois"):
        table.add_column(name, justify="left" if name in ("text", "what") else "right")
    with tempfile.TemporaryDirectory() as folder:
        contents = texts(options.data, Path(folder))
        rates = {}
        for name, content in contents.items():
            is_sgf = "SGF" in name
            megabytes = options.sgf_megabytes if is_sgf else options.text_megabytes
            num_bytes, wall, cpu = import_rate(content, megabytes, Path(folder))
            rates[name] = num_bytes / wall
            numbers = (num_bytes / 1e6, wall, cpu, rates[name] / 1e6)
            table.add_row(name, "golois import", *(f"{x:,.1f}" for x in numbers), "1.00×")
        for name, peer, speed in peers(contents):
            ratio = f"{speed / rates[name]:.2f}×"
            table.add_row(name, peer, "", "", "", f"{speed / 1e6:,.1f}", ratio)
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
