"""Where lost games turned: the move after which the loser's own chance of winning fell most.

Read from the SGF of a game (tournament.game.sgf), which has each player's value at its own moves.
No network is asked again.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from golois.errors import GoloisError
from golois.go.board import Board
from golois.go.coords import BLACK, WHITE, point_to_gtp
from golois.sgf.reading import read_sgf
from tournament.game.record import PLAYED
from tournament.league.games import GameRow

MOVE = re.compile(
    r"\n;[BW]\[[a-s]{0,2}\]"
    r"C\[(?:opening|visits \d+, cpu [\d.]+ s, P\(White wins\) ([01]\.\d+))\]"
)
NUM_SHOWN = 5
# Falls below this are within what a search finds by chance.
LEAST_FALL = 0.1
# The last ply of the first two phases of a game.
PHASES = (60, 150)


@dataclass(frozen=True)
class Turn:
    """The move of a lost game after which the loser's own P(win) fell most.

    The fall is measured between two consecutive moves of the loser. So its cause is the move, or an
    answer that the loser did not expect.

    ply: number of the move; the first move of the opening is 1.
    before: P(the loser wins), 0 … 1, as the loser judged the position in which it chose the move.
    after: the same at the loser's next move.
    opponent: P(the loser wins) as the opponent judged it in between; None if it has no opinion.
    """

    ply: int
    before: float
    after: float
    opponent: float | None

    @property
    def fall(self) -> float:
        """How much P(the loser wins) fell, above 0."""
        return self.before - self.after


@dataclass(frozen=True)
class ShownTurn:
    """A turn with its board after the move, for the page of the network that lost.

    colour: of the network, "black" or "white"; opponent: the other network's name.
    move: as GTP writes it, such as `Q16`.
    black, white: the stones as the path of an SVG, one unit a point, the top left one at (1, 1).
    last: column and row of the move on the same scale; None for a pass.
    """

    game: GameRow
    turn: Turn
    colour: str
    opponent: str
    move: str
    black: str
    white: str
    last: tuple[int, int] | None


def turn_of(game: GameRow, sgf: str) -> Turn | None:
    """Return where a game turned.

    None for a game that was not lost on the board, without values of the loser, or without a fall.
    """
    if game.kind != PLAYED or game.winner is None:
        return None
    values = MOVE.findall(sgf)
    loser = 1 if game.winner == "black" else 0  # the parity of its plies, counted from 0
    own, other = (_opinions(values, side, loser) for side in (loser, 1 - loser))
    falls = pairwise(own.items())
    (ply, before), (_, after) = max(falls, key=_fall, default=((0, 0.0), (0, 0.0)))
    if after >= before:
        return None
    seen = other.get(ply + 1)
    opponent = None if seen is None else round(seen, 3)
    return Turn(ply + 1, round(before, 3), round(after, 3), opponent)


def turns_of(games: Iterable[GameRow], sgf: Callable[[str], str]) -> dict[str, Turn]:
    """Return where the games turned that did, by their ids; `sgf` gives a game by its id."""
    found = {game.game_id: turn_of(game, sgf(game.game_id)) for game in games}
    return {game_id: turn for game_id, turn in found.items() if turn is not None}


def loser_of(game: GameRow) -> tuple[str, str, str]:
    """Return who lost a decided game, against whom, and with which colour."""
    if game.winner == "white":
        return game.black, game.white, "black"
    return game.white, game.black, "white"


def lost_by(name: str, games: Iterable[GameRow], turns: Mapping[str, Turn]) -> list[GameRow]:
    """Return the games that the network has lost by a fall of LEAST_FALL, the largest first."""
    lost = [
        game
        for game in games
        if (turn := turns.get(game.game_id)) is not None
        and turn.fall >= LEAST_FALL
        and loser_of(game)[0] == name
    ]
    return sorted(lost, key=lambda game: -turns[game.game_id].fall)


def shown_turns(
    lost: Iterable[GameRow], turns: Mapping[str, Turn], sgf: Callable[[str], str]
) -> list[ShownTurn]:
    """Return the first NUM_SHOWN of these games as they turned; `sgf` gives a game by its id."""
    shown = (_shown(game, turns[game.game_id], sgf(game.game_id)) for game in lost)
    return list(islice(filter(None, shown), NUM_SHOWN))


def phases_of(plies: Collection[int]) -> list[str]:
    """Return how many of these plies are in each phase of a game, in words."""
    first, second = PHASES
    early, middle = (sum(ply <= end for ply in plies) for end in PHASES)
    return [
        f"{early} in moves 1–{first}",
        f"{middle - early} in moves {first + 1}–{second}",
        f"{len(plies) - middle} later",
    ]


def _opinions(values: Sequence[str], side: int, loser: int) -> dict[int, float]:
    """Return P(the loser wins) by ply, as one side saw it; empty if it has no opinion."""
    known = {ply: float(values[ply]) for ply in range(side, len(values), 2) if values[ply]}
    # A program that values no position has the same value for all.
    if len(set(known.values())) < 2:
        return {}
    return known if loser else {ply: 1 - value for ply, value in known.items()}


def _fall(moves: tuple[tuple[int, float], tuple[int, float]]) -> float:
    (_, before), (_, after) = moves
    return before - after


def _shown(game: GameRow, turn: Turn, sgf: str) -> ShownTurn | None:
    """Return None if somebody has changed the file and its moves are no game any more."""
    try:
        read = read_sgf(sgf.encode())
        _, point = read.moves[turn.ply - 1]
        board = read.replay(turn.ply)
    except (GoloisError, IndexError):
        return None
    row, column = divmod(point, board.size)
    _, opponent, colour = loser_of(game)
    return ShownTurn(
        game,
        turn,
        colour=colour,
        opponent=opponent,
        move=point_to_gtp(point),
        black=_path(board, BLACK),
        white=_path(board, WHITE),
        last=None if point == board.pass_point else (column + 1, row + 1),
    )


def _path(board: Board, colour: int) -> str:
    rows, columns = (board.stones() == colour).nonzero()
    places = zip(rows.tolist(), columns.tolist(), strict=True)
    return "".join(f"M{column + 1} {row + 1}h0" for row, column in places)
