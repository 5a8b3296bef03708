"""The first structure of a file, which says where its root group is."""

from tournament.intake.faults import refuse
from tournament.intake.hdf5.reasons import SAVE_AGAIN, foreign
from tournament.intake.hdf5.source import UNDEFINED, Fields, Source

SIGNATURE = b"\x89HDF\r\n\x1a\n"
_WHAT = "the superblock"
_SIZE_0, _SIZE_2 = 96, 44  # of versions 0 and 2; without signature, and in 2 without checksum


def find_root(source: Source) -> int:
    """Return the address of the root group's header."""
    start = len(SIGNATURE)
    version = source.fields(start, 1, _WHAT).unsigned(1)
    if version == 0:
        return _read_0(source.fields(start, _SIZE_0 - start, _WHAT), source)
    if version in (2, 3):
        fields = source.checked(0, _SIZE_2, _WHAT)
        fields.skip(start)
        return _read_2(fields, source)
    raise foreign(f"a superblock of version {version}")


def _read_0(fields: Fields, source: Source) -> int:
    fields.skip(1)
    for part in ("free space", "root group"):
        fields.expect(0, of=f"the {part} in version")
    fields.skip(1)
    fields.expect(0, of="shared headers in version")
    _check_sizes(fields)
    fields.skip(1 + 2 + 2 + 4)  # reserved, two sizes of nodes, flags
    base = fields.address()
    fields.skip(8)  # where free space is listed
    end, driver = fields.address(), fields.address()
    _check_bounds(base, end, source)
    if driver != UNDEFINED:
        raise foreign("a driver of its own")
    fields.skip(8)  # the root's name
    return fields.address()


def _read_2(fields: Fields, source: Source) -> int:
    fields.skip(1)
    _check_sizes(fields)
    if fields.unsigned(1):
        raise refuse("the file was not closed when it was written", SAVE_AGAIN)
    base, extension, end, root = (fields.address() for _ in range(4))
    _check_bounds(base, end, source)
    if extension != UNDEFINED:
        raise foreign("an extension of the superblock")
    return root


def _check_sizes(fields: Fields) -> None:
    if (fields.unsigned(1), fields.unsigned(1)) != (8, 8):
        raise foreign("addresses or lengths that are not of 8 bytes")


def _check_bounds(base: int, end: int, source: Source) -> None:
    if base != 0:
        raise refuse("the file has a user block", SAVE_AGAIN)
    if end > source.size:
        raise refuse(
            f"the file is incomplete: it has {source.size:,} of its {end:,} bytes",
            "copy or download it again",
        )
