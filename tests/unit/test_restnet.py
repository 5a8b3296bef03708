"""Block strings, and attention over a board against NumPy."""

import numpy as np
import pytest

from models.block_string import format_blocks, parse_blocks
from models.training.quiet import import_keras_quietly

import_keras_quietly()

import keras  # noqa: E402

from models.attention import board_attention, relative_bias  # noqa: E402
from models.learned import constant_one  # noqa: E402

TABLE_1 = (
    "6R", "6T", "5R1T", "4R2T", "3R3T", "2R4T", "1R5T", "TRRRRT", "RTRRRT", "RRTRRT", "RRRTRT",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("2R1T2R1T", "RRTRRT"),
        ("R3(RRT)", "RRRTRRTRRT"),
        ("6R1T", "RRRRRRT"),
        ("2(R2(T))", "RTTRTT"),
        ("(RT)", "RT"),
        ("10R", "R" * 10),
    ],
)
def test_block_strings_are_written_out(text, blocks):
    assert parse_blocks(text) == blocks


@pytest.mark.parametrize("text", [*TABLE_1, "R3(RRT)"])
def test_block_strings_come_back(text):
    blocks = parse_blocks(text)
    assert parse_blocks(format_blocks(blocks)) == blocks == parse_blocks(blocks)
    assert format_blocks("RRTRRT") == "2R1T2R1T"


@pytest.mark.parametrize(
    "text", ["", "2", "RX", "rt", "0R", "3()", "(R", "R)", "R3", "101R", "99(99R)", "9(9(9(9R)))"]
)
def test_other_texts_are_no_block_strings(text):
    with pytest.raises(ValueError, match="expected blocks as RRTRRT"):
        parse_blocks(text)


def test_relative_bias_is_that_of_the_displacement():
    rows, columns = 3, 4
    board = keras.Input((rows, columns, 2))
    model = keras.Model(board, relative_bias(constant_one(board), rows, columns))
    table = np.arange(1.0, (2 * rows - 1) * (2 * columns - 1) + 1, dtype=np.float32)
    assert model.count_params() == table.size
    model.set_weights([table[np.newaxis]])
    (bias,) = model.predict_on_batch(np.random.default_rng(0).random((1, rows, columns, 2)))
    table = table.reshape(2 * rows - 1, 2 * columns - 1)
    for query in np.ndindex(rows, columns):
        for key in np.ndindex(rows, columns):
            expected = table[key[0] - query[0] + rows - 1, key[1] - query[1] + columns - 1]
            found = bias[np.ravel_multi_index(query, (rows, columns))]
            assert found[np.ravel_multi_index(key, (rows, columns))] == expected
    assert set(bias.ravel()) == set(table.ravel())


@pytest.mark.parametrize("with_table", [False, True], ids=["no table", "table of zeros"])
def test_attention_is_that_of_numpy(with_table):
    rows, columns, channels, heads = 3, 2, 6, 2
    board = keras.Input((rows, columns, channels))
    one = constant_one(board) if with_table else None
    model = keras.Model(board, board_attention(board, heads, one))
    rng = np.random.default_rng(1)
    dense = [layer for layer in model.layers if getattr(layer, "use_bias", False)]
    dense.sort(key=lambda layer: (len(layer.name), layer.name))  # as they were made
    for layer in dense:
        layer.set_weights([rng.normal(size=weight.shape) for weight in layer.get_weights()])
    x = rng.normal(size=(2, rows, columns, channels)).astype(np.float32)
    tokens = x.reshape(2, rows * columns, channels)
    *projections, output = [layer.get_weights() for layer in dense]
    mixed = []
    for head in range(heads):
        query, key, value = (
            tokens @ kernel + bias for kernel, bias in projections[3 * head : 3 * head + 3]
        )
        logits = query @ key.transpose(0, 2, 1) / np.sqrt(channels // heads)
        weights = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
        mixed.append(weights @ value)
    expected = np.concatenate(mixed, axis=-1) @ output[0] + output[1]
    np.testing.assert_allclose(
        model.predict_on_batch(x), expected.reshape(x.shape), rtol=1e-4, atol=1e-5
    )


def test_heads_divide_the_channels():
    with pytest.raises(ValueError, match="heads that divide 6 channels: got 4"):
        board_attention(keras.Input((3, 3, 6)), 4)
