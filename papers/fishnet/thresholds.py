"""From how many openings on chains live: the limits of FishNet2's classes, measured in games.

They are where the likelihood of capture of chains without an eye is 0.75, 0.5 and 0.25. Source:
Blair, "Learning the game of Go with Internal Symmetry Networks", 2009, in a figure only.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from golois.go.board import Board
from golois.go.chains import all_chains, neighbours
from golois.go.coords import BLACK, EMPTY, opponent
from golois.kit.command import UsageError
from golois.kit.signals import StopRequest, raise_if_stopped
from papers.fishnet.saved import SavedNetwork
from papers.fishnet.td_game import TdOptions, play_td_game
from papers.fishnet.td_options import Options

LIKELIHOODS = (0.75, 0.5, 0.25)
SIZES = 8
"""Larger chains are counted with those of so many stones."""

LEAST_EYE = 0.2
"""The paper's, of FishNet2."""

ONE_EYE = 0.75
PLIES_APART = 4
LEAST_CHAINS = 100
"""Sizes with fewer chains take the limits of all sizes together."""


@dataclass(frozen=True)
class ChainSeen:
    """A chain in a game, as the player sees it that has just moved.

    `openings` is the sum over its liberties of the likelihood that they become its owner's, and
    over the enemy chains beside it of the likelihood that they are captured, as the classes count
    them; `eyes` the same for eyes, without unlikely eyes. `is_captured`: in the rest of the game.
    """

    stones: int
    openings: float
    eyes: float
    is_captured: bool


def print_limits(
    saved: SavedNetwork, options: Options, games: int, say: Callable[[str], None], stop: StopRequest
) -> None:
    """Play games, and print their limits; UsageError: too few games; Stopped: by a signal."""
    chains: list[ChainSeen] = []
    rules = replace(options.of_games(), chains=saved.chains)  # those that it has learned with
    for seed in range(games):
        chains += chains_of_game(saved, options.size, rules, seed, options.least_eye)
        raise_if_stopped(stop)
    try:
        limits = measured_limits(chains)
    except ValueError as error:
        raise UsageError(f"{games:,} games show no limits: give more with --games") from error
    for stones, row in limits.items():
        count = sum(chain.eyes < ONE_EYE and min(chain.stones, SIZES) == stones for chain in chains)
        name = f"{stones} or more" if stones == SIZES else f"{stones}"
        say(f"{name} stones, {count:,} chains: " + ", ".join(f"{limit:.2f}" for limit in row))
    say(f"--least-eye {options.least_eye:g} --openings {written(limits)}")


def chains_of_game(
    saved: SavedNetwork, size: int, options: TdOptions, seed: int, least_eye: float
) -> list[ChainSeen]:
    """Play a game, and look at all chains after every fourth move, with FishNet2's `least_eye`."""
    network = saved.network(size)
    moves = play_td_game(network, options, seed)[0].moves
    boards = _boards(size, moves)
    stays = np.ones((len(moves), size * size), bool)
    for ply in range(len(moves) - 2, -1, -1):
        stays[ply] = stays[ply + 1] & (boards[ply] == boards[ply + 1])
    game, colour, seen = saved.game(network), BLACK, []
    for ply, move in enumerate(moves):
        game.play(int(move), colour)
        if ply % PLIES_APART == 0:
            outputs = game.outputs(colour).reshape(-1, 7)
            seen += _chains(boards[ply], stays[ply], colour, outputs, least_eye)
        colour = opponent(colour)
    return seen


def measured_limits(chains: Iterable[ChainSeen]) -> dict[int, tuple[float, ...]]:
    """The limits of sizes 1 … SIZES: ascending openings. ValueError: chains don't show them."""
    chains = [chain for chain in chains if chain.eyes < ONE_EYE]
    all_sizes = limits_of(chains)
    found = {}
    for stones in range(1, SIZES + 1):
        alike = [chain for chain in chains if min(chain.stones, SIZES) == stones]
        try:
            found[stones] = limits_of(alike)
        except ValueError:
            found[stones] = all_sizes
    return found


def limits_of(chains: list[ChainSeen]) -> tuple[float, ...]:
    """Openings at which a logistic curve crosses LIKELIHOODS; ValueError: it doesn't fall."""
    captured = np.array([chain.is_captured for chain in chains], np.float64)
    if len(chains) < LEAST_CHAINS or not 0 < captured.sum() < len(captured):
        raise ValueError("too few chains")
    openings = np.array([chain.openings for chain in chains])
    level, slope = _logistic_fit(openings, captured)
    if slope >= 0:
        raise ValueError("more openings make capture likelier")
    crossings = [(np.log(share / (1 - share)) - level) / slope for share in LIKELIHOODS]
    return tuple(max(0.0, float(crossing)) for crossing in crossings)


def written(limits: Mapping[int, tuple[float, ...]]) -> str:
    """As the option `--openings` takes them."""
    return ",".join(":".join(f"{limit:.2f}" for limit in row) for row in limits.values())


def _logistic_fit(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Level and slope of the likeliest logistic curve, by Newton's method with a weak prior."""
    columns, beta = np.stack([np.ones_like(x), x], axis=1), np.zeros(2)
    prior = 1e-3 * np.eye(2)
    for _ in range(50):
        share = 1 / (1 + np.exp(-columns @ beta))
        slope = columns.T @ (y - share) - prior @ beta
        curvature = (columns * (share * (1 - share))[:, None]).T @ columns + prior
        beta += np.linalg.solve(curvature, slope)
    return float(beta[0]), float(beta[1])


def _boards(size: int, moves: np.ndarray) -> np.ndarray:
    """The stones after each move: [moves, points]."""
    board, colour, after = Board(size), BLACK, []
    for move in moves:
        board.play(int(move), colour)
        after.append(board.stones().ravel())
        colour = opponent(colour)
    return np.array(after)


def _chains(
    stones: np.ndarray, stays: np.ndarray, player: int, outputs: np.ndarray, least_eye: float
) -> list[ChainSeen]:
    is_empty, is_own = stones == EMPTY, stones == player
    own = np.where(is_empty, outputs[:, 0], np.where(is_own, outputs[:, 1], outputs[:, 2]))
    eyes = {player: outputs[:, 3], opponent(player): outputs[:, 4]}
    found, known = [], list(all_chains(stones.tolist()))
    name_at = {point: name for name, (chain, _) in enumerate(known) for point in chain}
    captured = [_capture_of(own, chain, is_own) for chain, _ in known]
    beside = neighbours(round(len(stones) ** 0.5))
    for chain, around in known:
        stone, liberties = min(chain), sorted(around)
        colour = int(stones[stone])
        of_owner = own[liberties] if colour == player else 1 - own[liberties]
        eye = eyes[colour][liberties]
        touched = {
            name_at[near]
            for point in chain
            for near in beside[point]
            if stones[near] == opponent(colour)
        }
        likely = sum(captured[name] for name in touched)
        found.append(
            ChainSeen(
                len(chain),
                float(of_owner.sum() + likely),
                float(eye[eye > least_eye].sum() + likely),
                not stays[stone],
            )
        )
    return found


def _capture_of(own: np.ndarray, chain: set[int], is_own: np.ndarray) -> float:
    """How likely a chain is captured: the lowest likelihood of its stones."""
    stones = sorted(chain)
    return float(np.where(is_own[stones], 1 - own[stones], own[stones]).min())
