"""A game of FishNet against itself, and what TD(λ) learns of it.

Source: Blair, "Learning the game of Go with Internal Symmetry Networks", 2009.
"""

from dataclasses import dataclass

import numpy as np

from golois.errors import ArgumentError
from golois.native import buffer, check, ffi, lib
from papers.fishnet.game import ChainRules, Scoring, player_fields
from papers.fishnet.network import NUM_KERNEL_NUMBERS, IsnNetwork, reduce_gradient


@dataclass(frozen=True)
class TdOptions:
    """How FishNet plays against itself, and what it learns of a game.

    A move is drawn in proportion to e^(beta · value). `trace_decay` is the λ of TD(λ). With
    `every_move` the return goes through the position after the opponent's next move, as in FishNet2
    ("Negatrain"), not after the player's own. A game ends after two passes or `max_moves`. Raises
    ArgumentError: a number out of range.
    """

    scoring: Scoring = Scoring()
    step: float = 0.1
    beta: float = 4.0
    trace_decay: float = 0.9
    every_move: bool = False
    max_moves: int = 243
    chains: ChainRules = ChainRules()

    def __post_init__(self):
        for name in ("step", "trace_decay"):
            if not 0 <= getattr(self, name) <= 1:
                raise ArgumentError(f"{name} must be from 0 to 1, not {getattr(self, name)}")
        if not 0 <= self.beta <= 1000:
            raise ArgumentError(f"beta must be from 0 to 1000, not {self.beta}")
        if not 1 <= self.max_moves <= 10_000:
            raise ArgumentError(f"max_moves must be from 1 to 10000, not {self.max_moves}")


@dataclass(frozen=True, eq=False)
class TdGame:
    """A game that was played to learn from.

    `moves` are int16, Black's first; size² is a pass. A game of `max_moves` without two passes is
    cut. `score_black` is Black's points less White's. `loss` is the cross-entropy of `num_outputs`
    outputs and their targets, in nats.
    """

    moves: np.ndarray
    is_cut: bool
    score_black: float
    loss: float
    num_outputs: int


def play_td_game(network: IsnNetwork, options: TdOptions, seed: int) -> tuple[TdGame, np.ndarray]:
    """Play a game; return it, and how its loss changes with the weights: [714].

    The targets are constants to the gradient. The loss is summed over all positions, points and
    outputs, and over both players.
    """
    native = ffi.new(
        "golois_td_options *",
        {
            "player": player_fields(options.scoring, options.step, options.chains),
            "beta": options.beta,
            "lambda": options.trace_decay,
            "every_move": options.every_move,
            "max_moves": options.max_moves,
        },
    )
    game, numbers = ffi.new("golois_td_game *"), np.zeros(NUM_KERNEL_NUMBERS)
    moves = np.empty(options.max_moves, np.int16)
    status = lib.golois_td_play(
        network.handle,
        native,
        seed % 2**64,
        game,
        buffer(moves, "int16_t[]"),
        moves.size,
        buffer(numbers, "double[]"),
        numbers.size,
    )
    check(status)
    played = moves[: game.num_moves].copy()
    return (
        TdGame(played, game.is_cut, game.score_black, game.loss, game.num_outputs),
        reduce_gradient(numbers),
    )
