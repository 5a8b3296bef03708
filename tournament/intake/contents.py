"""Every object of an HDF5 file, checked; its numbers are read later, and only those needed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from tournament.intake.faults import printable, quoted, refuse
from tournament.intake.forms import hdf5_start, holds_zip, two_at_once
from tournament.intake.hdf5 import SAVE_AGAIN, Array, File, Group

MAX_OBJECTS = 4_000
MAX_DEPTH = 12
MAX_ATTRIBUTES = 64
MAX_ATTRIBUTE_ELEMENTS = 4_000
MAX_UNPACKED = 32 << 20  # bytes of arrays in chunks


@dataclass(frozen=True)
class Contents:
    """What is in a file, each object by its path; the root is ""."""

    file: File
    groups: dict[str, Group]
    arrays: dict[str, Array]


def open_contents(data: bytes) -> Contents:
    """Return everything in a file, checked and not yet read."""
    if not data:
        raise refuse("the file is empty", SAVE_AGAIN)
    start = hdf5_start(data)
    if start is not None and holds_zip(data):
        raise two_at_once()
    if start:
        raise refuse("the file has a user block", SAVE_AGAIN)
    if start is None:
        if data.lstrip()[:14].lower().startswith((b"<!doctype html", b"<html")):
            raise refuse("the file is a web page", "download the network itself, not its page")
        raise refuse("the file is not an HDF5 file", SAVE_AGAIN)
    contents = _walk(File(data))
    _check_total(contents.arrays.values(), len(data))
    return contents


def _walk(file: File) -> Contents:
    """Open every object of the file, by hard links alone and each once."""
    root = file.open(file.root_address, "/")
    if not isinstance(root, Group):
        raise refuse("the file does not begin with a group", SAVE_AGAIN)
    _check_attributes(root, "/")
    contents = Contents(file, {"": root}, {})
    seen = {file.root_address}
    pending = [("", 0)]
    while pending:
        parent, depth = pending.pop()
        for path, address in _hard_links(contents.groups[parent], parent):
            if address in seen:
                raise refuse(f"two links lead to the object {quoted(path)}", SAVE_AGAIN)
            seen.add(address)
            if len(seen) > MAX_OBJECTS or depth >= MAX_DEPTH:
                raise refuse(
                    f"the file has more than {MAX_OBJECTS} objects or {MAX_DEPTH} levels",
                    "save the model without its optimizer: "
                    "model.save('net.h5', include_optimizer=False)",
                )
            opened = file.open(address, path)
            _check_attributes(opened, path)
            if isinstance(opened, Group):
                contents.groups[path] = opened
                pending.append((path, depth + 1))
            else:
                contents.arrays[path] = opened
    return contents


def _hard_links(group: Group, parent: str) -> Iterator[tuple[str, int]]:
    """Yield the path and the address of what is in a group; raises Refused at any other link."""
    if len(group.links) > MAX_OBJECTS:
        raise refuse(f"a group has more than {MAX_OBJECTS} entries", SAVE_AGAIN)
    if len({link.name for link in group.links}) != len(group.links):
        raise refuse(f"two entries of the group {quoted(parent)} have one name", SAVE_AGAIN)
    for link in group.links:
        path = f"{parent}/{link.name.decode('utf-8', 'backslashreplace')}".lstrip("/")
        if b"/" in link.name:
            raise refuse(f"the name of {quoted(path)} holds a slash", SAVE_AGAIN)
        if link.special:
            raise refuse(f"{quoted(path)} is {link.special}", SAVE_AGAIN)
        yield path, link.address


def _check_attributes(opened: Group | Array, path: str) -> None:
    if len(opened.attributes) > MAX_ATTRIBUTES:
        raise refuse(f"{quoted(path)} has {len(opened.attributes)} attributes", SAVE_AGAIN)
    for attribute in opened.attributes.values():
        plain = attribute.datatype.text or attribute.datatype.number is not None
        if attribute.num_elements > MAX_ATTRIBUTE_ELEMENTS or not plain:
            raise refuse(f"{quoted(path)} has an attribute Keras does not write", SAVE_AGAIN)


def _check_total(arrays: Iterable[Array], file_bytes: int) -> None:
    sizes = {True: 0, False: 0}
    for array in arrays:
        sizes[array.is_packed] += array.num_bytes
    if sizes[False] > file_bytes:
        raise refuse(
            f"the arrays have {sizes[False]:,} bytes, the file {file_bytes:,}: "
            "they share their numbers", SAVE_AGAIN,
        )
    if sizes[True] > MAX_UNPACKED:
        raise refuse(
            f"the arrays in chunks have {sizes[True]:,} bytes when they are unpacked: at most "
            f"{MAX_UNPACKED:,} are read", SAVE_AGAIN,
        )


def read_numbers(array: Array, title: str) -> np.ndarray:
    """Return an array in float32; raises Refused, with its title, if a number is not finite."""
    with np.errstate(over="ignore"):  # what is beyond float32 is infinite then
        numbers = array.read().astype(np.float32)
    if not np.isfinite(numbers).all():
        raise refuse(
            f"{printable(title)} holds NaN or infinity",
            "the training diverged: lower the learning rate, train again",
        )
    return numbers
