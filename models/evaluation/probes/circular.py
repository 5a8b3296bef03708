"""Does a network see whether a group that goes around enemy stones is alive?

Source: ResTNet, "Defense against Adversarial Policies via Transformer in Computer Go", and its
code: the error is averaged over the group.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from golois.constants import BOARD_SIZE, PASS, TOURNAMENT_KOMI
from golois.errors import GoloisError
from golois.go.board import NAMES, Board
from golois.go.coords import BLACK, WHITE, opponent, sgf_to_point
from golois.go.symmetry import NUM_SYMMETRIES, point_table, transform_board
from golois.sgf.reading import read_sgf
from models.errors import EvaluationError
from models.evaluation.symmetric import owners

if TYPE_CHECKING:
    from models.evaluation.network import Network

EMPTY_SHARE, FAR_SHARE = 0.2, 0.1
MAX_TRIES = 10_000


@dataclass(frozen=True, eq=False)
class MarkedPosition:
    """A 19x19 position; `points`, int `[n]`, are a group that BLACK or WHITE owns in the end."""

    name: str
    board: Board
    komi: float
    points: np.ndarray
    owner: int


def marked_mse(ownership: np.ndarray, points: np.ndarray, owner: int) -> float:
    """Return ownership's mean squared error, 0 to 4; White's points are -1, Black's are 1."""
    target = 1.0 if owner == BLACK else -1.0
    return float(np.mean(np.square(ownership[points] - target)))


def probe_circles(network: "Network", positions: Iterable[MarkedPosition]) -> list[dict[str, Any]]:
    """Ask for the owner of each group, a row a position; EvaluationError without ownership."""
    if not network.has_ownership:
        raise EvaluationError(
            f"{network.title} has no output named ownership, of 361 numbers: "
            "train with --aux ownership and take best_with_heads.h5"
        )
    rows = []
    for position in positions:
        by_black = owners(network.predict, position.board, position.komi)
        rows.append(
            {
                "position": position.name,
                "num_points": len(position.points),
                "owner": NAMES[position.owner],
                "mean": float(by_black[position.points].mean()),
                "mse": marked_mse(by_black, position.points, position.owner),
            }
        )
    return rows


# Such rings are in the attacks on Go programs that ResTNet defends against. Each generated ring is
# settled, alive or dead, as `Board.settled` proves.
def generated_rings(count: int, seed: int) -> Iterator[MarkedPosition]:
    """Draw rings: in turn dead and alive, black and white, everywhere and under all symmetries."""
    rng = np.random.default_rng(seed)
    for index in range(count):
        colour = WHITE if index % 4 < 2 else BLACK
        is_alive = index % 2 == 1
        board, ring = _settled_ring(rng, colour, is_alive)
        owner = colour if is_alive else opponent(colour)
        name = f"{index + 1} {'white' if colour == WHITE else 'black'}"
        yield MarkedPosition(
            f"{name} ring, {'alive' if is_alive else 'dead'}", board, TOURNAMENT_KOMI, ring, owner
        )


def _settled_ring(
    rng: np.random.Generator, colour: int, is_alive: bool
) -> tuple[Board, np.ndarray]:
    owner = colour if is_alive else opponent(colour)
    for _ in range(MAX_TRIES):
        stones, is_ring = _ring(rng, colour, is_alive)
        symmetry = int(rng.integers(NUM_SYMMETRIES))
        board = set_up(rng, transform_board(stones, symmetry))
        points = point_table()[symmetry][np.flatnonzero(is_ring)]
        if board is not None and (board.settled().flat[points] == owner).all():
            board.to_play = int(rng.choice([BLACK, WHITE]))
            return board, np.sort(points)
    raise EvaluationError(f"no settled ring was found in {MAX_TRIES} tries: choose another --seed")


def _ring(rng: np.random.Generator, colour: int, is_alive: bool) -> tuple[np.ndarray, np.ndarray]:
    enemy = opponent(colour)
    height, width = rng.integers((5, 5) if is_alive else (3, 5), (7, 8))
    top, left = rng.integers((2, 2), (16 - height, 18 - width))
    board = np.zeros((BOARD_SIZE, BOARD_SIZE), np.uint8)
    wall = board[top - 2 : top + height + 4, left - 2 : left + width + 2]
    ring = board[top - 1 : top + height + 1, left - 1 : left + width + 1]
    inside = board[top : top + height, left : left + width]

    scatter(rng, board, (colour, enemy), FAR_SHARE)
    wall[...] = enemy
    if is_alive:
        scatter(rng, wall, (0,), EMPTY_SHARE)
    ring[...] = colour
    inside[...] = enemy
    scatter(rng, inside, (0,), EMPTY_SHARE)
    if is_alive:
        inside[:3, :5] = colour
    inside[1, [1, 3]] = 0
    wall[height + 4, [2, 4]] = 0
    is_ring = np.zeros_like(board, bool)
    is_ring[top - 1 : top + height + 1, left - 1 : left + width + 1] = ring == colour
    return board, is_ring


def scatter(
    rng: np.random.Generator, points: np.ndarray, colours: tuple[int, ...], share: float
) -> None:
    """Overwrite a share of the points by random colours."""
    chosen = rng.random(points.shape) < share
    points[chosen] = rng.choice(colours, chosen.sum())


def set_up(rng: np.random.Generator, stones: np.ndarray) -> Board | None:
    """Play the stones in a random order; None if one of their chains has no liberty."""
    board = Board()
    for point in rng.permutation(np.flatnonzero(stones)).tolist():
        colour = int(stones.flat[point])
        if not board.is_legal(point, colour):
            return None
        board.play_unchecked(point, colour)
    return board if (board.stones() == stones).all() else None


def read_marked_sgf(path: Path) -> MarkedPosition:
    """Read the last position of an SGF file with its marks.

    `POS[cd][dd]` lists the points of the marked group, `CO[B]` or `CO[W]` says whose they are.
    Raises EvaluationError: no such marks, or no game of Go; OSError: the file cannot be read.
    """
    data = path.read_bytes()
    text = data.decode(errors="replace")
    marked, owners = (marked_values(text, name) for name in ("POS", "CO"))
    if not marked or owners not in (["B"], ["W"]):
        raise EvaluationError(
            f"{path} needs the marks POS[…] and CO[B] or CO[W]: "
            f"it has {len(marked)} points and CO {owners}"
        )
    try:
        game = read_sgf(data)
        board = game.replay()
        points = np.unique([sgf_to_point(value) for value in marked])
    except GoloisError as error:
        raise EvaluationError(f"{path}: {error}") from error
    if points[-1] == PASS:
        raise EvaluationError(f"POS of {path} has a pass: mark points of the board")
    komi = TOURNAMENT_KOMI if game.komi is None else game.komi
    owner = BLACK if owners == ["B"] else WHITE
    return MarkedPosition(path.name, board, komi, points, owner)


def marked_values(text: str, name: str) -> list[str]:
    """Return all values of an SGF property, of its first place in the text."""
    found = re.search(rf"(?<![A-Za-z]){name}((?:\s*\[[^\]]*\])+)", text)
    return [value.strip() for value in re.findall(r"\[([^\]]*)\]", found[1])] if found else []
