"""The intake rounds every number: what it says of it, and what becomes of hidden digits."""

import h5py
import numpy as np
import pytest
from spoil import hide_numbers

from tests.integration.intake.parity import open_file
from tournament.commands.verdict import print_verdict
from tournament.intake import JudgeOptions, Manifest, Verdict, bake_request, judge
from tournament.intake.bake import bake
from tournament.intake.graph.graph import SIGNIFICANT_BITS, rounded

CHANNELS = 31  # planes, and numbers that hide others


@pytest.fixture(scope="module")
def judged(keras_files, tmp_path_factory) -> Verdict:
    """The verdict on the resnet, which is each test's victim before it is changed."""
    return judge(keras_files / "resnet.h5", work_dir=tmp_path_factory.mktemp("judged"))


def test_the_verdict_says_what_rounding_does(victim, judged, capsys):
    manifest = judged.manifest
    assert manifest.significant_bits == SIGNIFICANT_BITS
    assert 0 < manifest.rounding_difference < 0.02
    print_verdict(victim, judged)
    share = f"{manifest.rounding_difference:.1%}"
    assert f"each number to {SIGNIFICANT_BITS} significant bits, which changes the outputs by " \
        f"{share} on average" in capsys.readouterr().out


def _change_kernels(victim, change) -> None:
    """Give each kernel of the network other numbers."""
    with h5py.File(victim, "r+") as file:
        def visit(name, item):
            if isinstance(item, h5py.Dataset) and item.ndim > 1:
                item[...] = change(item[...])

        file["model_weights"].visititems(visit)


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


def test_a_manifest_of_an_earlier_version_says_that_nothing_was_rounded(judged):
    values = judged.manifest.to_json()
    del values["significant_bits"], values["rounding_difference"]
    manifest = Manifest.from_json(values)
    assert (manifest.significant_bits, manifest.rounding_difference) == (0, 0.0)


def test_a_network_in_whose_later_digits_nothing_is_hidden_is_accepted(victim, tmp_path):
    hide_numbers(victim, np.arange(CHANNELS) / 64, np.zeros(CHANNELS))
    assert judge(victim, work_dir=tmp_path / "work").accepted
