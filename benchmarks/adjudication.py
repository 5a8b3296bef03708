"""How often games that end early have the right winner, and how many moves that saves.

Reads games that were played out: of leagues that were run with --no-resign, or of packed files
whose moves have values. Named peer: the games' own ends. The first row is of settled points alone;
the others add the agreement of both networks, for each chance that counts as none and each number
of moves in a row. They say how many games the row's rule would have ended and settled points would
not have ended sooner, how many of them as they did in the end (with a 95 % interval, Wilson's), and
the share of all moves that both rules together save.

    python benchmarks/adjudication.py [LEAGUE_FOLDER | FILE.games] …
"""

import argparse
import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from golois.board import Board
from golois.coords import BLACK
from golois.records import GameFile
from tournament.game.adjudication import Decision, decision, winner_by_settled_points
from tournament.game.record import PLAYED
from tournament.league.league import League
from tournament.ratings.bradley_terry import wilson_interval

DATA = Path(__file__).resolve().parent.parent / "data" / "katago_b6.games"
VALUES = (0.05, 0.03, 0.02, 0.01, 0.005)
PLIES = (10, 20, 40, 60, 80)


class Game(NamedTuple):
    """P(White wins) at each chosen move, who won in the end, and when settled points had won."""

    values_white: list[float]
    winner: str
    settled: Decision | None


class Tally(NamedTuple):
    """Games that a rule would have ended, those of them rightly, and the moves not played."""

    decided: int
    right: int
    moves_saved: int


def settled_decision(board: Board, points: Iterable[int], komi: float) -> Decision | None:
    """When the settled points alone win; plays the points."""
    for num_moves, point in enumerate(points, start=1):
        board.play_unchecked(point)
        if winner := winner_by_settled_points(board, komi):
            return Decision(winner, num_moves)
    return None


def games_of(path: Path) -> Iterator[Game]:
    """The played-out games of a league's folder or a packed file."""
    if path.is_dir():
        for record in League(path, create=False).games.all():
            if record.kind == PLAYED and not record.reason:
                board = Board()
                for point in record.opening:
                    board.play_unchecked(point)
                points = [move.point for move in record.moves]
                settled = settled_decision(board, points, record.komi)
                yield Game([move.value_white for move in record.moves], record.winner, settled)
        return
    for record in GameFile.open(path):
        if record.played_out:
            winner = "black" if record.winner == BLACK else "white"
            settled = settled_decision(Board(), record.points.tolist(), record.komi)
            yield Game(record.values.tolist(), winner, settled)


def tally_settled(games: list[Game]) -> Tally:
    found = [game for game in games if game.settled]
    right = sum(game.settled.winner == game.winner for game in found)
    return Tally(len(found), right, sum(moves_saved(game, game.settled) for game in found))


def tally_agreed(games: list[Game], resign_value: float, resign_plies: int) -> Tally:
    decided = right = saved = 0
    for game in games:
        agreed = decision(game.values_white, resign_value, resign_plies)
        found = [end for end in (game.settled, agreed) if end]
        if not found:
            continue
        first = min(found, key=lambda end: end.num_moves)
        saved += moves_saved(game, first)
        if first is not game.settled:
            decided += 1
            right += first.winner == game.winner
    return Tally(decided, right, saved)


def moves_saved(game: Game, end: Decision) -> int:
    return len(game.values_white) - end.num_moves


def add_row(table: Table, value: str, plies: str, counts: Tally, num_moves: int) -> None:
    share = interval = "–"
    if counts.decided:
        low, high = wilson_interval(counts.right, counts.decided)
        share = f"{counts.right / counts.decided:.2%}"
        interval = f"{low:.1%} – {high:.1%}"
    wrong = str(counts.decided - counts.right)
    saved = f"{counts.moves_saved / num_moves:.1%}"
    table.add_row(value, plies, str(counts.decided), wrong, share, interval, saved)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="*", type=Path, default=[DATA], metavar="SOURCE")
    options = parser.parse_args()

    games = list(itertools.chain.from_iterable(map(games_of, options.sources)))
    num_moves = sum(len(game.values_white) for game in games)
    table = Table(title=f"{len(games):,} games played out, {num_moves:,} moves")
    for column in ("chance", "moves in a row", "ended early", "wrong", "right", "95 %", "saved"):
        table.add_column(column, justify="right")
    add_row(table, "settled", "–", tally_settled(games), num_moves)
    for value, plies in itertools.product(VALUES, PLIES):
        add_row(table, f"{value:g}", str(plies), tally_agreed(games, value, plies), num_moves)
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
