"""What a file brings and costs: numbers and their digits, time, memory, and whose it is."""

import re
import sys

import h5py
import numpy as np
import pytest
from spoil import add_to_value, call, hide_numbers, layer, old_call

from tests.integration.intake.hostile import reason, said
from tests.integration.intake.parity import open_file
from tournament.commands.verdict import print_verdict
from tournament.intake import IntakeError, JudgeOptions, Manifest, Verdict, bake_request, judge
from tournament.intake.bake import bake, heap_bytes
from tournament.intake.child import Message
from tournament.intake.faults import Refused
from tournament.intake.graph.graph import SIGNIFICANT_BITS, rounded
from tournament.intake.keras.builder import FREE_NUMBERS
from tournament.intake.keras.description import unpack_arrays
from tournament.intake.keras.network import CheckedNetwork, read_network
from tournament.intake.real_positions import NUM_QUESTIONS
from tournament.league.likeness import are_alike

pytestmark = pytest.mark.usefixtures("forked_children")


def _read(opened, text, **more) -> CheckedNetwork:
    arrays = unpack_arrays(opened.header["weights"], opened.payload)
    return read_network(text, {**arrays, **more}, opened.header["keras_version"])


def _wired(opened, num_constants, num_references) -> str:
    """Constants out of single numbers, and one layer that refers to them again and again."""
    constants = [
        layer(f"r{number}", "Rescaling", [call("pooled")], scale=0.0, offset=number / 256)
        for number in range(num_constants)
    ]
    refs = [(f"r{number * 7 % num_constants}", 0, 0) for number in range(num_references)]
    matrix = layer("matrix", "Concatenate", old_call(*refs), axis=-1)
    return add_to_value(opened.header["config"], [*constants, matrix], "matrix")


def test_what_wiring_carries_counts(opened):
    plain = _read(opened, opened.header["config"])
    wired = _read(opened, _wired(opened, 64, 5_000))
    assert plain.parameters_hidden == 0
    assert 5_000 <= wired.parameters_hidden + FREE_NUMBERS <= 5_000 + 3 * 64 + 20
    assert wired.parameters_total == plain.parameters_total + wired.parameters_hidden


def test_a_budget_cannot_be_doubled_by_wiring(opened):
    header = {**opened.header, "config": _wired(opened, 256, 93_860)}
    options = JudgeOptions(max_params=90_000)
    with pytest.raises(Refused) as refusal:
        bake(bake_request(Message(header, opened.payload), options, seed=0))
    assert "over the budget of 90,000" in said(refusal.value.faults)
    assert "in options, constants and wiring" in said(refusal.value.faults)


@pytest.mark.parametrize(("center", "scale", "counted"), [
    (True, True, 62), (False, True, 62), (True, False, 62), (False, False, 62),
])
def test_a_statistic_alone_is_a_parameter(opened, center, scale, counted):
    """A normalisation is a factor and a term for each channel, whoever learned them."""
    norm = layer(
        "norm", "BatchNormalization", [call("pooled")], axis=-1, center=center, scale=scale
    )
    ones = [np.ones(31, np.float32)] * (2 + center + scale)
    plain = _read(opened, opened.header["config"])
    network = _read(opened, add_to_value(opened.header["config"], [norm], "norm"), norm=ones)
    assert network.parameters_trainable - plain.parameters_trainable == counted
    assert network.parameters_total - plain.parameters_total == 31 * len(ones)


def test_a_normalisation_by_its_statistics_counts(opened):
    norm = layer("norm", "Normalization", [call("pooled")], axis=-1, mean=None, variance=None)
    arrays = [np.ones(31, np.float32), np.ones(31, np.float32), np.float32(1)]
    plain = _read(opened, opened.header["config"])
    network = _read(opened, add_to_value(opened.header["config"], [norm], "norm"), norm=arrays)
    assert network.parameters_trainable - plain.parameters_trainable == 62


def test_the_verdict_has_what_the_artefact_holds(opened):
    reply = bake(bake_request(opened, JudgeOptions(), seed=0))
    # The normalisations are in the convolutions.
    assert 0 < reply.header["artefact_numbers"] < reply.header["parameters_total"]


@pytest.fixture(scope="module")
def judged(keras_files, tmp_path_factory) -> Verdict:
    """The verdict on the resnet, which is each test's victim before it is changed."""
    return judge(keras_files / "resnet.h5", work_dir=tmp_path_factory.mktemp("judged"))


def _judged(victim, tmp_path, **limits):
    options = JudgeOptions(**limits)
    return judge(victim, work_dir=tmp_path / "work", options=options)


def test_time_memory_and_rounding_are_measured_and_shown(victim, judged, capsys):
    manifest = judged.manifest
    assert 0 < manifest.ms_per_evaluation < 100
    assert sys.platform != "linux" or 1_000_000 < manifest.memory_bytes < 200_000_000
    print_verdict(victim, judged)
    shown = capsys.readouterr().out
    assert f"{manifest.memory_bytes / 1e6:.0f} MB" in shown
    assert f"the artefact holds {manifest.artefact_numbers:,} numbers" in shown
    assert manifest.significant_bits == SIGNIFICANT_BITS
    assert 0 < manifest.rounding_difference < 0.02
    assert f"each number to {SIGNIFICANT_BITS} significant bits, which changes the outputs by " \
        f"{manifest.rounding_difference:.1%} on average" in shown


@pytest.mark.slow
@pytest.mark.skipif(heap_bytes() == 0, reason="this system does not tell")
def test_a_network_of_few_parameters_that_fills_the_memory_is_refused(opened, victim, tmp_path):
    """Half a million numbers for each position, and not one parameter more."""
    layers = [
        layer("line", "Reshape", [call("pooled")], target_shape=[1, 31, 1]),
        layer("first", "UpSampling2D", [call("line")], size=[8, 8]),
        layer("second", "UpSampling2D", [call("first")], size=[8, 8]),
        layer("third", "UpSampling2D", [call("second")], size=[2, 2]),
    ]
    with h5py.File(victim, "r+") as file:
        file.attrs["model_config"] = add_to_value(opened.header["config"], layers, "third")
    verdict = _judged(victim, tmp_path, max_megabytes=50, max_ms=1000)
    assert re.search(r"takes \d\d MB of memory: at most 50 MB", reason(verdict))


def test_bytes_behind_the_end_of_the_file_change_nothing(victim, judged, tmp_path):
    one = judged.manifest
    victim.write_bytes(victim.read_bytes() + bytes(1000))
    other = _judged(victim, tmp_path).manifest
    assert one.sha256 != other.sha256
    assert (one.onnx_sha256, one.answers) == (other.onnx_sha256, other.answers)
    assert len(one.answers) == 2 * NUM_QUESTIONS and all(0 <= answer <= 1 for answer in one.answers)


def test_networks_whose_weights_differ_by_noise_are_copies(victim, judged, tmp_path):
    one = judged.manifest
    rng = np.random.default_rng(0)
    with h5py.File(victim, "r+") as file:
        for layer in ("conv2d", "dense", "value"):
            kernel = file[f"model_weights/{layer}/{layer}/kernel"]
            kernel[...] = kernel[...] + rng.normal(0, 1e-4, kernel.shape)
    noisy = _judged(victim, tmp_path).manifest
    assert one.onnx_sha256 != noisy.onnx_sha256
    assert are_alike(one.to_json(), noisy.to_json())


def test_a_manifest_of_an_earlier_version_can_be_read(judged):
    values = judged.manifest.to_json()
    for name in ("artefact_numbers", "memory_bytes", "answers", "turned_answers",
                 "significant_bits", "rounding_difference"):
        del values[name]
    read = Manifest.from_json(values)
    assert read.answers == read.turned_answers == ()
    assert (read.significant_bits, read.rounding_difference) == (0, 0.0), "nothing was rounded"
    with pytest.raises(IntakeError, match="answers"):
        Manifest.from_json({**values, "answers": ["many"]})


CHANNELS = 31  # planes, and numbers that hide others


def _change_kernels(victim, change) -> None:
    """Give each kernel of the network other numbers."""
    with h5py.File(victim, "r+") as file:
        def visit(name, item):
            if isinstance(item, h5py.Dataset) and item.ndim > 1:
                item[...] = change(item[...])

        file["model_weights"].visititems(visit)


@pytest.mark.slow
def test_later_digits_do_not_make_another_network(victim, tmp_path):
    """A student cannot draw new openings with the last bit of a weight."""
    manifests = []
    for factor in (1, 1 + 2.0**-20):
        _change_kernels(victim, lambda kernel, factor=factor: rounded(kernel) * factor)
        manifests.append(judge(victim, work_dir=tmp_path / "work").manifest)
    one, other = manifests
    assert one.sha256 != other.sha256
    assert one.onnx_sha256 == other.onnx_sha256


def test_networks_of_ones_own_keep_their_digits(keras_files, judged):
    opened = open_file(keras_files / "resnet.h5")
    reply = bake(bake_request(opened, JudgeOptions(round_numbers=False), seed=0))
    assert "significant_bits" not in reply.header
    assert reply.header["onnx_sha256"] != judged.manifest.onnx_sha256


def test_a_network_in_whose_later_digits_nothing_is_hidden_is_accepted(victim, tmp_path):
    hide_numbers(victim, np.arange(CHANNELS) / 64, np.zeros(CHANNELS))
    assert judge(victim, work_dir=tmp_path / "work").accepted
