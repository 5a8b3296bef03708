"""Random damage: refused or accepted, never a crash of the parent or an error of another kind."""

import json
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from tournament.intake import container, judge, weights
from tournament.intake.child import Message
from tournament.intake.config import read_network
from tournament.intake.faults import Refused

_VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just([]),
    st.just({}), st.lists(st.integers(-3, 400), max_size=4),
)


def _places(value: object) -> list[tuple]:
    """Return (container, key) of everything in a JSON document."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, item in items:
        found.append((value, key))
        if isinstance(item, dict | list):
            found.extend(_places(item))
    return found


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_damaged_description_is_refused_or_read(keras_files, data):
    opened = container.read(Message({}, (keras_files / "mobilenet.h5").read_bytes()))
    arrays = weights.unpack(opened.header["weights"], opened.payload)
    document = json.loads(opened.header["config"])
    places = _places(document)
    for _ in range(data.draw(st.integers(1, 3))):
        holder, key = places[data.draw(st.integers(0, len(places) - 1))]
        holder[key] = data.draw(_VALUES)
    try:
        network = read_network(json.dumps(document), arrays, opened.header["keras_version"])
    except Refused as refusal:
        assert refusal.faults
    else:
        assert network.parameters_total > 0


def test_a_damaged_file_is_refused_or_accepted(keras_files, tmp_path):
    good = (keras_files / "resnet.h5").read_bytes()
    rng = random.Random(5)
    for number in range(20):
        damaged = bytearray(good)
        for _ in range(rng.choice((1, 10, 300))):
            # Two thirds of the damage where the structure is.
            end = len(damaged) if rng.random() < 0.33 else 4096
            damaged[rng.randrange(min(end, len(damaged)))] = rng.randrange(256)
        if rng.random() < 0.2:
            del damaged[rng.randrange(len(damaged)):]
        path = tmp_path / f"{number}.h5"
        path.write_bytes(damaged)
        verdict = judge(path, work_dir=tmp_path / "work")
        assert verdict.accepted or verdict.faults
