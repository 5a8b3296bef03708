"""What a network's raw outputs mean: probabilities, points and errors, in White's view."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from golois.constants import PASS, TOURNAMENT_KOMI
from golois.go.symmetry import point_table, view
from golois.katago.inputs import NUM_PLANES, search_inputs
from golois.katago.network import Network

Raw = Mapping[str, np.ndarray]
"""The outputs of `golois.katago.walk.outputs`, float32, the side to move's."""
Predict = Callable[[np.ndarray, np.ndarray], Raw]
"""A network as a function of planes [B, 19, 19, 22] and globals [B, 19], float32."""


@dataclass(frozen=True, eq=False)
class Positions:
    """Positions as a network reads them, and the facts that turn raw outputs into answers.

    planes: float32 [B, 19, 19, 22]; globals: float32 [B, 19]; both are KataGo's V7 inputs.
    legal: bool [B, 362]; the last is the pass.
    white_to_move: bool [B]
    simple_ko: bool [B]; only games of this rule can end without a result.
    """

    planes: np.ndarray
    globals: np.ndarray
    legal: np.ndarray
    white_to_move: np.ndarray
    simple_ko: np.ndarray


def search_positions(
    planes: np.ndarray, komi: float = TOURNAMENT_KOMI, policy_size: int = PASS + 1
) -> Positions:
    """Return what a Tree of `Go(19, komi, planes="katago")` asks, float32 [N, 19, 19, 28].

    All moves below `policy_size` count as legal. Raises ArgumentError as `search_inputs`.
    """
    shown, numbers = search_inputs(planes, komi)
    legal = np.ones((len(planes), PASS + 1), bool)
    legal[:, policy_size:] = False
    white_to_move = planes[:, 0, 0, NUM_PLANES] == 1
    return Positions(shown, numbers, legal, white_to_move, np.zeros(len(planes), bool))


def joined(parts: Iterable[Positions]) -> Positions:
    """Return positions one after the other; at least one part is needed."""
    return Positions(
        *map(np.concatenate, zip(*(vars(part).values() for part in parts), strict=True))
    )


@dataclass(frozen=True, eq=False)
class Answers:
    """What a network says of positions; float32, of shape [B] unless another shape is given.

    policy: [B, 362], probabilities of the next move, the last for the pass; 0 for illegal moves.
    white_wins, black_wins, no_result: probabilities; no result is 0 unless the ko rule is simple.
    lead: points that White is ahead.
    score_mean, score_deviation: of White's final score in points; no result counts as 0.
    ownership: [B, 361], from -1 for Black to 1 for White.
    time_left: moves until the result is nearly settled; None before version 9.
    value_error, score_error: by how much the next few moves may change P(White wins) -
        P(Black wins), and the score; None before version 9.
    """

    policy: np.ndarray
    white_wins: np.ndarray
    black_wins: np.ndarray
    no_result: np.ndarray
    lead: np.ndarray
    score_mean: np.ndarray
    score_deviation: np.ndarray
    ownership: np.ndarray
    time_left: np.ndarray | None = None
    value_error: np.ndarray | None = None
    score_error: np.ndarray | None = None


def answer(
    predict: Predict,
    network: Network,
    positions: Positions,
    symmetries: Sequence[int] = (0,),
    optimism: float = 0.0,
) -> Answers:
    """Return the mean of what a network answers to views of positions, each turned back.

    `symmetries` are those of `golois.go.symmetry`, whose 5 is KataGo's 6 and whose 6 KataGo's 5.
    KataGo takes one at random for each position. `optimism` is that of `answers_of`.
    """
    views = []
    for symmetry in symmetries:
        raw = predict(np.ascontiguousarray(view(positions.planes, symmetry)), positions.globals)
        views.append(answers_of(network, turned_back(raw, symmetry), positions, optimism))
    return views[0] if len(views) == 1 else _mean(views)


def answers_of(network: Network, raw: Raw, positions: Positions, optimism: float = 0.0) -> Answers:
    """Return what the raw outputs of a network mean.

    `optimism` from 0 to 1 leads from the plain policy to the optimistic one, which versions before
    12 lack. KataGo takes 1 inside a search and 0.2 at its root. Source: KataGo 1.17.2.
    """
    policy, value, score = (raw[x].astype(np.float64) for x in ("policy", "value", "score"))
    win, loss, none = _value(value, positions.simple_ko).T
    white = positions.white_to_move
    sign = np.where(white, 1.0, -1.0)
    by = network.multipliers
    mean = score[:, 0] * by.score_mean
    deviation = _softplus(score[:, 1]) * by.score_deviation
    numbers = {
        "policy": _policy(policy, positions.legal, optimism),
        "white_wins": np.where(white, win, loss),
        "black_wins": np.where(white, loss, win),
        "no_result": none,
        "lead": sign * score[:, 2] * by.lead * (1 - none),
        "score_mean": sign * mean * (1 - none),
        "score_deviation": np.sqrt((1 - none) * (deviation**2 + none * mean**2)),
        "ownership": sign[:, np.newaxis] * np.tanh(raw["ownership"]),
    }
    if network.version >= 9:
        numbers["time_left"] = _softplus(score[:, 3]) * by.time
        numbers["value_error"], numbers["score_error"] = _errors(network, score[:, 4], score[:, 5])
    return Answers(**{name: number.astype(np.float32) for name, number in numbers.items()})


def turned_back(raw: Raw, symmetry: int) -> Raw:
    """Turn what a network says of a view into what it says of the position."""
    moved = point_table()[symmetry]
    moves = np.append(moved, len(moved))
    return {**raw, "policy": raw["policy"][:, moves], "ownership": raw["ownership"][:, moved]}


def _policy(logits: np.ndarray, legal: np.ndarray, optimism: float) -> np.ndarray:
    plain = logits[..., 0]
    if logits.shape[2] > 1:
        plain = plain + (logits[..., 1] - plain) * optimism
    return _softmax(np.where(legal, plain, -np.inf))


def _value(logits: np.ndarray, simple_ko: np.ndarray) -> np.ndarray:
    no_result = np.where(simple_ko, logits[:, 2], -np.inf)
    return _softmax(np.column_stack([logits[:, :2], no_result]))


def _errors(
    network: Network, value: np.ndarray, score: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the short-term errors of value and score, whose formula changed with the version."""
    by = network.multipliers
    if network.version < 10:
        return _softplus(value), 10 * _softplus(score)
    if network.version < 14:
        value, score = np.sqrt(_softplus(value)), np.sqrt(_softplus(score))
    else:
        value, score = _softplus(value / 2), _softplus(score / 2)
    return value * np.sqrt(by.value_error), score * np.sqrt(by.score_error)


def _softplus(x: np.ndarray) -> np.ndarray:
    return np.logaddexp(0, x)


def _softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def _mean(views: Sequence[Answers]) -> Answers:
    columns = {name: [vars(one)[name] for one in views] for name in vars(views[0])}
    known = {name: column for name, column in columns.items() if column[0] is not None}
    return Answers(**{name: np.mean(column, axis=0) for name, column in known.items()})
