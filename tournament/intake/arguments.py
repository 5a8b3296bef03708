"""Reads what a layer or an operation is called with, as Keras 2 and as Keras 3 write it.

Yields plain values: numbers, text, lists, and the three classes below. A value of any other
kind stays as it is in the file; the code that reads the option then refuses it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

from tournament.intake import remedies
from tournament.intake.faults import Refused, quoted, refuse

_CONSTANT = "_CONSTANT_VALUE"


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


def damaged(where: str) -> Refused:
    """Return the refusal of a description that no Keras writes."""
    return refuse(f"the description of the model is damaged: {where}", remedies.BUILD_AGAIN)


def read_ref(value: object) -> TensorRef:
    """Return the result that [layer, call, output] names."""
    if not _is_ref(value):
        raise damaged(f"a tensor is {quoted(value)}")
    return TensorRef(*value)


def read_call(node: object, name: str, as_function: bool) -> Call:
    """Return one entry of a layer's `inbound_nodes`.

    Args:
        node: the entry, as JSON.
        name: of the layer, for the refusal.
        as_function: the layer stands for a function of tf: a list of one tensor stays a list.
    """
    if isinstance(node, dict):
        args, kwargs = node.get("args"), node.get("kwargs", {})
        if isinstance(args, list) and isinstance(kwargs, dict):
            named = {key: _decode_3(value) for key, value in kwargs.items()}
            return Call(tuple(_decode_3(value) for value in args), named)
    if isinstance(node, list | dict) and node:
        return _read_call_2(node, name, as_function)
    raise damaged(f"a call of layer {quoted(name)}")


def _read_call_2(node: list | dict, name: str, as_function: bool) -> Call:
    """Read Keras 2's form: [layer, call, output, kwargs], or several of these with equal kwargs."""
    listed = list(node.values()) if isinstance(node, dict) else node
    single = isinstance(node, list) and isinstance(node[0], str)
    values, kwargs = [], {}
    for entry in [node] if single else listed:
        if not isinstance(entry, list) or len(entry) not in (3, 4):
            raise damaged(f"a call of layer {quoted(name)}")
        named = entry[3] if len(entry) == 4 else {}
        if not isinstance(named, dict):
            raise damaged(f"a call of layer {quoted(name)}")
        constant = entry[0] == _CONSTANT
        values.append(_decode_2(entry[2]) if constant else read_ref(entry[:3]))
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
        return read_ref(inner.get("keras_history"))
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
