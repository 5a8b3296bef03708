"""The layer table: every Keras class that the intake knows, one entry each.

To teach the intake a layer, add an entry (its options, and how it is written in operations) to the
file of its family; an operation that is missing goes to `ops/`. What is not here is refused.
"""

from tournament.intake.keras.layers.activation import ACTIVATION_LAYERS
from tournament.intake.keras.layers.attention import ATTENTION_LAYERS
from tournament.intake.keras.layers.base import LayerKind
from tournament.intake.keras.layers.convolution import CONVOLUTION_LAYERS
from tournament.intake.keras.layers.equivariant import EQUIVARIANT_LAYERS
from tournament.intake.keras.layers.merge import MERGE_LAYERS
from tournament.intake.keras.layers.normalisation import NORMALISATION_LAYERS
from tournament.intake.keras.layers.pooling import POOLING_LAYERS
from tournament.intake.keras.layers.shape import SHAPE_LAYERS

LAYERS: dict[str, LayerKind] = {
    **ACTIVATION_LAYERS,
    **ATTENTION_LAYERS,
    **CONVOLUTION_LAYERS,
    **EQUIVARIANT_LAYERS,
    **MERGE_LAYERS,
    **NORMALISATION_LAYERS,
    **POOLING_LAYERS,
    **SHAPE_LAYERS,
}
