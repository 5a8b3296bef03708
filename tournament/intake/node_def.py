"""Reads TensorFlow's NodeDef, an operation of a graph, as Keras of TF 2.0 to 2.3 keeps it.

It stands in the file as JSON, or in the first of these versions as the bytes of the protocol
buffer, taken for UTF-8. Source: tensorflow/core/framework/node_def.proto and attr_value.proto.
"""

from base64 import b64decode
from collections.abc import Iterator

_OP, _ATTRIBUTE = 2, 5  # fields of NodeDef; those of AttrValue follow
_LIST, _TEXT, _INTEGER, _FLAG, _TYPE = 1, 2, 3, 5, 6
_TYPES = {1: "DT_FLOAT", 3: "DT_INT32", 9: "DT_INT64"}


def read_node(value: object) -> tuple[str, dict[str, object]]:
    """Return the name of the operation and its attributes: numbers, flags, texts and lists.

    An attribute of another kind stays as it is in the file; types are their names.

    Raises:
        ValueError: this is no NodeDef.
    """
    if isinstance(value, str):
        return _read_bytes(value.encode("utf-8"))
    op, attributes = (value.get("op"), value.get("attr", {})) if isinstance(value, dict) else (0, 0)
    if not isinstance(op, str) or not isinstance(attributes, dict):
        raise ValueError("expected an operation and its attributes")
    return op, {name: _read_json(item) for name, item in attributes.items()}


def _read_json(value: object) -> object:
    """Return an attribute of the JSON form, in which whole numbers are text and texts base64."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    [(kind, inner)] = value.items()
    if kind == "i":
        return int(inner)
    if kind == "s":
        return b64decode(inner, validate=True).decode("ascii")
    if kind == "list" and isinstance(inner, dict) and len(inner) < 2:
        [items] = inner.values() or [[]]
        return [_read_json({key: item}) for key in inner for item in items]
    return inner if kind in ("b", "f", "type") else value


def _read_bytes(data: bytes) -> tuple[str, dict[str, object]]:
    op, attributes = "", {}
    for number, content in _fields(data):
        if number == _OP and isinstance(content, bytes):
            op = content.decode("ascii")
        elif number == _ATTRIBUTE and isinstance(content, bytes):
            entry = dict(_fields(content))
            name, inner = entry.get(1), entry.get(2, b"")
            if not isinstance(name, bytes) or not isinstance(inner, bytes):
                raise ValueError("expected the name and the value of an attribute")
            attributes[name.decode("ascii")] = _read_attribute(inner)
    return op, attributes


def _read_attribute(data: bytes) -> object:
    [(kind, content)] = _fields(data)
    if kind == _LIST and isinstance(content, bytes):
        return [
            _read_scalar(inner, item)
            for inner, packed in _fields(content)
            for item in (_integers(packed) if inner in (_INTEGER, _TYPE) else [packed])
        ]
    return _read_scalar(kind, content)


def _read_scalar(kind: int, content: int | bytes) -> object:
    if kind == _TEXT and isinstance(content, bytes):
        return content.decode("ascii")
    if kind == _INTEGER:
        return content
    if kind == _FLAG:
        return bool(content)
    if kind == _TYPE and isinstance(content, int):
        return _TYPES.get(content, content)
    return content if kind == _TYPE else {"field": kind}


def _integers(packed: int | bytes) -> list[int]:
    """Return whole numbers that stand in a row, or the only one."""
    if isinstance(packed, int):
        return [packed]
    found, at = [], 0
    while at < len(packed):
        number, at = _varint(packed, at)
        found.append(number)
    return found


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the number and the content of each field of a message."""
    at = 0
    content: int | bytes
    while at < len(data):
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            content, at = _varint(data, at)
        else:
            size, at = (4, at) if wire == 5 else (8, at) if wire == 1 else _varint(data, at)
            content, at = data[at : at + size], at + size
        if wire not in (0, 1, 2, 5) or at > len(data):
            raise ValueError("expected a field of a message")
        yield number, content


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a whole number of seven bits a byte, and where the next field begins."""
    number = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        number |= (data[at] & 0x7F) << shift
        at += 1
        if data[at - 1] < 0x80:
            return number, at
    raise ValueError("expected a whole number")
