"""The arithmetic that a network trains in; what is handed in is always float32."""

from typing import TYPE_CHECKING, Literal

from models.contract import OUTPUTS

if TYPE_CHECKING:
    import keras

Precision = Literal["float32", "mixed_bfloat16", "mixed_float16"]


def with_precision(network: "keras.Model", precision: Precision) -> "keras.Model":
    """Return the network itself, or where its layers compute otherwise a copy that computes so.

    Weights stay float32 in each of them, and so do both outputs: a softmax over 361 points has
    probabilities that half precision rounds to 0.
    """
    if all(layer.dtype_policy.name == precision for layer in network.layers if layer.weights):
        return network
    import keras

    def copied(layer: "keras.layers.Layer") -> "keras.layers.Layer":
        own = "float32" if layer.name in OUTPUTS else precision
        return type(layer).from_config({**layer.get_config(), "dtype": own})

    copy = keras.models.clone_model(network, clone_function=copied)
    copy.set_weights(network.get_weights())
    return copy
