"""What tests of self-play with real networks share."""

from pathlib import Path

import pytest

from models.training.quiet import import_keras_quietly

import_keras_quietly()

from tests.small_selfplay import baked  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def as_before(order_of_sums_as_before: None, networks_read_here: None, jobs_here: None) -> None:
    """Each module leaves TensorFlow's order of sums as before; runs play in this process."""


@pytest.fixture(scope="session")
def artefact(tmp_path_factory) -> Path:
    """A small untrained network, baked."""
    return baked(tmp_path_factory.mktemp("net"))
