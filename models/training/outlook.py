"""What is said of a run before it trains: its network, its games, its cost, and what to expect."""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import keras

from golois.kit.command import in_units
from golois.kit.run_folder import CheckpointError, name_of_file, read_table
from models.catalogue.own import FILES, title_of
from models.catalogue.table import count_flops
from models.contract import PARAM_BUDGET, POLICY_NAME, VALUE_NAME, count_parameters
from models.devices import has_gpu
from models.training.auxiliary import calls_before
from models.training.forecast import expected
from models.training.options import EMBEDDED_GAMES, Options
from models.training.run_folder import TrainingFolder, describe_file, have_same_games
from models.training.steps import constant_errors, evaluate

TRAINING_FLOPS = 3
"""Operations of a training step over those of an evaluation: forward once, backward twice."""


PEAK_SECONDS = 0.3
"""How long the peak of the machine is measured; the fastest product counts."""


class Outlook:
    """What a run's lines compare it with.

    constant_mse, constant_mae: value errors of the best constants on the held-out positions.
    flops: operations of training on one position, about.
    peak_flops: operations that this machine does in a second at best, in the run's precision.
    """

    def __init__(
        self,
        options: Options,
        network: keras.Model,
        games: Any,
        held_out: Sequence[Any],
        folder: TrainingFolder,
    ) -> None:
        self._options = options
        self._title = _title_of(options.model)
        self._network = network
        self._games = games
        self._num_held_out = sum(len(batch.planes) for batch in held_out)
        self._folder = folder
        self.constant_mse, self.constant_mae = constant_errors(held_out)
        self.flops = training_flops(network)
        self.peak_flops = peak_flops(network.compute_dtype)

    def of_network(self, milliseconds: float) -> Iterator[str]:
        """Say how large a network is and what it costs; the milliseconds are of an evaluation."""
        total, trainable = (
            count_parameters(self._network, count) for count in ("total", "trainable")
        )
        parts = ", ".join(f"{name} {count:,}" for name, count in parts_of(self._network).items())
        yield (
            f"{self._title} of {total:,} parameters (budget {PARAM_BUDGET:,}), "
            f"{trainable:,} trainable"
        )
        flops = count_flops(self._network) / 1e6
        yield f"  {parts}; {flops:,.0f} MFLOP"
        yield f"  {milliseconds:.2f} ms an evaluation here; into {self._folder.path}"

    def of_games(self) -> Iterator[str]:
        """Say how many positions there are, how often each is seen, and what a constant reaches."""
        known = self._games.num_positions("train")
        seen = self._positions()
        most = "at most " if self._options.minutes else ""
        times = f": the run takes {most}{seen:,}, each about {seen / known:.2g} times"
        yield f"{known:,} positions to train on{times if seen else ''}"
        yield (
            f"{self._num_held_out:,} held-out positions, where a constant has "
            f"value MSE {self.constant_mse:.4f} MAE {self.constant_mae:.4f}"
        )
        yield from self._last_run()
        if seen and not self._options.minutes:
            yield from self._expected(seen)

    def at_the_end(self, speed: float) -> Iterator[str]:
        """Say how long the run takes at so many positions a second, and what it then reaches.

        The seconds, and what is said, are by the clock of the run.
        """
        seen, of_minutes = self._positions(), round(60 * self._options.minutes * speed)
        of_processor = self._options.of_processor
        if seen and (not of_minutes or seen <= of_minutes):
            time_of_all = f"{in_units(seen / speed)}{of_processor}"
            yield f"{speed:,.0f} positions/s: {time_of_all} for the whole run"
            if of_minutes:
                yield from self._expected(seen)
        elif not of_minutes:  # whole games, of any number of positions
            yield f"{speed:,.0f} positions/s"
        else:
            seen = of_minutes
            known = self._games.num_positions("train")
            yield (
                f"{speed:,.0f} positions/s: about {seen:,} positions in "
                f"{self._options.minutes:g} minutes{of_processor}, each {seen / known:.2g} times"
            )
            yield from self._expected(seen)

    def _positions(self) -> int:
        """Return how many positions the run takes at most, 0 where its time alone decides."""
        options = self._options
        if options.whole_games:
            return 0
        return options.epochs * options.steps_per_epoch * options.batch_size

    def _expected(self, seen: int) -> Iterator[str]:
        found = expected(self._title, seen)
        is_small = count_parameters(self._network) < PARAM_BUDGET / 2
        if found is None or is_small or self._games.features != "course":
            return  # the kit's trainings were of other networks
        games = "" if list(self._options.data) == [str(EMBEDDED_GAMES)] else " on the kit's games"
        others = "" if found.is_of_family else f", none of them a {self._title}"
        yield (
            f"expected at the end{games}: "
            f"accuracy {found.accuracy:.0%} ± {100 * found.accuracy_halfwidth:.0f}, "
            f"value MSE {found.value_mse:.3f} ± {found.value_mse_halfwidth:.3f} "
            f"({found.num_runs} runs{others})"
        )

    def _last_run(self) -> Iterator[str]:
        """Say what the newest other run beside this one had reached, with the same games."""
        runs = self._folder.path.resolve().parent.glob("*/history.csv")
        own = self._folder.history.resolve()
        newest = sorted((path for path in runs if path != own), key=_changed, reverse=True)
        own_files = list(map(describe_file, self._games.sources))
        for path in newest:
            with suppress(CheckpointError, KeyError, TypeError, OSError):
                files = TrainingFolder(path.parent).read_config()["data"]["files"]
                history = read_table(path)
                if not (have_same_games(files, own_files) and history):
                    continue
                last = history[-1]
                yield (
                    f"your last run, {path.parent.name}, after {int(last['positions']):,} "
                    f"positions: accuracy {last['val_policy_accuracy']:.1%} "
                    f"value MSE {last['val_value_mse']:.4f}"
                )
                return


def training_flops(network: keras.Model) -> int:
    """Return the operations of training on one position, about."""
    return TRAINING_FLOPS * count_flops(network)


def milliseconds_of(model: keras.Model, batch: Any) -> float:
    """Measure an evaluation of a position in a batch, in milliseconds of wall time."""
    evaluate(model, [batch])  # which compiles what each validation needs
    started = time.perf_counter()
    evaluate(model, [batch])
    return 1000 * (time.perf_counter() - started) / len(batch.planes)


def parts_of(network: keras.Model) -> dict[str, int]:
    """Count the parameters of the stem, the blocks, and what policy or value have alone.

    The stem is the first layer with weights, and its norm; the blocks are what both heads read.
    """
    of_policy, of_value = (
        {call.operation for call in calls_before(network, name)}
        for name in (POLICY_NAME, VALUE_NAME)
    )
    counts = dict.fromkeys(("stem", "blocks", "policy", "value"), 0)
    part = "stem"
    for layer in network.layers:
        if layer in of_policy and layer in of_value:
            is_norm = isinstance(layer, keras.layers.BatchNormalization)
            if counts["stem"] and layer.count_params() and not is_norm:
                part = "blocks"
            counts[part] += layer.count_params()
        else:
            counts["policy" if layer in of_policy else "value"] += layer.count_params()
    return counts


def peak_flops(dtype: str) -> float:
    """Measure how many operations a second this machine does at best, in a product of matrices."""
    size = 8192 if has_gpu() else 1024
    matrix = keras.ops.ones((size, size), dtype)
    seconds: list[float] = []
    while sum(seconds) < PEAK_SECONDS or len(seconds) < 3:
        started = time.perf_counter()
        product = keras.ops.matmul(matrix, matrix)
        float(keras.ops.cast(product[0, 0], "float32"))  # which waits for the product
        seconds.append(time.perf_counter() - started)
    return 2 * size**3 / min(seconds)


def _title_of(model: str) -> str:
    return name_of_file(Path(model)) if model.endswith(FILES) else title_of(model)


def _changed(path: Path) -> float:
    return path.stat().st_mtime
