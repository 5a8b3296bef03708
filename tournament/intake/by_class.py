"""Finds the arrays of each layer in a .keras, whose groups are named after the layers' classes.

`layers/conv2d`, `layers/conv2d_1` … are the layers of class Conv2D in the order of the model;
those of a model that is used as a layer are in `layers/functional/layers/…`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from tournament.intake.faults import quoted, refuse
from tournament.intake.functional import ModelConfig
from tournament.intake.stored import Path

# What some layers are made of, in the order of their weights; Keras 2 writes an underscore before.
_PARTS = {"MultiHeadAttention": ("query_dense", "key_dense", "value_dense", "output_dense")}
_INNER = ("activation",)
_SAVE_AGAIN = "save the model as .h5: model.save('net.h5')"


def find_by_class(
    model: ModelConfig, groups: Mapping[str, list[np.ndarray]]
) -> dict[Path, list[np.ndarray]]:
    """Return the arrays of each layer, also of those within models.

    Args:
        model: the description.
        groups: the arrays of each group, by its path.

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
        raise refuse(
            f"the file holds weights {quoted(name)}, which no layer of the model has", _SAVE_AGAIN
        )
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
