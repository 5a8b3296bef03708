"""Block strings, and attention over a board against NumPy."""

import keras
import numpy as np
import pytest

import models
from models.families.restnet import parse_blocks
from models.parts.attention import board_attention, board_of, tokens_of
from models.parts.blocks import constant_one
from models.parts.relative_positions import relative_bias
from tournament.intake import judge

pytestmark = pytest.mark.usefixtures("without_graphs")

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
    """What is written out stays as it is."""
    assert parse_blocks(text) == blocks == parse_blocks(blocks)
    for text in TABLE_1:
        assert parse_blocks(parse_blocks(text)) == parse_blocks(text)


@pytest.mark.parametrize(
    "text", ["", "2", "RX", "rt", "0R", "3()", "(R", "R)", "R3", "101R", "99(99R)", "9(9(9(9R)))"]
)
def test_other_texts_are_no_block_strings(text):
    with pytest.raises(ValueError, match="must be blocks such as RRTRRT"):
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


def test_tokens_are_the_points_in_order_and_come_back():
    """Every point of a board that is not square, one at a time."""
    rows, columns = 3, 5
    board = keras.Input((rows, columns, 2))
    tokens = tokens_of(board)
    model = keras.Model(board, [tokens, board_of(tokens, rows, columns)])
    one_hot = np.eye(rows * columns, dtype=np.float32).reshape(-1, rows, columns, 1)
    boards = np.concatenate([one_hot, 2 * one_hot], axis=-1)
    found, again = model.predict_on_batch(boards)
    np.testing.assert_array_equal(found[:, :, 0], np.eye(rows * columns))
    np.testing.assert_array_equal(again, boards)


class Attention:
    """A small `board_attention` with random weights, and the same in NumPy pair by pair."""

    rows, columns, channels, heads = 3, 4, 6, 2

    def __init__(self, relative: str):
        board = keras.Input((self.rows, self.columns, self.channels))
        mixed = board_attention(board, self.heads, constant_one(board), relative)
        self.model = keras.Model(board, mixed)
        self.rng = np.random.default_rng(1)
        layers = [layer for layer in self.model.layers if isinstance(layer, keras.layers.Dense)]
        layers.sort(key=lambda layer: (len(layer.name), layer.name))  # as they were made
        self.arrays = [layer for layer in layers if not layer.use_bias]
        self.mixing = [layer for layer in layers if layer.use_bias]
        self.randomise(self.mixing)

    def randomise(self, layers) -> None:
        for layer in layers:
            layer.set_weights(
                [self.rng.normal(size=weight.shape) for weight in layer.get_weights()]
            )

    def shaw(self) -> tuple[np.ndarray, np.ndarray]:
        """The vectors of keys and of values, `[points, points, depth]` each."""
        depth = self.channels // self.heads
        row_key, column_key, row_value, column_value = (
            layer.get_weights()[0].reshape(-1, depth) for layer in self.arrays
        )
        num_points = self.rows * self.columns
        vectors = np.zeros((2, num_points, num_points, depth))
        for i, j in np.ndindex(num_points, num_points):
            (row, column), (key_row, key_column) = divmod(i, self.columns), divmod(j, self.columns)
            down, right = key_row - row + self.rows - 1, key_column - column + self.columns - 1
            vectors[0, i, j] = row_key[down] + column_key[right]
            vectors[1, i, j] = row_value[down] + column_value[right]
        return vectors[0], vectors[1]

    def compare(self, of_keys=0.0, of_values=0.0) -> None:
        """Equations 3 and 4 of Shaw et al., whose vectors are 0 in plain attention."""
        shape = (2, self.rows, self.columns, self.channels)
        x = self.rng.normal(size=shape).astype(np.float32)
        tokens = x.reshape(2, self.rows * self.columns, self.channels)
        *projections, output = [layer.get_weights() for layer in self.mixing]
        mixed = []
        for head in range(self.heads):
            query, key, value = (
                tokens @ kernel + bias for kernel, bias in projections[3 * head : 3 * head + 3]
            )
            logits = (query[:, :, None] * (key[:, None] + of_keys)).sum(-1)
            weights = np.exp(logits / np.sqrt(self.channels // self.heads))
            weights /= weights.sum(axis=-1, keepdims=True)
            mixed.append((weights[..., None] * (value[:, None] + of_values)).sum(2))
        expected = np.concatenate(mixed, axis=-1) @ output[0] + output[1]
        found = self.model.predict_on_batch(x)
        np.testing.assert_allclose(found, expected.reshape(shape), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("relative", "tables"), [("none", 0), ("bias", Attention.heads)], ids=["no table", "of zeros"]
)
def test_attention_is_that_of_numpy(relative, tables):
    attention = Attention(relative)
    assert len(attention.arrays) == tables
    attention.compare()


def test_shaws_attention_is_that_of_numpy():
    attention = Attention("shaw")
    depth = attention.channels // attention.heads
    sizes = [layer.count_params() for layer in attention.arrays]
    assert sizes == [5 * depth, 7 * depth] * 2  # rows and columns, of keys and of values
    attention.randomise(attention.arrays)
    attention.compare(*attention.shaw())
    with pytest.raises(ValueError, match="heads must divide the 6 channels: 4 does not"):
        board_attention(keras.Input((3, 3, 6)), 4, None)


def test_convolutional_projection_sees_the_neighbours_of_a_point():
    board = keras.Input((5, 5, 4))
    convolved, linear = (
        keras.Model(board, board_attention(board, 2, None, "none", projection))
        for projection in ("convolution", "linear")
    )
    # queries, keys and values have a depthwise kernel and a normalisation each
    assert convolved.count_params() - linear.count_params() == 3 * (9 * 4 + 4 * 4)
    kernels = [layer for layer in convolved.layers if "depthwise" in layer.name]
    assert len(kernels) == 3
    moved = keras.Model(board, kernels[0].output)
    x = np.zeros((1, 5, 5, 4), np.float32)
    x[0, 2, 2] = 1
    assert np.argwhere(moved.predict_on_batch(x)[0, :, :, 0]).tolist() == [
        [row, column] for row in (1, 2, 3) for column in (1, 2, 3)
    ]


def test_the_token_policy_has_a_logit_for_the_pass_where_the_game_has_one():
    options = dict(blocks="R", filters=4, policy_head="token", size=5, planes=2)
    without = models.build("restnet", moves=25, **options)
    model = models.build("restnet", moves=26, **options)
    assert model.count_params() == without.count_params() + 1
    policy, _ = model.predict_on_batch(np.zeros((1, 5, 5, 2), np.float32))
    assert policy.shape == (1, 26)
    *_, logit = [layer for layer in model.layers if isinstance(layer, keras.layers.Dense)
                 and not layer.use_bias]  # fmt: skip
    logit.set_weights([np.full((1, 1), 50.0)])
    assert model.predict_on_batch(np.zeros((1, 5, 5, 2), np.float32))[0][0, 25] > 0.999


@pytest.mark.parametrize(("embedding", "reach"), [("1x1", 0), ("3x3", 1)])
def test_the_embedding_sees_a_point_alone_or_its_neighbours(embedding, reach):
    network = models.build("restnet", blocks="R", filters=4, embedding=embedding)
    first = next(layer for layer in network.layers if isinstance(layer, keras.layers.Conv2D))
    stem = keras.Model(network.inputs, first.output)
    planes = np.zeros((1, 19, 19, 31), np.float32)
    planes[0, 9, 4] = 1
    rows, columns = np.nonzero(stem.predict_on_batch(planes)[0].any(axis=-1))
    assert set(rows) == set(range(9 - reach, 10 + reach))
    assert set(columns) == set(range(4 - reach, 5 + reach))


@pytest.mark.slow  # by default test_models.py has restnet read and played
@pytest.mark.parametrize(
    "options",
    [
        dict(heads=4),
        dict(heads=4, relative="shaw"),
        dict(blocks="6T", filters=32, heads=4),
    ],
)
def test_networks_of_many_heads_pass_the_intake(options, tmp_path):
    models.build("restnet", **options).save(tmp_path / "net.h5")
    verdict = judge(tmp_path / "net.h5", work_dir=tmp_path)
    assert verdict.accepted, verdict.faults
