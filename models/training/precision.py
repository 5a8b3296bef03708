"""The arithmetic that a network trains in; what is handed in is always float32."""

from typing import TYPE_CHECKING, Literal

from models.contract import OUTPUTS

if TYPE_CHECKING:
    import keras

Precision = Literal["float32", "mixed_bfloat16", "mixed_float16"]


def with_precision(network: "keras.Model", precision: Precision) -> "keras.Model":
    """Return the network or a copy of this precision; weights and outputs stay float32."""
    if all(layer.dtype_policy.name == precision for layer in network.layers if layer.weights):
        return network
    import keras

    def copied(layer: "keras.layers.Layer") -> "keras.layers.Layer":
        own = "float32" if layer.name in OUTPUTS else precision
        return type(layer).from_config({**layer.get_config(), "dtype": own})

    copy = keras.models.clone_model(network, clone_function=copied)
    copy.set_weights(network.get_weights())
    return copy
