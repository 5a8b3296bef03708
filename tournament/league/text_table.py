"""A table as text, as spreadsheets and course systems export it, and rows in the same form.

Rows may have any delimiter, in UTF-8, UTF-16 or Latin-1. Excel's first line `sep=;` names the
delimiter; it is not written again, since only Excel understands it.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tournament.errors import OptionsError

DELIMITERS = ",;\t|"
_SEP_LINE = re.compile(r'"?sep=(?P<delimiter>[^"\r\n])"?[,;]*', re.IGNORECASE)
# How files begin that are no table of text, whatever their names say.
_KINDS = (
    (re.compile(rb"PK(\x03\x04|\x05\x06)"), "a workbook"),  # .xlsx, .ods, .numbers
    (re.compile(rb"\xd0\xcf\x11\xe0"), "a workbook"),  # .xls
    (re.compile(rb"\t[\x00\x02\x04\x08][\x00-\x10]\x00"), "a workbook"),  # .xls before Excel 5
    (re.compile(rb"%PDF-"), "a PDF"),
)
_MARKED_UP = re.compile(r"\s*(?:<|MIME-Version:)", re.IGNORECASE)
_WORKBOOK = re.compile(r"<(?:\w+:)?Workbook\b")  # Excel's "XML Spreadsheet 2003"
_FIRST_TAGS = 2000  # characters in which it stands


@dataclass(frozen=True)
class Row:
    """What a file has in a row, and on which line of it the row ends."""

    line: int
    cells: list[str]


@dataclass(frozen=True)
class TextTable:
    """The rows of a file that have anything in them, and the form of the file."""

    rows: tuple[Row, ...]
    delimiter: str
    encoding: str
    newline: str

    def written(self, rows: Iterable[Sequence[str]]) -> bytes:
        """Return rows as a file of the same form."""
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=self.delimiter, lineterminator=self.newline).writerows(rows)
        return text.getvalue().encode(self.encoding)


def read_text_table(path: Path) -> TextTable:
    """Read the rows of a file; raise OptionsError if it is a workbook, a web page or no table."""
    content = path.read_bytes()
    for beginning, kind in _KINDS:
        if beginning.match(content):
            raise _refused(path, kind)
    encoding = _encoding_of(content)
    try:
        text = content.decode(encoding)
        if _MARKED_UP.match(text):
            is_workbook = _WORKBOOK.search(text, 0, _FIRST_TAGS)
            raise _refused(path, "a workbook" if is_workbook else "a web page")
        if "\0" in text:
            raise csv.Error("it has bytes that are no text")
        first = next((line for line in text.splitlines() if line.strip()), "")
        said = _SEP_LINE.fullmatch(first.strip(" "))
        delimiter = said["delimiter"] if said else _delimiter_of(first)
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        rows = [Row(lines.line_num, row) for row in lines if any(cell.strip() for cell in row)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise OptionsError(f"{path} is not a table of text: {error}") from error
    newline = "\r\n" if "\r\n" in text else "\n"
    return TextTable(tuple(rows[1:] if said else rows), delimiter, encoding, newline)


def _refused(path: Path, kind: str) -> OptionsError:
    return OptionsError(
        f"{path} is {kind} and not text: save it as CSV, in Excel by File, Save As, CSV UTF-8, or "
        "choose CSV where you export it"
    )


def _delimiter_of(line: str) -> str:
    widths = {one: len(next(csv.reader([line], delimiter=one), [])) for one in DELIMITERS}
    return max(DELIMITERS, key=widths.__getitem__)


def _encoding_of(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):  # as Blackboard writes
        return "utf-16"
    if content.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    if b"\0" in content:  # UTF-16 without a mark: delimiters and line ends have a zero byte
        is_little = content[1::2].count(0) > content[::2].count(0)
        return "utf-16-le" if is_little else "utf-16-be"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"  # Latin-1, and what Windows adds to it
    return "utf-8"
