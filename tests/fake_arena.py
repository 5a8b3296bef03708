"""What arena tests share: tiny networks, submissions without an intake, slow evaluators."""

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from golois.constants import PLANES_SHAPE
from golois.games.game import Game
from golois.games.rules import Go
from golois.go.board import Board
from tests.fake_network import hashed
from tournament.game.options import EventOptions
from tournament.game.play import void_record
from tournament.game.record import GameRecord
from tournament.intake.graph.onnx import OnnxModel, encode_node
from tournament.league.league import League
from tournament.league.submissions import Submission
from tournament.networks.evaluator import Evaluator
from tournament.players.protocol import Choice, Player, Resignation

OPTIONS = EventOptions(visits=4, seed=0)


def arena_game(board: Board | None = None, komi: float = 7.5) -> Game:
    """The game that goes on from a board as the arena's do."""
    return Game(Go(19, komi, passes="arena"), board or Board())


class Scripted(Player):
    """Plays these moves, then resigns.

    Args:
        moves: points, or choices.
    """

    def __init__(self, *moves: int | Choice):
        self._moves = list(moves)

    def choose(self, game: Game) -> Choice:
        if not self._moves:
            raise Resignation
        move = self._moves.pop(0)
        return move if isinstance(move, Choice) else Choice(move, 1)


class FakeClock:
    """CPU seconds that pass where a test says so."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class FakeEvaluator(Evaluator):
    """Answers as a function of the planes does; each answer moves a clock on, where one is given.

    Args:
        answer: of planes, the policies and values.
        batch_size: the most positions of a call.
        planes_shape: of a position.
        clock: the players'.
        cpu_seconds: what a call takes on it.
    """

    def __init__(
        self,
        answer=hashed,
        batch_size: int = 4,
        clock: FakeClock | None = None,
        cpu_seconds: float = 0.0,
        planes_shape: tuple[int, ...] = PLANES_SHAPE,
    ):
        self.batch_size = batch_size
        self.planes = np.zeros((batch_size, *planes_shape), np.float32)
        self.num_calls = 0
        self._answer = answer
        self._clock = clock or FakeClock()
        self._cpu_seconds = cpu_seconds

    def evaluate(self, planes):
        self.num_calls += 1
        self._clock.seconds += self._cpu_seconds
        return self._answer(planes)


def busy(answer, cpu_seconds: float):
    """The same answers, each after burning some CPU time."""

    def answer_later(planes):
        end = time.process_time() + cpu_seconds
        while time.process_time() < end:
            pass
        return answer(planes)

    return answer_later


class Outlook:
    """So many games to come, and so much time."""

    takes_out_failures = True

    def __init__(self, num_games: int, budget_seconds: float | None = None):
        self.num_games, self.budget_seconds = num_games, budget_seconds

    def seconds_left(self) -> float | None:
        return self.budget_seconds


@dataclass(frozen=True)
class FakeManifest:
    """What a league needs of a manifest."""

    sha256: str
    onnx_sha256: str
    parameters_total: int = 31
    answers: tuple[float, ...] = ()
    parameters_trainable: int = 30


def tiny_network(seed: int, scale: float = 1.0) -> bytes:
    """An artefact that weighs each point's planes, by random weights, into a policy and a value."""
    weights = scale * np.random.default_rng(seed).normal(0, 1, (31, 1)).astype(np.float32)
    nodes = [
        encode_node("MatMul", ["planes", "weights"], "heights"),
        encode_node("Reshape", ["heights", "flat"], "logits"),
        encode_node("Softmax", ["logits"], "policy", axis=-1),
        encode_node("ReduceMean", ["logits"], "mean", axes=[1], keepdims=1),
        encode_node("Sigmoid", ["mean"], "value"),
    ]
    return artefact_of(nodes, weights)


def heavy_network(filters: int = 64) -> bytes:
    """An artefact whose convolution is large enough for a runtime to share it out among threads."""
    weights = np.random.default_rng(1).normal(0, 0.1, (filters, 31, 3, 3)).astype(np.float32)
    nodes = [
        encode_node("Transpose", ["planes"], "channels_first", perm=[0, 3, 1, 2]),
        encode_node("Conv", ["channels_first", "weights"], "trunk", pads=[1, 1, 1, 1]),
        encode_node("ReduceMean", ["trunk"], "mean", axes=[1], keepdims=0),
        encode_node("Reshape", ["mean", "flat"], "logits"),
        encode_node("Softmax", ["logits"], "policy", axis=-1),
        encode_node("ReduceMax", ["policy"], "value", axes=[1], keepdims=1),
    ]
    return artefact_of(nodes, weights)


def artefact_of(
    nodes: Sequence[bytes], weights: np.ndarray, constants: Mapping[str, np.ndarray] | None = None
) -> bytes:
    """An artefact of these nodes, which may use `weights`, and `flat`, the shape of policies."""
    arrays = {"weights": weights, "flat": np.array([-1, 361]), **(constants or {})}
    outputs = {"policy": (361,), "value": (1,)}
    return OnnxModel("network", nodes, arrays, {"planes": PLANES_SHAPE}, outputs).encode()


def file_network(
    league: League,
    name: str,
    artefact: bytes,
    folder: Path,
    *,
    file: bytes | None = None,
    answers: tuple[float, ...] = (),
    **options,
) -> Submission:
    """Files an artefact as if the intake had baked it from an .h5 file, by default of its bytes."""
    path, onnx_path = folder / f"{name}.h5", folder / f"{name}.onnx"
    path.write_bytes(artefact if file is None else file)
    onnx_path.write_bytes(artefact)
    digests = (hashlib.sha256(part.read_bytes()).hexdigest() for part in (path, onnx_path))
    manifest = FakeManifest(*digests, answers=answers)
    verdict = SimpleNamespace(accepted=True, faults=(), manifest=manifest, onnx_path=onnx_path)
    return league.submissions.add(name, path, verdict, **options)


def league_of(folder: Path, names: tuple[str, ...] = ("Ada", "Grace", "Kurt")) -> League:
    """A league with a tiny network for each name."""
    league = League(folder / "league")
    for seed, name in enumerate(names):
        file_network(league, name, tiny_network(seed), folder)
    return league


def record_of(job, **changes) -> GameRecord:
    """A short game of a job, won by Black unless said otherwise."""
    void = void_record(job, OPTIONS, "")
    moves = (Choice(60, 4, 0.01, 0.5), Choice(361, 4, 0.02, 0.25))
    played = {"result": "B+3.5", "winner": "black", "kind": "played", "moves": moves}
    return replace(void, **{**played, **changes})
