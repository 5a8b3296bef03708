"""TensorFlow's NodeDef, as JSON and as bytes that were taken for text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournament.intake.node_def import read_node

_ATTRIBUTES = {
    "keep_dims": True, "axis": 3, "padding": "SAME", "T": "DT_FLOAT", "ksize": [1, 2], "none": [],
}
_JSON = {
    "keep_dims": {"b": True}, "axis": {"i": "3"}, "padding": {"s": "U0FNRQ=="},
    "T": {"type": "DT_FLOAT"}, "ksize": {"list": {"i": ["1", "2"]}}, "none": {"list": {}},
}
_BYTES = {
    "keep_dims": b"\x28\x01", "axis": b"\x18\x03", "padding": b"\x12\x04SAME", "T": b"\x30\x01",
    "ksize": b"\x0a\x04\x1a\x02\x01\x02", "none": b"\x0a\x00",
}


def _field(number: int, content: bytes) -> bytes:
    return bytes((number << 3 | 2, len(content))) + content


def _message() -> bytes:
    entries = (_field(1, name.encode()) + _field(2, value) for name, value in _BYTES.items())
    return b"".join(
        [_field(1, b"sum"), _field(2, b"Sum"), _field(3, b"x"), *(_field(5, e) for e in entries)]
    )


def test_json_and_text_say_the_same():
    assert read_node({"name": "sum", "op": "Sum", "attr": _JSON}) == ("Sum", _ATTRIBUTES)
    assert read_node(_message().decode("utf-8")) == ("Sum", _ATTRIBUTES)


def test_a_number_that_is_not_whole_stays_a_number():
    assert read_node({"op": "Elu", "attr": {"alpha": {"f": 0.5}}}) == ("Elu", {"alpha": 0.5})


@pytest.mark.parametrize("end", range(1, len(_message()), 5))
def test_text_that_ends_early_is_refused_or_read(end):
    try:
        op, attributes = read_node(_message()[:end].decode("utf-8"))
    except ValueError:
        return
    assert op in ("", "Sum") and attributes.items() <= _ATTRIBUTES.items()


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9)
    | st.floats(allow_subnormal=False),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["op", "attr", "i", "s", "b", "list", "type", "x"]), inner),
    max_leaves=12,
)


@given(st.text() | _ANYTHING)
def test_anything_else_is_refused_or_read(value):
    try:
        op, attributes = read_node(value)
    except (ValueError, TypeError):
        return
    assert isinstance(op, str) and isinstance(attributes, dict)
