"""The networks of a run as players."""

from functools import partial
from pathlib import Path

from golois.games.game import Game
from golois.kit.files import sha256_of
from selfplay.options import Options
from tournament.matches.round_robin import Entrant
from tournament.networks.evaluator import NetworkEvaluator
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


def opened_player(
    artefact: Path, options: Options, simulations: int, precision: str = FLOAT32
) -> NewPlayer:
    """A network with a search for matches, in a precision of `open_network`, which may raise."""
    network = open_network(artefact, options, BATCH_SIZE, precision)
    search, rules = options.of_matches(), options.rules()
    return lambda seed: FreshSearch(network, search, simulations, rules, seed)


def entrant(name: str, artefact: Path, options: Options, simulations: int) -> Entrant:
    """A network that meets others."""
    return Entrant(
        name,
        partial(opened_player, artefact, options, simulations),
        lambda: [sha256_of(artefact), vars(options.of_matches()), simulations],
    )
