"""The fields of D4 are its representations, and shared kernels are all that commute with it."""

from itertools import product

import numpy as np
import pytest

from golois.go.symmetry import NUM_SYMMETRIES, transform_board
from golois.kernels.irreps import Fields, count_free, share_bias, share_kernel, transform_fields

KINDS = "TSDCFR"
ONE = {kind: Fields(**{kind: 1}) for kind in KINDS}
MIXED = Fields(2, 1, 1, 1, 2, 1)
OTHER = Fields(1, 2, 0, 1, 1, 1)
TURN, REFLECTION = 1, 4


def random_fields(fields: Fields, size: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(2, size, size, fields.channels))


def convolve(board: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """A convolution as Keras means it, padded with zeros, point by point of the window."""
    window, size = len(kernel), board.shape[1]
    edge = window // 2
    padded = np.pad(board, ((0, 0), (edge, edge), (edge, edge), (0, 0)))
    return sum(
        padded[:, row : row + size, column : column + size] @ kernel[row, column]
        for row, column in product(range(window), repeat=2)
    )


def free_numbers(source: str, window: int) -> list[int]:
    return [count_free(ONE[source], ONE[kind], window) for kind in KINDS]


@pytest.mark.parametrize("kind", KINDS)
def test_each_field_is_a_representation(kind):
    board, fields = random_fields(ONE[kind], 5), ONE[kind]

    def act(*elements):
        found = board
        for element in elements:
            found = transform_fields(found, fields, element)
        return found

    np.testing.assert_array_equal(act(0), board)
    np.testing.assert_array_equal(act(*[TURN] * 4), board)
    np.testing.assert_array_equal(act(REFLECTION, REFLECTION), board)
    np.testing.assert_array_equal(act(REFLECTION, TURN, REFLECTION), act(TURN, TURN, TURN))
    for reflections, turns in product(range(2), range(4)):
        parts = [REFLECTION] * reflections + [TURN] * turns
        np.testing.assert_array_equal(act(*parts), act(4 * reflections + turns))


def test_the_group_moves_a_board_as_the_eight_symmetries_do():
    board = np.random.default_rng(1).normal(size=(19, 19, 1))
    ours = {transform_fields(board, Fields(T=1), g).tobytes() for g in range(8)}
    theirs = {transform_board(board, s).tobytes() for s in range(NUM_SYMMETRIES)}
    assert ours == theirs and len(ours) == NUM_SYMMETRIES


def test_the_papers_generators():
    """r(F) = (-F2, F1) and s(F) = (-F1, F2) at the middle, which does not move."""
    point = np.array([2.0, 3.0]).reshape(1, 1, 1, 2)
    assert transform_fields(point, Fields(F=1), TURN).ravel().tolist() == [-3.0, 2.0]
    assert transform_fields(point, Fields(F=1), REFLECTION).ravel().tolist() == [-2.0, 3.0]
    signs = {"T": (1, 1), "S": (-1, 1), "D": (-1, -1), "C": (1, -1)}
    for kind, expected in signs.items():
        one = np.ones((1, 1, 1, 1))
        found = [transform_fields(one, ONE[kind], g).item() for g in (TURN, REFLECTION)]
        assert found == list(expected)


def test_the_papers_weight_sharing():
    """East is the last column and north the first row; the appendix, its slips put right."""
    kernels = {
        kind: share_kernel(Fields(T=1), ONE[kind], 3).expand(np.arange(1, 4))[:, :, 0]
        for kind in "TSDF"
    }
    t, s, d, f = kernels["T"][..., 0], kernels["S"][..., 0], kernels["D"][..., 0], kernels["F"]
    np.testing.assert_array_equal(t, [[1, 2, 1], [2, 3, 2], [1, 2, 1]])
    np.testing.assert_array_equal(np.abs(s), [[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    assert s[1, 2] == s[1, 0] == -s[0, 1] == -s[2, 1]
    np.testing.assert_array_equal(np.abs(d), [[1, 0, 1], [0, 0, 0], [1, 0, 1]])
    assert d[0, 2] == d[2, 0] == -d[0, 0] == -d[2, 2]
    first, second = f[..., 0], f[..., 1]
    assert first[1, 2] == -first[1, 0] == second[0, 1] == -second[2, 1] != 0
    assert first[0, 2] == first[2, 2] == -first[0, 0] == -first[2, 0] != 0
    assert second[0, 2] == second[0, 0] == -second[2, 2] == -second[2, 0] == first[0, 2]
    assert not first[:, 1].any() and not second[1].any()
    with_c = share_kernel(Fields(T=1), Fields(T=1, C=1), 3)
    assert not with_c.sign[..., 1].any()


def test_the_papers_numbers_of_free_weights():
    planes, hidden = Fields(14), Fields(4, 2, 2, 0, 2)
    for maps, expected in ((7, 714), (1, 342)):
        parts = ((planes, hidden), (hidden, Fields(maps)), (planes, Fields(maps)))
        assert sum(count_free(*part, 3) for part in parts) == expected
    assert [free_numbers("T", window)[:5] for window in (3, 5, 7)] == [
        [3, 1, 1, 0, 2], [6, 3, 3, 1, 6], [10, 6, 6, 3, 12],
    ]
    nonzero = [share_kernel(*part, 3).sign for part in (
        (planes, hidden), (hidden, Fields(7)), (planes, Fields(7)),
    )]
    assert sum(int((sign != 0).sum()) for sign in nonzero) == 2478
    assert sum(sign.size for sign in nonzero) == 3150


@pytest.mark.parametrize("window", [1, 3, 5])
def test_there_are_as_many_weights_as_characters_say(window):
    """The dimension of what commutes: the mean over the group of three traces."""
    places = np.arange(window**2).reshape(1, window, window, 1)
    for source, target in product(KINDS, repeat=2):
        traces = []
        for g in range(8):
            fixed = (transform_fields(places, Fields(T=1), g) == places).sum()
            of_fields = [
                np.trace(transform_fields(np.eye(one.channels)[:, None, None], one, g)[:, 0, 0])
                for one in (ONE[source], ONE[target])
            ]
            traces.append(fixed * of_fields[0] * of_fields[1])
        assert count_free(ONE[source], ONE[target], window) == sum(traces) / 8


def test_regular_fields_are_the_irreducible_ones_in_another_basis():
    for window in (1, 3):
        for a, b in product((1, 2), (1, 3)):
            plain = count_free(Fields(a, a, a, a, 2 * a), Fields(b, b, b, b, 2 * b), window)
            assert count_free(Fields(R=a), Fields(R=b), window) == plain
    assert count_free(Fields(8, 4, 4, 4, 8), Fields(8, 4, 4, 4, 8), 3) == 1488
    assert count_free(Fields(T=4, R=4), Fields(T=4, R=4), 3) == 1488


@pytest.mark.parametrize("window", [1, 3, 5])
@pytest.mark.parametrize("element", range(8))
def test_a_shared_kernel_commutes_with_the_group(window, element):
    sharing = share_kernel(MIXED, OTHER, window)
    kernel = sharing.expand(np.random.default_rng(2).normal(size=sharing.num_free))
    board = random_fields(MIXED, 6)
    before = convolve(transform_fields(board, MIXED, element), kernel)
    after = transform_fields(convolve(board, kernel), OTHER, element)
    np.testing.assert_allclose(before, after, atol=1e-12)


def test_each_weight_is_used_and_none_is_moved_by_another():
    sharing = share_kernel(MIXED, OTHER, 3)
    assert sharing.index.shape == sharing.sign.shape == (3, 3, MIXED.channels, OTHER.channels)
    assert sharing.num_free == count_free(MIXED, OTHER, 3)
    assert set(sharing.index[sharing.sign != 0]) == set(range(sharing.num_free))
    assert set(np.unique(sharing.sign)) == {-1, 0, 1}


def test_only_trivial_and_regular_fields_take_a_bias():
    sharing = share_bias(MIXED)
    board = np.broadcast_to(sharing.expand(np.array([1.0, 2.0, 3.0])), (1, 3, 3, MIXED.channels))
    assert board[0, 0, 0].tolist() == [1, 2, 0, 0, 0, 0, 0, 0, 0, *[3] * 8]
    for element in range(8):
        np.testing.assert_array_equal(transform_fields(board, MIXED, element), board)
    assert share_bias(Fields(S=2, F=1)).expand(np.zeros(0)).tolist() == [0.0] * 4


def test_channels_stand_field_by_field():
    assert MIXED.channels == 17
    assert MIXED.field_of_channel().tolist() == [0, 1, 2, 3, 4, 5, 5, 6, 6, *[7] * 8]
