"""What a file says of a model, as Keras 2 and Keras 3 write it: layers, calls, arguments, arrays.

Yields plain descriptions and values: numbers, text, lists, and the classes below. Knows no layer
class. A value of any other kind stays as it is in the file; what reads the option refuses it.

Keras lists the arrays of a model that is used as a layer in one row: first the trainable ones of
all its layers in order, then the rest. So which layer gets which array is known only once every
layer has declared its needs: `PlannedWeights` of builder.py collects them, and `distribute` hands
the arrays out.

In a .keras the groups are named after the layers' classes: `layers/conv2d`, `layers/conv2d_1` … are
the layers of class Conv2D in the order of the model; those of a model that is used as a layer are
in `layers/functional/layers/…`.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import TypeGuard

import numpy as np

from tournament.intake.faults import Refused, quoted, refusal

MAX_JSON_BYTES = 2_000_000
MAX_DEPTH = 40
MAX_VALUES = 400_000
MAX_LAYERS = 2000
MAX_NESTING = 8
MAX_NAME = 256
OWN = "golois>"  # the package under which this kit registers its layers
FUNCTIONS_OF_TF = ("TFOpLambda", "SlicingOpLambda")
_FUNCTIONAL = ("Functional", "Model")
_CONSTANT = "_CONSTANT_VALUE"
Path = tuple[str, ...]  # the names of the models around a layer, and its own
Wanted = Mapping[Path, list[bool]]  # whether each array that a layer asks for is trainable
# What some layers are made of, in the order of their weights; Keras 2 writes an underscore before.
_PARTS = {"MultiHeadAttention": ("query_dense", "key_dense", "value_dense", "output_dense")}
_INNER = ("activation",)


@dataclass(frozen=True, repr=False)
class TensorRef:
    """One result of one call of a layer: the `call`-th time that it is used."""

    layer: str
    call: int
    output: int = 0

    def __repr__(self) -> str:
        """Return it as a refusal shows it to its author."""
        return f"the result of {self.layer!r}"


@dataclass(frozen=True)
class Slice:
    """start:stop:step, each None where it was left out."""

    start: int | None
    stop: int | None
    step: int | None


@dataclass(frozen=True)
class Call:
    """One use of a layer: positional and named arguments."""

    args: tuple[object, ...]
    kwargs: dict[str, object]

    def tensors(self) -> Iterator[TensorRef]:
        """Yield every result that the call needs."""
        pending: list[object] = [list(self.args), list(self.kwargs.values())]
        while pending:
            value = pending.pop()
            if isinstance(value, TensorRef):
                yield value
            elif isinstance(value, list):
                pending.extend(value)
            elif isinstance(value, dict):
                pending.extend(value.values())


@dataclass(frozen=True)
class LayerConfig:
    """One layer as the file describes it; `model` is what it holds where it is a model itself."""

    class_name: str
    name: str
    config: dict
    calls: tuple[Call, ...]
    model: "ModelConfig | None" = None

    def __str__(self) -> str:
        """Return what faults call it: its name and class."""
        return f"layer {quoted(self.name)} ({quoted(self.class_name)[1:-1]})"

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


def load_json(text: str) -> object:
    """Return a JSON document of bounded size and depth; raises Refused."""
    if len(text) > MAX_JSON_BYTES:
        raise refusal("long", number=len(text), most=MAX_JSON_BYTES)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise refusal("no-json") from error
    level, seen = [document], 0
    for _ in range(MAX_DEPTH):
        children: list[object] = []
        for item in level:
            if isinstance(item, dict):
                children.extend(item.values())
            elif isinstance(item, list):
                children.extend(item)
        seen += len(children)
        if not children:
            return document
        if seen > MAX_VALUES:
            break
        level = children
    raise refusal("deep")


def read_model(document: object) -> ModelConfig:
    """Return the description of a functional model; raises Refused where it is not one."""
    described = document if isinstance(document, dict) else {}
    class_name, config = described.get("class_name"), described.get("config")
    if class_name == "Sequential":
        raise refusal("sequential")
    if class_name not in _FUNCTIONAL or not isinstance(config, dict):
        raise refusal("not-functional", class_name=class_name)
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
        ends = [(layer.name, TensorRef(layer.name, 0)) for layer in layers]
        called = [
            replace(layer, calls=(Call((before,), {}),))
            for layer, (_, before) in zip(layers[1:], ends, strict=False)
        ]
        return ModelConfig((layers[0], *called), (ends[0],), (ends[-1],))

    def _layers(self, listed: object) -> tuple[LayerConfig, ...]:
        if not isinstance(listed, list) or not listed:
            raise refusal("no-layers")
        self._num_layers += len(listed)
        if self._num_layers > MAX_LAYERS:
            raise refusal("many-layers", number=self._num_layers, most=MAX_LAYERS)
        read = tuple(self._layer(layer) for layer in listed)
        if len({layer.name for layer in read}) != len(read):
            raise refusal("same-name")
        return read

    def _layer(self, layer: object) -> LayerConfig:
        if not isinstance(layer, dict):
            raise _damaged("a layer is", layer)
        class_name, config, name = _read_identity(layer)
        nodes = layer.get("inbound_nodes", [])
        if not isinstance(nodes, list):
            raise _damaged("the calls of layer", name)
        as_function = class_name in FUNCTIONS_OF_TF
        calls = tuple(_read_call(node, name, as_function) for node in nodes)
        return LayerConfig(class_name, name, config if isinstance(config, dict) else {}, calls,
                           self._nested(class_name, config))

    def _nested(self, class_name: str, config: dict | list) -> ModelConfig | None:
        """Return the model that a layer is, or None where it is an ordinary one."""
        if class_name not in (*_FUNCTIONAL, "Sequential"):
            return None
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            raise refusal("nested", most=MAX_NESTING)
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
        raise _damaged("a layer is", layer)
    name = layer.get("name", config.get("name") if isinstance(config, dict) else None)
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME:
        raise _damaged("a layer's name is", name)
    module, registered = layer.get("module"), layer.get("registered_name")
    if registered == f"{OWN}{class_name}":  # a .keras names the class and the module besides
        return registered, config, name
    foreign = module is not None and str(module).partition(".")[0] not in ("keras", "tf_keras")
    if foreign or registered not in (None, class_name):
        raise refusal("foreign-class", name=name, found=registered or module)
    return class_name, config, name


def _read_ends(value: object) -> list[tuple[str, TensorRef]]:
    """Read `input_layers` or `output_layers`: one reference, a list of them, or a dict by name.

    Keras numbers the tensors of a dict in the order of their names.
    """
    if isinstance(value, dict):
        return [(key, _read_ref(value[key])) for key in sorted(value)]
    if not isinstance(value, list) or not value:
        raise _damaged("its inputs or outputs are", value)
    refs = [_read_ref(value)] if isinstance(value[0], str) else [_read_ref(item) for item in value]
    return [(ref.layer, ref) for ref in refs]


def _damaged(part: str, value: object) -> Refused:
    return refusal("damaged", part=part, value=value)


def _read_ref(value: object) -> TensorRef:
    if not _is_ref(value):
        raise _damaged("a tensor is", value)
    return TensorRef(*value)


def _read_call(node: object, name: str, as_function: bool) -> Call:
    """Return one entry of the `inbound_nodes` of a layer of that name.

    Where the layer stands for a function of tf (`as_function`), a list of one tensor stays a list.
    """
    if isinstance(node, dict):
        args, kwargs = node.get("args"), node.get("kwargs", {})
        if isinstance(args, list) and isinstance(kwargs, dict):
            named = {key: _decode_3(value) for key, value in kwargs.items()}
            return Call(tuple(_decode_3(value) for value in args), named)
    if isinstance(node, list | dict) and node:
        return _read_call_2(node, name, as_function)
    raise _damaged("a call of layer", name)


def _read_call_2(node: list | dict, name: str, as_function: bool) -> Call:
    """Read Keras 2's form: [layer, call, output, kwargs], or several of these with equal kwargs."""
    listed = list(node.values()) if isinstance(node, dict) else node
    single = isinstance(node, list) and isinstance(node[0], str)
    values, kwargs = [], {}
    for entry in [node] if single else listed:
        if not isinstance(entry, list) or len(entry) not in (3, 4):
            raise _damaged("a call of layer", name)
        named = entry[3] if len(entry) == 4 else {}
        if not isinstance(named, dict):
            raise _damaged("a call of layer", name)
        constant = entry[0] == _CONSTANT
        values.append(_decode_2(entry[2]) if constant else _read_ref(entry[:3]))
        kwargs = {key: _decode_2(value) for key, value in named.items()}
    if isinstance(node, dict):
        return Call((dict(zip(node, values, strict=True)),), kwargs)
    joined = len(values) > 1 or (as_function and not single)
    return Call((values,) if joined else (values[0],), kwargs)


def _is_ref(value: object) -> TypeGuard[list]:
    return (
        isinstance(value, list) and len(value) == 3 and isinstance(value[0], str)
        and type(value[1]) is int and type(value[2]) is int and value[1] >= 0 and value[2] >= 0
    )


def _decode_2(value: object) -> object:
    if _is_ref(value):
        return TensorRef(*value)
    if isinstance(value, list):
        return [_decode_2(item) for item in value]
    if isinstance(value, dict):
        return _decode_index(value.get("class_name"), value) if value else value
    return value


def _decode_3(value: object) -> object:
    if isinstance(value, list):
        return [_decode_3(item) for item in value]
    if not isinstance(value, dict):
        return value
    if not isinstance(value.get("config"), dict):
        return {key: _decode_3(item) for key, item in value.items()}
    kind, inner = value.get("class_name"), value["config"]
    if kind == "__keras_tensor__":
        return _read_ref(inner.get("keras_history"))
    if kind in ("__numpy__", "__tensor__"):
        return inner.get("value")
    return _decode_index(kind, inner) if kind in ("__slice__", "__ellipsis__") else value


def _decode_index(kind: object, value: dict) -> object:
    """Return a Slice or an ellipsis; anything else stays the dict that it is."""
    if kind == "__ellipsis__":
        return ...
    ends = [value.get(key) for key in ("start", "stop", "step")]
    known = set(value) == {"start", "stop", "step"}
    if known and all(end is None or type(end) is int for end in ends):
        return Slice(*ends)
    return value


def pack_arrays(arrays: Iterable[tuple[str, np.ndarray]]) -> tuple[list[list], bytes]:
    """Return [[layer, shape], …] and all numbers in a row, little-endian float32.

    Raises:
        Refused: the name of a layer is longer than that of a layer may be.
    """
    listed, payload = [], []
    for layer, array in arrays:
        if len(layer) > MAX_NAME:
            raise refusal("long-name", number=len(layer))
        listed.append([layer, list(array.shape)])
        payload.append(array.astype("<f4").tobytes())
    return listed, b"".join(payload)


def unpack_arrays(listed: object, payload: bytes) -> dict[str, list[np.ndarray]]:
    """Return each layer's float32 arrays, in order; the message may be forged.

    Raises:
        Refused: the arrays do not fill the payload exactly, or a number is not finite.
    """
    if not isinstance(listed, list) or len(payload) % 4:
        raise refusal("weights-misfit")
    numbers = np.frombuffer(payload, "<f4")
    weights: dict[str, list[np.ndarray]] = {}
    start = 0
    for item in listed:
        if not isinstance(item, list) or len(item) != 2 or not isinstance(item[0], str):
            raise refusal("weights-misfit")
        layer, shape = item
        if not isinstance(shape, list) or not all(type(n) is int and n >= 0 for n in shape):
            raise refusal("weights-misfit")
        end = start + prod(shape)
        if end > numbers.size:
            raise refusal("weights-misfit")
        weights.setdefault(layer, []).append(numbers[start:end].reshape(shape))
        start = end
    if start != numbers.size or not np.isfinite(numbers).all():
        raise refusal("weights-misfit")
    return weights


def distribute(
    model: ModelConfig, arrays: Mapping[str, list[np.ndarray]], wanted: Wanted
) -> dict[Path, list[np.ndarray]]:
    """Return the arrays of each layer, also of those within models; raises Refused."""
    dealt: dict[Path, list[np.ndarray]] = {}
    for layer in model.layers:
        stored = arrays.get(layer.name, [])
        if layer.model is None:
            dealt[layer.name,] = stored
            continue
        order = [
            path for kind in (True, False) for path in _row(layer, (layer.name,), wanted, kind)
        ]
        if len(order) != len(stored):
            raise refusal(
                "weights-of-model", stored=len(stored), name=layer.name, wanted=len(order)
            )
        for path, array in zip(order, stored, strict=True):
            dealt.setdefault(path, []).append(array)
    return dealt


def _row(
    layer: LayerConfig, path: Path, wanted: Wanted, trainable: bool, frozen: bool = False
) -> list[Path]:
    """Return whose the trainable arrays are, or the others, as Keras lists them."""
    frozen = frozen or not layer.config.get("trainable", True)
    if layer.model is None:
        listed = wanted.get(path, [])
        return [path for can_train in listed if (can_train and not frozen) == trainable]
    return [
        owner
        for inner in layer.model.layers
        for owner in _row(inner, (*path, inner.name), wanted, trainable, frozen)
    ]


def find_by_class(
    model: ModelConfig, groups: Mapping[str, list[np.ndarray]]
) -> dict[Path, list[np.ndarray]]:
    """Return the arrays of each layer of a .keras, whose arrays are given by the path of a group.

    Raises:
        Refused: the file has arrays of a group that no layer has.
    """
    found: dict[Path, list[np.ndarray]] = {}
    left = dict(groups)
    for path, candidates in _places(model, (), ""):
        arrays = [array for name in candidates for array in left.pop(name, ())]
        if arrays:
            found[path] = arrays
    for name in left:
        raise refusal("weights-of-no-class", name=name)
    return found


def _places(model: ModelConfig, path: Path, prefix: str) -> Iterator[tuple[Path, list[str]]]:
    """Yield the path of each layer and the groups that its arrays may be in, in their order."""
    used: Counter[str] = Counter()
    for layer in model.layers:
        if layer.is_operation:
            continue
        kind = _snake_case(layer.class_name.rpartition(">")[2])
        group = f"{prefix}layers/{kind}" + f"_{used[kind]}" * (used[kind] > 0)
        used[kind] += 1
        inner = (*path, layer.name)
        if layer.model is not None:
            yield from _places(layer.model, inner, f"{group}/")
            continue
        parts = _PARTS.get(layer.class_name, _INNER)
        yield inner, [group, *(f"{group}/{mark}{part}" for part in parts for mark in ("", "_"))]


def _snake_case(class_name: str) -> str:
    """Return a class's name as Keras writes it in paths: conv2d, re_lu, multi_head_attention."""
    name = re.sub(r"\W+", "", class_name)
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()
