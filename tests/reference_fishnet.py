"""FishNet in slow Python, from the paper's words: inputs, network, values of moves, returns."""

import numpy as np

from golois.go.board import Board
from golois.go.coords import BLACK, EMPTY, WHITE, opponent
from golois.kernels.irreps import Fields, share_kernel
from papers.fishnet.game import ChainRules, Scoring

OWN_CLASSES, ENEMY_CLASSES, EMPTY_INPUT, OFF_BOARD = 0, 6, 12, 13


def neighbours(point: int, size: int) -> list[int]:
    row, column = divmod(point, size)
    around = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    return [r * size + c for r, c in around if 0 <= r < size and 0 <= c < size]


def groups(stones: np.ndarray, size: int) -> list[set[int]]:
    """The groups of flat stones, by flood fill."""
    left, found = set(np.flatnonzero(stones).tolist()), []
    while left:
        group, edge = set(), [left.pop()]
        while edge:
            point = edge.pop()
            group.add(point)
            for other in neighbours(point, size):
                if stones[other] == stones[point] and other not in group:
                    edge.append(other)
        left -= group
        found.append(group)
    return found


def state(stone: int, colour: int) -> str:
    return "empty" if stone == EMPTY else "own" if stone == colour else "enemy"


FISHNET_1 = ChainRules()


def class_of(eyes: float, openings: float) -> int:
    """0 … 5 for classes 1 … 6 of the paper's Fig. 3."""
    if eyes >= 1.5:
        return 5
    if eyes >= 0.75:
        return 3 + (openings >= 0.75)
    return int(openings >= 0.75) + int(openings >= 1.5)


def class_by_size(eyes: float, openings: float, stones: int, rows) -> int:
    """0 … 5 as FishNet2 has them: four by openings, one eye, two eyes."""
    if eyes >= 0.75:
        return 5 if eyes >= 1.5 else 4
    first, second, third = rows[min(stones, len(rows)) - 1]
    return 3 if openings >= third else 2 if openings >= second else 1 if openings >= first else 0


def group_sums(
    stones, size, colour, seen, least_eye: float = 0.0
) -> dict[frozenset, tuple[float, float]]:
    """Eyes and openings of each group; `seen` is [3, points]: Z, own eye, enemy's eye."""
    own, eye, enemy_eye = seen
    found = groups(stones, size)
    captured = {}
    for group in found:
        is_own = stones[next(iter(group))] == colour
        captured[frozenset(group)] = min(1 - own[p] if is_own else own[p] for p in group)
    sums = {}
    for group in found:
        is_own = stones[next(iter(group))] == colour
        around = {q for p in group for q in neighbours(p, size)} - group
        liberties = [q for q in around if stones[q] == EMPTY]
        beside = [other for other in found if other & around]
        likely = sum(captured[frozenset(other)] for other in beside)
        of_owner = eye if is_own else enemy_eye
        eyes = likely + sum(of_owner[q] for q in liberties if of_owner[q] > least_eye)
        openings = likely + sum(own[q] if is_own else 1 - own[q] for q in liberties)
        sums[frozenset(group)] = (eyes, openings)
    return sums


def inputs(stones, size, colour, seen, chains: ChainRules = FISHNET_1) -> np.ndarray:
    """[size + 2, size + 2] of 0 … 13."""
    flat = np.full(size * size, EMPTY_INPUT)
    for group, sums in group_sums(stones, size, colour, seen, chains.least_eye).items():
        rows = chains.openings
        found = class_by_size(*sums, len(group), rows) if rows else class_of(*sums)
        for point in group:
            flat[point] = (OWN_CLASSES if stones[point] == colour else ENEMY_CLASSES) + found
    return np.pad(flat.reshape(size, size), 1, constant_values=OFF_BOARD)


def kernels(weights) -> list[np.ndarray]:
    """Input to hidden [3, 3, 14, 12], hidden to output [3, 3, 12, 7], shortcut [3, 3, 14, 7]."""
    inputs, hidden, outputs = Fields(T=14), Fields(T=4, S=2, D=2, F=2), Fields(T=7)
    parts = []
    for before, after in ((inputs, hidden), (hidden, outputs), (inputs, outputs)):
        sharing = share_kernel(before, after, 3)
        parts.append(sharing.expand(np.asarray(weights[: sharing.num_free], float)))
        weights = weights[sharing.num_free :]
    return parts


def sums(weights, shown: np.ndarray) -> np.ndarray:
    """All seven sums of each point, by the paper's equations: [size, size, 7]."""
    inner, outer, direct = kernels(weights)
    size = len(shown) - 2
    hidden, found = np.zeros((size + 2, size + 2, 12)), np.zeros((size, size, 7))
    taps = [(i, j) for i in range(3) for j in range(3)]
    for r, c in np.ndindex(size, size):
        hidden[r + 1, c + 1] = np.tanh(sum(inner[i, j, shown[r + i, c + j]] for i, j in taps))
    for r, c in np.ndindex(size, size):
        for i, j in taps:
            found[r, c] += direct[i, j, shown[r + i, c + j]] + hidden[r + i, c + j] @ outer[i, j]
    return found


def rewards(kind: str, outputs, c: float) -> np.ndarray:
    """R¹ and R⁰ by Table III, top."""
    z_empty, z_own, z_enemy, eye, enemy_eye, a_own, a_enemy = outputs
    return np.array(
        {
            "empty": (2 * z_empty - 1, eye - enemy_eye),
            "own": ((2 + c) * z_own - (1 + c), c * (z_own - 1) - a_own),
            "enemy": ((2 + c) * z_enemy - 1, c * z_enemy + a_enemy),
        }[kind]
    )


def targets(kind: str, wanted, c: float) -> dict[int, float]:
    """Table III, bottom, within 0 … 1, by the number of the output."""
    with_stones, without = wanted
    if kind == "empty":
        found = {0: (1 + with_stones) / 2, 3: max(without, 0), 4: max(-without, 0)}
    elif kind == "own":
        z = min(max((1 + c + with_stones) / (2 + c), 0), 1)
        found = {1: z, 5: c * (z - 1) - without}
    else:
        z = min(max((1 + with_stones) / (2 + c), 0), 1)
        found = {2: z, 6: without - c * z}
    return {output: min(max(value, 0), 1) for output, value in found.items()}


class ReferenceFishNet:
    """A game as `papers.fishnet.game.FishNet`; every evaluation is made from nothing."""

    def __init__(
        self, weights, size: int, scoring: Scoring, step: float, chains: ChainRules = FISHNET_1
    ):
        self.weights, self.size, self.scoring, self.step = weights, size, scoring, step
        self.chains = chains
        self.board = Board(size)
        self.shown: dict[int, np.ndarray] = {}  # what was evaluated last
        empty = np.zeros(size * size, int)
        self.seen = {
            colour: self._likelihoods(empty, colour, self._outputs(empty, colour, np.empty((3, 0))))
            for colour in (BLACK, WHITE)
        }

    def stones(self, board=None) -> np.ndarray:
        return (board or self.board).stones().ravel().astype(int)

    def evaluated(self, move: int, colour: int) -> tuple[np.ndarray, np.ndarray]:
        """The stones after a move, and the outputs of its player there."""
        board = self.board.copy()
        seen = self.adjusted(self.seen[colour], move, is_own=True)
        board.play(move, colour)
        return self.stones(board), self._outputs(self.stones(board), colour, seen)

    def play(self, move: int, colour: int) -> None:
        stones, outputs = self.evaluated(move, colour)
        self.seen[opponent(colour)] = self.adjusted(self.seen[opponent(colour)], move, False)
        self.seen[colour] = self._likelihoods(stones, colour, outputs)
        self.board.play(move, colour)

    def rewards(self, stones, colour: int, outputs) -> np.ndarray:
        """R¹ and R⁰ of each point: [points, 2]."""
        flat = outputs.reshape(-1, 7)
        return np.array(
            [
                rewards(state(stone, colour), output, self.scoring.captured)
                for stone, output in zip(stones, flat, strict=True)
            ]
        )

    def worth(self, stones, colour: int, seen) -> float:
        """What a board is worth to a player that sees it with these likelihoods."""
        s, outputs = self.scoring.stone, self._outputs(stones, colour, seen)
        return float((self.rewards(stones, colour, outputs) @ (s, 1 - s)).sum())

    def values(self) -> np.ndarray:
        colour, s = self.board.to_play, self.scoring.stone
        found = np.full(self.size**2 + 1, np.nan)
        for move in range(self.size**2 + 1):
            if self.board.is_legal(move, colour):
                stones, outputs = self.evaluated(move, colour)
                found[move] = (self.rewards(stones, colour, outputs) @ (s, 1 - s)).sum()
        return found

    def _outputs(self, stones, colour: int, seen) -> np.ndarray:
        self.shown[colour] = inputs(stones, self.size, colour, seen, self.chains)
        return 1 / (1 + np.exp(-sums(self.weights, self.shown[colour])))

    def _likelihoods(self, stones, colour: int, outputs) -> np.ndarray:
        rows = []
        for stone, o in zip(stones, outputs.reshape(-1, 7), strict=True):
            rows.append(
                {
                    "empty": (o[0], o[3], o[4]), "own": (o[1], 0, o[5]), "enemy": (o[2], o[6], 0)
                }[state(stone, colour)]
            )  # fmt: skip
        return np.array(rows, float).T

    def adjusted(self, seen, move: int, is_own: bool) -> np.ndarray:
        if move == self.size**2:
            return seen
        seen = seen.copy()
        step = self.step if is_own else -self.step
        for q in neighbours(move, self.size):
            seen[:, q] = np.clip(seen[:, q] + (step, step, -step), 0, 1)
        return seen


def minimax(game: ReferenceFishNet, depth: int) -> float:
    """The value to the side to move of a search of all moves."""

    def value_of(board: Board, seen: dict[int, np.ndarray], left: int, last_passed: bool) -> float:
        colour, best = board.to_play, -np.inf
        for move in range(game.size**2 + 1):
            if not board.is_legal(move, colour):
                continue
            after = board.copy()
            after.play(move, colour)
            shown = {other: game.adjusted(seen[other], move, other == colour) for other in seen}
            passed = move == game.size**2
            if left == 1 or (passed and last_passed):
                value = game.worth(game.stones(after), colour, shown[colour])
            else:
                value = -value_of(after, shown, left - 1, passed)
            best = max(best, value)
        return best

    last_passed = bool(game.board.moves) and game.board.moves[-1][1] == game.size**2
    return value_of(game.board, game.seen, depth, last_passed)
