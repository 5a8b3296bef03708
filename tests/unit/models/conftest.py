"""Let every test of this folder import Keras without TensorFlow's messages, and open files here."""

import pytest

from models.training.quiet import import_keras_quietly

import_keras_quietly()


@pytest.fixture(scope="module", autouse=True)
def opened_here(networks_read_here: None) -> None:
    """What opening a file promises is tested by tests/integration/models/test_opening.py."""
