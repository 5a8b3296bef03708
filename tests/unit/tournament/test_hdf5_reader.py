"""The intake's own reader of HDF5 against the HDF5 library, on files that h5py wrote."""

import h5py
import numpy as np
import pytest

from tournament.intake.faults import Refused
from tournament.intake.hdf5 import Array, File, Group
from tournament.intake.hdf5.source import fletcher32, lookup3

VERSIONS = {
    "earliest": "earliest", "v108": ("v108", "v108"), "v110": ("v110", "v110"), "latest": "latest",
}


def content(data: bytes) -> dict:
    """Every group, array and attribute by its path, as our own reader finds them."""
    file, found = File(data), {}
    pending = [("", file.root_address)]
    while pending:
        path, address = pending.pop()
        opened = file.open(address, path)
        found[path] = opened.read() if isinstance(opened, Array) else "group"
        for name, attribute in opened.attributes.items():
            texts = file.texts(attribute)
            numbers = attribute.datatype.number
            found[f"{path}@{name}"] = (
                "nothing" if attribute.shape is None
                else texts if texts is not None
                else np.frombuffer(attribute.data, numbers).reshape(attribute.shape)
            )
        if isinstance(opened, Group):
            pending.extend((f"{path}/{link.name.decode()}", link.address) for link in opened.links)
    return found


def content_by_library(path) -> dict:
    found = {}

    def note(name, item):
        found[name] = item[()] if isinstance(item, h5py.Dataset) else "group"
        for key in item.attrs:
            kind = item.attrs.get_id(key).get_type()
            value = item.attrs[key]
            if isinstance(value, h5py.Empty):
                value = "nothing"
            elif isinstance(kind, h5py.h5t.TypeStringID):
                value = [text.decode() if isinstance(text, bytes) else text
                         for text in np.ravel(np.asarray(value, object))]
            found[f"{name}@{key}"] = value

    with h5py.File(path) as file:
        note("", file)
        file.visititems(lambda name, item: note(f"/{name}", item))
    return found


def assert_alike(path) -> dict:
    ours, theirs = content(path.read_bytes()), content_by_library(path)
    assert ours.keys() == theirs.keys()
    for key, value in theirs.items():
        np.testing.assert_array_equal(ours[key], value, err_msg=key)
        if isinstance(value, np.ndarray):
            assert ours[key].dtype == value.dtype, key
    return ours


def small(file) -> None:
    file.attrs["text"] = "a long text, ü " * 9_000
    file.attrs["fixed"] = np.bytes_("kernel")
    file.attrs["names"] = np.array([b"conv2d/kernel:0", b"", b"bias"])
    file.attrs["more"] = np.array(["ä", "", "x" * 300], h5py.string_dtype())
    file.attrs["table"] = np.arange(6, dtype=">i2").reshape(2, 3)
    file.attrs["none"] = h5py.Empty("f4")
    file.attrs["no_names"] = np.zeros(0)
    file["scalar"] = np.float64(0.5)
    file["nothing"] = np.zeros((0, 3), "f4")
    for kind in ("f2", "<f4", ">f4", "f8", "i1", "u1", ">i2", "u4", "<i8", ">u8"):
        file[f"arrays/{kind}"] = np.arange(24).astype(kind).reshape(2, 3, 4)
    compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    compact.set_layout(h5py.h5d.COMPACT)
    space = h5py.h5s.create_simple((5,))
    array = h5py.h5d.create(file.id, b"compact", h5py.h5t.IEEE_F32LE, space, compact)
    array.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(5, dtype="f4"))


@pytest.mark.parametrize("version", VERSIONS)
def test_every_kind_of_content_is_read(tmp_path, version):
    with h5py.File(tmp_path / "x.h5", "w", libver=VERSIONS[version]) as file:
        small(file)
    assert len(assert_alike(tmp_path / "x.h5")) > 20


def sizes() -> list:
    """Numbers of groups in each version; the tree of many is alike in the newer ones."""
    return [
        pytest.param(version, number, marks=marks)
        for version in VERSIONS
        for number in (0, 1, 8, 9, 40, 300 if version == "earliest" else 1_200)
        for marks in (pytest.mark.slow if number > 40 and version in ("v108", "v110") else [],)
    ]


@pytest.mark.parametrize(("version", "number"), sizes())
def test_groups_of_any_size_are_read(tmp_path, version, number):
    with h5py.File(tmp_path / "x.h5", "w", libver=VERSIONS[version]) as file:
        for index in range(number):
            file.create_group(f"layers/conv2d_{index}").attrs["number"] = index
    assert len(assert_alike(tmp_path / "x.h5")) == 1 + (number > 0) + 2 * number


@pytest.mark.parametrize("track_order", [False, True])
def test_attributes_over_several_blocks_are_read(tmp_path, track_order):
    with h5py.File(tmp_path / "x.h5", "w", track_order=track_order) as file:
        for index in range(8):
            file.attrs[f"piece{index}"] = np.full(4_000, b"name")
    assert len(assert_alike(tmp_path / "x.h5")) == 9


FILTERS = {
    "chunks": {}, "gzip": {"compression": "gzip"}, "shuffle": {"shuffle": True},
    "fletcher32": {"fletcher32": True},
    "all": {"compression": "gzip", "compression_opts": 9, "shuffle": True, "fletcher32": True},
}


@pytest.mark.parametrize("options", FILTERS.values(), ids=FILTERS)
@pytest.mark.parametrize("version", ["earliest", "v108"])
def test_chunks_are_read(tmp_path, version, options):
    rng = np.random.default_rng(3)
    with h5py.File(tmp_path / "x.h5", "w", libver=VERSIONS[version]) as file:
        for kind in ("f4", ">f8", "i2", "u1"):
            for shape, chunk in (((100,), (7,)), ((30, 41), (8, 41)), ((5, 6, 7, 8), (2, 6, 3, 5))):
                array = rng.normal(0, 50, shape).astype(kind)
                name = f"{kind}{len(shape)}"
                file.create_dataset(name, data=array, chunks=chunk, **options)
        many = rng.normal(0, 1, (3_000,))
        file.create_dataset("deep", data=many, chunks=(2,), **options)
    assert_alike(tmp_path / "x.h5")


def flip_chunk(file, data):
    """One bit of a chunk with a checksum."""
    data[file["sums"].id.get_chunk_info(1).byte_offset + 100] ^= 1


def loop_of_nodes(file, data):
    """Every child of the tree is the tree itself, on its highest level."""
    place = next(at for at in range(len(data)) if data[at : at + 6] == b"TREE\0\1")
    for index in range(int.from_bytes(data[place + 6 : place + 8], "little")):
        child = place + 24 + 8 + 16 * index
        data[child : child + 8] = place.to_bytes(8, "little")


def last_key(file, data):
    """The library searches by the keys, and would take a chunk that it misses for zeros."""
    last = data.index(b"TREE\1\0\2\0") + 24 + 2 * (24 + 8)
    assert data[last + 8] == 5 and data[last + 16] == 8
    data[last : last + 24] = bytes(24)


def key_within_an_element(file, data):
    """The library would miss this chunk too."""
    data[data.index(b"TREE\1\0\2\0") + 24 + 16] = 4


def rename(name):
    """The library takes the last byte of a name for its end, whatever it is."""

    def change(file, data):
        assert data.count(b"layer_names\0") == 1
        data[:] = data.replace(b"layer_names\0", name)

    return change


def same_text(file, data):
    """A text that is listed again and again."""
    first = data.find((30_000).to_bytes(4, "little"))
    data[first : first + 16 * 2_001] = data[first : first + 16] * 2_001


def put(place, value):
    return lambda file, data: data.__setitem__(place, value)


DAMAGE = {
    "chunk": (flip_chunk, "checksum of a chunk"),
    "loop": (loop_of_nodes, "used twice"),
    "order": (last_key, "not in order"),
    "within": (key_within_an_element, "not where it belongs"),
    "name": (rename(b"layer_names\4"), "does not end where it should"),
    "two_ends": (rename(b"layer\0names\0"), "does not end where it should"),
    "texts": (same_text, "overlap"),
    "superblock_1": (put(8, 1), "superblock of version 1"),
    "superblock_9": (put(8, 9), "superblock of version 9"),
    "user_block": (put(24, 2), "user block"),
    "sizes": (put(13, 4), "not of 8 bytes"),
    "end": (put(41, 255), "of its"),
    "driver": (put(48, 0), "driver"),
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A file with all that is damaged below."""
    path = tmp_path_factory.mktemp("sound") / "x.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=np.ones(10), chunks=(5,))
        file.create_dataset("sums", data=np.arange(1000.0), chunks=(500,), fletcher32=True)
        file.attrs["layer_names"] = 1
        for index in range(300):
            file.create_group(f"groups/g{index}")
        texts = ["x" * 30_000] + ["y"] * 2_000
        file["groups"].attrs["texts"] = np.array(texts, h5py.string_dtype())
    assert_alike(path)
    return path


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_noticed(sound, name):
    change, words = DAMAGE[name]
    data = bytearray(sound.read_bytes())
    with h5py.File(sound) as file:
        change(file, data)
    with pytest.raises(Refused, match=words):
        content(bytes(data))


def test_a_damaged_structure_of_the_new_form_is_noticed(tmp_path):
    """Its checksum says so, whichever byte it is."""
    with h5py.File(tmp_path / "x.h5", "w", libver="latest") as file:
        for index in range(30):
            file[f"array{index}"] = np.float32(index)
    whole = (tmp_path / "x.h5").read_bytes()
    for signature in (b"OHDR", b"FRHP", b"FHDB", b"BTHD", b"BTLF"):
        place = whole.index(signature)
        for offset in range(4, 30):
            data = bytearray(whole)
            data[place + offset] ^= 0x10
            with pytest.raises(Refused):
                content(bytes(data))


def test_a_file_that_is_cut_short_is_refused(tmp_path):
    for version in ("earliest", "latest"):
        with h5py.File(tmp_path / "x.h5", "w", libver=version) as file:
            small(file)
            file.attrs["text"] = "short"
        data = (tmp_path / "x.h5").read_bytes()
        for end in range(8, len(data), 41):
            with pytest.raises(Refused):
                content(data[:end])


FOREIGN = {
    "latest_chunks": (
        lambda file: file.create_dataset("x", data=np.zeros(9), chunks=(3,)), "HDF5 1.10 or later"
    ),
    "committed_type": (
        lambda file: (file.__setitem__("t", np.dtype("f4")),
                      file.create_dataset("x", (3,), file["t"])),
        "neither a group nor an array|share a part",
    ),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_keras_does_not_write_is_refused_in_words(tmp_path, name):
    change, words = FOREIGN[name]
    with h5py.File(tmp_path / "x.h5", "w", libver="latest") as file:
        change(file)
    with pytest.raises(Refused, match=words) as refusal:
        content((tmp_path / "x.h5").read_bytes())
    assert "model.save('net.h5')" in refusal.value.faults[0].remedy


def test_checksums():
    assert lookup3(b"Four score and seven years ago") == 0x17770551  # of Jenkins' own test
    assert lookup3(b"") == 0xDEADBEEF
    assert fletcher32(bytes(8)) == 0
    assert fletcher32(b"\xff" * 8) == 0xFFFFFFFF
