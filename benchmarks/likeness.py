"""How far a network is from copies of itself, from retrained siblings and from other networks.

The distances are those by which a league tells copies (tournament/league/likeness.py): of the
answers, and of the turned answers. The last column counts the pairs that a league takes for copies.
A copy has noise on its weights, or is mirrored, or has the logits of both heads scaled. A sibling
is the same network after a few more batches. Seeds are small networks of one recipe, trained from
the start.

    python benchmarks/likeness.py [--networks resnet …] [--batches 10 30 120] [--from-start 400]
"""

import argparse
import itertools
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from golois.dataset import Dataset
from models.training.quiet import import_keras_quietly
from models.training.steps import train_batch
from models.training.targets import arrays_for
from tournament.intake import judge
from tournament.league.likeness import are_alike, distance, turned_distance

FOLDER = Path(__file__).resolve().parent.parent / "data"
DATA = FOLDER / "katago_b6.games"
NETWORKS = ("mobilenet", "resnet", "nogozero", "isn_tower", "mixnet", "restnet")
SMALL = dict(blocks=2, filters=16)
BATCH_SIZE, VALUE_WEIGHT = 32, 4.0
NOISES, SCALES = (1e-4, 1e-3, 1e-2), (0.01, 0.1, 2.0, 5.0, 20.0, 100.0)
RATES = (1e-3, 1e-4, 1e-5)
Answers = dict[str, Any]


def answers_of(model: Any) -> Answers:
    """The manifest of a model."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.keras"
        model.save(path, include_optimizer=False)
        verdict = judge(path, work_dir=folder)
    if verdict.manifest is None:
        raise SystemExit(f"a copy is refused: {verdict.faults[0].text}")
    return verdict.manifest.to_json()


def load(network: str) -> Any:
    """A network of data/networks."""
    import keras

    import models.parts.equivariant  # noqa: F401 - layers of the kit's own

    return keras.models.load_model(FOLDER / "networks" / network / "best.h5", compile=False)


def copies(network: str) -> Iterator[tuple[str, Any]]:
    """Copies by what was done to them."""
    for scale in NOISES:
        model, noise = load(network), np.random.default_rng(0)
        model.set_weights([w * (1 + noise.normal(0, scale, w.shape)) for w in model.get_weights()])
        yield f"noise of {scale:g} of each weight", model
    yield "mirrored", mirrored(load(network))
    for scale in SCALES:
        yield f"logits × {scale:g}, and the value's", rescaled(load(network), scale)


def mirrored(model: Any) -> Any:
    """The network, in front of a mirror that turns rows into columns."""
    import keras
    from keras import layers

    board = layers.Input((19, 19, 31), name="mirrored")
    policy, value = model.call(layers.Permute((2, 1, 3), name="mirror")(board))  # layer by layer
    points = layers.Permute((2, 1), name="back")(layers.Reshape((19, 19), name="square")(policy))
    outputs = [layers.Flatten(name="turned_policy")(points), value]
    return keras.Model(board, outputs)


def rescaled(model: Any, scale: float) -> Any:
    """The network with its logits scaled, and its value v as sigmoid(scale (4 v - 2))."""
    import keras
    from keras import layers

    logits = layers.Rescaling(scale, name="scale")(model.get_layer("policy").input)
    weights = [np.array([[4.0 * scale]]), np.array([-2.0 * scale])]
    steep = layers.Dense(1, activation="sigmoid", name="steep")
    value = steep(model.get_layer("value").output)
    steep.set_weights(weights)
    return keras.Model(model.inputs, [layers.Activation("softmax", name="scaled")(logits), value])


def trained(model: Any, batches: Sequence[int], rate: float, seed: int) -> Iterator[Answers]:
    """The answers after so many batches, with Adam at this rate."""
    from models.training.losses import compile_for_training

    compile_for_training(model, learning_rate=rate, value_weight=VALUE_WEIGHT)
    data = Dataset(DATA, seed=seed)
    for step in range(max(batches)):
        train_batch(model, data.sample(BATCH_SIZE, step, targets=arrays_for(())))
        if step + 1 in batches:
            yield answers_of(model)


def from_start(batches: int, seeds: Sequence[int]) -> Iterator[tuple[str, Answers]]:
    """Small networks of one recipe, by their seed."""
    import keras

    import models

    for seed in seeds:
        keras.utils.set_random_seed(seed)
        model = models.build("resnet", **SMALL)
        yield f"seed {seed}", next(trained(model, [batches], 2e-3, seed))


def print_row(kind: str, pairs: Sequence[tuple[Answers, Answers]]) -> None:
    """One row: the smallest and the largest distance of the pairs, and how many are copies."""
    if not pairs:  # of a single network
        return
    plain = [distance(one["answers"], other["answers"]) for one, other in pairs]
    keys = [(one["turned_answers"], other["turned_answers"]) for one, other in pairs]
    turned = [turned_distance(*pair) for pair in keys]
    cells = [f"{min(found):.4f} to {max(found):.4f}" for found in (plain, turned)]
    num_copies = sum(are_alike(*pair) for pair in pairs)
    print("| " + " | ".join((kind, *cells, f"{num_copies} of {len(pairs)}")) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    parser.add_argument("--batches", nargs="+", type=int, default=[10, 30, 120])
    parser.add_argument("--from-start", type=int, default=400, metavar="BATCHES")
    options = parser.parse_args()

    import_keras_quietly()
    print("| compared | answers | turned answers | taken for copies |\n|---|---|---|---|")
    known = {network: answers_of(load(network)) for network in options.networks}
    by_kind: dict[str, list[tuple[Answers, Answers]]] = {}
    for network in options.networks:
        for kind, copy in copies(network):
            by_kind.setdefault(kind, []).append((known[network], answers_of(copy)))
    for kind, pairs in by_kind.items():
        print_row(kind, pairs)
    all_siblings: dict[str, list[Answers]] = {network: [] for network in options.networks}
    for rate in RATES:
        found = {
            network: list(trained(load(network), options.batches, rate, seed=1))
            for network in options.networks
        }
        for index, number in enumerate(sorted(options.batches)):
            pairs = [(known[network], siblings[index]) for network, siblings in found.items()]
            print_row(f"{number} more batches of {BATCH_SIZE}, Adam at {rate:g}", pairs)
        for network, siblings in found.items():
            all_siblings[network] += siblings
    print_row("two siblings of one network", [
        pair for siblings in all_siblings.values() for pair in itertools.combinations(siblings, 2)
    ])
    small = dict(from_start(options.from_start, range(4)))
    print_row("four seeds of a small network", list(itertools.combinations(small.values(), 2)))
    print_row("two different networks", list(itertools.combinations(known.values(), 2)))


if __name__ == "__main__":
    main()
