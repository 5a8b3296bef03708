"""The arithmetic that a network trains in; what is handed in is always float32."""

from typing import TYPE_CHECKING, Literal

from models.contract import OUTPUTS

if TYPE_CHECKING:
    import keras

Precision = Literal["float32", "mixed_bfloat16", "mixed_float16"]


def with_precision(network: "keras.Model", precision: Precision) -> "keras.Model":
    """Return the network or a copy of this precision; weights and outputs stay float32."""
    import keras

    layers = network._flatten_layers(include_self=False)  # also those of nested networks
    computing = (layer for layer in layers if layer.weights and not isinstance(layer, keras.Model))
    if all(layer.dtype_policy.name == precision for layer in computing):
        return network

    def copied(layer: "keras.Operation") -> "keras.Operation":
        config = layer.get_config()
        if isinstance(layer, keras.layers.Layer):  # others, of keras.ops, compute as they are given
            config["dtype"] = "float32" if layer.name in OUTPUTS else precision
        return type(layer).from_config(config)

    copy = keras.models.clone_model(network, clone_function=copied, recursive=True)
    copy.set_weights(network.get_weights())
    return copy
