"""The layer table: every Keras class that the intake knows, one entry each.

To teach the intake a layer, add an entry (its options, and how it is written in operations); an
operation that is missing goes to `graph/ops.py` and `graph/onnx.py`. What is not here is refused.
"""

from tournament.intake.keras.builder import LayerKind
from tournament.intake.keras.layers.plain import PLAIN_LAYERS
from tournament.intake.keras.layers.weighted import WEIGHTED_LAYERS

LAYERS: dict[str, LayerKind] = {**PLAIN_LAYERS, **WEIGHTED_LAYERS}
