"""Damage to containers and to descriptions of networks, drawn from a seed."""

import copy
import io
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from unittest import mock

import h5py
import numpy as np

from tournament.intake import container
from tournament.intake.child import Message
from tournament.intake.hdf5 import groups
from tournament.intake.hdf5.source import Source, lookup3

FORMS = {"old": ("earliest", {}), "dense": (("v108", "v108"), {}), "latest": ("latest", {}),
         "chunks": ("earliest", {"chunks": True, "compression": "gzip", "shuffle": True})}
NUM_LAYERS = 14  # more than a header of the new form lists, or a node of the old one holds
_SIGNATURES = (b"TREE", b"SNOD", b"HEAP", b"GCOL", b"OHDR", b"OCHK", b"FRHP", b"FHDB", b"FHIB",
               b"BTHD", b"BTLF", b"\1\0")
_IN_BLOCK = 17  # where the checksum of a heap's block is


@dataclass(frozen=True)
class Victim:
    """A good container, and where its structures are.

    checked: the start, the end and the place of the checksum of what has one.
    places: addresses that a damaged field may name.
    """

    data: bytes
    checked: tuple[tuple[int, int, int], ...]
    places: tuple[int, ...]


def make_victims() -> list[Victim]:
    """Return a container of each form that Keras's networks come in."""
    return [victim_of(_container(*form)) for form in FORMS.values()]


def _container(version: object, options: dict) -> bytes:
    """Return an .h5 that is built as Keras builds it, of small arrays."""
    rng, stream = np.random.default_rng(5), io.BytesIO()
    with h5py.File(stream, "w", libver=version) as file:
        file.attrs["keras_version"] = "3.9.0"
        file.attrs["model_config"] = json.dumps({"class_name": "Functional", "config": "ü" * 200})
        weights = file.create_group("model_weights")
        names = [f"conv2d_{number}" for number in range(NUM_LAYERS)]
        weights.attrs["layer_names"] = np.array(names, "S")
        for name in names:
            layer = weights.create_group(name)
            layer.attrs["weight_names"] = [f"{name}/kernel".encode(), b"bias"]
            for place, shape in ((f"{name}/kernel", (3, 3, 2)), ("bias", (5,))):
                layer.create_dataset(place, data=rng.normal(size=shape).astype("f4"), **options)
        file.create_group("top_level_model_weights").attrs["weight_names"] = np.zeros(0)
        file["optimizer_weights/iteration"] = np.int64(7)
    return stream.getvalue()


def victim_of(data: bytes) -> Victim:
    """Return a container with the places of its checksums, noted while it is read."""
    found = []
    checked, block = Source.checked, groups._LinkHeap._block

    def note_checked(source, address, size, what):
        found.append((address, address + size, address + size))
        return checked(source, address, size, what)

    def note_block(heap, start, size, address):
        found.append((address, address + size, address + _IN_BLOCK))
        return block(heap, start, size, address)

    with mock.patch.object(Source, "checked", note_checked), \
            mock.patch.object(groups._LinkHeap, "_block", note_block):
        container.read(Message({}, data))
    places = [at for at in range(len(data)) if data.startswith(_SIGNATURES, at)]
    return Victim(data, tuple(found), (*places, 0, len(data)))


def damage_container(rng: random.Random, victim: Victim) -> bytes:
    """Return a container with bytes changed, fields overwritten, parts copied, or cut short."""
    data = bytearray(victim.data)
    for _ in range(rng.choice((1, 1, 2, 5, 30))):
        at, kind = rng.randrange(len(data)), rng.randrange(4)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at] = rng.randrange(256)
        elif kind == 2:
            _overwrite(rng, data, at, victim)
        else:
            size, source = rng.choice((4, 8, 16, 40)), rng.randrange(len(data))
            data[at : at + size] = data[source : source + size]
            del data[len(victim.data):]
    if rng.random() < 0.7:
        _mend(data, victim)
    if rng.random() < 0.1:
        del data[rng.randrange(len(data)):]
    return bytes(data)


def _overwrite(rng: random.Random, data: bytearray, at: int, victim: Victim) -> None:
    """Give a field another value; half of the time one where an address was."""
    size = rng.choice((1, 2, 4, 8))
    if rng.random() < 0.5:
        named = rng.choice(victim.places).to_bytes(8, "little")
        at, size = data.find(named), 8
    values = (0, 1, 2, 255, (1 << 8 * size) - 1, 1 << 8 * size - 1, rng.choice(victim.places), at,
              len(data), rng.getrandbits(8 * size), rng.randrange(64))
    value = max(rng.choice(values), 0) % (1 << 8 * size)
    if 0 <= at <= len(data) - size:
        data[at : at + size] = value.to_bytes(size, "little")


def _mend(data: bytearray, victim: Victim) -> None:
    """Make the checksums right again, so that the damage itself is read."""
    for start, end, place in victim.checked:
        within = place < end
        content = bytearray(data[start:end])
        if within:
            content[place - start : place - start + 4] = bytes(4)
        if place + 4 <= len(data):
            data[place : place + 4] = lookup3(bytes(content)).to_bytes(4, "little")


ODD = (None, True, False, -1, 0, 1, 3, 10**9, 1e300, 0.5, "", "x" * 300, [], {}, [0, -1], [[]],
       "\x1b[2J", [1, 2, 3], {"class_name": "Functional", "config": {}})


def damage_description(rng: random.Random, document: object) -> object:
    """Return a document with values changed, moved, doubled or left out."""
    document = copy.deepcopy(document)
    for _ in range(rng.choice((1, 1, 2, 5))):
        places = list(places_of(document))
        holder, key = rng.choice(places)
        source, name = rng.choice(places)
        kind = rng.randrange(5)
        if kind == 0 and isinstance(holder, list):
            holder.append(copy.deepcopy(rng.choice(holder)))
        elif kind == 1 and isinstance(holder, dict):
            del holder[key]
        elif kind == 2:
            holder[key] = rng.choice(ODD)
        else:
            holder[key] = copy.deepcopy(source[name])
    return document


def places_of(value: object) -> Iterator[tuple[object, object]]:
    """Yield (container, key) of everything in a JSON document."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(item, dict | list):
            yield from places_of(item)
