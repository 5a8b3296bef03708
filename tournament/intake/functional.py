"""Reads models as Keras 2 and Keras 3 write them into an .h5: functional ones, and those within.

Yields plain descriptions of layers and calls; knows no layer class.
"""

from dataclasses import dataclass

from tournament.intake import remedies
from tournament.intake.arguments import Call, TensorRef, damaged, read_call, read_ref
from tournament.intake.faults import quoted, refuse

MAX_LAYERS = 2000
MAX_NESTING = 8
MAX_NAME = 256
OWN = "golois>"  # the package under which this kit registers its layers
FUNCTIONS_OF_TF = ("TFOpLambda", "SlicingOpLambda")
_FUNCTIONAL = ("Functional", "Model")


@dataclass(frozen=True)
class LayerConfig:
    """One layer as the file describes it; `model` is what it holds where it is a model itself."""

    class_name: str
    name: str
    config: dict
    calls: tuple[Call, ...]
    model: "ModelConfig | None" = None

    @property
    def is_operation(self) -> bool:
        """True for a function of tensors, which Keras 3 writes among the layers."""
        layer_keys = ("dtype", "trainable", "batch_shape", "batch_input_shape")
        return self.model is None and not any(key in self.config for key in layer_keys)


@dataclass(frozen=True)
class ModelConfig:
    """A model: its layers, and by name what goes in and what comes out."""

    layers: tuple[LayerConfig, ...]
    inputs: tuple[tuple[str, TensorRef], ...]
    outputs: tuple[tuple[str, TensorRef], ...]


def read_model(document: object) -> ModelConfig:
    """Return the description of a functional model; raises Refused where it is not one."""
    described = document if isinstance(document, dict) else {}
    class_name, config = described.get("class_name"), described.get("config")
    if class_name == "Sequential":
        raise refuse("the model is Sequential, so it has a single output", remedies.BUILD_AGAIN)
    if class_name not in _FUNCTIONAL or not isinstance(config, dict):
        raise refuse(
            f"the model is of class {quoted(class_name)}, not a functional one",
            remedies.BUILD_AGAIN,
        )
    return _Reader().functional(config)


class _Reader:
    """Counts the layers of a model and of the models in it."""

    def __init__(self) -> None:
        self._num_layers = 0
        self._nesting = 0

    def functional(self, config: dict) -> ModelConfig:
        layers = self._layers(config.get("layers"))
        inputs, outputs = (_read_ends(config.get(f"{end}_layers")) for end in ("input", "output"))
        return ModelConfig(layers, tuple(inputs), tuple(outputs))

    def _sequential(self, config: object) -> ModelConfig:
        """Return a chain of layers as a functional model, its input first."""
        layers = list(self._layers(config.get("layers") if isinstance(config, dict) else config))
        if layers[0].class_name != "InputLayer":
            layers.insert(0, LayerConfig("InputLayer", "", {}, ()))
        chain, before = [layers[0]], TensorRef(layers[0].name, 0)
        inputs = ((before.layer, before),)
        for layer in layers[1:]:
            call = Call((before,), {})
            chain.append(LayerConfig(layer.class_name, layer.name, layer.config, (call,),
                                     layer.model))
            before = TensorRef(layer.name, 0)
        return ModelConfig(tuple(chain), inputs, ((before.layer, before),))

    def _layers(self, listed: object) -> tuple[LayerConfig, ...]:
        if not isinstance(listed, list) or not listed:
            raise refuse("the model has no list of layers", remedies.BUILD_AGAIN)
        self._num_layers += len(listed)
        if self._num_layers > MAX_LAYERS:
            raise refuse(
                f"the model has {self._num_layers} layers: at most {MAX_LAYERS} are read",
                "use fewer layers",
            )
        read = tuple(self._layer(layer) for layer in listed)
        if len({layer.name for layer in read}) != len(read):
            raise refuse("two layers have the same name", "give each layer its own name")
        return read

    def _layer(self, layer: object) -> LayerConfig:
        if not isinstance(layer, dict):
            raise damaged(f"a layer is {quoted(layer)}")
        class_name, config, name = _read_identity(layer)
        nodes = layer.get("inbound_nodes", [])
        if not isinstance(nodes, list):
            raise damaged(f"the calls of layer {quoted(name)}")
        as_function = class_name in FUNCTIONS_OF_TF
        calls = tuple(read_call(node, name, as_function) for node in nodes)
        return LayerConfig(class_name, name, config if isinstance(config, dict) else {}, calls,
                           self._nested(class_name, config))

    def _nested(self, class_name: str, config: dict | list) -> ModelConfig | None:
        """Return the model that a layer is, or None where it is an ordinary one."""
        if class_name not in (*_FUNCTIONAL, "Sequential"):
            return None
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            raise refuse(
                f"more than {MAX_NESTING} models are nested in each other", "call layers directly"
            )
        model = (
            self.functional(config) if class_name != "Sequential" and isinstance(config, dict)
            else self._sequential(config)
        )
        self._nesting -= 1
        return model


def _read_identity(layer: dict) -> tuple[str, dict | list, str]:
    """Return the class, the options and the name of one of Keras's own layers."""
    config, class_name = layer.get("config"), layer.get("class_name")
    kinds = dict | list if class_name == "Sequential" else dict
    if not isinstance(config, kinds) or not isinstance(class_name, str):
        raise damaged(f"a layer is {quoted(layer)}")
    name = layer.get("name", config.get("name") if isinstance(config, dict) else None)
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME:
        raise damaged(f"a layer's name is {quoted(name)}")
    module, registered = layer.get("module"), layer.get("registered_name")
    if registered == f"{OWN}{class_name}":  # a .keras names the class and the module besides
        return registered, config, name
    foreign = module is not None and str(module).partition(".")[0] not in ("keras", "tf_keras")
    if foreign or registered not in (None, class_name):
        raise refuse(
            f"layer {quoted(name)} is not of a class of Keras: {quoted(registered or module)}",
            "a class of your own is code, and no code of a submission is run: write it with the "
            "layers that docs/intake.md lists",
        )
    return class_name, config, name


def _read_ends(value: object) -> list[tuple[str, TensorRef]]:
    """Read `input_layers` or `output_layers`: one reference, a list of them, or a dict by name.

    Keras numbers the tensors of a dict in the order of their names.
    """
    if isinstance(value, dict):
        return [(key, read_ref(value[key])) for key in sorted(value)]
    if not isinstance(value, list) or not value:
        raise damaged(f"its inputs or outputs are {quoted(value)}")
    refs = [read_ref(value)] if isinstance(value[0], str) else [read_ref(item) for item in value]
    return [(ref.layer, ref) for ref in refs]
