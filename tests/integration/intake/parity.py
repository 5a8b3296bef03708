"""From a file to the artefact's bytes in one process, without the gates' children."""

from pathlib import Path

import onnx

from tournament.intake import container, weights
from tournament.intake.child import Message
from tournament.intake.config import Network, read_network
from tournament.intake.onnx_graph import to_onnx
from tournament.intake.simplify import simplify


def open_file(path: Path) -> Message:
    """Return what gate A makes of a file."""
    return container.read(Message({}, path.read_bytes()))


def read(opened: Message) -> Network:
    """Return what gate B makes of that."""
    arrays = weights.unpack(opened.header["weights"], opened.payload)
    return read_network(opened.header["config"], arrays, opened.header["keras_version"])


def bake(network: Network) -> bytes:
    """Return the checked artefact."""
    model = to_onnx(simplify(network.graph))
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString(deterministic=True)
