"""What gate A finds in a file, whichever form it has."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Saved:
    """A model as a file has it.

    config: its description, JSON.
    arrays: float32, each with the name of its layer; or, `by_class`, with the path of the group
        that holds it, which Keras names after the layer's class.
    """

    config: str
    keras_version: str
    arrays: list[tuple[str, np.ndarray]]
    by_class: bool
