"""Whether groups in seki stay, and what the rule of passes changes in games of a real network.

The tables are of the positions of benchmarks/seki_positions.py: both sides play on from each,
with a komi with which the side to move wins by half a point if nothing changes. `kept` are games in
which its groups in seki were still there at the end.

With --out, a network instead finishes games of data/katago_b6.games from 40 moves before their last
stone, and a line of JSON is kept of each; a second run continues. To compare two rules, run it with
the core before, then with the core after and with --before FILE: then only games in which a pass is
considered beside other moves are played, from there on, since they are the same until then. Named
peer: GNU Go's count of both last boards.

    python benchmarks/seki.py NET.h5 [--visits 32]
    python benchmarks/seki.py NET.h5 --visits 8 --games 2029 --out before.jsonl
    python benchmarks/seki.py NET.h5 --visits 8 --out after.jsonl --before before.jsonl
"""

import argparse
import json
import os
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from seki_positions import seki_positions

from golois.board import Board
from golois.coords import point_to_gtp
from golois.games import Game
from golois.records import GameFile
from golois.rules import Go
from golois.search import Tree
from golois.shapes import BOARD_SIZE, PASS
from tournament.board.networks import names_of
from tournament.intake.artefact import open_network
from tournament.programs.client import GtpClient

ROOT = Path(__file__).resolve().parent.parent
KOMI, MAX_PLIES = 7.5, 722
MOVES_LEFT = 40
BATCH = 32

Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


class Playing:
    """A game in which a network plays both sides.

    Args:
        name: the number that the game is known by; also the seed.
        board: where it begins.
        komi: points for White.
        num_visits: of each move's tree, those kept from the move before included.
    """

    def __init__(self, name: str, board: Board, komi: float, num_visits: int):
        rules = Go(board.size, komi=komi, passes="arena", max_moves=MAX_PLIES)
        self.name, self.game, self.moves = name, Game(rules, board), list[int]()
        self._tree, self._num_visits = Tree(self.game, seed=int(name)), num_visits

    def play(self, move: int) -> None:
        """Play a move."""
        self._tree.advance(move)
        self.game.play(move)
        self.moves.append(move)

    def is_waiting(self, row: np.ndarray) -> bool:
        """Play on until an evaluation is wanted, with its planes in the row; False at the end."""
        while not self.game.is_over:
            candidates = self.game.candidates()
            while len(candidates) > 1 and self._tree.num_visits < self._num_visits:
                if self._tree.select(row):
                    return True
            self.play(candidates[0] if len(candidates) == 1 else self._tree.best_move())
        return False

    def apply(self, policy: np.ndarray, value_white: np.ndarray) -> None:
        """Take the evaluation."""
        self._tree.apply(policy, value_white)


def finished(games: Iterator[Playing], evaluate: Evaluate, planes: np.ndarray) -> Iterator[Playing]:
    """Plays games side by side, one evaluation of each in a batch, and yields those that end."""
    rows = [planes[i : i + 1] for i in range(len(planes))]
    playing: list[Playing] = []
    while True:
        while len(playing) < len(rows) and (game := next(games, None)):
            if game.is_waiting(rows[len(playing)]):
                playing.append(game)
            else:
                yield game
        if not playing:
            return
        policy, value_white = evaluate(planes[: len(playing)])
        for i, game in enumerate(playing):
            game.apply(policy[i : i + 1], value_white[i : i + 1])
        waiting: list[Playing] = []
        for game in playing:
            if game.is_waiting(rows[len(waiting)]):
                waiting.append(game)
            else:
                yield game
        playing = waiting


def uniform(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every point equally likely, every position even."""
    num_rows, num_points = len(planes), planes.shape[1] ** 2
    policy = np.full((num_rows, num_points), 1 / num_points, np.float32)
    return policy, np.full(num_rows, 0.5, np.float32)


def play_positions(title: str, evaluate: Evaluate, sizes: set[int], num_visits: int) -> Table:
    """The table of one network's games from the positions."""
    tallies: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for size in sorted(sizes):
        planes = np.empty((BATCH, size, size, 31), np.float32)
        starts = [
            (position, colour) for position in seki_positions() if position.size == size
            for colour in (1, 2)
        ]  # fmt: skip
        games = (
            Playing(str(i), position.board(colour), position.komi(colour), num_visits)
            for i, (position, colour) in enumerate(starts)
        )
        for game in finished(games, evaluate, planes):
            position, colour = starts[int(game.name)]
            own = position.in_seki & (position.stones == colour)
            kept = bool((game.game.stones()[own] == colour).all())
            for row in (position.shape, "all"):
                tallies[row].update(games=1, kept=kept, plies=len(game.moves))
    table = Table(title=title)
    for column in ("positions", "games", "kept", "plies a game"):
        table.add_column(column)
    for row, tally in tallies.items():
        num_games = tally["games"]
        kept, plies = tally["kept"] / num_games, tally["plies"] / num_games
        table.add_row(row, str(num_games), f"{kept:.1%}", f"{plies:.1f}")
    return table


@dataclass(frozen=True)
class Ending:
    """How a game ended; `moves` are those played here."""

    name: str
    moves: list[int]
    score_black: int
    stones: str
    num_plies: int

    @property
    def is_capped(self) -> bool:
        """Whether it ended by the cap of plies."""
        return self.num_plies >= MAX_PLIES


def late_board(name: str) -> Board:
    """A game of data/katago_b6.games, by its number, 40 moves before its last stone."""
    record = GameFile.open(ROOT / "data" / "katago_b6.games")[int(name)]
    board, num_stones = Board(), int(np.flatnonzero(record.points != PASS)[-1]) + 1
    for point in record.points[: max(0, num_stones - MOVES_LEFT)]:
        board.play(int(point))
    return board


def read_endings(path: Path) -> dict[str, Ending]:
    """Endings by the names of their games; none where there is no file yet."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {ending.name: ending for ending in (Ending(**json.loads(line)) for line in lines)}


def remove_cut_line(path: Path) -> None:
    """Remove what a kill has left of a line that was being written."""
    if path.exists():
        os.truncate(path, path.read_bytes().rfind(b"\n") + 1)


def from_first_choice(ending: Ending, num_visits: int) -> Playing | None:
    """The game where a pass is first considered beside other moves, if it ever is."""
    playing = Playing(ending.name, late_board(ending.name), KOMI, num_visits)
    for move in ending.moves:
        candidates = playing.game.candidates()
        if len(candidates) > 1 and PASS in candidates:
            return playing
        playing.play(move)
    return None


def ending_of(playing: Playing) -> Ending:
    board = playing.game.board()
    stones = "".join(".XO"[colour] for colour in board.stones().reshape(-1))
    return Ending(playing.name, playing.moves, board.score_black(), stones, board.num_moves)


def gnugo_score_black(ending: Ending) -> float:
    """Black's lead without komi as GNU Go counts the last board, dead stones removed."""
    path = shutil.which("gnugo") or "/usr/games/gnugo"
    command = [path, "--mode", "gtp", "--level", "5", "--chinese-rules", "--play-out-aftermath"]
    with GtpClient("GNU Go", [*command, "--capture-all-dead"]) as gnugo:
        for setting in (f"boardsize {BOARD_SIZE}", "clear_board", "komi 0"):
            gnugo.ask(setting)
        for point, stone in enumerate(ending.stones):
            if stone != ".":
                gnugo.ask(f"play {'b' if stone == 'X' else 'w'} {point_to_gtp(point)}")
        answer = gnugo.ask("final_score")
    lead = 0.0 if answer == "0" else float(answer[2:])
    return lead if answer[0] == "B" else -lead


def compare(before: dict[str, Ending], after: dict[str, Ending]) -> Table:
    """What differs between the endings of the same games, and GNU Go's count of them."""
    table = Table(title=f"{len(before)} games, a pass considered beside moves in {len(after)}")
    for column in ("", "before", "after"):
        table.add_column(column, justify="right" if column else "left")
    all_after = before | after
    sides = [list(before.values()), list(all_after.values())]
    means = [np.mean([ending.num_plies for ending in side]) for side in sides]
    table.add_row("plies a game", *(f"{mean:.2f}" for mean in means))
    table.add_row("most plies", *(str(max(e.num_plies for e in side)) for side in sides))
    table.add_row("games at the cap", *(str(sum(e.is_capped for e in side)) for side in sides))
    touched = [[before[name] for name in after], list(after.values())]
    counts = [[(e.score_black, gnugo_score_black(e)) for e in side] for side in touched]
    wrong = [sum((ours > KOMI) != (gnugo > KOMI) for ours, gnugo in side) for side in counts]
    other = [sum(ours != gnugo for ours, gnugo in side) for side in counts]
    table.add_row("of those, another winner than GNU Go's", *map(str, wrong))
    table.add_row("of those, another score than GNU Go's", *map(str, other))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("network", type=Path, nargs="?", metavar="NET.h5")
    parser.add_argument("--visits", type=int, default=32)
    parser.add_argument("--games", type=int, default=2029)
    parser.add_argument("--out", type=Path, help="play games, and keep them here")
    parser.add_argument("--before", type=Path, help="games of another core, to compare with")
    options = parser.parse_args()
    if options.network is None:
        print("finishing games takes an hour and a trained network: name an .h5")
        return
    if options.before and options.out is None:
        parser.error("--before compares with the games of --out: name that file too")
    evaluator = open_network(options.network, BATCH, is_timed=False).evaluator
    if options.out is None:
        sizes = {5, 6, 7, 8, 9, 11, 13, BOARD_SIZE}
        for title, evaluate, of_sizes in (
            ("uniform policy, value ½", uniform, sizes),
            (*names_of([options.network.resolve()]), evaluator.evaluate, {BOARD_SIZE}),
        ):
            Console().print(play_positions(title, evaluate, of_sizes, options.visits))
        return
    before = read_endings(options.before) if options.before else {}
    remove_cut_line(options.out)
    done = read_endings(options.out)
    if options.before:
        choices = (from_first_choice(e, options.visits) for e in before.values())
        games = (game for game in choices if game and game.name not in done)
    else:
        names = (str(i) for i in range(options.games) if str(i) not in done)
        games = (Playing(name, late_board(name), KOMI, options.visits) for name in names)
    with options.out.open("a") as file:
        for game in finished(games, evaluator.evaluate, evaluator.planes):
            print(json.dumps(vars(ending_of(game))), file=file, flush=True)
    if options.before:
        Console().print(compare(before, read_endings(options.out)))


if __name__ == "__main__":
    main()
