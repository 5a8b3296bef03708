"""How a file gets each fault of its container, as bytes made of a good .h5 and a good .keras.

Plain data; test_intake_faults.py tries them. Most of them attack: they lead elsewhere, share or
multiply what is stored, or are two files at once.
"""

import io
import os
import re
import zipfile
from pathlib import Path

import h5py
import numpy as np

from tournament.intake.container import CONFIG, WEIGHTS

_KERNEL = "model_weights/conv2d/conv2d/kernel"


def _h5(change):
    """Return what changes the .h5, opened by h5py."""

    def changed(h5, archive):
        stream = io.BytesIO(h5)
        with h5py.File(stream, "r+") as file:
            change(file)
        return stream.getvalue()

    return changed


def _put(name, *arguments, **options):
    """Return what adds an array to the .h5."""
    return _h5(lambda file: file.create_dataset(name, *arguments, **options))


def _attribute(value, name="more", of="model_weights"):
    """Return what gives an object of the .h5 an attribute."""
    return _h5(lambda file: file[of].attrs.__setitem__(name, value))


def _link(value, name="x"):
    return _h5(lambda file: file["model_weights"].__setitem__(name, value))


def _archive(change):
    """Return what makes a file of the members of the .keras, by their names."""
    return lambda h5, archive: change(members_of(archive))


def _external_storage(file):
    file.create_dataset(
        "model_weights/more", (100,), "u1", external=[("/etc/passwd", 0, h5py.h5f.UNLIMITED)]
    )


def _virtual(file):
    layout = h5py.VirtualLayout((4,), "f4")
    layout[:] = h5py.VirtualSource("/etc/passwd", "x", (4,))
    file.create_virtual_dataset("model_weights/more", layout)


def _shape_bomb(file):
    space = h5py.h5s.create_simple((1 << 30,))
    h5py.h5d.create(file["model_weights"].id, b"more", h5py.h5t.NATIVE_FLOAT, space)


def _many_attributes(file):
    for number in range(100):
        file["model_weights"].attrs[f"a{number}"] = number


def _other_shape(file):
    del file[_KERNEL]
    file[_KERNEL] = np.zeros((3, 3, 31, 9), "f4")


def _linked_soft_inside(file):
    """A link in the middle of a path that the file itself lists."""
    file["model_weights/real"] = file["model_weights/conv2d/conv2d"]
    del file["model_weights/conv2d/conv2d"]
    file["model_weights/conv2d/conv2d"] = h5py.SoftLink("/model_weights/real")


def _shape_bomb_3(file):
    """3.6 GB declared, nothing stored; Keras builds it."""
    del file[_KERNEL]
    space = h5py.h5s.create_simple((30_000, 30_000))
    h5py.h5d.create(
        file["model_weights/conv2d/conv2d"].id, b"kernel", h5py.h5t.NATIVE_FLOAT, space
    )


def _many_names(file):
    """A hundred thousand times the same layer, in pieces as Keras cuts long lists."""
    attributes = file["model_weights"].attrs
    del attributes["layer_names"]
    for piece in range(30):
        attributes[f"layer_names{piece}"] = np.array(["conv2d"] * 4000, "S")


def _part_of_array(file):
    kernel = file[_KERNEL]
    file["model_weights"].attrs.create("more", kernel.regionref[:1], dtype=h5py.regionref_dtype)


def _bits(file):
    h5py.h5d.create(file.id, b"x", h5py.h5t.STD_B8LE, h5py.h5s.create_simple((3,)))


def _own_float(file):
    kind = h5py.h5t.IEEE_F32LE.copy()
    kind.set_fields(31, 20, 11, 0, 20)
    h5py.h5d.create(file.id, b"x", kind, h5py.h5s.create_simple((3,)))


def _zip_bomb(file):
    """A file of some 100 kB whose array has 100 MB."""
    file.create_dataset("x", (25_000_000,), "f4", chunks=(250_000,), compression="gzip")[...] = 1


def _missing_chunk(file):
    kernel = file[_KERNEL][()]
    del file[_KERNEL]
    shape, chunks = kernel.shape, (3, 3, 16, 8)
    array = file.create_dataset("model_weights/conv2d/conv2d/kernel", shape, "f4", chunks=chunks)
    array[:, :, :16] = kernel[:, :, :16]


def _dense_attributes(file):
    """An object as HDF5 1.8 writes it, with more than eight attributes."""
    properties = h5py.h5p.create(h5py.h5p.GROUP_CREATE)
    properties.set_attr_creation_order(h5py.h5p.CRT_ORDER_TRACKED)
    group = h5py.Group(h5py.h5g.create(file.id, b"x", gcpl=properties))
    for number in range(20):
        group.attrs[f"a{number}"] = number


def members_of(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def zip_of(members, comment=b"", **options) -> bytes:
    """Return a zip of (name, content) pairs."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", **options) as archive:
        archive.comment = comment
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


def _with(changes):
    """Return what gives members of the .keras other contents, or takes them away."""

    def change(members):
        changed = {**members, **changes}
        return zip_of((name, new) for name, new in changed.items() if new is not None)

    return _archive(change)


def _in_64_bits(members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            with archive.open(name, "w", force_zip64=True) as member:
                member.write(content)
    before, entry, entries = stream.getvalue().partition(b"PK\1\2")
    # Before 3.11.4 Python leaves out the version 45 that the form asks for.
    return before + re.sub(rb"(?s)(PK\x01\x02..).", lambda m: m[1] + b"\x2d", entry + entries)


def _for_4_gb(members):
    """The form in which the end of a zip names a further end before it."""
    data = zip_of(members.items())
    end, directory = data[-22:], int.from_bytes(data[-6:-2], "little")
    size = int.from_bytes(end[12:16], "little")
    further = b"PK\6\6" + (44).to_bytes(8, "little") + bytes([45, 0, 45, 0]) + bytes(8)
    further += b"".join(n.to_bytes(8, "little") for n in (3, 3, size, directory))
    locator = b"PK\6\7" + bytes(4) + (len(data) - 22).to_bytes(8, "little") + b"\1\0\0\0"
    return data[:-22] + further + locator + end


def _encrypted(members):
    data = bytearray(zip_of(members.items()))
    for signature, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = data.find(signature)
        while at >= 0:
            data[at + flags] |= 1
            at = data.find(signature, at + 1)
    return bytes(data)


def _weights(change):
    """Return what changes the HDF5 file in the .keras."""

    def changed(members):
        content = _h5(change)(members[WEIGHTS], b"")
        return zip_of({**members, WEIGHTS: content}.items())

    return _archive(changed)


def _bomb(members):
    """30 MB in a file of 100 kB."""
    content = members[WEIGHTS] + bytes(30_000_000)
    return zip_of({**members, WEIGHTS: content}.items(), compression=zipfile.ZIP_DEFLATED)


def _twice(members):
    return zip_of([*members.items(), (CONFIG, b"{}")])


def behind_user_block(h5: bytes, block: bytes) -> bytes:
    """An HDF5 file with a user block that begins with these bytes, as `h5jam` makes it."""
    size = 512
    while size < len(block):
        size *= 2
    stream = io.BytesIO()
    with h5py.File(io.BytesIO(h5)) as source, h5py.File(
        stream, "w", userblock_size=size, libver="latest"
    ) as copy:
        for name in source:
            source.copy(name, copy)
        for name, value in source.attrs.items():
            copy.attrs[name] = value
    return block + stream.getvalue()[len(block):]


def _zip_around(h5: bytes, archive: bytes) -> bytes:
    """A zip whose first member is stored, and begins where programs look for HDF5."""
    name = "x" * (512 - 30)
    return zip_of({name: h5, **members_of(archive)}.items())


def _in_an_array(h5: bytes, archive: bytes) -> bytes:
    """An HDF5 file that ends with an array, which holds a zip."""
    stream = io.BytesIO(h5)
    with h5py.File(stream, "r+") as file:
        file["model_weights"]["zip"] = np.frombuffer(archive, np.uint8)
    return stream.getvalue()


TWO_AT_ONCE = {
    "zip_behind": lambda h5, archive: h5 + archive,
    "zip_with_comment": lambda h5, archive: (
        h5 + zip_of(members_of(archive).items(), comment=b"x" * 60_000)
    ),
    "empty_zip_behind": lambda h5, archive: h5 + zip_of([]),
    # Where a program that repairs zips looks, and others do not.
    "far_from_the_end": lambda h5, archive: h5 + archive + bytes(100_000),
    "in_an_array": _in_an_array,
    "zip_before": behind_user_block,
    "zip_around": _zip_around,
}


def _shared_texts(h5, archive):
    """A file of 300 kB whose list of layers is 175 MB long when it is read."""
    num_names, length = 3_500, 50_000
    names = np.array(["x" * length] + ["y"] * (num_names - 1), h5py.string_dtype())
    data = bytearray(_attribute(names, "layer_names")(h5, archive))
    first = data.find(length.to_bytes(4, "little"))
    element = data[first : first + 16]  # length, address and index of the string in the heap
    data[first : first + 16 * num_names] = element * num_names
    with h5py.File(io.BytesIO(data)) as file:
        assert len(file["model_weights"].attrs["layer_names"][-1]) == length
    return bytes(data)


def _shared_numbers(h5, archive):
    """40 arrays of 400 kB in a file of 500 kB: each is where the first one is."""
    shape, number, places = (100_000,), 40, []

    def change(file):
        first = file.create_dataset("first", data=np.ones(shape, "f4"))
        for copy in range(number):
            file.create_dataset(f"copy{copy}", shape, "f4")
        places.append(first.id.get_offset().to_bytes(8, "little"))

    data, size = _h5(change)(h5, archive), (4 * shape[0]).to_bytes(8, "little")
    nowhere = b"\xff" * 8 + size
    assert data.count(nowhere) == number
    data = data.replace(nowhere, places[0] + size)
    with h5py.File(io.BytesIO(data)) as file:
        assert file["copy7"][5] == 1.0
    return data


def _slash(h5, archive):
    data = _h5(lambda file: file["model_weights"].create_group("conv2d!conv2d"))(h5, archive)
    return data.replace(b"conv2d!conv2d", b"conv2d/conv2d")


def _npz(h5, archive):
    stream = io.BytesIO()
    np.savez(stream, *[np.zeros(2)] * 12)
    return stream.getvalue()


_ENUM = h5py.enum_dtype({"A": 0, "B": 1}, "i1")
_DATA_OF_NAMES = np.array([["conv2d", "dense"]], "S")
_LOST = ["conv2d", "../../../etc/passwd"]
_FIRST = "layers/conv2d/vars/0"

# The code of the fault: by name what makes the file of a good .h5 and a good .keras, and a part of
# what is said.
CONTAINERS = {
    "other-file": {
        "no_bytes": (lambda h5, archive: b"", "the file is empty"),
        "script": (lambda h5, archive: b"#!/bin/sh", "not an HDF5 file"),
        "no_hdf5": (_with({WEIGHTS: b"numbers"}), "not an HDF5 file"),
        "npz": (_npz, "an .npz of NumPy"),
        "zip": (lambda h5, archive: zip_of([("x.txt", b"")]), "a zip, and no .keras"),
        **{name: (make, "a zip and an HDF5 file at once") for name, make in TWO_AT_ONCE.items()},
        "zip_in_the_weights": (
            lambda h5, archive: _with(
                {WEIGHTS: members_of(archive)[WEIGHTS] + zip_of([(CONFIG, b"{}")])}
            )(h5, archive),
            "a zip and an HDF5 file at once",
        ),
    },
    "web-page": {"html": (lambda h5, archive: b" <!DOCTYPE html><html>", "")},
    "incomplete": {"cut": (lambda h5, archive: h5[:-100], "")},
    "weights-only": {"no_config_in_h5": (_h5(lambda f: f.attrs.__delitem__("model_config")), "")},
    "damaged-file": {
        "no_weights_in_h5": (_h5(lambda f: f.__delitem__("model_weights")), "holds no weights"),
        "many_names": (_h5(_many_names), "lists a name twice"),
        "slash": (_slash, "'model_weights/conv2d/conv2d' holds a slash"),
        "missing_chunk": (_h5(_missing_chunk), "lacks 1 of its chunks"),
        "fill_value": (_put("x", (9,), "f4", fillvalue=1.0), "0 bytes are"),
        "keras_shape_bomb": (_h5(_shape_bomb_3), "3600000000 bytes: 0 bytes are stored"),
        "shape_bomb": (_h5(_shape_bomb), "0 bytes are stored"),
        "shared_texts": (_shared_texts, "its structures overlap"),
        "shared_numbers": (_shared_numbers, "they share their numbers"),
        "no_end": (lambda h5, archive: archive[:-30], "does not end as a zip does"),
        "comment": (
            lambda h5, archive: archive[:-2] + b"\2\0hi", "does not end as a zip does"
        ),
        "head_of_a_zip": (lambda h5, archive: b"PK\3\4" + archive[-22:], "not a zip that Keras"),
        "no_weights": (_with({WEIGHTS: None}), "lacks model.weights.h5"),
        "no_config": (_with({CONFIG: None}), "lacks config.json"),
    },
    "foreign": {
        "zeros": (lambda h5, archive: h5[:8] + bytes(100), "not of 8 bytes"),
        **{f"user_block_{len(block)}": (
            lambda h5, archive, block=block: behind_user_block(h5, block), "has a user block"
        ) for block in (b"", b"#!/bin/sh\n", bytes(3000))},
        "empty_array": (_put("x", data=h5py.Empty("f4")), "'x' without numbers"),
        "long_axis": (_put("x", (0, 1 << 62), "f4"), "too long axes"),
        "many_axes": (_put("x", data=np.zeros((1,) * 20)), "with too many"),
        "enum_attribute": (
            _h5(lambda f: f["model_weights"].attrs.create("more", 0, dtype=_ENUM)),
            "foreign attribute of 'model_weights'",
        ),
        "attribute_of_array": (_attribute(np.zeros(5000, "u1"), of=_KERNEL), "kernel'"),
        "part_of_array": (_h5(_part_of_array), "foreign attribute"),
        "reference_attribute": (
            _h5(lambda f: f["model_weights"].attrs.__setitem__("more", f["model_weights"].ref)),
            "foreign attribute",
        ),
        "long_attribute": (_attribute(np.zeros(5000, "u1")), "a long or"),
        "compound_attribute": (
            _attribute(np.zeros(2, [("a", "f4"), ("b", "i4")])), "foreign attribute"
        ),
        "many_attributes": (_h5(_many_attributes), "attributes of 'model_weights'"),
        "dense_attributes": (_h5(_dense_attributes), "many or very long attributes"),
        "no_names": (_attribute(h5py.Empty("S1"), "layer_names"), "not text"),
        "table_of_names": (_attribute(_DATA_OF_NAMES, "layer_names"), "not text"),
        "number_as_description": (_attribute(3, "model_config", of="/"), "not text"),
        "link_inside": (_h5(_linked_soft_inside), "a soft link"),
        "fork_bomb": (
            _link(h5py.SoftLink("/nothing"), ":(){ :|:& };:"),
            "'model_weights/:(){ :|:& };:', a soft link",
        ),
        "soft_link": (_link(h5py.SoftLink("/model_weights")), "a soft link"),
        "soft_link_in_keras": (
            _weights(lambda f: f["layers"].__setitem__("x", h5py.SoftLink("/layers"))),
            "a soft link",
        ),
        "external_link": (_link(h5py.ExternalLink("/etc/passwd", "/")), "a link to another file"),
        "external_storage": (_h5(_external_storage), "in another file"),
        "virtual": (_h5(_virtual), "'model_weights/more', a virtual array"),
        "filter": (_put("x", data=np.zeros(9), compression="lzf"), "filter 32000"),
        "scale_filter": (_put("x", data=np.zeros(9, "i4"), scaleoffset=3), "filter 6"),
        "cycle": (
            _h5(lambda f: f.__setitem__("model_weights/conv2d/back", f["model_weights"])),
            "two links to the object 'model_weights",
        ),
        "named_type": (
            _h5(lambda f: f.__setitem__("x", np.dtype("f4"))), "'x', neither a group nor an array"
        ),
        "two_of_a_name": (_archive(_twice), "two of one name"),
        "many": (
            _archive(lambda members: zip_of(
                [*members.items(), *((f"x{number}", b"") for number in range(20))]
            )), "has 23 members",
        ),
        "path": (_with({"../../etc/passwd": b"x"}), "a member '../../etc/passwd'"),
        "folder": (_with({"assets/": b""}), "a member 'assets/'"),
        "code": (_with({"model.py": b"import os"}), "a member 'model.py'"),
        "lzma": (
            _archive(lambda members: zip_of(members.items(), compression=zipfile.ZIP_LZMA)),
            "packed in another way",
        ),
        "encrypted": (_archive(_encrypted), "packed in another way"),
        "in_64_bits": (_archive(_in_64_bits), "packed in another way"),
        "for_4_gb": (_archive(_for_4_gb), "more than 4 GB"),
        "not_numbered": (
            _weights(lambda f: f["layers/conv2d/vars"].__setitem__("x", np.zeros(3, "f4"))),
            "weights in 'layers/conv2d/vars' that are not numbered",
        ),
    },
    "not-held": {
        "path_as_name": (_attribute(_LOST, "layer_names"), "layer '../../../etc/passwd', but"),
        "path_as_weight": (
            _attribute(["/etc/passwd"], "weight_names", of="model_weights/conv2d"),
            "weight '/etc/passwd', but",
        ),
        "missing_weight": (_h5(lambda f: f.__delitem__(_KERNEL)), "weight"),
    },
    "many-objects": {
        "many_objects": (_h5(
            lambda f: [f.create_group(f"model_weights/g{number}") for number in range(4_100)]
        ), "more than 4000"),
        "deep": (_h5(lambda f: f.create_group("model_weights" + "/down" * 20)), "12 levels"),
    },
    "unpacked": {
        "zip_bomb": (_h5(_zip_bomb), "what is in chunks has 100"),
        "bomb": (_archive(_bomb), "'model.weights.h5' has 30,"),
        "long_config": (_with({CONFIG: b" " * 3_000_000}), "'config.json' has 3,000,000"),
    },
    "early-keras": {
        "early": (_weights(lambda f: f.move("layers", "_layer_checkpoint_dependencies")), ""),
    },
    "no-numbers": {
        "enum": (_put("x", data=np.zeros(3, "i1"), dtype=_ENUM), "'x' does not"),
        "opaque": (_put("x", data=np.zeros(3, "V4")), ""),
        "arrays": (_put("x", (2,), np.dtype("(3,)f4")), ""),
        "lengths": (_put("x", (2,), h5py.vlen_dtype("f4")), ""),
        "bits": (_h5(_bits), ""),
        "long_double": (_put("x", data=np.zeros(3, "g")), ""),
        "own_float": (_h5(_own_float), ""),
        "reference": (
            _h5(lambda f: f.create_dataset("x", data=f.ref, dtype=h5py.ref_dtype)), ""
        ),
        "complex": (_put("x", data=np.zeros(9, "c8")), ""),
        "text": (_put("x", data="text"), ""),
    },
    "bfloat16": {
        "bfloat16": (_weights(lambda f: f[_FIRST].attrs.__setitem__("dtype", "bfloat16")), _FIRST),
    },
    "not-finite-weights": {
        "not_finite": (_h5(lambda f: f[_KERNEL].__setitem__((0, 0, 0, 0), np.nan)), "of layer"),
        "nan": (
            _weights(lambda f: f[_FIRST].__setitem__((0, 0, 0, 0), np.nan)), f"{_FIRST} holds"
        ),
    },
    # What such a file may lack besides.
    "no-json": {
        "no_json": (_with({"metadata.json": b"\xff"}), ""),
        "deep_json_in_keras": (_with({"metadata.json": b"[" * 9_000}), ""),
    },
    "not-functional": {"empty_config": (_with({CONFIG: b"{}"}), "")},
    "weights": {
        "other_shape": (_h5(_other_shape), ", not (3, 3, 31, 8)"),
        "missing": (_weights(lambda f: f.__delitem__("layers/conv2d/vars/1")), "hold its bias"),
    },
    "weights-of-no-class": {
        "other_layer": (
            _weights(lambda f: f["layers"].__setitem__("lstm/vars/0", np.zeros(3, "f4"))),
            "weights 'layers/lstm'",
        ),
    },
}


def _pipe(folder):
    os.mkfifo(folder / "pipe.h5")
    return folder / "pipe.h5"


def _symbolic(folder):
    (folder / "file.h5").touch()
    (folder / "link.h5").symlink_to(folder / "file.h5")
    return folder / "link.h5"


# The same for paths that lead to no file, each made in a folder.
PATHS = {
    "link": {"link": (_symbolic, "")},
    "not-opened": {
        "none": (lambda folder: folder / "none.h5", "No such file"),
        "long_path": (lambda folder: folder / ("x" * 300), "too long"),
    },
    "no-file": {
        "folder_for_a_file": (lambda folder: folder, "a folder"),
        "pipe": (_pipe, "not a regular file"),
        "device": (lambda folder: Path("/dev/zero"), "not a regular file"),
    },
}
