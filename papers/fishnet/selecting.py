"""SelNet learns from FishNet's games which moves raise the value, seen before they are made."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import numpy as np

from golois.go.coords import BLACK, opponent
from golois.kit.command import UsageError
from golois.kit.signals import StopRequest, raise_if_stopped
from papers.fishnet.learning import require_numbers
from papers.fishnet.network import INNER, NUM_OUTPUTS, NUM_SELECTION_WEIGHTS, SelectionNetwork
from papers.fishnet.saved import SavedNetwork

BLOCK_GAMES = 20


@dataclass(frozen=True)
class SelectionOptions:
    """How SelNet learns; UsageError for a value out of range.

    `beta` is that of the draws and of both distributions. `lr` is for gradients summed over a game.
    Games end after 3·size² moves at the latest.
    """

    size: int = 13
    beta: float = 8.0
    lr: float = 2e-5
    seed: int = 0

    def __post_init__(self) -> None:
        if not 2 <= self.size <= 19:
            raise UsageError(f"--size must be from 2 to 19, not {self.size}")
        if not 0 < self.lr < np.inf:
            raise UsageError(f"--lr must be a finite number above 0, not {self.lr}")


@dataclass(frozen=True)
class Divergence:
    """SelNet's and a uniform choice's divergence from the values, in nats, before learning."""

    selection: float
    uniform: float
    positions: int


def distribution(values: np.ndarray, beta: float) -> np.ndarray:
    """e^(beta · value) as shares that sum to 1; 0 for illegal moves, which are NaN."""
    weights = np.nan_to_num(np.exp(beta * (values - np.nanmax(values))))
    return weights / weights.sum()


def divergence(wanted: np.ndarray, said: np.ndarray) -> float:
    """The Kullback-Leibler divergence of two distributions, in nats."""
    used = wanted > 0
    return float((wanted[used] * np.log(wanted[used] / np.maximum(said[used], 1e-30))).sum())


def learn_from_game(
    saved: SavedNetwork, weights: np.ndarray, options: SelectionOptions, number: int
) -> tuple[np.ndarray, Divergence]:
    """Play a game; return the gradient and SelNet's loss: its divergence from the values."""
    game = saved.game(saved.network(options.size))
    selection = SelectionNetwork(weights, options.size)
    gradient, random = np.zeros(NUM_SELECTION_WEIGHTS), Random(f"{options.seed} {number}")
    pass_point, colour = options.size**2, BLACK
    moves: list[int] = []
    losses = np.zeros(2)
    while moves[-2:] != [pass_point] * 2 and len(moves) < 3 * pass_point:
        values = game.values()
        wanted = distribution(values, options.beta)
        said = distribution(game.selection(selection), options.beta)
        losses += (divergence(wanted, said), np.log(np.isfinite(values).sum()) - _entropy(wanted))
        errors = np.zeros((pass_point, NUM_OUTPUTS), np.float32)
        errors[:, 0] = (options.beta * (said - wanted))[:pass_point]
        gradient += selection.gradient(game.selection_inputs(), errors)
        moves.append(random.choices(range(pass_point + 1), wanted.tolist())[0])
        game.play(moves[-1], colour)
        colour = opponent(colour)
    selected, uniform = losses / len(moves)
    return gradient, Divergence(float(selected), float(uniform), len(moves))


def learn_to_select(
    saved: SavedNetwork,
    path: Path,
    options: SelectionOptions,
    num_games: int,
    say: Callable[[str], None],
    stop: StopRequest,
) -> None:
    """Play games until SelNet has learned from so many, and write both networks now and then.

    `stop` is looked at between games. Raises Stopped: by a signal; up to BLOCK_GAMES games are
    lost; UsageError: the weights are not numbers any more.
    """
    if saved.selection_games >= num_games:
        saved.save(path)
        say(
            f"{path} has a SelNet that has learned from {saved.selection_games:,} games: "
            "give more with --games to train it further"
        )
    weights = np.zeros(NUM_SELECTION_WEIGHTS)
    if saved.selection is None:
        random = np.random.default_rng(options.seed)
        weights[INNER] = random.normal(0, 0.1, weights[INNER].shape)
    else:
        weights[:] = saved.selection
    while saved.selection_games < num_games:
        found = []
        last = min(saved.selection_games + BLOCK_GAMES, num_games)
        for number in range(saved.selection_games, last):
            gradient, loss = learn_from_game(saved, weights, options, number)
            with np.errstate(over="ignore", invalid="ignore"):
                weights -= options.lr * gradient
            require_numbers(weights, number + 1)
            found.append(loss)
            raise_if_stopped(stop)
        saved = replace(saved, selection=weights.astype(np.float32), selection_games=last)
        saved.save(path)
        weights[:] = saved.selection  # as a call finds them that goes on from here
        say(_line(saved.selection_games, found))


def _entropy(shares: np.ndarray) -> float:
    used = shares[shares > 0]
    return float(-(used * np.log(used)).sum())


def _line(games: int, found: list[Divergence]) -> str:
    positions = sum(one.positions for one in found)
    selected = sum(one.selection * one.positions for one in found) / positions
    uniform = sum(one.uniform * one.positions for one in found) / positions
    return (
        f"{games:,} games, divergence {selected:.3f} nats a position, before learning from it; "
        f"{uniform:.3f} of equal chances"
    )
