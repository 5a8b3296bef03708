"""Single games of SGF are read as sgfmill reads them, in whatever encoding they are written."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golois.constants import BOARD_SIZE, PASS
from golois.errors import DataFormatError
from golois.go.coords import BLACK, WHITE
from golois.sgf.reading import SgfGame, read_sgf

sgf = pytest.importorskip("sgfmill.sgf")
sgf_moves = pytest.importorskip("sgfmill.sgf_moves")

COLOURS = {"b": BLACK, "w": WHITE}
LETTERS = "abcdefghijklmnopqrs"
POINTS = st.builds(lambda column, row: column + row, *[st.sampled_from(LETTERS)] * 2)
# Texts that tell their encoding; the second byte of some characters is a bracket or a backslash.
WORDS = {
    "UTF-8": ("Ada", "Zoë", "表千家", "许功蓋 🙂"),
    "Shift_JIS": ("表千家の次の一手", "本因坊秀策は十段", "予構ソフト名人戦"),
    "Big5": ("許功蓋名人賽", "黑棋這步好棋許", "白勝國手賽蓋"),
    "GB18030": ("黑棋打吃后白棋长出誠", "中国围棋名人赛嘰", "王李张刘陈嬥"),
    "EUC-KR": ("흑불계승 이창호", "여기서는 단수를 박정환"),
    "ISO-8859-1": ("Zoë Müller", "François Göß", "plain ASCII"),
}  # fmt: skip


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")


def stones(name: str, points: list[str]) -> str:
    return name + "".join(f"[{point}]" for point in points) if points else ""


@st.composite
def games(draw) -> tuple[str, str]:
    """A game's text and its encoding."""
    charset = draw(st.sampled_from(sorted(WORDS)))
    words = st.sampled_from(WORDS[charset])
    marks = st.sampled_from(["", "]", "\\", "[", " (;GM[1]", "\n", "\\]\t"])
    texts = st.builds(lambda *parts: escaped("".join(parts)), words, marks, words, marks)
    soft_breaks = st.sampled_from(["", "\\\n", "\\\r\n"])
    black, white, comment = (f"{draw(texts)}{draw(soft_breaks)}{draw(words)}" for _ in range(3))
    points = draw(st.lists(POINTS, min_size=8, max_size=60, unique=True))
    num_set_up = draw(st.integers(0, 6))
    ab, aw = points[: num_set_up // 2], points[num_set_up // 2 : num_set_up]
    ab += draw(st.lists(st.sampled_from(ab), max_size=2)) if ab else []  # a point twice
    removed = st.lists(st.sampled_from([*aw, *points[num_set_up:]]), max_size=3)
    ae = draw(removed) if ab or aw else []  # sgfmill takes no other AE before a move
    head = [
        f"CA[{charset}]",
        f"SZ[{BOARD_SIZE}]",
        f"PB[{black}]",
        f"PW[{white}]",
        f"KM[{draw(st.integers(-10, 30)) / 2:g}]",
        f"RE[{draw(st.sampled_from(['B+R', 'W+0.5', 'Void', '?']))}]",
        draw(st.sampled_from(["", "PL[B]", "PL[W]"])),
        f"C[{comment}]",
    ]
    set_up = stones("AB", ab) + stones("AW", aw) + stones("AE", ae)
    nodes = []
    for number, point in enumerate(points[num_set_up : draw(st.integers(6, 60))]):
        move = draw(st.sampled_from([point, point, point, "", "tt"]))
        name = draw(st.sampled_from(["BW"[number % 2], "B", "W"]))
        nodes.append(f";{name}[{move}]{draw(st.sampled_from(['', f'C[{comment}]', 'TR[aa][bb]']))}")
    if nodes and draw(st.booleans()):
        nodes[-1] = f"({nodes[-1]})\n(;B[aa](;W[bb])(;C[{comment}]))"
    return f"(;{''.join(draw(st.permutations(head)))}{set_up}{''.join(nodes)})", charset


def seen_by_sgfmill(text: str) -> tuple:
    game = sgf.Sgf_game.from_string(text)
    root = game.get_root()
    board, plays = sgf_moves.get_setup_and_moves(game)
    occupied = {
        (COLOURS[colour], number_of((row, column)))
        for colour, (row, column) in board.list_occupied_points()
    }
    moves = tuple((COLOURS[colour], number_of(move)) for colour, move in plays)
    names = tuple(" ".join(root.get(name).split()) for name in ("PB", "PW", "RE"))
    turn = COLOURS[root.get("PL")] if root.has_property("PL") else None
    return names, game.get_komi(), occupied, moves, turn


def number_of(move: tuple[int, int] | None) -> int:
    """The kit's number of a point, whose rows sgfmill counts from below."""
    return PASS if move is None else (BOARD_SIZE - 1 - move[0]) * BOARD_SIZE + move[1]


def seen_by_us(game: SgfGame) -> tuple:
    names = (game.black, game.white, game.result)
    return names, game.komi, set(game.set_up), game.moves, game.to_play


@settings(max_examples=30, deadline=None)
@given(written=games())
def test_a_game_is_read_as_sgfmill_reads_it(written):
    text, charset = written
    names, komi, occupied, moves, turn = seen_by_sgfmill(text)
    expected = names, komi, occupied, moves, None if moves else turn
    assert seen_by_us(read_sgf(text.encode(charset))) == expected


@pytest.mark.parametrize("size", ["19:13", "19x13", "nineteen", "13", "0", "-19"])
def test_what_sgfmill_does_not_read_as_19_is_refused(size):
    text = f"(;SZ[{size}];B[dd])"
    with suppress(ValueError):
        assert sgf.Sgf_game.from_string(text).get_size() != BOARD_SIZE
    with pytest.raises(DataFormatError, match="19×19"):
        read_sgf(text.encode())


@pytest.mark.parametrize("rectangle", ["aa:cc", "ba:bs", "aa:sa", "qq:ss"])
def test_rectangles_are_those_of_sgfmill(rectangle):
    text = f"(;SZ[19]PB[]PW[]RE[]AB[{rectangle}])"
    assert set(read_sgf(text.encode()).set_up) == seen_by_sgfmill(text)[2]
    reversed_corners = ":".join(reversed(rectangle.split(":")))
    assert set(read_sgf(text.replace(rectangle, reversed_corners).encode()).set_up) == (
        seen_by_sgfmill(text)[2]
    )
