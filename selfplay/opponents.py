"""What a network is measured against: players by name, such as random or rollouts:1000."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from golois.games import Game
from golois.kit.command import UsageError
from golois.rules import Go, Hex, NoGo, Rules
from golois.search_options import SearchOptions
from golois.shapes import MAX_INT32
from selfplay.oracles import is_solvable
from selfplay.players import BATCH_SIZE, AtRandom, AverageLib, Perfect, Player, Rollouts, Searching
from selfplay.programs import opened
from selfplay.td.player import FishNetPlayer
from selfplay.td.saved import SavedNetwork
from tournament.errors import NetworkError
from tournament.intake.own_network import bake_own_network
from tournament.networks.evaluator import NetworkEvaluator
from tournament.programs.known import GNUGO, KATAGO, MOHEX, KnownProgram, any_program

PLANES: Mapping[type, tuple[str, ...]] = {Go: ("course", "zero"), NoGo: ("nogo", "zero")}


@dataclass(frozen=True)
class PlayerSpec:
    """What a player is made of.

    Attributes:
        text: what stands after the colon of its name.
        rules: of the game.
        search: constants of a network's search.
        simulations: of a network's search.
        runtime: that evaluates a network.
    """

    text: str
    rules: Rules
    search: SearchOptions
    simulations: int
    runtime: str


@dataclass(frozen=True)
class Opponent:
    """A kind of player.

    Attributes:
        idea: how it plays, in a few words.
        plays: whether it plays a game.
        opened: makes one, for as long as the context lasts.
        argument: what stands after the colon; empty for nothing.
        default: that number where it is left out; None where it is no number and must be given.
    """

    idea: str
    plays: Callable[[Rules], bool]
    opened: Callable[[PlayerSpec], AbstractContextManager[Player]]
    argument: str = ""
    default: int | None = 0


@contextmanager
def opened_network(spec: PlayerSpec) -> Iterator[Player]:
    """Open an .h5, .keras or .onnx, with whichever planes and policy of the game it has.

    Raises:
        UsageError: there is no such file.
        NetworkError: it is for no set of planes of this game.
    """
    path = Path(spec.text)
    if not path.is_file():
        raise UsageError(f"there is no file {path}: give net: a network")
    with TemporaryDirectory(prefix="go-coursework-kit-") as folder:
        evaluator, rules = _opened(path, spec, Path(folder))
        yield Searching(evaluator, spec.search, spec.simulations, rules)


def _opened(path: Path, spec: PlayerSpec, folder: Path) -> tuple[NetworkEvaluator, Rules]:
    """The network, and the rules with its planes."""
    rules = spec.rules
    sets = [replace(rules, planes=name) for name in PLANES.get(type(rules), ())] or [rules]  # type: ignore[arg-type, call-arg]
    if isinstance(rules, Go):
        others = "arena" if rules.passes == "free" else "free"
        sets += [replace(known, passes=others) for known in sets]  # type: ignore[arg-type]
    sets.sort(key=rules.__ne__)
    errors = []
    for known in sets:
        game = Game(known)
        try:
            artefact = path
            if path.suffix != ".onnx":
                artefact = bake_own_network(path, game, artefact=folder / "net.onnx")
            model = artefact.read_bytes()
            shapes = (game.planes_shape, game.policy_size)
            return NetworkEvaluator(model, BATCH_SIZE, spec.runtime, *shapes), known
        except NetworkError as error:
            errors.append(error)
    raise errors[0]


def opened_fishnet(spec: PlayerSpec) -> AbstractContextManager[Player]:
    """Read one of FishNet's networks, which play on any size.

    Raises:
        CheckpointError: it is no such file.
    """
    return nullcontext(FishNetPlayer(SavedNetwork.load(Path(spec.text)), spec.rules.size))


def _known(program: KnownProgram, idea: str, argument: str) -> Opponent:
    return Opponent(
        idea,
        program.plays,
        lambda spec: opened(program.numbered(int(spec.text))),
        argument,
        program.default,
    )


OPPONENTS: Mapping[str, Opponent] = {
    "random": Opponent("any legal point", lambda _: True, lambda _: nullcontext(AtRandom())),
    "averagelib": Opponent(
        "one move ahead, for liberties",
        lambda rules: not isinstance(rules, Hex),
        lambda _: nullcontext(AverageLib()),
    ),
    "rollouts": Opponent(
        "UCT with random games",
        lambda rules: not isinstance(rules, Go),
        lambda spec: nullcontext(Rollouts(int(spec.text))),
        "playouts",
        1000,
    ),
    "perfect": Opponent("keeps each win", is_solvable, lambda _: nullcontext(Perfect())),
    "net": Opponent(
        "a network that searches", lambda _: True, opened_network, "file", default=None
    ),
    "fishnet": Opponent(
        "FishNet without a search",
        lambda rules: isinstance(rules, Go),
        opened_fishnet,
        "file",
        default=None,
    ),
    "gnugo": _known(GNUGO, "GNU Go 3.8", "level"),
    "katago": _known(KATAGO, "KataGo", "visits"),
    "mohex": _known(MOHEX, "MoHex", "playouts"),
    "gtp": Opponent(
        "any program that speaks GTP",
        lambda _: True,
        lambda spec: opened(any_program(spec.text)),
        "command",
        default=None,
    ),
}


def described(name: str) -> str:
    """How an opponent is named, and what it does."""
    opponent = OPPONENTS[name]
    shown = f":{opponent.argument.upper()}" if opponent.argument else ""
    if shown and opponent.default is not None:
        shown = f"[{shown}]"
    return f"{name}{shown}, {opponent.idea}"


def file_digest(name: str) -> str | None:
    """The SHA-256 of the file that a player is read from; None if it has no file."""
    kind, _, text = name.partition(":")
    path = Path(text)
    if kind not in ("net", "fishnet") or not path.is_file():
        return None
    return sha256(path.read_bytes()).hexdigest()


def opened_opponent(
    name: str, rules: Rules, search: SearchOptions, simulations: int, runtime: str
) -> AbstractContextManager[Player]:
    """Make an opponent by its name, such as random or rollouts:1000.

    Args:
        name: and after a colon what it takes.
        rules: of the game.
        search: constants of a network's search.
        simulations: of a network's search.
        runtime: that evaluates a network.

    Raises:
        UsageError: there is none of this name, it doesn't play this game, or takes another number.
    """
    kind, _, text = name.partition(":")
    if kind not in OPPONENTS:
        raise UsageError(f"a player must be one of {', '.join(OPPONENTS)}, not {kind!r}")
    opponent = OPPONENTS[kind]
    if not opponent.plays(rules):
        raise UsageError(f"{kind} does not play {rules}: choose another player")
    if opponent.default is None:
        if not text:
            raise UsageError(f"{kind} takes a {opponent.argument} after a colon")
    elif text and not (opponent.argument and text.isdecimal() and 1 <= int(text) <= MAX_INT32):
        number = f"a number of {opponent.argument} from 1 to {MAX_INT32}"
        wanted = number if opponent.argument else "nothing"
        raise UsageError(f"{kind} takes {wanted} after a colon, not {text!r}")
    text = text or str(opponent.default)
    return opponent.opened(PlayerSpec(text, rules, search, simulations, runtime))
