"""Changes to the description of a network, for files that should be refused."""


def layer_of(model, class_name):
    return next(item for item in model["config"]["layers"] if item["class_name"] == class_name)


def set_option(class_name, key, value):
    """Return what sets one option of the first layer of a class."""
    return lambda model: layer_of(model, class_name)["config"].__setitem__(key, value)


def replace(found, **changes):
    """Return what changes the first layer of a class."""
    return lambda model: layer_of(model, found).update(changes)


def call(name):
    tensor = {"class_name": "__keras_tensor__", "config": {"keras_history": [name, 0, 0]}}
    return {"args": [tensor], "kwargs": {}}


def nested(*inner):
    """Return what puts a model with these layers in the place of the first ReLU."""
    shape = [None, 19, 19, 8]
    start = {"class_name": "InputLayer", "config": {"name": "i", "batch_shape": shape}}
    return replace(
        "ReLU", class_name="Sequential", config={"name": "re_lu", "layers": [start, *inner]}
    )


def operation(class_name, **config):
    return replace("ReLU", class_name=class_name, config={"name": "re_lu", **config})


def function(name, **arguments):
    """Return what puts a TFOpLambda in the place of the first ReLU."""
    return replace(
        "ReLU", class_name="TFOpLambda", config={"name": "re_lu", "function": name},
        inbound_nodes=[["conv2d", 0, 0, arguments]],
    )


def node(node_def, **constants):
    """Return what puts an operation of a graph, as of TF 2.0 to 2.3, in the place of a ReLU."""
    return replace(
        "ReLU", class_name="TensorFlowOpLayer",
        config={"name": "re_lu", "node_def": node_def, "constants": constants},
        inbound_nodes=[[["conv2d", 0, 0, {}]]],
    )
