"""Functions of tensors as Keras of TensorFlow 2.0 to 2.3 writes them into a model.

That Keras let TensorFlow build a graph and then made a layer of every operation in it, with each
input that is no tensor of the model as a constant (`create_keras_history` in
tensorflow/python/keras/engine/base_layer_utils.py of version 2.3).
"""

from collections.abc import Callable, Iterator

import tensorflow as tf
from tf_keras.src.engine.base_layer import TensorFlowOpLayer


class TextLayer(TensorFlowOpLayer):
    """As TensorFlow 2.0 writes it: the bytes of the operation, taken for text."""

    def get_config(self) -> dict:
        node = self.node_def.SerializeToString().decode("utf-8")
        return {**super().get_config(), "node_def": node}


TextLayer.__name__ = "TensorFlowOpLayer"


def as_old_nodes(
    functions: Callable[[object, object], list],
    x: object,
    layer_class: type[TensorFlowOpLayer] = TensorFlowOpLayer,
) -> list:
    """Return the results of functions(tf, x) for a tensor of Keras, each operation a layer."""
    with tf.Graph().as_default() as graph:
        start = tf.compat.v1.placeholder(tf.float32, [None, *x.shape[1:]])
        outputs = functions(tf, start)
        listed = list(_operations(graph, start))
    made = {start.ref(): x}
    for operation, inputs, constants in listed:
        node = operation.node_def.SerializeToString()
        layer = layer_class(node, operation.name.replace("/", "_"), constants=constants)
        tensors = [made[tensor.ref()] for tensor in inputs]
        results = layer(tensors if len(tensors) > 1 else tensors[0])
        results = results if isinstance(results, list | tuple) else [results]
        made.update(zip((out.ref() for out in operation.outputs), results, strict=True))
    return [made[output.ref()] for output in outputs]


def _operations(graph: tf.Graph, start: tf.Tensor) -> Iterator[tuple]:
    """Yield each operation that tensors of the model go into: it, these tensors, its constants."""
    of_model = {start.ref()}
    with tf.compat.v1.Session(graph=graph) as session:
        for operation in graph.get_operations():
            inputs = [tensor for tensor in operation.inputs if tensor.ref() in of_model]
            if inputs:
                of_model.update(output.ref() for output in operation.outputs)
                yield operation, inputs, {
                    place: session.run(tensor)
                    for place, tensor in enumerate(operation.inputs)
                    if tensor.ref() not in of_model
                }
