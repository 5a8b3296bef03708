"""The networks of a run, opened to answer positions or to play."""

from functools import partial
from pathlib import Path

import numpy as np

from golois.games.game import Game
from golois.kit.command import UsageError
from golois.kit.files import sha256_of
from models.catalogue import saved
from models.contract import OUTPUTS
from models.training.precision import Precision, with_precision
from selfplay.options import Options
from tournament.matches.round_robin import Rival
from tournament.networks.evaluator import Evaluator, NetworkEvaluator
from tournament.networks.runtimes import FLOAT32
from tournament.players.fresh_search import BATCH_SIZE, FreshSearch
from tournament.players.protocol import NewPlayer


def open_network(
    artefact: Path, options: Options, batch_size: int = 0, precision: str = FLOAT32
) -> NetworkEvaluator:
    """Open an artefact to be asked positions of the game.

    A `batch_size` of 0 is `parallel`; fewer positions cost as much. The options' precision is for
    shards and the gate alone. Raises NetworkError: it cannot be opened, or is for another game.
    """
    game = Game(options.rules())
    return NetworkEvaluator(
        artefact.read_bytes(),
        batch_size or options.parallel,
        options.runtime,
        game.planes_shape,
        game.policy_size,
        precision,
    )


class CompiledNetwork(Evaluator):
    """A network by Keras, an .h5 compiled for one size of a batch; fewer positions cost as much."""

    def __init__(
        self, path: Path, batch_size: int, precision: Precision = "mixed_bfloat16"
    ) -> None:
        import keras

        network = with_precision(saved.open_network(path), precision)
        self.batch_size = batch_size
        self.planes = np.zeros((batch_size, *network.input_shape[1:]), np.float32)
        self._network = network
        self._plays = keras.Model(network.inputs, network.outputs[: len(OUTPUTS)])
        self._plays.compile(jit_compile="auto")  # by XLA, but not where TensorFlow adds up in order

    def take(self, path: Path) -> None:
        """Compute with the weights of another network of the same layers from now on."""
        self._network.set_weights(saved.open_network(path).get_weights())

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See Evaluator."""
        num_rows = len(planes)
        if not np.shares_memory(planes, self.planes):
            self.planes[:num_rows] = planes
        policy, value = (np.asarray(one) for one in self._plays.predict_on_batch(self.planes))
        return policy[:num_rows].copy(), value[:num_rows, 0].copy()


def require_gpu() -> None:
    """Do nothing if Keras has a GPU. Raises UsageError: it sees none."""
    import keras

    from models.devices import has_gpu

    if not has_gpu():
        raise UsageError(
            f"--device cuda needs a GPU, and {keras.backend.backend()} finds none: install its "
            "CUDA version, or leave out --device"
        )


def opened_player(
    artefact: Path, options: Options, simulations: int, precision: str = FLOAT32
) -> NewPlayer:
    """A network with a search for matches, in a precision of `open_network`, which may raise."""
    network = open_network(artefact, options, BATCH_SIZE, precision)
    search, rules = options.of_matches(), options.rules()
    return lambda seed: FreshSearch(network, search, simulations, rules, seed)


def rival(name: str, artefact: Path, options: Options, simulations: int) -> Rival:
    """A network that meets others."""
    return Rival(
        name,
        partial(opened_player, artefact, options, simulations),
        lambda: [sha256_of(artefact), vars(options.of_matches()), simulations],
    )
