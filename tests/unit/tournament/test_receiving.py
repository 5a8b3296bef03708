"""Multipart forms: the same file however the bytes come, and a sentence for every other form."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from tournament.server.receiving import Form, FormError, is_form

KIND = "multipart/form-data; boundary=XyZ"
CONTENT = b"\x89HDF\r\n\x1a\n" + bytes(range(256)) + b"\r\n--Xy\r\n--XyZW\r\n--XyZ x\r\n\r\n-\r"


def part(content: bytes, *head: str) -> bytes:
    lines = "".join(f"{line}\r\n" for line in head)
    return b"--XyZ\r\n" + lines.encode() + b"\r\n" + content + b"\r\n"


def file_part(content: bytes = CONTENT, name: str = 'filename="net.h5"') -> bytes:
    return part(content, f'Content-Disposition: form-data; name="file"; {name}',
                "Content-Type: application/octet-stream")


FIELD = part(b"a value", 'Content-Disposition: form-data; name="comment"')
END = b"--XyZ--\r\n"


def read(body: bytes, size: int = 65_536, kind: str = KIND) -> tuple[bytes, str]:
    """The file of a form that comes in pieces of this size, and its name."""
    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(body), size):
            yield body[start : start + size]
        yield b""

    async def all_of_it() -> bytes:
        return b"".join([piece async for piece in form.file()])

    form = Form(kind, chunks())
    return asyncio.run(all_of_it()), form.file_name


GOOD = {
    "curl": file_part() + END,
    "a browser, with other fields": FIELD + file_part() + FIELD + END,
    "words around it": b"before\r\n" + file_part() + END + b"after it\r\n--XyZ\r\n",
    "no line end at its end": file_part() + END[:-2],
    "spaces after the boundary": file_part().replace(b"XyZ\r\nC", b"XyZ \t \r\nC") + END,
    "a head of nothing": part(b"nobody's") + file_part() + END,
    "an empty field": part(b"", 'Content-Disposition: form-data; name="x"') + file_part() + END,
    "heads in capitals": file_part().replace(b"Content-Disposition", b"CONTENT-DISPOSITION") + END,
}


@pytest.mark.parametrize("body", GOOD.values(), ids=GOOD)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 100_000])
def test_the_file_is_the_same_however_the_bytes_come(body, size):
    assert read(body, size) == (CONTENT, "net.h5")


@pytest.mark.parametrize("cut", range(len(file_part(b"some content") + END) - 2))
def test_a_form_that_breaks_off_is_no_file(cut):
    with pytest.raises(FormError, match="breaks off"):
        read((file_part(b"some content") + END)[:cut])


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (END, "no file"),
        (FIELD + END, "no file"),
        (file_part() + file_part() + END, "several files"),
        (file_part().replace(b"\r\n", b"\n") + END.replace(b"\r\n", b"\n"), "no file"),
        (file_part().replace(b"XyZ", b"other") + END.replace(b"XyZ", b"other"), "breaks off"),
        (part(CONTENT, "Content-Disposition: form-data; name=file",
              "Content-Transfer-Encoding: base64") + END, "encoded"),
        (part(bytes(70_000), 'Content-Disposition: form-data; name="x"') + file_part() + END,
         "besides its file"),
        (FIELD * 2000 + file_part() + END, "besides its file"),
        (bytes(70_000) + file_part() + END, "besides its file"),
        (file_part() + END + bytes(70_000), "besides its file"),
        (part(b"", f"X: {'x' * 9000}") + file_part() + END, "has a head of more than"),
        (b"--XyZ\r\n" + b"x" * 9000, "has a head of more than"),
        (b"--XyZ" + b" " * 5000 + b"\r\n", "breaks off"),
    ],
)
@pytest.mark.parametrize("size", [5, 1000])
def test_other_forms_are_refused_in_a_sentence(body, said, size):
    with pytest.raises(FormError, match=said):
        read(body, size)


@pytest.mark.parametrize(
    "kind",
    [
        "multipart/form-data", "multipart/form-data; boundary=", "multipart/mixed; boundary=XyZ",
        f"multipart/form-data; boundary={'x' * 71}", 'multipart/form-data; boundary="',
        "multipart/form-data; boundary=a\x80b", "multipart/form-data; xboundary=XyZ",
    ],
)
def test_a_body_without_a_boundary_is_no_form(kind):
    assert is_form(kind)
    with pytest.raises(FormError, match="expected multipart/form-data with a boundary"):
        read(file_part() + END, kind=kind)


@pytest.mark.parametrize(
    "kind",
    [
        'multipart/form-data; boundary="XyZ"', "MULTIPART/Form-Data;Boundary=XyZ",
        "multipart/form-data; charset=utf-8; boundary=XyZ; x=y",
    ],
)
def test_a_boundary_is_read_as_clients_write_it(kind):
    assert read(file_part() + END, kind=kind) == (CONTENT, "net.h5")


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ('filename="net.h5"', "net.h5"), ("filename=net.h5", "net.h5"), ('filename=""', ""),
        ('filename="a \\"b\\" \\\\.h5"', 'a "b" \\.h5'), ('filename="a %22b%22.h5"', 'a "b".h5'),
        ('filename="李明.h5"', "李明.h5"), ("filename*=UTF-8''%E6%9D%8E.h5", "李.h5"),
        ('filename="x"; filename*=UTF-8\'\'%ff%fe', "\ufffd\ufffd"), ("x=y", ""),
        ('filename="../../etc/passwd"', "../../etc/passwd"),
    ],
)
def test_names_are_read_as_clients_write_them(written, name):
    assert read(file_part(CONTENT, written) + END) == (CONTENT, name)


def test_a_large_file_is_never_held_as_a_whole(monkeypatch):
    body, most = file_part(bytes(3_000_000)) + END, []

    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(body), 10_000):
            yield body[start : start + 10_000]
            most.append(len(form._held))

    async def count() -> int:
        return sum([len(piece) async for piece in form.file()])

    form = Form(KIND, chunks())
    assert asyncio.run(count()) == 3_000_000
    assert max(most) < 10_000
