"""From a file to the artefact's bytes in one process, without the gates' children."""

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from tournament.intake import container
from tournament.intake.child import Message
from tournament.intake.graph.graph import simplify
from tournament.intake.graph.onnx import to_onnx
from tournament.intake.keras.description import unpack_arrays
from tournament.intake.keras.network import CheckedNetwork, read_network
from tournament.networks.evaluator import NetworkEvaluator
from tournament.networks.runtimes import installed_runtimes


def open_file(path: Path) -> Message:
    """Return what gate A makes of a file."""
    return container.read(Message({}, path.read_bytes()))


def read(opened: Message, **options: int) -> CheckedNetwork:
    """Return what gate B makes of that."""
    arrays = unpack_arrays(opened.header["weights"], opened.payload)
    header = opened.header
    return read_network(
        header["config"], arrays, header["keras_version"], by_class=header["by_class"], **options
    )


def bake(network: CheckedNetwork) -> bytes:
    """Return the artefact, checked."""
    artefact = to_onnx(simplify(network.graph)).encode()
    check(artefact)
    return artefact


def check(artefact: bytes) -> None:
    """Let the package onnx check an artefact, if it is installed: the kit does without."""
    if find_spec("onnx"):
        import onnx

        model = onnx.load_from_string(artefact)
        onnx.checker.check_model(model, full_check=True)
        assert model.SerializeToString(deterministic=True) == artefact


def answers(
    artefact: bytes, planes: np.ndarray, runtimes: Iterable[str] | None = None
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return (policy, value_white) for planes [B, 19, 19, 31] by these runtimes, or by all."""
    return [
        NetworkEvaluator(artefact, len(planes), runtime).evaluate(planes)
        for runtime in (installed_runtimes() if runtimes is None else runtimes)
    ]
