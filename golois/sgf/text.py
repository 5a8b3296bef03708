"""The text of SGF files as UTF-8, whatever encoding they were written in.

In Shift-JIS, Big5 and GBK the second byte of a character can be a backslash or a bracket. So text
is decoded, game by game, before anything looks for the end of a value. `CA` often lies, so the
encoding that it names only has an advantage over the most likely encoding.
"""

import codecs
import re
from collections.abc import Iterator
from functools import cache
from itertools import chain, pairwise, product
from typing import NamedTuple

from golois.sgf.properties import sgf_properties

MAX_GAME_BYTES = 1 << 24  # as in splitter.hpp
HEAD_BYTES = 100  # of a file, and of a game up to its first value

# Encodings with more than one byte in each character, told by the first bytes of a file.
WIDE = (
    (re.compile(rb"\xff\xfe\0\0"), "utf-32-le"),
    (re.compile(rb"\0\0\xfe\xff"), "utf-32-be"),
    (re.compile(rb"\xff\xfe|(?:[\t-\r ]\0)*\(\0"), "utf-16-le"),
    (re.compile(rb"\xfe\xff|(?:\0[\t-\r ])*\0\("), "utf-16-be"),
)

CHARSET = re.compile(rb"CA\s*\[\s*(?:x-)?([\w.:-]+)\s*\]")
# Encodings that CA names, and the larger ones that programs mean.
EXTENSIONS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb_2312-80": "gb18030",
    "shift_jis": "cp932",
    "windows-31j": "cp932",
    "big5": "cp950",
    "euc_kr": "cp949",
}
# Encodings that CA may name and that cannot be told by their text; Python has other codecs, too.
BY_NAME = re.compile(
    r"iso8859-\d+|cp125[013-8]|cp437|cp85\d|cp866|cp874|koi8-[rtu]|kz1048|mac-\w+|tis-620"
    r"|big5hkscs|euc_jis\w+|shift_jis\w+|johab|iso2022_\w+"
)
ISO_2022_SHIFT = b"\x1b$"

# Characters beyond ASCII, with the ASCII in and after them that may be a part of them.
NOT_ASCII = re.compile(rb"[\x80-\xff]+(?:[\0-\x7f][\x80-\xff]+)*[\0-\x7f]?")
SAMPLE_BYTES = 800
LATIN = "cp1252"
LATIN_LETTERS = re.compile(
    rb"(?<=[A-Za-z])(?:[\xc0-\xff]{1,2}(?![\x80-\xff])|\x92(?=[A-Za-z]))"
    rb"|(?<![\x80-\xff])[\xc0-\xff]{1,2}(?=[A-Za-z])"
)

# How much a character says for an encoding, as a mean over the text.
FREQUENT, TELLING, HALF_WIDTH, DAMAGED = 1.0, 2.0, 0.5, -3.0
SURE = 1.2  # for the encoding that is expected
# What else does. CA and the encoding of the game before do so the more, the shorter the text is.
NAMED_BONUS, NAMED_DEFAULT_BONUS, BEFORE_BONUS, LATIN_DEFAULT = 0.6, 0.3, 0.3, 0.3
BROKEN = 0.5  # taken off where brackets don't fit

HIGH, LOW = range(0xA1, 0xFF), range(0x40, 0x7F)
KANA = "".join(map(chr, range(0x3041, 0x30FD)))
JAPANESE = (
    "黒白勝負中押目半段局第期戦杯囲碁本因坊名人棋聖王座天元十対互先手持時間日月年回級者院"
    "田藤村山井小林木大高川武宮石野原橋谷加佐吉治正光秀和美子一二三四五六七八九郎夫男"
)


class _Charset(NamedTuple):
    """An encoding of two bytes a character, by its frequent and its `telling` characters."""

    leads: tuple[range, ...]
    trails: tuple[range, ...]
    telling: str


CHARSETS = {
    "gb18030": _Charset(
        (range(0xA1, 0xA2), range(0xA3, 0xA4), range(0xB0, 0xD8)),
        (HIGH,),
        "黑白胜负中盘目子半段局第届杯赛战围棋国日本韩名人联甲贴时间先年月级对手执职业"
        "王李张刘陈杨赵黄周吴徐孙马朱胡林郭何高罗郑梁谢宋唐许邓冯曹曾彭柯洁古力常昊聂卫平孔江"
        "的一是不了在这有个上他我们来到大地就出你也可以之为好飞扳断打吃活死",
    ),
    "cp932": _Charset((range(0x81, 0x84), range(0x88, 0x99)), (LOW, range(0x80, 0xFD)), JAPANESE),
    "cp950": _Charset(
        (range(0xA1, 0xA2), range(0xA4, 0xC7)),
        (LOW, HIGH),
        "黑白勝負中盤目子半段局第屆盃賽戰圍棋國日本韓名人聯貼時間先年月級對手執職業"
        "王李張劉陳楊趙黃周吳徐孫馬朱胡林郭何高羅鄭梁謝宋唐許鄧馮曹曾彭柯古力常昊聶衛平孔江"
        "的一是不了在這有個上他我們來到大地就出你也可以之為好飛扳斷打吃活死",
    ),
    "cp949": _Charset(
        (range(0xA1, 0xA2), range(0xA3, 0xA4), range(0xB0, 0xC9)),
        (HIGH,),
        "흑백승패반집불계단국배전기제회년월일대한중급선수바둑왕명인결시간"
        "김이박최정강조윤장임오서신권황안송류유홍고문양손허남심노하곽성차주우구민진지"
        "창호훈세돌현준철영동상원경재용규태혁욱환석종찬희연은미나건다는을를에의가도로",
    ),
    "euc_jp": _Charset(
        (range(0xA1, 0xA2), range(0xA4, 0xA6), range(0xB0, 0xD0)), (HIGH,), KANA + JAPANESE
    ),
}
TOLD_BY_TEXT = {"utf-8", LATIN, *CHARSETS}
# A character that a property or the end of the game follows, without a bracket between them.
BEFORE_PROPERTY = re.compile(r"[^\0-\x7f](?=\s*(?:;\s*)?[A-Z]{1,2}\[|\s*\)+\s*\Z)")
WHOLE_VALUES = re.compile(r"(?:[();\s]|[A-Za-z]++\s*+(?:\[(?:[^\\\]]|\\.)*+\]\s*+)++)*+", re.DOTALL)


class TextDecoder:
    """Turns the bytes of one file into UTF-8, piece by piece; U+FFFD for what cannot be decoded."""

    def __init__(self) -> None:
        self._pending = b""
        self._before = ""  # the encoding of the last game that was not UTF-8
        self._is_begun = False
        self._wide: codecs.IncrementalDecoder | None = None

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes; return text in UTF-8, which may be empty."""
        begin = max(len(self._pending) - HEAD_BYTES, 0)  # no game begins before, but at 0
        data = self._pending + data
        self._pending = b""
        if not self._is_begun:
            if len(data) < HEAD_BYTES:
                self._pending = data
                return b""
            self._begin(data)
        if self._wide is not None:
            return _utf8(self._wide.decode(data))
        end = _last_root(data, begin)
        if end == 0 and not _root().match(data):
            end = _length_of_utf8(data)  # of games.data, for one
            begin = data.rfind(b"(", max(end - HEAD_BYTES, 0))
            end = begin if begin >= 0 else end
        if len(data) - end >= MAX_GAME_BYTES:
            end = len(data)
        self._pending = data[end:]
        return self._as_utf8(data[:end])

    def finish(self) -> bytes:
        """Return the rest as UTF-8; no bytes follow."""
        data, self._pending = self._pending, b""
        if not self._is_begun:
            self._begin(data)
        if self._wide is not None:
            return _utf8(self._wide.decode(data, True))
        return self._as_utf8(data)

    def _begin(self, data: bytes) -> None:
        self._is_begun = True
        codec = next((codec for pattern, codec in WIDE if pattern.match(data)), None)
        if codec is not None:
            self._wide = codecs.getincrementaldecoder(codec)("replace")

    def _as_utf8(self, data: bytes) -> bytes:
        if _is_utf8(data):
            return data
        games = []
        for game in _cut_at_roots(data):
            if not _is_utf8(game):
                codec = _likeliest_codec(game, self._before)
                game = _utf8(_decoded(game, codec))
                self._before = codec
            games.append(game)
        return b"".join(games)


def to_utf8(data: bytes) -> bytes:
    """Return a whole file's text as UTF-8."""
    decoder = TextDecoder()
    return decoder.feed(data) + decoder.finish()


def _utf8(text: str) -> bytes:
    return text.encode(errors="replace")  # half a surrogate pair


def _has_shifts(data: bytes) -> bool:
    """Whether the text is of ISO 2022; one byte is found 200 times as fast as two."""
    return ISO_2022_SHIFT[:1] in data and ISO_2022_SHIFT in data


def _is_utf8(data: bytes) -> bool:
    return not _has_shifts(data) if data.isascii() else _is_decoded(data, "utf-8")


def _length_of_utf8(data: bytes) -> int:
    """How many bytes are characters of UTF-8, but for an incomplete last one; 0 if others are."""
    if data.isascii():
        return 0 if _has_shifts(data) else len(data)
    try:
        return codecs.utf_8_decode(data, "strict", False)[1]
    except UnicodeDecodeError:
        return 0


@cache
def _root() -> re.Pattern[bytes]:
    """A parenthesis, and a node whose first property belongs to a root."""
    names = (f"{'[a-z]*'.join(row.name)}[a-z]*" for row in sgf_properties() if row.is_of_root)
    return re.compile(rb"\(\s*;\s*(?:%b)\s*\[" % "|".join(names).encode())


def _last_root(data: bytes, begin: int) -> int:
    at = data.rfind(b"(", begin)
    while at > 0 and not _root().match(data, at):
        at = data.rfind(b"(", begin, at)
    return max(at, 0)


def _cut_at_roots(data: bytes) -> Iterator[bytes]:
    cuts = [0, *(match.start() for match in _root().finditer(data)), len(data)]
    return (data[begin:end] for begin, end in pairwise(cuts) if end > begin)


def _decoded(game: bytes, codec: str) -> str:
    """Return the text; half a character at the end of a value leaves the value its bracket."""
    text = game.decode(codec, "replace")
    if codec not in CHARSETS:
        return text
    return BEFORE_PROPERTY.sub(
        lambda match: "\ufffd]" if _has_bracket(match[0], codec) else match[0], text
    )


def _has_bracket(letter: str, codec: str) -> bool:
    return letter.encode(codec, "replace").endswith(b"]")


def _is_broken(text: str, codec: str) -> bool:
    """Return whether a value of the game lacks its end, or has text behind it."""
    lost = (match[0] for match in BEFORE_PROPERTY.finditer(text))
    if codec in CHARSETS and any(_has_bracket(letter, codec) for letter in lost):
        return True
    match = WHOLE_VALUES.match(text, max(text.find("("), 0))
    return match is None or not (match.end() == len(text) or match[0].rstrip().endswith(")"))


def _likeliest_codec(game: bytes, before: str) -> str:
    """The encoding of a game that is not UTF-8, given that of the game before it, or ""."""
    named = _named_codec(game)
    if _has_shifts(game) and not named.startswith("iso2022"):
        named = "iso2022_jp_2"
    if named and named not in TOLD_BY_TEXT and _is_decoded(game, named):
        return named
    sample = _sample(game)
    for expected in (named, before):
        if expected in CHARSETS and _score(sample, expected) >= SURE:
            return expected
    scores = {codec: _score(sample, codec) for codec in ("utf-8", *CHARSETS)}
    scores[LATIN] = LATIN_DEFAULT + _share_of_latin_letters(sample)
    if named in (LATIN, "utf-8"):
        scores[named] += NAMED_DEFAULT_BONUS
    elif named in scores:
        scores[named] += NAMED_BONUS * (1 + 1 / _num_letters(sample, named))
    if before in scores:
        scores[before] += BEFORE_BONUS * (1 + 1 / _num_letters(sample, before))
    least = max(scores.values()) - BROKEN
    if sum(score > least for score in scores.values()) > 1:
        for codec, score in scores.items():
            if score > least and _is_broken(game.decode(codec, "replace"), codec):
                scores[codec] -= BROKEN
    likeliest = max(scores, key=scores.__getitem__)
    return "latin-1" if likeliest == LATIN and not _is_decoded(game, LATIN) else likeliest


def _named_codec(game: bytes) -> str:
    """Python's name of the encoding that CA names; empty where it names none that is text."""
    match = CHARSET.search(game)
    if match is None:
        return ""
    name = match[1].decode().lower()
    if name not in EXTENSIONS:
        try:
            name = codecs.lookup(name).name
        except LookupError:
            return ""
    name = EXTENSIONS.get(name, name)
    return name if name in TOLD_BY_TEXT or BY_NAME.fullmatch(name) else ""


def _is_decoded(game: bytes, codec: str) -> bool:
    try:
        game.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _sample(game: bytes) -> bytes:
    runs, num_bytes = [], 0
    for match in NOT_ASCII.finditer(game):
        runs.append(game[max(match.start() - 1, 0) : match.end()])
        num_bytes += len(runs[-1])
        if num_bytes >= SAMPLE_BYTES:
            break
    return b"".join(runs)[:SAMPLE_BYTES]


def _letters(sample: bytes, codec: str) -> list[str]:
    return [letter for letter in sample.decode(codec, "replace") if letter >= "\x80"]


def _num_letters(sample: bytes, codec: str) -> int:
    return max(len(set(_letters(sample, codec))), 1)


def _score(sample: bytes, codec: str) -> float:
    letters = _letters(sample, codec)
    weights = _weights(codec)
    others = TELLING if codec == "utf-8" else 0  # no other text fits its pattern often
    return sum(weights.get(letter, others) for letter in letters) / max(len(letters), 1)


@cache
def _weights(codec: str) -> dict[str, float]:
    weights: dict[str, float] = {}
    if codec in CHARSETS:
        charset = CHARSETS[codec]
        pairs = (bytes(pair) for pair in product(chain(*charset.leads), chain(*charset.trails)))
        weights |= dict.fromkeys((pair.decode(codec, "ignore") for pair in pairs), FREQUENT)
        weights |= dict.fromkeys(charset.telling, TELLING)
    if codec == "cp932":
        weights |= dict.fromkeys(map(chr, range(0xFF61, 0xFFA0)), HALF_WIDTH)
    return weights | {"\ufffd": DAMAGED}


def _share_of_latin_letters(sample: bytes) -> float:
    num_beyond_ascii = len(sample) - len(re.sub(rb"[\x80-\xff]", b"", sample))
    num_latin = sum(len(match) for match in LATIN_LETTERS.findall(sample))
    return num_latin / max(num_beyond_ascii, 1)
