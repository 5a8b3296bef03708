"""FishNet's networks in a file: their weights, and what they have learned to predict."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from golois.errors import DataFormatError
from golois.kit.files import write_whole
from golois.kit.run_folder import DAMAGES
from papers.fishnet.game import ChainRules, FishNet, Scoring
from papers.fishnet.network import NUM_SELECTION_WEIGHTS, NUM_WEIGHTS, IsnNetwork, SelectionNetwork

NUMBERS = ("captured", "stone", "step")


@dataclass(frozen=True, eq=False)
class SavedNetwork:
    """What FishNet plays with: weights, float32 [714], as it learned; SelNet's, float32 [342]."""

    weights: np.ndarray
    scoring: Scoring
    step: float
    selection: np.ndarray | None = None
    selection_games: int = 0
    chains: ChainRules = ChainRules()

    def save(self, path: Path) -> None:
        """Write it as .npz."""
        arrays = {"weights": self.weights.astype(np.float32)}
        if self.selection is not None:
            arrays["selection"] = self.selection.astype(np.float32)
            arrays["selection_games"] = np.array(self.selection_games)
        if self.chains != ChainRules():
            arrays["least_eye"] = np.array(self.chains.least_eye)
            arrays["openings"] = np.array(self.chains.openings).reshape(-1, 3)

        def write(beside: Path) -> None:
            np.savez(
                beside,
                captured=self.scoring.captured,
                stone=self.scoring.stone,
                step=self.step,
                **arrays,  # type: ignore[arg-type]  # NumPy's stub takes the names for options
            )

        write_whole(path, write, durable=False)

    @classmethod
    def load(cls, path: Path) -> "SavedNetwork":
        """Read it. Raises DataFormatError: no such file, or it isn't one of FishNet."""
        try:
            with np.load(path, allow_pickle=False) as file:
                weights = _required(file["weights"], NUM_WEIGHTS)
                captured, stone, step = (float(file[name]) for name in NUMBERS)
                selection, games = None, 0
                if "selection" in file:
                    selection = _required(file["selection"], NUM_SELECTION_WEIGHTS)
                    games = int(file["selection_games"])
                chains = ChainRules()
                if "openings" in file:
                    rows = tuple(tuple(row) for row in file["openings"].tolist())
                    chains = ChainRules(float(file["least_eye"]), rows)
            return cls(weights, Scoring(captured, stone), step, selection, games, chains)
        except DAMAGES as error:
            raise DataFormatError(
                f"{path} is not a network of FishNet: it must be an .npz with {NUM_WEIGHTS} weights"
            ) from error

    def network(self, size: int) -> IsnNetwork:
        """The network on a size of board."""
        return IsnNetwork(self.weights, size)

    def selection_network(self, size: int) -> SelectionNetwork | None:
        """SelNet on a size of board, if there is one."""
        return None if self.selection is None else SelectionNetwork(self.selection, size)

    def game(self, network: IsnNetwork) -> FishNet:
        """A game from the empty board."""
        return FishNet(network, self.scoring, self.step, self.chains)


def _required(array: np.ndarray, count: int) -> np.ndarray:
    if array.shape != (count,) or not np.isfinite(array).all():
        raise ValueError("other weights")
    return array.astype(np.float32)
