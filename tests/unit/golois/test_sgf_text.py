"""SGF in any encoding: every move is read, and names keep their characters."""

import codecs

import pytest

from golois.records.importing import import_games
from golois.records.packed_file import GameFile
from golois.sgf.reading import read_sgf
from golois.sgf.text import TextDecoder, to_utf8

# Encoding of CA, Python's codec, a name, and a comment with characters whose second byte is a
# backslash or a bracket where the encoding has such.
TEXTS = [
    ("Shift_JIS", "cp932", "表千家 十段", "黒の次の一手は急所 能力表ソ十予構"),
    ("Big5", "cp950", "許功蓋 周俊勳", "黑棋這步好棋 許功蓋 白勝"),
    ("GBK", "gb18030", "陈嘉炘 李乙八", "黑棋打吃后白棋长出 誠 黑中盘胜"),
    ("GB18030", "gb18030", "申真谞 朴廷桓", "黑棋这步好棋，白棋应该飞。"),
    ("EUC-KR", "cp949", "이창호 박정환", "흑불계승 여기서는 단수를 쳐야 한다"),
    ("EUC-JP", "euc_jp", "武宮正樹 さくら", "黒の次の一手は急所です"),
    ("ISO-8859-1", "latin-1", "Zoë Åse François Müller", "C'était très bien joué"),
    ("windows-1252", "cp1252", "René Göß", "d’accord, naïve réponse"),
]
TWO_BYTES = [
    ("Shift_JIS", "cp932", "名人戦"),
    ("Big5", "cp950", "名人賽"),
    ("GBK", "gbk", "名人赛"),
]
IDS = [row[0] for row in TEXTS]
TAIL = ";W[dd]C[{comment}];B[pp]TR[dp];W[dp])"


def game(ca: str, name: str, comment: str) -> str:
    charset = f"CA[{ca}]" if ca else ""
    head = f"(;GM[1]{charset}FF[4]SZ[19]KM[6.5]RE[B+R]RU[{name}]PB[{name}]PW[{name}]"
    return f"{head};B[pd]C[{comment}]{TAIL.format(comment=comment)}"


def imported(folder, data: bytes) -> list:
    (folder / "games.sgf").write_bytes(data)
    summary = import_games([folder / "games.sgf"], folder / "out.games")
    assert dict(summary.dropped) == {}
    return list(GameFile.open(summary.path))


@pytest.mark.parametrize("lie", [None, "", "UTF-8", "ISO-8859-1", "no such charset"])
@pytest.mark.parametrize(("ca", "codec", "name", "comment"), TEXTS, ids=IDS)
def test_moves_and_names_are_read(tmp_path, ca, codec, name, comment, lie):
    """Whether CA tells the encoding, is missing, or names another one."""
    text = game(ca if lie is None else lie, name, comment).encode(codec)
    read = read_sgf(text)
    assert (read.black, read.white, len(read.moves)) == (name, name, 4)
    (record,) = imported(tmp_path, text)
    assert (record.rules, record.num_moves) == (name, 4)


@pytest.mark.parametrize("second", [0x5C, 0x5D], ids=["backslash", "bracket"])
@pytest.mark.parametrize(("ca", "codec", "word"), TWO_BYTES)
def test_no_character_swallows_a_move(ca, codec, word, second):
    """Every character whose second byte is SGF's own, at the end of a value and before it."""
    for first in range(0x81, 0xFF):
        letter = bytes((first, second)).decode(codec, "replace")
        if len(letter) > 1 or letter == "\ufffd":
            continue
        for name in (word + letter, f"{letter}{word}a", f"{word}{letter}\\]b"):
            read = read_sgf(game(ca, name, name).encode(codec))
            assert (read.black, len(read.moves)) == (name.replace("\\", ""), 4)


@pytest.mark.parametrize("separator", ["", "\n", " between (games) \n"])
def test_the_games_of_a_file_have_their_own_encodings(tmp_path, separator):
    expected = [(name, 4) for _, _, name, _ in TEXTS] + [("UTF-8 é 木", 4)]
    games = [game(ca, name, comment).encode(codec) for ca, codec, name, comment in TEXTS]
    games.append(game("UTF-8", "UTF-8 é 木", "").encode())
    records = imported(tmp_path, separator.encode().join(games))
    assert [(record.rules, record.num_moves) for record in records] == expected


def test_one_encoding_serves_the_short_games_of_a_file(tmp_path):
    """A name that could be Chinese as well is read like the game before it."""
    games = [game("", name, "").encode("cp949") for name in ("이창호 박정환", "타이젬")]
    assert [record.rules for record in imported(tmp_path, b"\n".join(games))][1] == "타이젬"


@pytest.mark.parametrize("bom", [True, False], ids=["BOM", "no BOM"])
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-8"])
def test_utf_16_is_read(tmp_path, codec, bom):
    text = game("UTF-16", "李 é 𠮷", "】\\]").encode(codec)
    marks = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
    data = marks.get(codec, codecs.BOM_UTF8) * bom + text
    assert (read_sgf(data).black, len(read_sgf(data).moves)) == ("李 é 𠮷", 4)
    (record,) = imported(tmp_path, data)
    assert (record.rules, record.num_moves) == ("李 é 𠮷", 4)


def test_a_short_file_may_be_utf_16():
    for codec in ("utf-16", "utf-16-le", "utf-16-be"):
        assert len(read_sgf("(;B[dd])".encode(codec)).moves) == 1


def test_iso_2022_jp_hides_its_brackets():
    text = game("ISO-2022-JP", "本因坊秀策", "黒の次の一手は急所")
    for ca in ("ISO-2022-JP", ""):
        read = read_sgf(text.replace("ISO-2022-JP", ca).encode("iso2022_jp"))
        assert (read.black, len(read.moves)) == ("本因坊秀策", 4)


@pytest.mark.parametrize(
    ("ca", "codec", "name"),
    [("windows-1251", "cp1251", "Иванов"), ("KOI8-R", "koi8-r", "Петров"),
     ("ISO-8859-2", "iso8859-2", "Łukasz"), ("x-sjis", "cp932", "ﾀｹﾐﾔ")],
)
def test_ca_tells_what_the_text_cannot(ca, codec, name):
    assert read_sgf(game(ca, name, name).encode(codec)).black == name


@pytest.mark.parametrize("ca", ["hex", "zlib", "rot13", "unicode_escape", "utf-7", "idna", "mbcs"])
def test_ca_names_no_codec_of_python_that_is_not_a_charset(ca):
    assert read_sgf(game(ca, "Zoë", "Zoë").encode("latin-1")).black == "Zoë"


def test_a_damaged_character_of_utf_8_costs_only_itself():
    text = game("", "武宮正樹 十段", "黒").encode().replace("樹".encode(), "樹".encode()[:2])
    assert read_sgf(text).black == "武宮正\ufffd 十段"


@pytest.mark.parametrize(("ca", "codec", "word"), TWO_BYTES)
def test_half_a_character_leaves_the_bracket_to_its_value(ca, codec, word):
    """Programs cut long texts between two bytes."""
    cut = word.encode(codec)[:-1]
    text = game(ca, word, word).encode(codec)
    for after in (b"]PB", b"];W", b"];B"):
        text = text.replace(word.encode(codec) + after, cut + after)
    read = read_sgf(text)
    assert (read.rules, read.black, len(read.moves)) == (word[:-1] + "\ufffd", word, 4)


def test_a_long_text_is_cut_between_characters(tmp_path):
    for width in range(4):
        name = "a" * width + "木é𠮷" * 40
        read = read_sgf(game("", name, "").encode())
        assert name.startswith(read.black) and len(read.black.encode()) > 200 - 4
        (record,) = imported(tmp_path, game("", name, "").encode())
        assert record.rules == read.black


def test_pieces_may_end_within_a_character():
    texts = [game(ca, name, comment).encode(codec) for ca, codec, name, comment in TEXTS]
    damaged = texts[0].replace(b"PB", b"PB" + b"(" * 200) + texts[4]
    told_by_ca = game("KOI8-R", "Петров", "").encode("koi8-r")
    wide = game("", "木", "").encode("utf-16")
    for data in (told_by_ca, b" " * 300 + told_by_ca, b"\n".join(texts[:4]), wide, damaged):
        whole = to_utf8(data)
        for size in (1, 2, 3, 7, 64):
            decoder = TextDecoder()
            pieces = [decoder.feed(data[i : i + size]) for i in range(0, len(data), size)]
            assert b"".join([*pieces, decoder.finish()]) == whole


@pytest.mark.parametrize("data", [b"", b"(", b"\xff\xfe", b"\x1b$", b"(\0;\0\xd8", b"(;\x82"])
def test_any_bytes_become_utf_8(data):
    to_utf8(data).decode()


def test_utf_8_passes_unchanged():
    data = b"\xef\xbb\xbf" + game("GBK", "木 é", "").encode()
    assert to_utf8(data) == data
