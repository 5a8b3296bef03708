"""The network of a run and what trains it, by `models.training`."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from golois.data.mixture import Mixture
from golois.games.game import Game
from golois.kit.command import UsageError
from golois.kit.signals import StopRequest, raise_if_stopped
from models.catalogue.saved import open_network
from models.contract import OUTPUTS
from models.training.checkpoint import RunState, load_checkpoint, save_checkpoint
from models.training.steps import prefetched, save_network
from models.training.transfer import Transfer, output_names, take_weights
from selfplay.options import Options

if TYPE_CHECKING:
    import keras

POSITIONS_TO_FIT = 64
BATCHES_KEPT = 500  # between two checkpoints before the first iteration


def settings_of_network(options: Options) -> dict[str, Any]:
    """What the builder of the network takes.

    Raises UsageError: a network of 19×19 alone, or an option that follows from the game;
    ModelsError: there is no such network, or it has no such option.
    """
    import models
    from models.catalogue.registry import default_options

    game = Game(options.rules())
    shapes = {"size": game.size, "planes": game.planes_shape[-1], "moves": game.policy_size}
    if taken := shapes.keys() & options.set.keys():
        raise UsageError(f"--set {min(taken)} follows from the game: leave it out")
    if not shapes.keys() <= default_options(options.model).keys():
        fit = [name for name in models.REGISTRY if shapes.keys() <= default_options(name).keys()]
        raise UsageError(f"--model must be one of {', '.join(fit)}, not {options.model}")
    return models.resolve_options(options.model, {**options.set, **shapes})


def build_network(options: Options) -> "keras.Model":
    """Build the network with seeded weights; its layers' names depend on it alone.

    Raises UsageError: an output that nothing trains, a value with two outcomes, or what
    `settings_of_network` raises; ModelsError: likewise.
    """
    import keras

    import models

    settings = settings_of_network(options)
    keras.utils.clear_session(free_memory=False)
    keras.utils.set_random_seed(options.seed)
    network = models.build(options.model, **settings)
    others = [name for name in network.output_names[len(OUTPUTS) :] if name not in HEADS]
    if others or (len(network.outputs) > len(OUTPUTS) and options.game != "nogo"):
        raise UsageError(
            f"nothing trains the additional outputs of this {options.model} in {options.game}: "
            "leave out the --set that adds them"
        )
    if network.outputs[1].shape[-1] != 1:
        raise UsageError("the value must be one number: leave out --set outcomes=two")
    return network


class Learner:
    """One network through all iterations, a row of history each; its state is a checkpoint."""

    def __init__(self, options: Options) -> None:
        import keras

        from models.training.losses import compile_for_training

        _compute_alike()
        self.options = options
        self.network = build_network(options)
        self.heads = tuple(self.network.output_names[len(OUTPUTS) :])
        outputs = dict(zip(self.network.output_names, self.network.outputs, strict=True))
        self._model = keras.Model(self.network.inputs, outputs)
        for variable in self._model.trainable_variables:
            _penalise(variable, options.l2)
        compile_for_training(
            self._model,
            further_losses=head_losses(self.heads, options),
            **options.of_compilation(),
        )
        self._model.optimizer.build(self._model.trainable_variables)
        self.state = RunState()

    @property
    def iteration(self) -> int:
        """How many iterations it was trained in."""
        return len(self.state.history)

    def restore(self, checkpoint: Path) -> None:
        """Continue from a checkpoint. Raises CheckpointError: damaged, or of another network."""
        self.state = load_checkpoint(checkpoint, self._model)

    def save(self, checkpoint: Path) -> None:
        """Write a checkpoint."""
        save_checkpoint(checkpoint, self._model, self.state)

    def save_network(self, path: Path) -> None:
        """Write the network as .h5."""
        save_network(path, self.network)

    def begin_with(self, path: str) -> Transfer:
        """Take the weights of a network for the same planes, of any board, where they fit.

        Raises UsageError: it has other planes or outputs; ModelOptionError: there is none, or it is
        for another board and has other layers; SavedNetworkError: see `open_network`.
        """
        source = open_network(path)
        ours, theirs = (
            (network.input_shape[-1], output_names(network)) for network in (self.network, source)
        )
        if ours != theirs:
            raise UsageError(
                f"--init-from must be a network of {ours[0]} planes with the outputs "
                f"{', '.join(ours[1])}, not of {theirs[0]} with {', '.join(theirs[1])}"
            )
        return take_weights(self.network, source, _positions(Game(self.options.rules())))

    def begin_with_games(
        self, games: Mixture, num_steps: int, checkpoint: Path, stop: StopRequest,
        on_batch: Callable[[], None],
    ) -> None:
        """Train on games before the first iteration, which then begins with a new optimizer.

        Every BATCHES_KEPT batches the state goes to `checkpoint`, from which a later call goes on.
        """
        if checkpoint.exists():
            self.restore(checkpoint)
            for _ in range(self.state.step):
                on_batch()
        while self.state.step < num_steps:
            left = num_steps - self.state.step
            self.train(games, min(BATCHES_KEPT, left), 0, stop, on_batch)
            self.save(checkpoint)
        self.state = RunState()
        self._forget_direction()

    def begin_again_from(self, path: Path) -> None:
        """Take the weights of an earlier network, and forget where the optimizer was heading."""
        self.network.set_weights(open_network(path).get_weights())
        self._forget_direction()

    def _forget_direction(self) -> None:
        self._model.optimizer.iterations.assign(0)  # by which Adam scales its first steps
        for variable in self._model.optimizer.variables:
            if variable.shape:  # neither the count of batches nor the rate
                variable.assign(np.zeros(variable.shape, np.float32))

    def train(
        self,
        games: Mixture,
        num_steps: int,
        new_positions: int,
        stop: StopRequest,
        on_batch: Callable[[], None],
    ) -> None:
        """Train an iteration's batches, and add their means to the history.

        `new_positions` were played in this iteration. Raises Stopped: by a signal; the state must
        not be saved then; UsageError: the loss is not a number any more.
        """
        more = ("area", "ownership", "ownership_known") if self.heads else ()
        arrays = ("policy", "value_white", *more)

        def sample(step: int) -> Any:
            return games.sample(self.options.batch_size, step, targets=arrays)

        values: list[np.ndarray] = []
        with closing(prefetched(sample, self.state.step)) as batches:
            for _ in range(num_steps):
                rate = self.options.rate(self.state.step)
                self._model.optimizer.learning_rate.assign(rate)
                batch = next(batches)
                known = {f"{name}_loss": float(batch.ownership_known.sum()) for name in self.heads}
                self.state.add_batch(self._step(batch), len(batch.planes), known)
                values.append(batch.value_white)
                on_batch()
                raise_if_stopped(stop)
        means = self.state.means() if num_steps else {}
        if num_steps and not np.isfinite(means["loss"]):
            raise UsageError(
                f"the loss is not a number after batch {self.state.step}: start a new run with a "
                "lower --lr"
            )
        constant = float(np.var(np.concatenate(values))) if num_steps else float("nan")
        self._end_iteration(means, constant, new_positions, num_steps)

    def _end_iteration(
        self, means: Mapping[str, float], constant: float, new_positions: int, num_steps: int
    ) -> None:
        self.state.history.append(
            {
                "step": self.state.step,
                "steps": num_steps,
                "new_positions": new_positions,
                "learning_rate": self.options.rate(max(0, self.state.step - 1)),
                **means,
                "value_mse_of_a_constant": constant,
            }
        )
        self.state.sums, self.state.known, self.state.num_positions = {}, {}, 0

    def _step(self, batch: Any) -> dict[str, float]:
        labels = {"policy": batch.policy, "value": batch.value_white[:, None]}
        weights = {name: np.ones(len(batch.planes), np.float32) for name in labels}
        for name in self.heads:  # trained on games that were played out, not resigned
            labels[name] = HEADS[name].label(batch).astype(np.float32)
            weights[name] = batch.ownership_known
        self._model.reset_metrics()
        means = self._model.train_on_batch(batch.planes, labels, weights, return_dict=True)
        return {name: float(value) for name, value in means.items()}


def _positions(game: Game) -> np.ndarray:
    """The planes of a game whose moves are drawn, to fit what a transfer adds."""
    random, planes = Random(0), [game.planes()]
    while len(planes) < POSITIONS_TO_FIT and not game.is_over:
        game.play(random.choice(game.candidates()))
        planes.append(game.planes())
    return np.stack(planes)


def _penalise(variable: Any, l2: float) -> None:
    import keras

    is_kernel = len(variable.shape) > 1
    variable.regularizer = keras.regularizers.L2(l2) if is_kernel and l2 else None


def _compute_alike() -> None:
    """Have TensorFlow add up in the same order each time, so that a resumed run is the same run."""
    import keras

    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        tf.config.experimental.enable_op_determinism()


@dataclass(frozen=True)
class Head:
    """What an output is trained on: its label, float32 `[B, …]`, of a batch, and a Keras loss.

    `weight` is an option; with `sums_points` it weighs each point (the paper's equation 7), and the
    loss is still a mean over the points.
    """

    label: Callable[[Any], np.ndarray]
    loss: str
    weight: str
    sums_points: bool = False


def dominion(batch: Any) -> np.ndarray:
    """Whether each point ends as the mover's own, `[B, points]`; half where it is nobody's."""
    return (batch.area.reshape(len(batch.area), -1) + 1) / 2


def score(batch: Any) -> np.ndarray:
    """How many more legal moves the mover has at the end, `[B, 1]`, from −5 to 5."""
    return batch.nogo_score()[:, None]


HEADS = {  # Gao and Wu, NoGoZero+, 2021, sections 3.2.2 and 3.2.3
    "dominion": Head(dominion, "BinaryCrossentropy", "dominion_weight", sums_points=True),
    "score": Head(score, "MeanSquaredError", "score_weight"),
}


def head_losses(
    names: Sequence[str], options: Options
) -> dict[str, tuple["keras.losses.Loss", float]]:
    """The loss of each head, a mean over the rows that have a target, and its weight."""
    import keras

    return {
        name: (
            getattr(keras.losses, HEADS[name].loss)(reduction="mean_with_sample_weight"),
            getattr(options, HEADS[name].weight)
            * (options.size**2 if HEADS[name].sums_points else 1),
        )
        for name in names
    }
