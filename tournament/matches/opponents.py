"""What a network is measured against: a player by its name, or another network."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from golois.games.game import Game
from golois.games.rules import Go, NoGo, Rules
from golois.katago import reading
from golois.kit.command import UsageError
from golois.kit.files import sha256_of
from golois.search.options import SearchOptions
from tournament.errors import NetworkError
from tournament.game.options import EventOptions
from tournament.intake.own_network import bake_own_network
from tournament.networks.evaluator import Evaluator, KatagoEvaluator, NetworkEvaluator
from tournament.networks.runtimes import FLOAT32
from tournament.players import make_player, registry
from tournament.players.fresh_search import BATCH_SIZE, FreshSearch
from tournament.players.protocol import NewPlayer, Player
from tournament.running.sides import NETWORK, Side, options_of_side, parse_side, refuse_idle

PLANES = {Go: ("course", "zero"), NoGo: ("nogo", "zero")}
SUFFIXES = (".h5", ".keras", ".onnx", *reading.SUFFIXES)


def describe_opponents() -> str:
    """Return how each opponent is named, and what it does."""
    return f"FILE[,OPTION=VALUE…], a network that searches; {registry.describe_players()}"


def opened_opponent(
    name: str, rules: Rules, search: SearchOptions, simulations: int, runtime: str
) -> AbstractContextManager[NewPlayer]:
    """Find an opponent by its name, as `tournament play` takes it, to be opened as a context.

    A network searches each position afresh; with options of its own it plays as in the arena.

    Raises:
        UsageError, OptionsError: an unknown name, another game, or wrong options.
        DataFormatError: a file that is no network of FishNet or KataGo.
    """
    side = _network(name)
    if side is None:
        return registry.find_player(name, rules)(True)
    assert side.path is not None
    if not side.path.is_file():
        raise UsageError(f"there is no file {side.path}: name a network")
    if not side.options:
        fresh = partial(FreshSearch, search=search, simulations=simulations)
        return _opened(side.path, _seen_rules(rules), runtime, BATCH_SIZE, fresh)
    event = EventOptions(visits=simulations + 1, batch_size=BATCH_SIZE, search=search)
    own = options_of_side(event, side.options)
    refuse_idle(own, side.options)
    if own.tta or own.precision != FLOAT32:
        raise UsageError(f"{name} has tta or a precision: only python -m tournament takes these")
    return _opened(side.path, [rules], runtime, own.batch_size or BATCH_SIZE, _in_arena(own))


def _in_arena(options: EventOptions) -> Callable[..., Player]:
    return lambda evaluator, rules, seed: make_player(evaluator, options, seed)


def file_digest(name: str) -> str | None:
    """The SHA-256 of the file that a player is read from; None if it has no file."""
    side = _network(name)
    if side is None:
        return registry.file_digest(name)
    return sha256_of(side.path) if side.path and side.path.is_file() else None


def _network(name: str) -> Side | None:
    text = registry.file_of_katago(name) or name.removeprefix(NETWORK)
    file, _ = registry.file_and_settings(text)
    is_network = file.endswith(SUFFIXES) or Path(file).is_dir()
    if registry.names_player(name) or not (name != text or is_network):
        return None
    if not text:
        raise UsageError("net takes a file after a colon")
    return parse_side(name)


@contextmanager
def _opened(
    path: Path,
    known_rules: Sequence[Rules],
    runtime: str,
    batch_size: int,
    new_player: Callable[..., Player],
) -> Iterator[NewPlayer]:
    """Open a network's file by the first rules whose shapes it has; NetworkError if none fits."""
    with TemporaryDirectory(prefix="go-coursework-kit-") as folder:
        errors = []
        for rules in known_rules:
            try:
                network = _evaluator(path, Game(rules), runtime, batch_size, Path(folder))
            except NetworkError as error:
                errors.append(error)
                continue
            yield _of_game(new_player, network, rules)
            return
        raise errors[0]


def _evaluator(path: Path, game: Game, runtime: str, batch_size: int, folder: Path) -> Evaluator:
    if reading.katago_suffix(path):
        return KatagoEvaluator(path, batch_size).of_game(game)[0]
    artefact = path
    if path.suffix != ".onnx":
        artefact = bake_own_network(path, game, artefact=folder / "net.onnx")
    shapes = (game.planes_shape, game.policy_size)
    return NetworkEvaluator(artefact.read_bytes(), batch_size, runtime, *shapes)


def _of_game(new_player: Callable[..., Player], network: Evaluator, rules: Rules) -> NewPlayer:
    return lambda seed: new_player(network, rules=rules, seed=seed)


def _seen_rules(rules: Rules) -> list[Rules]:
    """The rules with each set of planes that a network may read, the game's own set first."""
    sets = [replace(rules, planes=name) for name in PLANES.get(type(rules), ())] or [rules]  # type: ignore[arg-type]
    if isinstance(rules, Go):
        others = "arena" if rules.passes == "free" else "free"
        sets += [replace(known, passes=others) for known in sets]  # type: ignore[arg-type]
    return sorted(sets, key=rules.__ne__)
