"""How many positions a second of one core a network evaluates, by graph, runtime and batch.

Named peers: `model.predict` of Keras, which most scripts call; the layers written as ONNX one by
one, as an exporter does; and the recipe that is known to be good, with BatchNorm folded and nothing
else done, on ONNX Runtime with a free batch and on OpenVINO with a fixed one. Against them what the
intake bakes, on each runtime, and what it chose when it was tuned.

Everything runs in one process on one core; the last column compares each path's best batch with
that of the best recipe.

    python -m benchmarks.evaluators [--networks mixnet …] [--seconds 3] [--batches 1 8 32]

`--trained` measures the networks of data/networks instead, as OpenVINO runs them in both
precisions, in batches of 8, and how many moves of held-out games they find. The limit is what
OpenVINO reaches on the same core in a network of large products of matrices, in float32; an
exponential, as in swish, counts as ten operations.

    python -m benchmarks.evaluators --trained [--seconds 3] [--positions 2000]

`--teachers` measures networks of KataGo instead: labels of `python -m golois label` a second of
processor time, with the inputs and all else, in each precision by turns.

    python -m benchmarks.evaluators --teachers NETWORK.bin.gz … [--seconds 3]
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

os.environ["TF_NUM_INTRAOP_THREADS"] = os.environ["TF_NUM_INTEROP_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

from benchmarks.report import DATA, ROOT, median_calls, show, stay_on_one_core
from golois.constants import PLANES_SHAPE
from golois.data.batch import Batch
from golois.data.dataset import Dataset
from golois.katago.reading import read_network as read_katago
from golois.kit.run_folder import named_by
from golois.labels.positions import LabelOptions
from golois.labels.run import Labeller, Labelling, Teacher
from models.training.quiet import import_keras_quietly
from tournament.errors import OptionsError
from tournament.intake import MAX_TUNE_SECONDS, JudgeOptions, Manifest, container, judge
from tournament.intake.artefact import place_artefact
from tournament.intake.child import Message
from tournament.intake.graph.graph import Graph, Node, fold_batch_norm
from tournament.intake.graph.onnx import to_onnx
from tournament.intake.graph.ops import Conv, Dense, GlobalPool, Input, Op, Softmax, Unary
from tournament.intake.keras.description import unpack_arrays
from tournament.intake.keras.network import read_network
from tournament.networks.katago import KataGoNetwork
from tournament.networks.runtimes import (
    BF16,
    BF16_RUNTIME,
    FLOAT32,
    INT8,
    PRECISIONS,
    best_precision,
    compile_network,
    installed_runtimes,
    require_precision,
)

TRAINED_BATCH = 8
LIMIT_CHANNELS = 512
NETWORKS = ("resnet", "mixnet")
RECIPES = ("recipe, onnxruntime", "recipe, openvino")
CALIBRATION_STEPS = 30

Evaluate = Callable[[np.ndarray], Any]


def resnet() -> Any:
    """Three blocks of two 3×3 convolutions of 40 filters, normalised after the addition."""
    from keras import Input, Model, layers

    from models.families.resnet import residual_block
    from models.parts.heads import policy_head, pooled_value_head

    board = Input((19, 19, 31), name="board")
    x = layers.Conv2D(40, 3, padding="same", activation="relu")(board)
    for _ in range(3):
        x = residual_block(x)
    return Model(board, [policy_head(x, "linear"), pooled_value_head(x, "average", 24, "relu")])


def calibrated(name: str, planes: np.ndarray) -> Any:
    """`resnet`, or the registry's mixnet; its normalisations have seen positions, and differ."""
    import keras

    import models

    keras.utils.set_random_seed(0)
    model = resnet() if name == "resnet" else models.build(name)
    for _ in range(CALIBRATION_STEPS):
        model(planes, training=True)
    rng = np.random.default_rng(0)
    for weight in model.trainable_weights:
        if weight.path.endswith(("gamma", "beta")):
            weight.assign(weight + rng.normal(0, 0.1, weight.shape))
    return model


def graph_of(path: Path) -> Graph:
    """The intake's graph of a file, with nothing folded."""
    opened = container.read(Message({}, path.read_bytes()))
    arrays = unpack_arrays(opened.header["weights"], opened.payload)
    return read_network(opened.header["config"], arrays, opened.header["keras_version"]).graph


def free_batch(model: bytes) -> Evaluate:
    """ONNX Runtime as one would open it, but for the one thread."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda planes: session.run(("policy", "value"), {"planes": planes})


def fixed_batch(runtime: str, model: bytes, planes: np.ndarray) -> Evaluate:
    """A runtime of the arena, which reads its planes where they are."""
    run = compile_network(runtime, model, planes)
    return lambda _: run()


def paths_of(model: Any, graph: Graph, baked: bytes, planes: np.ndarray) -> dict[str, Evaluate]:
    """Every way to evaluate a batch of planes."""
    exported, folded = (
        to_onnx(one).encode() for one in (graph, fold_batch_norm(graph).pruned())
    )
    paths = {
        "Keras, predict": lambda planes: model.predict(planes, batch_size=len(planes), verbose=0),
        "exported, onnxruntime": free_batch(exported),
        "recipe, onnxruntime": free_batch(folded),
    }
    if "openvino" in installed_runtimes():
        paths["recipe, openvino"] = fixed_batch("openvino", folded, planes)
    for runtime in installed_runtimes():
        paths[f"baked, {runtime}"] = fixed_batch(runtime, baked, planes)
    return paths


def speeds(paths: dict[str, Evaluate], planes: np.ndarray, seconds: float) -> dict[str, float]:
    """Evaluations a second of each path, of the median call."""
    calls = median_calls({name: partial(path, planes) for name, path in paths.items()}, seconds)
    return {name: len(planes) / seconds for name, seconds in calls.items()}


def show_network(
    name: str, batches: list[int], found: dict[int, dict], manifest: Manifest
) -> None:
    """A table of all paths."""
    best = {path: max(found[batch][path] for batch in batches) for path in found[batches[0]]}
    recipe = max(best[path] for path in RECIPES if path in best)
    tuning = manifest.tuning
    show(
        f"{name}: evaluations a second, {manifest.flops / 1e6:.0f} MFLOP each; tuned to "
        f"{tuning.runtime} in batches of {tuning.batch_size}: "
        f"{tuning.evaluations_per_second:,.0f} a second in the sandbox",
        " | ".join(["what", *(f"batch {batch}" for batch in batches), "of the best recipe's"]),
        (
            [path, *(f"{found[batch][path]:,.0f}" for batch in batches), f"{speed / recipe:.2f}×"]
            for path, speed in best.items()
        ),
    )


def matrix_products() -> Graph:
    """The limit: a network of nothing but large products of matrices."""
    nodes = [Node(Input(PLANES_SHAPE), (), PLANES_SHAPE)]

    def add(op: Op, source: int) -> int:
        nodes.append(Node(op, (source,), op.infer(nodes[source].shape)))
        return len(nodes) - 1

    def weights_of(*shape: int) -> np.ndarray:
        return np.full(shape, 1 / shape[-2], np.float32)

    x = 0
    for channels in (PLANES_SHAPE[-1], *[LIMIT_CHANNELS] * 4):
        kernel = weights_of(1, 1, channels, LIMIT_CHANNELS)
        x = add(Conv(kernel, None, (1, 1), ((0, 0), (0, 0)), (1, 1), 1), x)
    mean = add(GlobalPool("average", keepdims=False), x)
    policy = add(Softmax(), add(Dense(weights_of(LIMIT_CHANNELS, 361), None), mean))
    value = add(Unary("sigmoid"), add(Dense(weights_of(LIMIT_CHANNELS, 1), None), mean))
    return Graph(tuple(nodes), policy, value)


@dataclass(frozen=True)
class Trained:
    """A network of data/networks in one precision, compiled for a batch."""

    name: str
    flops: int
    evaluate: Evaluate

    def moves_and_values(
        self, held_out: Batch, planes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Policies and values of positions, by way of the planes that it was compiled for."""
        policies, values = [], []
        for at in range(0, len(held_out.planes), len(planes)):
            planes[:] = held_out.planes[at : at + len(planes)]
            policy, value = self.evaluate(planes)
            policies.append(policy.copy())
            values.append(value[:, 0].copy())
        return np.concatenate(policies), np.concatenate(values)


def trained_networks(planes: np.ndarray, folder: Path) -> dict[str, list[Trained]]:
    """Each network of data/networks in each precision."""
    found: dict[str, list[Trained]] = {}
    for source in sorted(ROOT.glob("data/networks/*/best.h5")):
        name, flops = source.parent.name, graph_of(source).flops()
        model = place_artefact(source, folder, tune_seconds=0).path.read_bytes()
        for precision in PRECISIONS:
            run = compile_network(BF16_RUNTIME, model, planes, precision)
            one = Trained(f"{name} {precision}", flops, lambda _, run=run: run())
            found.setdefault(name, []).append(one)
    return found


def show_trained(seconds: float, num_positions: int, folder: Path) -> None:
    """Speed and accuracy of the trained networks in both precisions, and the limit."""
    held_out = Dataset(DATA).sample(num_positions, step=0, split="validation")
    planes = held_out.planes[:TRAINED_BATCH].copy()
    networks = trained_networks(planes, folder)
    paths = {each.name: each.evaluate for pair in networks.values() for each in pair}
    products = matrix_products()
    run = compile_network(BF16_RUNTIME, to_onnx(products).encode(), planes)
    measured = speeds({"limit": lambda _: run(), **paths}, planes, seconds)
    limit = measured["limit"] * products.flops()
    rows = []
    for name, pair in networks.items():
        float32, bf16 = (measured[each.name] for each in pair)
        share = f"{float32 * pair[0].flops / limit:.0%}"
        times = f"{1e6 / float32:.0f}", share, f"{1e6 / bf16:.0f}", f"{bf16 / float32:.2f}×"
        mflops = f"{pair[0].flops / 1e6:.1f}"
        rows.append([name, mflops, *times, *accuracies(pair, held_out, planes)])
    show(
        f"batches of {TRAINED_BATCH}, accuracy on {num_positions:,} held-out positions; "
        f"the limit is {limit / 1e9:.1f} GFLOP/s",
        "network | MFLOP | µs, float32 | of the limit | µs, bf16 | gain | accuracy, float32 | bf16"
        " | value MSE, float32 | bf16 | moves that differ | policy off by | value off by",
        rows,
    )


def accuracies(pair: list[Trained], held_out: Batch, planes: np.ndarray) -> list[str]:
    """The cells of a network: how it does in float32 and in bf16, and how far the two differ."""
    answers = [each.moves_and_values(held_out, planes) for each in pair]
    played = held_out.policy.argmax(axis=1)
    right = [f"{np.mean(policy.argmax(axis=1) == played):.2%}" for policy, _ in answers]
    errors = [f"{np.mean((value - held_out.value_white) ** 2):.4f}" for _, value in answers]
    (policy, value), (other_policy, other_value) = answers
    differ = np.mean(policy.argmax(axis=1) != other_policy.argmax(axis=1))
    off_by = (np.abs(policy - other_policy).max(), np.abs(value - other_value).max())
    return [*right, *errors, f"{differ:.2%}", *(f"{each:.3f}" for each in off_by)]


def show_teachers(teachers: list[Path], seconds: float) -> None:
    """Labels a second of processor time, of the quickest batch and of all."""
    rows = []
    for path in teachers:
        spent, size = seconds_of_labels(path, seconds), LabelOptions().batch_size
        for precision, times in spent.items():
            speeds = size / min(times), size * len(times) / sum(times)
            gain = sum(spent[FLOAT32]) / sum(times)
            cells = *(f"{speed:.1f}" for speed in speeds), f"{gain:.2f}×"
            rows.append([named_by(path).name, precision, *cells])
    show(
        "labels a second of processor time, in batches of 8",
        "network | precision | quickest batch | all batches | gain",
        rows,
    )


def seconds_of_labels(path: Path, seconds: float) -> dict[str, list[float]]:
    """Processor seconds of a teacher's batches in each precision; the precisions take turns."""
    precisions = [FLOAT32] + [BF16] * (best_precision() == BF16)
    precisions += [INT8] * (not read_katago(path).is_transformer)
    works = [
        Labelling(DATA, Teacher(path, KataGoNetwork, precision), LabelOptions(every=20))
        for precision in precisions
    ]
    labellers = dict(zip(precisions, map(Labeller, works), strict=True))
    spent: dict[str, list[float]] = {precision: [] for precision in precisions}
    for labeller in labellers.values():
        labeller.labels(0)
    while sum(map(sum, spent.values())) < seconds * len(precisions):
        start = LabelOptions().batch_size * (1 + len(spent[FLOAT32]))
        for precision, labeller in labellers.items():
            begin = time.process_time()
            labeller.labels(start).to_words()
            spent[precision].append(time.process_time() - begin)
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--networks", nargs="+", choices=NETWORKS, default=NETWORKS)
    parser.add_argument("--batches", nargs="+", type=int, default=[1, 8, 32])
    parser.add_argument("--seconds", type=float, default=3.0, help="for each path and batch")
    parser.add_argument("--trained", action="store_true", help="the networks of data/networks")
    parser.add_argument("--positions", type=int, default=2000, help="a multiple of 8")
    parser.add_argument("--teachers", nargs="+", type=Path, help="networks of KataGo")
    options = parser.parse_args()
    if options.positions < 1 or options.positions % TRAINED_BATCH:
        parser.error(f"--positions must be a multiple of {TRAINED_BATCH}")
    if options.trained:
        try:
            require_precision(BF16)
        except OptionsError as error:
            parser.error(str(error))
    stay_on_one_core()
    if options.teachers:
        show_teachers(options.teachers, options.seconds)
        return
    if options.trained:
        with tempfile.TemporaryDirectory() as folder:
            show_trained(options.seconds, options.positions, Path(folder))
        return
    import_keras_quietly()
    positions = Dataset(DATA).sample(64, step=0).planes
    with tempfile.TemporaryDirectory() as folder:
        for name in options.networks:
            model, path = calibrated(name, positions), Path(folder) / f"{name}.h5"
            model.save(path)
            verdict = judge(
                path, work_dir=folder, options=JudgeOptions(tune_seconds=MAX_TUNE_SECONDS)
            )
            graph, baked = graph_of(path), verdict.onnx_path.read_bytes()
            found = {}
            for batch in options.batches:
                planes = np.resize(positions, (batch, *positions.shape[1:]))
                paths = paths_of(model, graph, baked, planes)
                found[batch] = speeds(paths, planes, options.seconds)
            show_network(name, options.batches, found, verdict.manifest)


if __name__ == "__main__":
    main()
