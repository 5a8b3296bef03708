"""Reads the two shapes in which Keras writes a functional model into an .h5: of Keras 2 and of 3.

Yields plain descriptions of layers and calls; knows no layer class.
"""

from dataclasses import dataclass

from tournament.intake.faults import Refused, quoted, refuse

MAX_LAYERS = 2000
MAX_NAME = 256
_SAVE_AGAIN = "build the model with keras.Model(inputs, [policy, value]) and save it again"


@dataclass(frozen=True)
class TensorRef:
    """The result of one call of a layer: the `call`-th time that it is used."""

    layer: str
    call: int


@dataclass(frozen=True)
class Call:
    """One use of a layer: on one tensor, on a list (`joined`), or on anything else (`odd`)."""

    inputs: tuple[TensorRef, ...]
    joined: bool = False
    odd: bool = False


@dataclass(frozen=True)
class LayerConfig:
    """One layer as the file describes it."""

    class_name: str
    name: str
    config: dict
    calls: tuple[Call, ...]

    @property
    def is_operation(self) -> bool:
        """True for arithmetic on tensors, which Keras 3 writes among the layers."""
        layer_keys = ("dtype", "trainable", "batch_shape", "batch_input_shape")
        return not any(key in self.config for key in layer_keys)


@dataclass(frozen=True)
class ModelConfig:
    """A functional model: its layers, what goes in, and what comes out by name."""

    layers: tuple[LayerConfig, ...]
    inputs: tuple[TensorRef, ...]
    outputs: tuple[tuple[str, TensorRef], ...]


def read_model(document: object) -> ModelConfig:
    """Return the description of a functional model; raises Refused where it is none."""
    class_name = document.get("class_name") if isinstance(document, dict) else None
    if class_name == "Sequential":
        raise refuse("the model is Sequential, so it has a single output", _SAVE_AGAIN)
    if class_name not in ("Functional", "Model") or not isinstance(document.get("config"), dict):
        raise refuse(f"the model is a {quoted(class_name)}, not a functional model", _SAVE_AGAIN)
    config = document["config"]
    layers = config.get("layers")
    if not isinstance(layers, list) or not layers:
        raise refuse("the model has no list of layers", _SAVE_AGAIN)
    if len(layers) > MAX_LAYERS:
        raise refuse(
            f"expected at most {MAX_LAYERS} layers: got {len(layers)}", "use fewer layers"
        )
    read = tuple(_read_layer(layer) for layer in layers)
    if len({layer.name for layer in read}) != len(read):
        raise refuse("two layers have the same name", "give each layer its own name")
    inputs = tuple(ref for _, ref in _read_ends(config.get("input_layers")))
    return ModelConfig(read, inputs, tuple(_read_ends(config.get("output_layers"))))


def _damaged(where: str) -> Refused:
    return refuse(f"the description of the model is damaged: {where}", _SAVE_AGAIN)


def _read_layer(layer: object) -> LayerConfig:
    if not isinstance(layer, dict):
        raise _damaged(f"a layer is {quoted(layer)}")
    config, class_name = layer.get("config"), layer.get("class_name")
    if not isinstance(config, dict) or not isinstance(class_name, str):
        raise _damaged(f"a layer is {quoted(layer)}")
    name = layer.get("name", config.get("name"))
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME:
        raise _damaged(f"a layer's name is {quoted(name)}")
    module, registered = layer.get("module"), layer.get("registered_name")
    foreign = module is not None and str(module).partition(".")[0] != "keras"
    if foreign or registered not in (None, class_name):
        raise refuse(
            f"layer {quoted(name)} is of an own class, {quoted(registered or module)}",
            "write it with layers of keras.layers only",
        )
    nodes = layer.get("inbound_nodes", [])
    if not isinstance(nodes, list):
        raise _damaged(f"the calls of layer {quoted(name)}")
    return LayerConfig(class_name, name, config, tuple(_read_call(node, name) for node in nodes))


def _read_call(node: object, name: str) -> Call:
    if isinstance(node, dict):
        return _read_call_3(node, name)
    if isinstance(node, list) and node:
        return _read_call_2(node, name)
    raise _damaged(f"a call of layer {quoted(name)}")


def _read_call_3(node: dict, name: str) -> Call:
    """Keras 3: {"args": [tensor] or [[tensor, …]], "kwargs": {…}}."""
    args, kwargs = node.get("args"), node.get("kwargs", {})
    if not isinstance(args, list) or not isinstance(kwargs, dict):
        raise _damaged(f"a call of layer {quoted(name)}")
    joined = len(args) == 1 and isinstance(args[0], list)
    tensors = args[0] if joined else args
    refs = [_tensor(item) for item in tensors if _is_tensor(item)]
    odd = len(refs) != len(tensors) or _has_meaning(kwargs) or (len(refs) != 1 and not joined)
    return Call(tuple(refs), joined, odd)


def _is_tensor(item: object) -> bool:
    return isinstance(item, dict) and item.get("class_name") == "__keras_tensor__"


def _tensor(item: dict) -> TensorRef:
    inner = item.get("config")
    return _ref(inner.get("keras_history") if isinstance(inner, dict) else None)


def _read_call_2(node: list, name: str) -> Call:
    """Keras 2: [[layer, call, tensor, kwargs], …]."""
    entries = [node] if isinstance(node[0], str) else node
    for entry in entries:
        if not isinstance(entry, list) or len(entry) not in (3, 4):
            raise _damaged(f"a call of layer {quoted(name)}")
    kwargs = [entry[3] for entry in entries if len(entry) == 4]
    odd = any(not isinstance(item, dict) or _has_meaning(item) for item in kwargs)
    return Call(tuple(_ref(entry[:3]) for entry in entries), len(entries) > 1, odd)


def _has_meaning(kwargs: dict) -> bool:
    """Return True unless the arguments only say "not training" and "no mask"."""
    return any(
        not (value is None or (key == "training" and value is False))
        for key, value in kwargs.items()
    )


def _ref(value: object) -> TensorRef:
    good = (
        isinstance(value, list) and len(value) == 3 and isinstance(value[0], str)
        and type(value[1]) is int and value[2] == 0
    )
    if not good:
        raise _damaged(f"a tensor is {quoted(value)}")
    return TensorRef(value[0], value[1])


def _read_ends(value: object) -> list[tuple[str, TensorRef]]:
    """Read `input_layers` or `output_layers`: one reference, a list of them, or a dict by name."""
    if isinstance(value, dict):
        return [(key, _ref(item)) for key, item in value.items()]
    if not isinstance(value, list) or not value:
        raise _damaged(f"its inputs or outputs are {quoted(value)}")
    refs = [_ref(value)] if isinstance(value[0], str) else [_ref(item) for item in value]
    return [(ref.layer, ref) for ref in refs]
