"""Where a network and its teacher, a network of KataGo, differ about the same positions."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from golois.constants import PASS
from golois.data.dataset import Dataset
from golois.katago.answers import Predict, answer
from golois.katago.inputs import joined
from golois.katago.network import Network
from golois.katago.reading import read_network
from golois.kit.files import sha256_of
from golois.labels.positions import game_positions
from golois.records.packed_file import Record
from models.evaluation.gallery import LEAST_SHARE, NUM_SHOWN, opinion, shown_board
from models.evaluation.measure import BATCH_SIZE, phases
from models.evaluation.positions import HeldOut
from models.evaluation.symmetric import Outputs
from models.katago import KatagoOnKeras


class Teacher:
    """A network of KataGo, as a Keras model. Raises DataFormatError: the file has no network."""

    def __init__(self, path: Path):
        self.network = read_network(path)
        self.sha256 = sha256_of(path)
        self.predict = KatagoOnKeras(self.network, BATCH_SIZE)


def teacher_outputs(
    network: Network,
    predict: Predict,
    records: Sequence[tuple[Record, int]],
    on_batch: Callable[[int], None] = lambda _: None,
) -> Outputs:
    """Ask a teacher about positions: a record, and how many of its moves were made before.

    Its policy is over the legal points and leaves the pass out.
    """
    parts = []
    for start in range(0, len(records), BATCH_SIZE):
        batch = records[start : start + BATCH_SIZE]
        inputs = joined(
            game_positions(record, np.array([ply]), network.pass_alive) for record, ply in batch
        )
        inputs.legal[:, PASS] = ~inputs.legal[:, :PASS].any(axis=1)
        found = answer(predict, network, inputs)
        parts.append(Outputs(found.policy[:, :PASS], found.white_wins, None))
        on_batch(start + len(batch))
    return Outputs.joined(parts)


def records_of(datasets: Sequence[Dataset], positions: HeldOut) -> list[tuple[Record, int]]:
    """Return the record of each position, and how many of its moves were made before."""
    origins = zip(positions.files, positions.games, positions.plies, strict=True)
    return [(datasets[file].file[int(game)], int(ply)) for file, game, ply in origins]


def compare(student: Outputs, teacher: Outputs, positions: HeldOut) -> dict[str, Any]:
    """Measure how a network agrees with a teacher, by phase too, and list where it does least."""
    everything = np.ones(len(positions), bool)
    return {
        **_agreement(student, teacher, everything),
        "by_phase": {
            title: _agreement(student, teacher, mask) for title, mask in phases(positions)
        },
        "disagreements": [
            _disagreement(student, teacher, positions, row)
            for row in largest_disagreements(student, teacher)
        ],
    }


def largest_disagreements(student: Outputs, teacher: Outputs) -> np.ndarray:
    """Return the rows, the largest first, where the teacher gives the network's move least.

    A disagreement is the share that the teacher gives its own first move, less the share that it
    gives the network's; there is none where both are the same.
    """
    rows = np.arange(len(teacher.policy))
    theirs = teacher.policy.max(axis=1)
    lost = theirs - teacher.policy[rows, student.policy.argmax(axis=1)]
    order = np.argsort(-lost, kind="stable")[:NUM_SHOWN]
    return order[lost[order] > 0]


def _agreement(student: Outputs, teacher: Outputs, mask: np.ndarray) -> dict[str, Any]:
    theirs, own = teacher.policy[mask], student.policy[mask]
    gaps = student.value[mask] - teacher.value[mask]
    return {
        "num_positions": int(mask.sum()),
        "top1": float(np.mean(own.argmax(axis=1) == theirs.argmax(axis=1))),
        "cross_entropy": _cross_entropy(theirs, own),
        "entropy": _cross_entropy(theirs, theirs),
        "value_mse": float(np.mean(np.square(gaps))),
        "value_mae": float(np.mean(np.abs(gaps))),
    }


def _cross_entropy(target: np.ndarray, policy: np.ndarray) -> float:
    logs = np.log(np.maximum(policy, LEAST_SHARE, dtype=np.float64))
    return float(-np.mean((target * logs).sum(axis=1)))


def _disagreement(
    student: Outputs, teacher: Outputs, positions: HeldOut, row: int
) -> dict[str, Any]:
    return {
        "file": int(positions.files[row]),
        "game": int(positions.games[row]),
        "move_number": int(positions.plies[row]) + 1,
        **shown_board(positions.bits[row : row + 1]),
        "student": opinion(student.policy[row], student.value[row]),
        "teacher": opinion(teacher.policy[row], teacher.value[row]),
    }
