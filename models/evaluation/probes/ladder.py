"""Does a network's trunk know who wins a ladder? A small head, trained on it frozen, tells.

Source: ResTNet, "Defense against Adversarial Policies via Transformer in Computer Go", and its
code.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import keras
import numpy as np
from keras import layers

from golois.go.symmetry import NUM_SYMMETRIES, view
from models.evaluation.equivalence import OWN_PLANE
from models.evaluation.network import Network
from models.evaluation.probes.ladder_positions import CAPTURED, ESCAPES, Ladders
from models.parts.blocks import norm_activation

LADDER_PLANES = slice(1, 5)
HIDDEN_UNITS = 256
SURE = 0.5
ROUNDS, EPOCHS_A_ROUND = 12, 5
BATCH_SIZE, LEARNING_RATE = 32, 1e-3


@dataclass(frozen=True)
class LadderScore:
    """How often a probe is right, of all test positions.

    `accuracy` counts at least 0.5 for a chain that escapes, at most -0.5 for a captured chain.
    Answers between are `unknown`, which counts as wrong.
    """

    accuracy: float
    unknown: float
    of_escapes: float
    of_captures: float


def score(predicted: np.ndarray, targets: np.ndarray) -> LadderScore:
    """Judge answers in [-1, 1] by targets of 1 and -1."""
    is_right = predicted * targets >= SURE
    return LadderScore(
        accuracy=float(is_right.mean()),
        unknown=float((np.abs(predicted) < SURE).mean()),
        of_escapes=float(is_right[targets == ESCAPES].mean()),
        of_captures=float(is_right[targets == CAPTURED].mean()),
    )


def masked(ladders: Ladders) -> Ladders:
    """Return the same positions without planes 1 to 4, which say what ladders take."""
    planes = ladders.planes.copy()
    planes[..., LADDER_PLANES] = 0
    return replace(ladders, planes=planes)


def probe_ladders(
    network: Network, training: Ladders, test: Ladders, seed: int, on_round: Callable[[int], None]
) -> dict[str, Any]:
    """Train a head on the frozen trunk, and test it on other games; EvaluationError: no trunk."""
    trunk = network.trunk()

    def trunk_of(planes: np.ndarray) -> np.ndarray:
        return trunk.predict_on_batch(network.shown(planes))

    head = trained_head(trunk_of, trunk.output_shape[-1], training, seed, on_round)
    starts = range(0, len(test), BATCH_SIZE)
    batches = [test.planes[start : start + BATCH_SIZE] for start in starts]
    answers = [head.predict_on_batch(trunk_of(batch))[:, 0] for batch in batches]
    line = line_through_planes(training, test.planes)
    return {
        "trunk": {"layer": trunk.output_names[0], "channels": trunk.output_shape[-1]},
        "num_training_positions": len(training),
        "num_test_positions": len(test),
        "head": asdict(score(np.concatenate(answers), test.targets)),
        "line_through_ladder_planes": asdict(score(line, test.targets)),
    }


def ladder_head(channels: int) -> keras.Model:
    """Return one answer from the trunk's board `[19, 19, C]`: 1 escapes, -1 captured."""
    trunk = layers.Input((19, 19, channels))
    x = layers.Flatten()(norm_activation(layers.Conv2D(2, 1)(trunk), "relu"))
    x = layers.Dense(HIDDEN_UNITS, activation="relu")(x)
    return keras.Model(trunk, layers.Dense(1, activation="tanh")(x))


def trained_head(
    trunk_of: Callable[[np.ndarray], np.ndarray],
    channels: int,
    training: Ladders,
    seed: int,
    on_round: Callable[[int], None],
) -> keras.Model:
    """Train a new head on what the trunk shows of the positions, under new symmetries each round.

    The trunk only predicts, so that no weight and no statistic of its norms can change. `trunk_of`
    takes planes `[B, 19, 19, 31]` to a board `[B, 19, 19, channels]`. The seed is that of the head,
    the order and the symmetries. `on_round` gets the number of rounds done, of `ROUNDS`.
    """
    keras.utils.set_random_seed(seed)
    rng = np.random.default_rng(seed)
    head = ladder_head(channels)
    num_batches = max(1, len(training) // BATCH_SIZE)
    num_rows = min(len(training), num_batches * BATCH_SIZE)
    num_steps = ROUNDS * EPOCHS_A_ROUND * num_batches
    rate = keras.optimizers.schedules.CosineDecay(LEARNING_RATE, num_steps)
    head.compile(keras.optimizers.Adam(rate), "mse", jit_compile=False)
    for done in range(1, ROUNDS + 1):
        order = rng.permutation(len(training))[:num_rows]
        batches = (training.planes[rows] for rows in np.array_split(order, num_batches))
        views = (view(batch, int(rng.integers(NUM_SYMMETRIES))) for batch in batches)
        shown = np.concatenate([trunk_of(planes) for planes in views])
        for _ in range(EPOCHS_A_ROUND):
            for rows in np.array_split(rng.permutation(num_rows), num_batches):
                head.train_on_batch(shown[rows], training.targets[order[rows]])
        on_round(done)
    return head


def line_through_planes(training: Ladders, planes: np.ndarray) -> np.ndarray:
    """Predict `[N]` by least squares from stones on planes 1 to 4 of uint8 `[N, 19, 19, 31]`."""
    weights, *_ = np.linalg.lstsq(_marks(training.planes), training.targets, rcond=None)
    return np.clip(_marks(planes) @ weights, -1, 1)


def _marks(planes: np.ndarray) -> np.ndarray:
    ladders = planes[..., LADDER_PLANES]
    own = planes[..., OWN_PLANE, None]
    by_side = [(ladders & own).any(axis=(1, 2)), (ladders & (1 - own)).any(axis=(1, 2))]
    return np.concatenate([*by_side, np.ones((len(planes), 1), bool)], axis=1).astype(float)
