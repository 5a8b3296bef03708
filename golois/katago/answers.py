"""What a network's raw outputs mean: probabilities, points and ownership, in White's view."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from golois.go.symmetry import point_table, view
from golois.katago.inputs import Inputs
from golois.katago.network import Network

Raw = Mapping[str, np.ndarray]
"""The outputs of `golois.katago.walk.outputs`, float32, the side to move's."""
Predict = Callable[[np.ndarray, np.ndarray], Raw]
"""A network as a function of planes [B, 19, 19, 22] and globals [B, 19], float32."""


class Answers(NamedTuple):
    """What a network says of B positions; float32.

    policy: [B, 362], probabilities of the next move, the last for the pass; 0 for illegal moves.
    white_wins: [B], probabilities.
    lead: [B], points that White is ahead.
    ownership: [B, 361], from -1 for Black to 1 for White.
    """

    policy: np.ndarray
    white_wins: np.ndarray
    lead: np.ndarray
    ownership: np.ndarray


def answer(
    predict: Predict, network: Network, inputs: Inputs, symmetries: Sequence[int] = (0,)
) -> Answers:
    """Return the mean of what a network answers to views of positions, each turned back.

    The planes are float32. `symmetries` are those of `golois.go.symmetry`, whose 5 is KataGo's 6
    and whose 6 KataGo's 5. KataGo takes one at random for each position.
    """
    views = []
    for symmetry in symmetries:
        raw = predict(np.ascontiguousarray(view(inputs.planes, symmetry)), inputs.globals)
        views.append(answers_of(network, turned_back(raw, symmetry), inputs))
    return Answers(*(np.mean(column, axis=0) for column in zip(*views, strict=True)))


def answers_of(network: Network, raw: Raw, inputs: Inputs) -> Answers:
    """Return what the raw outputs of a network mean; the policy is the plain one.

    The third raw value is left out: no game ends without a result under superko. Source: KataGo
    1.17.2.
    """
    policy, value, score = (raw[x].astype(np.float64) for x in ("policy", "value", "score"))
    win, loss = _softmax(value[:, :2]).T
    sign = np.where(inputs.white_to_move, 1.0, -1.0)
    numbers = (
        _softmax(np.where(inputs.legal, policy[..., 0], -np.inf)),
        np.where(inputs.white_to_move, win, loss),
        sign * score[:, 2] * network.lead,
        sign[:, np.newaxis] * np.tanh(raw["ownership"]),
    )
    return Answers(*(number.astype(np.float32) for number in numbers))


def turned_back(raw: Raw, symmetry: int) -> Raw:
    """Turn what a network says of a view into what it says of the position."""
    moved = point_table()[symmetry]
    moves = np.append(moved, len(moved))
    return {**raw, "policy": raw["policy"][:, moves], "ownership": raw["ownership"][:, moved]}


def _softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
