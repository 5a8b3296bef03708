"""Training positions of a packed file, counted by phase of the game and by source."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from golois.constants import PASS
from golois.records.packed_file import HAS_VALUES, RESULT_VALUES, GameFile, text_indices

PHASE_STARTS = (0, 50, 100, 150, 200)  # moves made before the position
NUM_VALUE_BINS = 10
MAX_SOURCES = 8  # the largest; all others are counted together
OTHER_SOURCES = "others"

NUM_WINNERS = 3  # EMPTY, BLACK, WHITE
BY_RESULT = 101  # in place of a value: the result is the label
NUM_LABELS = BY_RESULT + 1


@dataclass(frozen=True, eq=False)
class PhaseCounts:
    """Training positions of one phase, counted by winner of the game and by label.

    by_label: int64 [3, 102]: the winner EMPTY, BLACK or WHITE; P(White wins) in hundredths, or
    BY_RESULT where the result is the label.
    """

    by_label: np.ndarray

    @property
    def num_positions(self) -> int:
        """Training positions in this phase of all games."""
        return int(self.by_label.sum())

    @property
    def valued_share(self) -> float:
        """The share of positions with a value of their own; NaN without positions."""
        return self._share(self.by_label[:, :BY_RESULT].sum())

    @property
    def mean_value_white(self) -> float:
        """Mean of the labels, P(White wins) in 0 … 1; NaN without positions."""
        return self._share(float(self._by_hundredth() @ np.arange(BY_RESULT)) / 100)

    def win_share(self, winner: int) -> float:
        """The share of positions from games with this winner; EMPTY for draws."""
        return self._share(self.by_label[winner].sum())

    def value_histogram(self) -> np.ndarray:
        """Positions by label, int64 [NUM_VALUE_BINS]: P(White wins) from 0 to 1, 1 in the last."""
        counts = self._by_hundredth()
        bins = np.minimum(np.arange(BY_RESULT) * NUM_VALUE_BINS // 100, NUM_VALUE_BINS - 1)
        return np.bincount(bins, counts, NUM_VALUE_BINS).astype(np.int64)

    def _by_hundredth(self) -> np.ndarray:
        counts = self.by_label[:, :BY_RESULT].sum(0)
        for winner, hundredths in RESULT_VALUES.items():
            counts[hundredths] += self.by_label[winner, BY_RESULT]
        return counts

    def _share(self, amount: float) -> float:
        return float(amount) / self.num_positions if self.num_positions else float("nan")


def phase_report(games: GameFile) -> dict[str, list[PhaseCounts]]:
    """Count positions by phase and source, the largest first; DataFormatError: a damaged row."""
    names, source_of_text = _sources(games)
    shape = (len(names), len(PHASE_STARTS), NUM_WINNERS, NUM_LABELS)
    counts = np.zeros(int(np.prod(shape)), np.int64)
    for cells in _cells(games, source_of_text):
        counts += np.bincount(cells, minlength=counts.size)
    by_source = zip(names, counts.reshape(shape), strict=True)
    return {name: [PhaseCounts(phase) for phase in phases] for name, phases in by_source}


def total_phases(report: Mapping[str, list[PhaseCounts]]) -> list[PhaseCounts]:
    """The counts of all sources together, for each phase."""
    by_phase = zip(*report.values(), strict=True)
    return [PhaseCounts(np.sum([counts.by_label for counts in phase], 0)) for phase in by_phase]


def _sources(games: GameFile) -> tuple[list[str], np.ndarray]:
    """The names of the largest sources, and which of them each text of the file belongs to."""
    texts = [text["source"] for text in games.provenance.get("texts", [])]
    indices = text_indices(games.rows)
    for field, values, limit in (
        ("text", indices, len(texts)),
        ("winner", games.rows["winner"], NUM_WINNERS),
    ):
        if values.max(initial=0) >= limit:
            raise games.damaged(f"some games have a {field} that does not exist")
    num_positions = np.bincount(indices, games.rows["num_positions"], len(texts))
    sizes: dict[str, float] = {}
    for name, size in zip(texts, num_positions.tolist(), strict=True):
        if size:
            sizes[name] = sizes.get(name, 0) + size
    names = sorted(sizes, key=lambda name: (-sizes[name], name))
    if len(names) > MAX_SOURCES:
        names = [*names[: MAX_SOURCES - 1], OTHER_SOURCES]
    numbers = {name: number for number, name in enumerate(names)}
    return names, np.array([numbers.get(name, len(names) - 1) for name in texts])


def _cells(games: GameFile, source_of_text: np.ndarray) -> Iterator[np.ndarray]:
    """For each block of games, the cell of phase_report's counts that each position falls into."""
    last_point = PASS if games.policy_size > games.size**2 else PASS - 1
    phase_of_ply = np.digitize(np.arange(1 << 16), PHASE_STARTS) - 1
    for block in games.blocks():
        rows, game, words = block.rows, block.game, block.words
        values = words >> 9
        has_values = (rows["flags"] & HAS_VALUES != 0)[game]
        is_in_policy = words & 511 <= last_point
        is_position = is_in_policy & (~has_values | (values < BY_RESULT))
        label = np.where(block.has_own_values[game], values, BY_RESULT)
        phase = phase_of_ply[block.ply]
        group = source_of_text[text_indices(rows)][game] * len(PHASE_STARTS) + phase
        cell = (group * NUM_WINNERS + rows["winner"][game]) * NUM_LABELS + label
        yield cell[is_position]
