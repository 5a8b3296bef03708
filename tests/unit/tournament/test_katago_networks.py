"""KataGo's networks on OpenVINO say what a slow reference says, in batches of any size."""

import numpy as np
import pytest

from golois.katago.inputs import Inputs
from golois.katago.reading import read_network
from tests.katago_files import (
    BLOCKS,
    TRANSFORMER,
    assert_said,
    each_case,
    network_bytes,
    random_inputs,
    write_network,
)
from tests.reference_katago import reference_outputs
from tournament.errors import NetworkError, OptionsError
from tournament.networks import runtimes
from tournament.networks.katago import KataGoNetwork
from tournament.networks.runtimes import BF16, INT8, open_vino


@pytest.mark.parametrize("batch_size", [pytest.param(2, marks=pytest.mark.slow), 8])
@each_case("version 8", "version 14", "version 15, all blocks", "version 17, identity")
def test_it_says_what_the_reference_says(case, batch_size, tmp_path):
    version, blocks, options = case
    inputs = random_inputs(batch_size)
    network = read_network(write_network(tmp_path / "net.bin", version, *blocks, **options))
    expected = reference_outputs(network_bytes(version, *blocks, **options), *inputs)
    found = KataGoNetwork(network, batch_size)(*inputs)
    assert_said(found, expected)


@pytest.fixture
def network(tmp_path):
    return read_network(write_network(tmp_path / "net.bin", 17, *TRANSFORMER))


@pytest.mark.parametrize("batch_size", [3, 8])  # a single one is left, or nearly a batch
def test_any_number_of_positions_is_answered_and_belongs_to_the_caller(network, batch_size):
    planes, global_inputs = random_inputs(7)
    answer_of = KataGoNetwork(network, batch_size)
    whole = answer_of(planes, global_inputs)
    before = {name: answer.copy() for name, answer in whole.items()}
    for row in (0, 4, 6):
        alone = answer_of(planes[row : row + 1], global_inputs[row : row + 1])
        for name, answer in alone.items():
            np.testing.assert_allclose(answer[0], whole[name][row], atol=1e-5)
    for name, answer in before.items():
        assert len(answer) == 7
        np.testing.assert_array_equal(whole[name], answer)


@pytest.mark.slow
@pytest.mark.parametrize("version", [8, 11, 14])
def test_int8_is_near_float32_and_zeros_beside_the_board_stay_zeros(version, tmp_path):
    network = read_network(write_network(tmp_path / "net.bin", version, *BLOCKS))
    planes, global_inputs = random_inputs(16)
    examples = Inputs(planes, global_inputs, np.ones((16, 362), bool), np.zeros(16, bool))
    rounded = KataGoNetwork(network, 8, INT8, lambda: examples)(planes, global_inputs)
    exact = KataGoNetwork(network, 8)(planes, global_inputs)
    for name, numbers in exact.items():
        error = np.sqrt(np.mean((rounded[name] - numbers) ** 2))
        assert 0 < error < 0.05 * np.abs(numbers).max(), name


@pytest.mark.slow
def test_numbers_beyond_the_range_of_the_examples_are_cut(tmp_path):
    network = read_network(write_network(tmp_path / "net.bin", 8, *BLOCKS))
    planes, global_inputs = random_inputs(3)
    facts = np.ones((3, 362), bool), np.zeros(3, bool)
    small = Inputs(planes * 0.01, global_inputs * 0.01, *facts)
    cut, usual = (
        KataGoNetwork(network, 3, INT8, lambda given=examples: given)(planes, global_inputs)
        for examples in (small, Inputs(planes, global_inputs, *facts))
    )
    exact = KataGoNetwork(network, 3)(planes, global_inputs)
    error, usual_error = (np.std(found["policy"] - exact["policy"]) for found in (cut, usual))
    assert error > 3 * usual_error


def test_a_machine_without_bf16_says_so(network, monkeypatch):
    monkeypatch.setattr(open_vino, "has_bfloat16", lambda: False)
    with pytest.raises(OptionsError, match="needs a processor with AVX512_BF16 or AMX"):
        KataGoNetwork(network, 1, BF16)


def test_a_machine_without_openvino_says_so(network, monkeypatch):
    monkeypatch.setattr(runtimes, "_load", lambda name: None)
    with pytest.raises(NetworkError, match="need OpenVINO: pip install openvino"):
        KataGoNetwork(network, 1)(*random_inputs(1))
