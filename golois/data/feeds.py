"""Batches as Keras and TensorFlow take them; both are imported when a feed is made.

The planes come in the source's format. The network's own input casts uint8 planes;
`models.training.unpacking.PackedInput` unpacks bits on the device.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from math import ceil
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from golois.errors import ArgumentError

if TYPE_CHECKING:
    import keras
    import tensorflow as tf

TARGETS = ("policy", "value_white")
OWNERSHIP_TARGETS = (*TARGETS, "ownership", "ownership_known")
PREFETCHED_BATCHES = 2


class PositionSource(Protocol):
    """What a feed needs of a Dataset or a Mixture; `golois.data.batch.BatchSource` describes it."""

    def num_positions(self, split: str) -> int:
        """Training positions in "train" or "validation"."""

    def require_positions(self, split: str) -> int:
        """As `num_positions`; raises ArgumentError for a split without any."""

    def sample(self, batch_size: int, step: int, *, targets: Collection[str]) -> Any:
        """The training batch number `step`, drawn with replacement."""

    def walk(self, batch_size: int, start: int, split: str, *, targets: Collection[str]) -> Any:
        """Rows start … start + batch_size − 1 of a fixed order that has each position once."""


@dataclass(frozen=True)
class Plan:
    """Which batches a feed shows: each is a pure function of the plan and its number.

    "train" is sampled under random symmetries: batch i is `sample` number first_step + i.
    "validation" is walked once, the last batch shorter. `ownership` adds the target "ownership"
    with a sample weight: 1 where the game was played out, else 0. Without `endless`, "train" ends
    after as many positions as the split has.
    """

    source: PositionSource
    batch_size: int
    split: str = "train"
    first_step: int = 0
    ownership: bool = False
    endless: bool = False

    def __post_init__(self) -> None:
        if self.batch_size < 1 or self.first_step < 0:
            raise ArgumentError(
                "batch_size must be 1 or more and first_step 0 or more, not "
                f"{self.batch_size} and {self.first_step}"
            )
        self.source.require_positions(self.split)

    @property
    def num_batches(self) -> int | None:
        """Batches of the split; None without an end."""
        if self.split == "train" and self.endless:
            return None
        return ceil(self.source.num_positions(self.split) / self.batch_size)

    def batch(self, index: int) -> tuple[Any, ...]:
        """Batch `index`: planes, the targets by the names of the outputs, and sample weights."""
        targets = OWNERSHIP_TARGETS if self.ownership else TARGETS
        if self.split == "train":
            step = self.first_step + index
            batch = self.source.sample(self.batch_size, step, targets=targets)
        else:
            start = index * self.batch_size
            num_rows = min(self.batch_size, self.source.num_positions(self.split) - start)
            batch = self.source.walk(num_rows, start, self.split, targets=targets)
        named = {"policy": batch.policy, "value": batch.value_white[:, None]}
        if not self.ownership:
            return batch.planes, named
        named["ownership"] = batch.ownership
        weights = dict.fromkeys(named, np.ones_like(batch.value_white))
        weights["ownership"] = batch.ownership_known[:, None, None]  # of a loss [B, 19, 19]
        return batch.planes, named, weights


def keras_feed(
    source: PositionSource, batch_size: int, *, workers: int = 1, max_queue_size: int = 10, **plan
) -> "keras.utils.PyDataset":
    """A data set for `model.fit`. Its workers are threads, never processes.

    An epoch shows as many positions as the split has; each epoch draws others for training. With
    `endless=True`, give `fit` its steps_per_epoch: batch i of epoch e is number e · steps_per_epoch
    + i. `plan` has the other fields of `Plan`. Raises ArgumentError: an empty split, or a number
    out of range.
    """
    import keras

    class Feed(keras.utils.PyDataset):
        def __init__(self, plan: Plan):
            super().__init__(workers=workers, max_queue_size=max_queue_size)
            self.plan = plan
            self.asked = Counter[int]()
            self.lock = Lock()

        @property
        def num_batches(self) -> int | None:
            return self.plan.num_batches

        def __getitem__(self, index: int) -> tuple[Any, ...]:
            if self.plan.split != "train" or self.num_batches is None:
                return self.plan.batch(index)
            # Keras counts from 0 in each epoch. Its versions call on_epoch_end at different times.
            with self.lock:
                epoch = self.asked[index]
                self.asked[index] += 1
            return self.plan.batch(epoch * self.num_batches + index)

    return Feed(Plan(source, batch_size, **plan))


def tf_feed(
    source: PositionSource, batch_size: int, *, workers: int = 1, **plan
) -> "tf.data.Dataset":
    """`keras_feed` as TensorFlow's own stream, `workers` batches at a time; training has no end."""
    import tensorflow as tf

    batches = Plan(source, batch_size, endless=True, **plan)
    example = batches.batch(0)
    leaves = tf.nest.flatten(example)

    def make(step: np.ndarray) -> list[np.ndarray]:
        return tf.nest.flatten(batches.batch(int(step)))

    def load(step: "tf.Tensor") -> Any:
        tensors = tf.numpy_function(make, [step], [leaf.dtype for leaf in leaves])
        for tensor, leaf in zip(tensors, leaves, strict=True):
            tensor.set_shape((None, *leaf.shape[1:]))
        return tf.nest.pack_sequence_as(example, tensors)

    num_batches = tf.int64.max if batches.num_batches is None else batches.num_batches
    steps = tf.data.Dataset.range(num_batches)
    return steps.map(load, num_parallel_calls=workers).prefetch(PREFETCHED_BATCHES)
