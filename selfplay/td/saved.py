"""A network of FishNet in a file: 714 weights, and what they have learned to predict."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from golois.files import write_whole
from golois.fishnet import NUM_WEIGHTS, FishNet, IsnNetwork, Scoring
from models.errors import CheckpointError

NUMBERS = ("captured", "stone", "step")


@dataclass(frozen=True, eq=False)
class SavedNetwork:
    """What FishNet plays with, on any size of board.

    Attributes:
        weights: float32 [714], as golois.fishnet has them.
        scoring: that they were learned with.
        step: likewise; see `golois.fishnet.FishNet`.
    """

    weights: np.ndarray
    scoring: Scoring
    step: float

    def save(self, path: Path) -> None:
        """Write it as .npz."""

        def write(beside: Path) -> None:
            np.savez(
                beside,
                weights=self.weights.astype(np.float32),
                captured=self.scoring.captured,
                stone=self.scoring.stone,
                step=self.step,
            )

        write_whole(path, write, durable=False)

    @classmethod
    def load(cls, path: Path) -> "SavedNetwork":
        """Read it.

        Raises:
            CheckpointError: no such file, or it isn't one of FishNet.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                weights = file["weights"].astype(np.float32)
                captured, stone, step = (float(file[name]) for name in NUMBERS)
            if weights.shape != (NUM_WEIGHTS,) or not np.isfinite(weights).all():
                raise ValueError
            return cls(weights, Scoring(captured, stone), step)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CheckpointError(
                f"{path} is not a network of FishNet: it must be an .npz with {NUM_WEIGHTS} weights"
            ) from error

    def network(self, size: int) -> IsnNetwork:
        """The network on a size of board."""
        return IsnNetwork(self.weights, size)

    def game(self, network: IsnNetwork) -> FishNet:
        """A game from the empty board."""
        return FishNet(network, self.scoring, self.step)
