"""Files whose HDF5 attacks: each is refused with its reason, and nothing else happens."""

import h5py
import numpy as np
import pytest

from tests.integration.intake.hostile import refused_by_the_gates, said, sandboxed
from tests.integration.intake.parity import open_file
from tournament.intake import judge
from tournament.intake.child import MAX_HEADER

_KERNEL = "model_weights/conv2d/conv2d/kernel"


def _attribute(value, name="more"):
    """Return what gives the weights' group an attribute."""
    return lambda file: file["model_weights"].attrs.__setitem__(name, value)


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


def _many_objects(file):
    for number in range(4_100):
        file.create_group(f"model_weights/g{number}")


def _path_as_name(file):
    names = file["model_weights"].attrs["layer_names"].tolist()
    file["model_weights"].attrs["layer_names"] = [*names, "../../../etc/passwd"]


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


_ENUM = h5py.enum_dtype({"A": 0, "B": 1}, "i1")

CONTAINERS = {
    "empty_array": (lambda f: f.create_dataset("x", data=h5py.Empty("f4")), "has no numbers"),
    "long_axis": (lambda f: f.create_dataset("x", (0, 1 << 62), "f4"), "too long axes"),
    "many_axes": (
        lambda f: f.create_dataset("x", data=np.zeros((1,) * 20)), "no numbers, or too many"
    ),
    "enum": (lambda f: f.create_dataset("x", data=np.zeros(3, "i1"), dtype=_ENUM), "plain numbers"),
    "opaque": (lambda f: f.create_dataset("x", data=np.zeros(3, "V4")), "plain numbers"),
    "arrays": (lambda f: f.create_dataset("x", (2,), np.dtype("(3,)f4")), "plain numbers"),
    "lengths": (lambda f: f.create_dataset("x", (2,), h5py.vlen_dtype("f4")), "plain numbers"),
    "bits": (_bits, "plain numbers"),
    "long_double": (lambda f: f.create_dataset("x", data=np.zeros(3, "g")), "plain numbers"),
    "own_float": (_own_float, "plain numbers"),
    "fill_value": (lambda f: f.create_dataset("x", (9,), "f4", fillvalue=1.0), "0 bytes are"),
    "enum_attribute": (
        lambda f: f["model_weights"].attrs.create("more", 0, dtype=_ENUM), "Keras does not write"
    ),
    "attribute_of_array": (
        lambda f: f[_KERNEL].attrs.__setitem__("more", np.zeros(5000, "u1")),
        "kernel' has an attribute Keras does not write",
    ),
    "part_of_array": (_part_of_array, "attribute Keras does not write"),
    "no_names": (_attribute(h5py.Empty("S1"), "layer_names"), "not text"),
    "table_of_names": (_attribute(np.array([["conv2d", "dense"]], "S"), "layer_names"), "not text"),
    "many_names": (_many_names, "lists a name twice"),
    "number_as_description": (lambda f: f.attrs.__setitem__("model_config", 3), "not text"),
    "link_inside": (_linked_soft_inside, "soft link"),
    "many_objects": (_many_objects, "more than 4000"),
    "fork_bomb": (
        lambda f: f["model_weights"].__setitem__(":(){ :|:& };:", h5py.SoftLink("/nothing")),
        "model_weights/:(){ :|:& };:' is a soft link",
    ),
    "path_as_name": (_path_as_name, "lists layer '../../../etc/passwd', but"),
    "path_as_weight": (
        lambda f: f["model_weights/conv2d"].attrs.__setitem__("weight_names", ["/etc/passwd"]),
        "lists weight '/etc/passwd', but",
    ),
    "keras_shape_bomb": (_shape_bomb_3, "3600000000 bytes: 0 bytes are stored"),
    "reference": (
        lambda f: f.create_dataset("x", data=f.ref, dtype=h5py.ref_dtype), "plain numbers"
    ),
    "reference_attribute": (
        lambda f: f["model_weights"].attrs.__setitem__("more", f["model_weights"].ref),
        "attribute Keras does not write",
    ),
    "external_link": (
        lambda f: f["model_weights"].__setitem__("x", h5py.ExternalLink("/etc/passwd", "/")),
        "link to another file",
    ),
    "soft_link": (
        lambda f: f["model_weights"].__setitem__("x", h5py.SoftLink("/model_weights")), "soft link"
    ),
    "external_storage": (_external_storage, "in another file"),
    "virtual": (_virtual, "virtual array"),
    "filter": (
        lambda f: f.create_dataset("x", data=np.zeros(9), compression="lzf"), "filter 32000"
    ),
    "scale_filter": (
        lambda f: f.create_dataset("x", data=np.zeros(9, "i4"), scaleoffset=3), "filter 6"
    ),
    "zip_bomb": (_zip_bomb, "bytes when they are unpacked"),
    "missing_chunk": (_missing_chunk, "lacks 1 of its chunks"),
    "dense_attributes": (_dense_attributes, "many or very long attributes"),
    "shape_bomb": (_shape_bomb, "0 bytes are stored"),
    "cycle": (
        lambda f: f.__setitem__("model_weights/conv2d/back", f["model_weights"]),
        "two links lead to the object",
    ),
    "deep": (lambda f: f.create_group("model_weights" + "/down" * 20), "12 levels"),
    "many_attributes": (_many_attributes, "attributes"),
    "long_attribute": (_attribute(np.zeros(5000, "u1")), "attribute Keras does not write"),
    "compound_attribute": (
        _attribute(np.zeros(2, [("a", "f4"), ("b", "i4")])), "attribute Keras does not write"
    ),
    "complex": (lambda f: f.create_dataset("x", data=np.zeros(9, "c8")), "plain numbers"),
    "text": (lambda f: f.create_dataset("x", data="text"), "plain numbers"),
    "named_type": (lambda f: f.__setitem__("x", np.dtype("f4")), "neither a group nor an array"),
    "not_finite": (lambda f: f[_KERNEL].__setitem__((0, 0, 0, 0), np.nan), "NaN or infinity"),
    "missing_weight": (lambda f: f.__delitem__(_KERNEL), "but does not hold it"),
    "other_shape": (_other_shape, ", not (3, 3, 31, 8)"),
    "weights_only": (lambda f: f.attrs.__delitem__("model_config"), "weights only"),
}


# These are refused in the sandbox in every run of the tests, the others in slow ones only.
SANDBOXED = ("many_names", "external_link", "keras_shape_bomb", "many_objects")


def _spoil(path, name) -> None:
    with h5py.File(path, "r+") as file:
        CONTAINERS[name][0](file)


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_hostile_container_is_refused(victim, name):
    _spoil(victim, name)
    assert CONTAINERS[name][1] in said(refused_by_the_gates(victim))


@pytest.mark.parametrize("name", sandboxed(CONTAINERS, SANDBOXED))
def test_a_hostile_container_is_refused_in_the_sandbox(victim, refusal, name):
    _spoil(victim, name)
    assert CONTAINERS[name][1] in refusal(victim)


def test_strings_that_share_one_place_are_refused(victim, refusal):
    """A file of 300 kB whose list of layers is 175 MB long when it is read."""
    num_names, length = 3_500, 50_000
    with h5py.File(victim, "r+") as file:
        names = np.array(["x" * length] + ["y"] * (num_names - 1), h5py.string_dtype())
        del file["model_weights"].attrs["layer_names"]
        file["model_weights"].attrs["layer_names"] = names
    data = bytearray(victim.read_bytes())
    first = data.find(length.to_bytes(4, "little"))
    element = data[first : first + 16]  # length, address and index of the string in the heap
    data[first : first + 16 * num_names] = element * num_names
    victim.write_bytes(data)
    with h5py.File(victim) as file:
        assert len(file["model_weights"].attrs["layer_names"][-1]) == length
    assert "its structures overlap" in refusal(victim)


def test_arrays_that_share_their_numbers_are_refused(victim, refusal):
    """40 arrays of 400 kB in a file of 500 kB: each is where the first one is."""
    shape, number = (100_000,), 40
    with h5py.File(victim, "r+") as file:
        first = file.create_dataset("first", data=np.ones(shape, "f4"))
        for copy in range(number):
            file.create_dataset(f"copy{copy}", shape, "f4")
        place = first.id.get_offset().to_bytes(8, "little")
    size = (4 * shape[0]).to_bytes(8, "little")
    data = victim.read_bytes()
    nowhere = b"\xff" * 8 + size
    assert data.count(nowhere) == number
    victim.write_bytes(data.replace(nowhere, place + size))
    with h5py.File(victim) as file:
        assert file["copy7"][5] == 1.0
    assert "they share their numbers" in refusal(victim)


def test_names_that_are_too_long_together_are_refused(tmp_path, refusal):
    """What gate A replies fits into a header, but not what gate B is asked with it."""
    path, layer = tmp_path / "net.h5", "\U0001f600" * 256
    names = [f"w{number}" for number in range(1615)]
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = "{}"
        group = file.create_group(f"model_weights/{layer}")
        file["model_weights"].attrs["layer_names"] = [layer]
        group.attrs["weight_names"] = names
        for name in names:
            group[name] = np.zeros(1, "f4")
    assert len(open_file(path).encode()) < MAX_HEADER
    assert "the names of the layers are too long together" in refusal(path)


def test_a_name_that_is_a_path_is_refused(victim, refusal):
    with h5py.File(victim, "r+") as file:
        file["model_weights"].create_group("conv2d!conv2d")
    victim.write_bytes(victim.read_bytes().replace(b"conv2d!conv2d", b"conv2d/conv2d"))
    assert "'model_weights/conv2d/conv2d' holds a slash" in refusal(victim)


def test_what_keras_would_compile_is_not_looked_at(victim, tmp_path):
    with h5py.File(victim, "r+") as file:
        file.attrs["training_config"] = '{"loss": {"class_name": "__lambda__", "config": "x"}}'
    assert judge(victim, work_dir=tmp_path).accepted
