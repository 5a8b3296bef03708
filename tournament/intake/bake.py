"""Gates B and C, in a fresh child: from description and weights to a checked ONNX artefact."""

import ctypes
import hashlib
import math
import time
from base64 import b64decode
from collections.abc import Iterable, Iterator

import numpy as np

from golois.constants import NUM_PLANES, PLANES_SHAPE, packed_size
from tournament.errors import NetworkError
from tournament.intake.child import Message
from tournament.intake.faults import FEWER_FILTERS, Refused, refusal
from tournament.intake.graph.graph import (
    SIGNIFICANT_BITS,
    Graph,
    evaluate,
    round_numbers,
    simplify,
    warning_of,
)
from tournament.intake.graph.onnx import to_onnx
from tournament.intake.keras.description import unpack_arrays
from tournament.intake.keras.network import CheckedNetwork, has_further_outputs, read_network
from tournament.intake.sandbox import Limits
from tournament.intake.take import over_budget
from tournament.networks.evaluator import NetworkEvaluator, sample_positions

LIMITS = Limits(cpu_seconds=6, memory_bytes=512 << 20)
FLOPS_PER_PARAMETER = 5_000  # a convolution of the whole board has 722
MAX_DIFFERENCE = 1e-4
# Rounding moves the answers of the networks in data/networks by at most 0.025.
MAX_ROUNDING_DIFFERENCE = 0.1
TIMING_SECONDS = 0.1
MAX_SECONDS = 0.5  # a slow network is tried on fewer positions
# Games allow ten times as much, so that no network fails there for its rounding.
POLICY_TOLERANCE = 1e-3
TIMED_BATCHES = 10  # of positions of games; where there are fewer, others are timed
_FIELDS = (
    "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks",
    "keepcost",
)


def bake(request: Message) -> Message:
    """Return the artefact's bytes, and in the header what its manifest says.

    Besides the reply of `container.read`, the request's header holds "max_params", "count",
    "round_numbers", "batch_size", "planes_shape", "policy_size", and "questions" if the network is
    asked any, and it has positions (real_positions.py).
    """
    header = request.header
    payload, positions = without_positions(request)
    arrays = unpack_arrays(header["weights"], payload)
    max_flops = FLOPS_PER_PARAMETER * header["max_params"]
    try:
        network = read_network(
            header["config"], arrays, header["keras_version"], max_flops, header["by_class"],
            tuple(header["planes_shape"]), header["policy_size"],
        )
    except Refused as refused:
        if has_further_outputs(header["config"]):
            raise  # the layers of further outputs do not count
        num_stored = sum(array.size for row in arrays.values() for array in row)
        also = over_budget(num_stored, header["max_params"], header["count"])
        raise Refused((*refused.faults, *also)) from refused
    _check_budget(network, header["max_params"], header["count"])
    graph = round_numbers(network.graph) if header["round_numbers"] else network.graph
    model = to_onnx(simplify(graph))
    data = model.encode()
    tried, evaluator = _try_out(graph, data, header, positions)
    found = {
        "onnx_sha256": hashlib.sha256(data).hexdigest(),
        "parameters_total": network.parameters_total,
        "parameters_trainable": network.parameters_trainable,
        "flops": network.graph.flops(),
        "keras_version": network.keras_version,
        "layers": network.layers,
        "left_out": network.left_out,
        "warning": warning_of(network.graph),
        "batch_size": header["batch_size"],
        "artefact_numbers": _count_numbers(model.constants.values()),
        **tried,
    }
    if header["round_numbers"]:
        found["significant_bits"] = SIGNIFICANT_BITS
        found["rounding_difference"] = _compare_unrounded(network.graph, evaluator, header)
    return Message(found, data)


def _check_budget(network: CheckedNetwork, max_params: int, count: str) -> None:
    parameters = network.parameters(count)
    if parameters > max_params:
        kind = "parameters" if count == "total" else "trainable parameters"
        hidden = f" ({network.parameters_hidden:,} in options, constants and wiring)"
        raise refusal(
            "budget", parameters=parameters, kind=kind, most=max_params,
            hidden=hidden * (network.parameters_hidden > 0), over=parameters - max_params,
            instead="; ".join(_smaller(network, max_params, count)),
        )


def _smaller(network: CheckedNetwork, max_params: int, count: str) -> Iterator[str]:
    """Yield what brings a network that is too large within the budget."""
    yield FEWER_FILTERS
    if count == "total":
        yield "model.count_params() gives the number that counts"
        if network.parameters_trainable <= max_params:
            yield (
                f"{network.parameters_trainable:,} are trainable, which is within the budget where "
                "those alone count (--count trainable)"
            )


def _count_numbers(constants: Iterable[np.ndarray]) -> int:
    """Return how many floats the constants hold; an array that is there twice counts once."""
    arrays = (array for array in constants if array.dtype == np.float32)
    distinct = {(array.shape, array.tobytes()): array.size for array in arrays}
    return sum(distinct.values())


def _open(data: bytes, header: dict) -> NetworkEvaluator:
    return NetworkEvaluator(
        data, header["batch_size"],
        planes_shape=tuple(header["planes_shape"]), policy_size=header["policy_size"],
    )


def _try_out(
    graph: Graph, data: bytes, header: dict, positions: np.ndarray
) -> tuple[dict[str, object], NetworkEvaluator]:
    """Return what evaluating the artefact told, as fields of its manifest, and what evaluates."""
    planes = sample_positions(tuple(header["planes_shape"]))
    policy, value = evaluate(graph, planes)
    check_outputs(policy, value)
    before = heap_bytes()
    try:
        evaluator = _open(data, header)
        memory_bytes = max(0, heap_bytes() - before)
        baked_policy, baked_value = _evaluate_all(evaluator, planes)
        num_positions, milliseconds = try_positions(evaluator, positions, header["seed"])
        if num_positions < TIMED_BATCHES * evaluator.batch_size:
            milliseconds = _time(evaluator)
        answers = _ask(evaluator, header["questions"]) if "questions" in header else {}
    except NetworkError as error:
        raise refusal("evaluation", error=error) from error
    difference = max(
        np.abs(baked_policy - policy).max(), np.abs(baked_value - value[:, 0]).max()
    )
    if not difference <= MAX_DIFFERENCE:
        raise refusal("float32", difference=difference)
    found = {
        "ms_per_evaluation": round(milliseconds, 4),
        "max_difference": float(f"{difference:.2e}"),
        "num_positions": num_positions,
        "memory_bytes": memory_bytes,
        **answers,
    }
    return found, evaluator


def _compare_unrounded(exact: Graph, rounded: NetworkEvaluator, header: dict) -> float:
    """Return how far rounding moves the answers, on average; raises Refused where that is much.

    It is the larger of two means over every fourth question: of the share of the policy that goes
    to other moves, and of the difference of the values.
    """
    if "questions" in header:
        planes = _asked(header["questions"])[: header["questions"]["number"] : 4]
    else:
        planes = sample_positions(tuple(header["planes_shape"]))
    unrounded = to_onnx(simplify(exact)).encode()
    try:
        (policy, value), (other_policy, other_value) = (
            _evaluate_all(evaluator, planes)
            for evaluator in (rounded, _open(unrounded, header))
        )
    except NetworkError as error:
        raise refusal("evaluation", error=error) from error
    moved = np.abs(policy - other_policy).sum(axis=1) / 2
    apart = np.abs(np.clip(value, 0, 1) - np.clip(other_value, 0, 1))
    difference = float(max(moved.mean(), apart.mean()))
    if not difference <= MAX_ROUNDING_DIFFERENCE:
        raise refusal("rounding", bits=SIGNIFICANT_BITS, difference=difference,
                      most=MAX_ROUNDING_DIFFERENCE)
    return float(f"{difference:.2e}")


def _evaluate_all(
    evaluator: NetworkEvaluator, planes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return (policy, value) of any number of positions."""
    size = evaluator.batch_size
    pairs = [evaluator.evaluate(planes[at : at + size]) for at in range(0, len(planes), size)]
    policies, values = zip(*pairs, strict=True)
    return np.concatenate(policies), np.concatenate(values)


def _ask(evaluator: NetworkEvaluator, questions: dict) -> dict[str, list[float]]:
    """Return what a manifest has as `answers` and `turned_answers`."""
    number, points = questions["number"], np.array(questions["points"], np.int64)
    policy, value = _evaluate_all(evaluator, _asked(questions))
    chances = policy[np.arange(len(points))[:, np.newaxis], points]
    found = np.concatenate([chances, value[:, np.newaxis]], axis=1)
    turned = np.concatenate([found[: questions["turned"]], found[number:]])
    return {
        "answers": _rounded(found[:number, [0, -1]], 4),
        "turned_answers": _rounded(turned, 7),
    }


def _rounded(numbers: np.ndarray, digits: int) -> list[float]:
    return [float(f"{number:.{digits}g}") for number in numbers.ravel().tolist()]


def _time(evaluator: NetworkEvaluator) -> float:
    """Return milliseconds of processor time for one position in a whole batch."""
    planes = evaluator.planes
    planes[:] = np.resize(sample_positions(planes.shape[1:]), planes.shape)
    start, runs = time.process_time(), 0
    while runs == 0 or time.process_time() - start < TIMING_SECONDS:
        evaluator.evaluate(planes)
        runs += 1
    return 1000.0 * (time.process_time() - start) / (runs * len(planes))


def _asked(questions: dict) -> np.ndarray:
    """Return the planes of questions, float32 [n, 19, 19, 31]."""
    bits = np.frombuffer(b64decode(questions["planes"]), np.uint8)
    shape = (len(questions["points"]), *PLANES_SHAPE)
    return np.unpackbits(bits, count=math.prod(shape)).reshape(shape).astype(np.float32)


def without_positions(request: Message) -> tuple[bytes, np.ndarray]:
    """Return the payload that `with_positions` was given, and the planes; none without it."""
    number = request.header["num_positions"]
    if number == 0:
        return request.payload, np.empty((0, *PLANES_SHAPE), np.uint8)
    split = len(request.payload) - number * packed_size(NUM_PLANES)
    bits = np.frombuffer(request.payload, np.uint8, offset=split).reshape(number, -1)
    planes = np.unpackbits(bits, axis=1, count=math.prod(PLANES_SHAPE))
    return request.payload[:split], planes.reshape(number, *PLANES_SHAPE)


def try_positions(
    evaluator: NetworkEvaluator, planes: np.ndarray, seed: int
) -> tuple[int, float]:
    """Return how many positions were answered before all were, or the time was up.

    Also return the milliseconds of processor time of one position in a whole batch.

    Raises:
        Refused: an answer is not a policy and a value.
        NetworkError: the network fails.
    """
    started, done, spent, size = time.process_time(), 0, 0.0, evaluator.batch_size
    while done < len(planes) and (done == 0 or time.process_time() - started < MAX_SECONDS):
        batch = planes[done : done + size].astype(np.float32)
        before = time.process_time()
        policy, value = evaluator.evaluate(batch)
        spent += time.process_time() - before
        check_outputs(policy, value[:, np.newaxis], f" on a position of a real game (seed {seed})")
        done += len(batch)
    return done, 1000.0 * spent / max(size * -(-done // size), 1)


def check_outputs(policy: np.ndarray, value: np.ndarray, where: str = "") -> None:
    """Refuse answers, policy [k, moves] and value [k, 1], that are not probabilities.

    Raises:
        Refused: a number that is not finite, or out of range, or a policy that does not sum to 1.
    """
    if not (np.isfinite(policy).all() and np.isfinite(value).all()):
        raise refusal("not-finite", where=where)
    if policy.min() < 0.0 or np.abs(policy.sum(axis=1) - 1.0).max() > POLICY_TOLERANCE:
        raise refusal("policy", size=policy.shape[1], where=where)
    if value.min() < 0.0 or value.max() > 1.0:
        raise refusal("value", low=value.min(), high=value.max(), where=where)


class _Mallinfo2(ctypes.Structure):
    """As mallinfo(3) of glibc describes it."""

    _fields_ = [(name, ctypes.c_size_t) for name in _FIELDS]


def heap_bytes() -> int:
    """Return the bytes that are in use now; 0 where the system does not tell."""
    try:
        mallinfo2 = ctypes.CDLL(None).mallinfo2  # since glibc 2.33
    except (AttributeError, OSError, TypeError):
        return 0
    mallinfo2.restype = _Mallinfo2
    info = mallinfo2()
    return info.uordblks + info.hblkhd
