"""No option of a layer is passed over unless it means nothing once the network is trained.

Each option that Keras writes is given another value: then the layer is refused, or comes out
otherwise, or the option is one of the list below.
"""

import json
import re
from collections.abc import Iterator

import numpy as np
import pytest
from keras_files import HAS_KERAS_2
from layer_cases import LAYER_CASES, MERGE_CASES

from tests.integration.intake.parity import open_file
from tournament.intake.faults import Refused
from tournament.intake.graph.graph import Graph
from tournament.intake.graph.onnx import to_onnx
from tournament.intake.keras.builder import Builder, Stopwatch
from tournament.intake.keras.calls import prepare
from tournament.intake.keras.description import Call, LayerConfig, TensorRef
from tournament.intake.keras.layers import LAYERS

_MEANS_NOTHING = re.compile(
    r"name|trainable|dtype|seed|momentum|synchronized|renorm(_clipping|_momentum)?|rate|stddev"
    r"|noise_shape|l1|l2|dropout|(query|key|value)_shape|flash_attention|softmax_robust_masking"
    r"|\w+_(initializer|regularizer|constraint)"
)
_NOTHING_IN = {"SpatialDropout2D": {"data_format"}}
_OTHER = {"same": "valid", "valid": "same", "nearest": "bilinear", "relu": "tanh"}


class _AnyWeights:
    """Has an array of every shape."""

    total = trainable = 0

    def begin(self, path: tuple) -> None:
        self._rng = np.random.default_rng(3)

    def take(self, name: str, shape: tuple, trainable: bool, counts: bool) -> np.ndarray:
        return self._rng.uniform(0.5, 1.0, shape).astype(np.float32)

    def finish(self) -> None:
        pass


def _written(class_name: str, config: dict) -> bytes:
    """Return what a layer on a board, or on tokens, of 6 channels comes to; raises Refused."""
    kind, ref = LAYERS[class_name], TensorRef("board", 0)
    several = kind.joins or len(kind.arguments) > 1
    call = Call(([ref, ref],) if kind.joins else (ref, ref) if several else (ref,), {})
    layer = LayerConfig(class_name, "layer", config, (call,))
    shape = (9, 6) if class_name == "MultiHeadAttention" else (19, 19, 6)
    builder = Builder(shape, _AnyWeights(), 3, 10**9, Stopwatch(60))
    builder.begin(layer, ("layer",))
    result = prepare(layer)(call)(builder, lambda _: 0)
    graph = Graph(tuple(builder.nodes), result, result)
    return to_onnx(graph).encode()


def _others(value: object) -> Iterator[object]:
    """Yield other values for an option."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield value + 1
    elif isinstance(value, str):
        yield _OTHER.get(value, "other")
    elif isinstance(value, list) and value and isinstance(value[0], int | float):
        yield [value[0] + 1, *value[1:]]
    else:
        yield from (2, [2, 1], True, "other", 0.25)


def _configs(keras_files, form: str) -> Iterator[tuple[str, dict]]:
    """Yield the class and the options of every layer of the table that Keras wrote."""
    classes = (*LAYER_CASES, *MERGE_CASES, "MultiHeadAttention")
    files = {
        "3": {"layers_3": classes, "attention": ("MultiHeadAttention",)},
        "2": {"layers_2": classes, "attention_2": ("MultiHeadAttention",)},
    }
    for name, wanted in files[form].items():
        model = json.loads(open_file(keras_files / f"{name}.h5").header["config"])
        for layer in model["config"]["layers"]:
            if layer["class_name"] in wanted:
                yield layer["class_name"], layer["config"]


def _differs(class_name: str, config: dict, written: bytes) -> bool:
    """Return whether a layer is refused, or comes out otherwise than it did."""
    try:
        return _written(class_name, config) != written
    except Refused:
        return True


@pytest.mark.parametrize("form", ["3", *[pytest.param("2", marks=pytest.mark.slow)] * HAS_KERAS_2])
def test_no_option_is_passed_over(keras_files, form):
    heeded, seen = set(), set()
    for class_name, config in _configs(keras_files, form):
        written = _written(class_name, config)
        for option, value in config.items():
            changed = ({**config, option: other} for other in _others(value))
            if (class_name, option) not in heeded and any(
                _differs(class_name, other, written) for other in changed
            ):
                heeded.add((class_name, option))
            seen.add((class_name, option))
    passed_over = {
        (name, option) for name, option in seen - heeded
        if not _MEANS_NOTHING.fullmatch(option) and option not in _NOTHING_IN.get(name, ())
    }
    assert passed_over == set(), passed_over
    assert {name for name, _ in seen} >= {*LAYER_CASES, *MERGE_CASES, "MultiHeadAttention"}
