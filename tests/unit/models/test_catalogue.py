"""What the catalogue says of networks: its page, table and pictures, times and FLOPs."""

import re
from dataclasses import replace

import keras

import models
from docs.write import generated
from models.catalogue import registry
from models.catalogue.table import (
    Measured,
    count_flops,
    read_measured,
    table,
    write_times,
)
from tests.data import ROOT
from tests.unit.test_docs import PAGES


def test_a_part_without_an_end_is_left_alone():
    text = "<!-- generated: families -->\nkept\n<!-- generated: pictures -->\nold\n<!-- end -->\n"
    written = generated(text)
    assert "kept\n<!-- generated: pictures -->" in written and "old" not in written


def test_table_has_both_presets(monkeypatch):
    small, large = dict(blocks=1, filters=4), dict(blocks=2, filters=4)
    options = dict(name="tiny", budget=small, paper=large, source="Nobody 2000")
    spec = replace(models.REGISTRY["resnet"], **options)
    monkeypatch.setattr(registry, "REGISTRY", {"tiny": spec})
    known = {"tiny": Measured(ms="0.25", accuracy="43.7")}
    lines = [" ".join(line.split()) for line in table(measured=known).splitlines()]
    assert lines[1:] == [
        "tiny budget 4,011 3,893 3 0.25 43.7 Nobody 2000; blocks=1 filters=4",
        "tiny paper 4,331 4,197 3 Nobody 2000; blocks=2 filters=4",
    ]
    lines = table(markdown=True, measured=known).splitlines()
    assert all(line.count("|") == 9 for line in lines) and len(lines) == 4


def test_every_picture_is_shown():
    pages = "".join(page.read_text("utf-8") for page in PAGES)
    linked = set(re.findall(r"\((?:docs/|\.\./)?pictures/([a-z_]+\.png)\)", pages))
    assert linked == {path.name for path in (ROOT / "docs" / "pictures").glob("*.png")} != set()


def test_new_times_keep_what_else_is_known(tmp_path):
    path = tmp_path / "measured.csv"
    assert read_measured(path) == {} and read_measured().keys() <= models.REGISTRY.keys()
    write_times({"mixnet": 1.5, "vit": 0.1}, path)
    path.write_text(path.read_text().replace("1.50,,", "1.50,43.7,1200"))
    write_times({"resnet": 0.5, "mixnet": 2.25}, path)
    assert read_measured(path) == {
        "mixnet": Measured("2.25", "43.7", "1200"), "vit": Measured("0.10"),
        "resnet": Measured("0.50"),
    }  # fmt: skip
    assert [file.name for file in tmp_path.iterdir()] == ["measured.csv"]


def test_flops_are_those_of_the_products():
    board = keras.Input((4, 5, 2))
    x = keras.layers.Conv2D(6, 3)(board)
    x = keras.layers.DepthwiseConv2D(1, use_bias=False)(x)
    x = keras.layers.Dense(8)(keras.layers.Reshape((6, 6))(x))
    x = keras.layers.MultiHeadAttention(2, 4)(x, x)
    x = keras.layers.Dot(axes=(2, 2))([x, x])
    products = [6 * 6 * 9 * 2, 6 * 6, 6 * 6 * 8, 4 * 6 * 8 * 8 + 2 * 6 * 6 * 8, 6 * 6 * 8]
    assert count_flops(keras.Model(board, x)) == 2 * sum(products)


def test_flops_of_attention_are_those_of_its_axes_and_of_its_values():
    board = keras.Input((2, 3, 4))
    within_rows = keras.layers.MultiHeadAttention(2, 5, attention_axes=(2,))(board, board)
    assert count_flops(keras.Model(board, within_rows)) == 2 * (4 * 6 * 4 * 10 + 2 * 6 * 3 * 10)
    tokens, others = keras.Input((6, 4)), keras.Input((2, 3))
    attended = keras.layers.MultiHeadAttention(2, 5)(tokens, others)
    products = 2 * 6 * 4 * 10 + 2 * 2 * 3 * 10 + 2 * 6 * 2 * 10
    assert count_flops(keras.Model([tokens, others], attended)) == 2 * products


def test_flops_of_a_student_s_own_network_are_counted():
    board = keras.Input((4, 5, 2))
    inner = keras.Sequential([keras.Input((4, 5, 2)), keras.layers.SeparableConv2D(3, 1)])
    rows = keras.layers.Reshape((4, 15))(inner(board))
    _, last, state = keras.layers.LSTM(6, return_state=True)(rows)
    assert count_flops(keras.Model(board, [last, state])) == 2 * (
        20 * (2 + 2 * 3) + 15 * 24 + 6 * 24
    )
