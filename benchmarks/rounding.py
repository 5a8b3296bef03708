"""What it costs to round every number of a network, as the intake does.

For each network of data/networks: the moves that it finds, and the error of its value, on held-out
games, as it was trained and with its numbers rounded to some significant bits. The positions are
those that `evaluate.py --data` takes. *Moved* is how far rounding moves the answers on average: the
share of the policy that goes to other moves, or the difference of the values if that is larger.

    python benchmarks/rounding.py [--positions 4000] [--bits 8 6 5 4] [--data data/katago_b6.games]
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from models.evaluation.positions import HeldOut, choose_split, held_out_positions, open_datasets
from tournament.intake import container
from tournament.intake.child import Message
from tournament.intake.graph.nodes import Graph
from tournament.intake.graph.onnx import to_onnx
from tournament.intake.graph.rounding import SIGNIFICANT_BITS, round_numbers
from tournament.intake.graph.simplify import simplify
from tournament.intake.keras import weights
from tournament.intake.keras.network import read_network
from tournament.networks.evaluator import NetworkEvaluator

DATA = Path(__file__).resolve().parent.parent / "data"
MAX_FLOPS = 10**12
BATCH = 32
AS_TRAINED = 24  # significant bits of float32

Answers = tuple[np.ndarray, np.ndarray]


def read_graph(path: Path) -> Graph:
    """Return the graph of a network's file, as it was trained."""
    header = (opened := container.read(Message({}, path.read_bytes()))).header
    arrays = weights.unpack(header["weights"], opened.payload)
    return read_network(
        header["config"], arrays, header["keras_version"], MAX_FLOPS, header["by_class"]
    ).graph


def answers(graph: Graph, positions: HeldOut) -> Answers:
    """Return policy and value of all positions."""
    model = to_onnx(simplify(graph)).encode()
    evaluator = NetworkEvaluator(model, BATCH)
    parts = [
        tuple(map(np.copy, evaluator.evaluate(positions.planes(rows).astype(np.float32))))
        for rows in (slice(at, at + BATCH) for at in range(0, len(positions), BATCH))
    ]
    policy, value = map(np.concatenate, zip(*parts, strict=True))
    return policy, value


def moved(one: Answers, other: Answers) -> float:
    """Return how far apart the answers of two networks are on average, 0 … 1."""
    policy = np.abs(one[0] - other[0]).sum(axis=1).mean() / 2
    return max(policy, np.abs(one[1] - other[1]).mean())


def rows(path: Path, positions: HeldOut, bits: list[int]) -> Iterator[list[str]]:
    """Yield a row of the table for each number of bits."""
    graph = read_graph(path)
    exact = answers(graph, positions)
    for number in (AS_TRAINED, *bits):
        found = exact if number == AS_TRAINED else answers(round_numbers(graph, number), positions)
        accuracy = np.mean(found[0].argmax(axis=1) == positions.moves)
        error = np.mean((found[1] - positions.labels) ** 2)
        yield [
            path.parent.name, str(number), f"{accuracy:.2%}", f"{error:.4f}",
            f"{moved(found, exact):.2%}",
        ]


def main() -> None:
    """Measure, and print one table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--positions", type=int, default=4000)
    parser.add_argument("--bits", type=int, nargs="+", default=[SIGNIFICANT_BITS])
    parser.add_argument("--data", type=Path, default=DATA / "katago_b6.games")
    options = parser.parse_args()
    table = Table("network", "significant bits", "accuracy", "value MSE", "moved")
    for path in sorted((DATA / "networks").glob("*/best.h5")):
        split = choose_split(path, options.data, [options.data], None, None)
        positions = held_out_positions(open_datasets(split), options.positions)
        for row in rows(path, positions, options.bits):
            table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
