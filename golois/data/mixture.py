"""Several sources of positions as one, mixed by weight."""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil

import numpy as np

from golois.data.batch import Batch, BatchSource, Symmetry
from golois.data.sampling import random_words, unit_fractions
from golois.errors import ArgumentError


def proportional_counts(
    count: int, weights: Sequence[float], available: Sequence[int]
) -> list[int]:
    """How many of about `count` positions each source gives: by its weight, if it has so many."""
    total = sum(weights)
    return [
        min(ceil(weight / total * count), most)
        for weight, most in zip(weights, available, strict=True)
    ]


class Mixture(BatchSource):
    """Positions of several sources: `sample` draws from each in proportion to its weight, above 0.

    `walk` shows every position of all sources once. Each source keeps its own split. Positions are
    numbered source after source, and so are the rows of a batch. Raises ArgumentError: no source, a
    weight not above 0, or several formats, sets of planes, games, sizes or policies.
    """

    def __init__(self, weighted_sources: Sequence[tuple[BatchSource, float]], *, seed: int = 0):
        self.sources = [source for source, _ in weighted_sources]
        weights = np.array([weight for _, weight in weighted_sources], np.float64)
        if not (weights.size and np.isfinite(weights).all() and (weights > 0).all()):
            raise ArgumentError(f"each source needs a weight above 0, not {weights.tolist()}")
        for what, names in (
            ("game and board", {str(source.shape) for source in self.sources}),
            ("format of planes", {source.planes for source in self.sources}),
            ("set of features", {source.features for source in self.sources}),
        ):
            if len(names) > 1:
                raise ArgumentError(
                    f"all sources need the same {what}, not {', '.join(sorted(names))}"
                )
        self.seed = seed
        self.planes = self.sources[0].planes
        self.features = self.sources[0].features
        self.shape = self.sources[0].shape
        self.title = " and ".join(source.title for source in self.sources)
        self._weights = weights.tolist()
        self._shares = np.cumsum(weights / weights.sum())[:-1]

    def num_games(self, split: str) -> int:
        """Games of all sources in "train" or "validation"."""
        return sum(source.num_games(split) for source in self.sources)

    def num_positions(self, split: str) -> int:
        """Training positions of all sources, numbered source after source."""
        return sum(source.num_positions(split) for source in self.sources)

    @property
    def has_targets(self) -> bool:
        """Whether a teacher or a search has labelled positions of any source."""
        return any(source.has_targets for source in self.sources)

    def draw(self, first: int, count: int, split: str) -> np.ndarray:
        """Draw sources by weight, and each one's positions: int64 [count], source after source."""
        words = random_words(self.seed, "mixture", np.arange(first, first + count))
        chosen = np.searchsorted(self._shares, unit_fractions(words), side="right")
        positions = []
        for index, start in enumerate(self._starts(split)):
            source = self.sources[index]
            source.require_positions(split)
            positions.append(start + source.draw(first, count, split)[chosen == index])
        return np.concatenate(positions)

    def draw_game(self, step: int, split: str) -> np.ndarray:
        """Draw a source, so that its positions have its weight, and its game `step`; int64 [n]."""
        lengths = [
            source.require_positions(split) / source.num_games(split) for source in self.sources
        ]
        chances = np.divide(self._weights, lengths)
        shares = np.cumsum(chances / chances.sum())[:-1]
        word = random_words(self.seed, "mixture", np.array([step]))
        chosen = int(np.searchsorted(shares, unit_fractions(word)[0], side="right"))
        return self._starts(split)[chosen] + self.sources[chosen].draw_game(step, split)

    def walked_rows(
        self, batch_size: int, start: int = 0, split: str = "train", symmetry: Symmetry = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """The positions and symmetries, each [batch_size], that `walk` shows, by their source."""
        positions, symmetries = super().walked_rows(batch_size, start, split, symmetry)
        order = np.argsort(self._owners(positions, split), kind="stable")
        return positions[order], symmetries[order]

    def passes(self, positions: np.ndarray, draws: int, split: str) -> np.ndarray:
        """As `BatchSource.passes`: a source's weight decides how often its positions are shown."""
        sizes = [source.num_positions(split) for source in self.sources]
        rates = np.array(self._weights) / sum(self._weights) / sizes
        return (draws * rates[self._owners(positions, split)]).astype(np.int64)

    def proportional_rows(self, count: int, split: str = "validation") -> np.ndarray:
        """About `count` different positions: of each source the first of its walk, by its weight.

        A source that has too few shows all. Raises ArgumentError: a source with an empty split.
        """
        available = [source.require_positions(split) for source in self.sources]
        counts = proportional_counts(count, self._weights, available)
        rows = zip(self.sources, self._starts(split), counts, strict=True)
        return np.concatenate(
            [start + source.walked_rows(number, 0, split)[0] for source, start, number in rows]
        )

    def fill(
        self, batch: Batch, positions: np.ndarray, symmetries: np.ndarray, split: str = "train"
    ) -> None:
        """As `BatchSource.fill`; the positions must stand source after source."""
        if not len(positions):  # as of a game in which no position is one to train on
            return
        starts = self._starts(split)
        owners = self._owners(positions, split)
        borders = np.flatnonzero(np.diff(owners)) + 1
        for first, end in pairwise([0, *borders.tolist(), len(owners)]):
            owner = owners[first]
            within = positions[first:end] - starts[owner]
            self.sources[owner].fill(batch.slice(first, end), within, symmetries[first:end], split)

    def _starts(self, split: str) -> np.ndarray:
        counts = [source.num_positions(split) for source in self.sources]
        return np.cumsum([0, *counts[:-1]])

    def _owners(self, positions: np.ndarray, split: str) -> np.ndarray:
        return np.searchsorted(self._starts(split), positions, side="right") - 1
