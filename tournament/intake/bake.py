"""Gates B and C, in a fresh child: from description and weights to a checked ONNX artefact."""

import hashlib
import time

import numpy as np
import onnx

from tournament.errors import NetworkError
from tournament.intake import weights
from tournament.intake.child import Message
from tournament.intake.config import CheckedNetwork, read_network
from tournament.intake.faults import refuse
from tournament.intake.onnx_graph import to_onnx
from tournament.intake.reference import evaluate
from tournament.intake.sample import sample_positions
from tournament.intake.sandbox import Limits
from tournament.intake.simplify import simplify
from tournament.networks.evaluator import NetworkEvaluator

LIMITS = Limits(cpu_seconds=5, memory_bytes=512 << 20)
FLOPS_PER_PARAMETER = 5_000  # a convolution of the whole board has 722
MAX_DIFFERENCE = 1e-4
POLICY_TOLERANCE = 1e-3
TIMING_SECONDS = 0.1
_RETRAIN = "look at the outputs of the model on a few positions before saving it"


def bake(request: Message) -> Message:
    """Return the artefact's bytes, and in the header what its manifest says.

    Besides the reply of `container.read`, the request's header holds "max_params", "count" and
    "batch_size".
    """
    header = request.header
    arrays = weights.unpack(header["weights"], request.payload)
    max_flops = FLOPS_PER_PARAMETER * header["max_params"]
    network = read_network(
        header["config"], arrays, header["keras_version"], max_flops, header["by_class"]
    )
    _check_budget(network, header["max_params"], header["count"])
    model = to_onnx(simplify(network.graph))
    onnx.checker.check_model(model, full_check=True)
    data = model.SerializeToString(deterministic=True)
    difference, milliseconds = _try_out(network, data, header["batch_size"])
    found = {
        "onnx_sha256": hashlib.sha256(data).hexdigest(),
        "parameters_total": network.parameters_total,
        "parameters_trainable": network.parameters_trainable,
        "flops": network.graph.flops(),
        "keras_version": network.keras_version,
        "layers": network.layers,
        "left_out": network.left_out,
        "batch_size": header["batch_size"],
        "ms_per_evaluation": round(milliseconds, 4),
        "max_difference": float(f"{difference:.2e}"),
    }
    return Message(found, data)


def _check_budget(network: CheckedNetwork, max_params: int, count: str) -> None:
    parameters = network.parameters(count)
    if parameters > max_params:
        kind = "parameters" if count == "total" else "trainable parameters"
        hidden = f" ({network.parameters_hidden:,} in options and constants)"
        raise refuse(
            f"the network has {parameters:,} {kind}{hidden * (network.parameters_hidden > 0)}: "
            f"{parameters - max_params:,} over the budget of {max_params:,}",
            "use fewer filters or blocks; model.count_params() gives the number that counts"
            if count == "total" else "use fewer filters or blocks",
        )


def _try_out(network: CheckedNetwork, data: bytes, batch_size: int) -> tuple[float, float]:
    """Return the artefact's largest difference from the plain evaluation, and its speed in ms."""
    planes = sample_positions()
    policy, value = evaluate(network.graph, planes)
    _check_outputs(policy, value)
    try:
        baked_policy, baked_value = NetworkEvaluator(data, len(planes)).evaluate(planes)
        milliseconds = _time(NetworkEvaluator(data, batch_size))
    except NetworkError as error:
        raise refuse(f"the network cannot be evaluated: {error}", _RETRAIN) from error
    difference = max(
        np.abs(baked_policy - policy).max(), np.abs(baked_value - value[:, 0]).max()
    )
    if not difference <= MAX_DIFFERENCE:
        raise refuse(
            f"in float32 the network differs by {difference:.1e} from its exact evaluation",
            "weights or activations are far too large: train again with a lower learning rate",
        )
    return float(difference), milliseconds


def _check_outputs(policy: np.ndarray, value: np.ndarray) -> None:
    if not (np.isfinite(policy).all() and np.isfinite(value).all()):
        raise refuse("the network answers with NaN or infinity", _RETRAIN)
    if policy.min() < 0.0 or np.abs(policy.sum(axis=1) - 1.0).max() > POLICY_TOLERANCE:
        raise refuse(
            "the policy is not a distribution: expected 361 numbers from 0 that sum to 1",
            "end the policy head with layers.Activation('softmax', name='policy')",
        )
    if value.min() < 0.0 or value.max() > 1.0:
        raise refuse(
            "the value is not a probability: expected P(White wins) from 0 to 1, "
            f"got {value.min():.3g} to {value.max():.3g}",
            "end the value head with layers.Dense(1, activation='sigmoid', name='value')",
        )


def _time(evaluator: NetworkEvaluator) -> float:
    """Return milliseconds of processor time for one position in a whole batch."""
    planes = evaluator.planes
    planes[:] = np.resize(sample_positions(), planes.shape)
    start, runs = time.process_time(), 0
    while runs == 0 or time.process_time() - start < TIMING_SECONDS:
        evaluator.evaluate(planes)
        runs += 1
    return 1000.0 * (time.process_time() - start) / (runs * len(planes))
