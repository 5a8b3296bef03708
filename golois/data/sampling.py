"""Which positions a batch holds, as pure functions of a seed: no state to save or share."""

import numpy as np

from golois.errors import ArgumentError

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FEISTEL_ROUNDS = 4


def mix64(values: np.ndarray) -> np.ndarray:
    """A bijection of uint64 whose output looks random. Source: SplitMix64, Steele et al. 2014."""
    x = np.asarray(values, np.uint64)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def random_words(seed: int, stream: str, indices: np.ndarray) -> np.ndarray:
    """A uint64 for each index; other seeds and streams give unrelated words."""
    key = np.frombuffer(stream.encode()[:8].ljust(8, b"\0"), np.uint64)
    seeds = mix64(np.array([seed % 2**64], np.uint64) ^ mix64(key))
    return mix64(seeds + np.asarray(indices, np.uint64) * GOLDEN)


def uniform_positions(num_positions: int, seed: int, first: int, count: int) -> np.ndarray:
    """Draws first … first + count − 1, with replacement: int64 [count] in 0 … num_positions − 1."""
    words = random_words(seed, "sample", np.arange(first, first + count))
    return (words % np.uint64(num_positions)).astype(np.int64)


def uniform_symmetries(seed: int, first: int, count: int) -> np.ndarray:
    """Draw `count` symmetries: uint8 in 0 … 7."""
    words = random_words(seed, "symmetry", np.arange(first, first + count))
    return (words >> np.uint64(61)).astype(np.uint8)


def unit_fractions(words: np.ndarray) -> np.ndarray:
    """The words as float64 in [0, 1)."""
    return (words >> np.uint64(11)) * 2.0**-53


def shuffled_game(num_games: int, seed: int, step: int) -> int:
    """Which game the draw number `step` shows: each once, in another order at every pass."""
    nth_pass, at = divmod(step, num_games)
    order = Permutation(num_games, int(random_words(seed, "games", np.array([nth_pass]))[0]))
    return int(order(np.array([at]))[0])


class WeightedPositions:
    """Draws positions in proportion to a weight of their game and of their phase of the game.

    num_positions, int [G], counts each game's positions; game_weights are float [G]. phase_weights
    are float [P]: each game is cut into P parts of equal length. Memory grows with G · P alone.
    """

    def __init__(
        self, num_positions: np.ndarray, game_weights: np.ndarray, phase_weights: np.ndarray
    ):
        num_phases = len(phase_weights)
        cuts = num_positions[:, None] * np.arange(num_phases + 1) // num_phases
        counts = np.diff(cuts)
        firsts = (np.cumsum(num_positions) - num_positions)[:, None] + cuts[:, :-1]
        masses = counts * np.outer(game_weights, phase_weights)
        is_drawn = masses > 0
        self._firsts = firsts[is_drawn]
        self._counts = counts[is_drawn].astype(np.uint64)
        self._ends = np.cumsum(masses[is_drawn])

    def __call__(self, seed: int, first: int, count: int) -> np.ndarray:
        """Draws first … first + count − 1, int64; ArgumentError where all positions weigh 0."""
        if not self._ends.size:
            raise ArgumentError("there is no position to draw: all weights are 0")
        draws = np.arange(first, first + count)
        shares = unit_fractions(random_words(seed, "weigh", draws)) * self._ends[-1]
        parts = np.searchsorted(self._ends, shares, side="right")
        parts = np.minimum(parts, self._ends.size - 1)  # a share can round up to the whole
        within = random_words(seed, "sample", draws) % self._counts[parts]
        return self._firsts[parts] + within.astype(np.int64)


class Permutation:
    """A seeded permutation of 0 … size − 1 that needs no table.

    A Feistel network over the next power of four, walked until it lands inside.
    Source: Black and Rogaway, "Ciphers with arbitrary finite domains", 2002.
    """

    def __init__(self, size: int, seed: int):
        self.size = size
        self._half_bits = np.uint64(max(1, (max(size - 1, 1).bit_length() + 1) // 2))
        self._mask = (np.uint64(1) << self._half_bits) - np.uint64(1)
        self._keys = random_words(seed, "permute", np.arange(FEISTEL_ROUNDS))

    def __call__(self, indices: np.ndarray) -> np.ndarray:
        """The images, int64, of indices that lie in 0 … size − 1."""
        images = self._encrypt(np.asarray(indices, np.uint64))
        while (outside := images >= self.size).any():
            images[outside] = self._encrypt(images[outside])
        return images.astype(np.int64)

    def _encrypt(self, x: np.ndarray) -> np.ndarray:
        left, right = x >> self._half_bits, x & self._mask
        for key in self._keys:
            left, right = right, left ^ (mix64(right ^ key) & self._mask)
        return (left << self._half_bits) | right
