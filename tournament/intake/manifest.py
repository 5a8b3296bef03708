"""What is known about an artefact, written beside it."""

import json
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, get_args

from golois.constants import NUM_POINTS, PLANES_SHAPE
from golois.kit.files import write_whole
from tournament.intake.faults import IntakeError, printable
from tournament.networks.tuning import Tuning

MAX_NUMBER = 1 << 63
"""Every number is smaller in size, since a compromised child may reply with any number."""


@dataclass(frozen=True)
class Manifest:
    """One accepted submission and the artefact made of it.

    Attributes:
        sha256: of the .h5, in hexadecimal; it also names the artefact.
        onnx_sha256: of the artefact.
        parameters_total: as `model.count_params()`, moving statistics included.
        parameters_trainable: without the moving statistics; frozen layers count.
        flops: floating-point operations of one evaluation.
        keras_version: of the Keras that wrote the file.
        layers: how many layers of each class there are.
        batch_size: of the timing.
        ms_per_evaluation: processor time of one position in such a batch, on one core.
        max_difference: between the artefact and the plain evaluation, over eight positions.
        sandbox: the layers that held, such as "netns+nnp+landlock7+rlimits+seccomp".
        tuning: the runtime and the batch to play with.
        left_out: in words, what the file has besides policy and value, which no game uses.
        seed: of the positions of real games that it was tried on; num_positions: how many of them.
        artefact_numbers: floating-point constants of the artefact, equal arrays once.
        memory_bytes: what it takes to evaluate positions in batches of `batch_size` and one by one;
            0 where the system does not tell.
        answers: to the positions of `questions`: the chance of the move that was played, then
            P(White wins), for one position after the other; none of a network for another game
            than the arena's.
        turned_answers: to the first of `questions` in all eight symmetries: the chances of a few
            points, then P(White wins), for one position after the other, by symmetry.
        warning: what may go wrong in a game, with its remedy; empty where nothing was found.
        planes_shape: what the network reads, (size, size, planes); policy_size: the numbers that it
            answers with besides the value.
        significant_bits: that each number was rounded to, 0 where none was rounded.
        rounding_difference: how far this moves the answers on average, 0 … 1: the share of the
            policy that goes to other moves, or the difference of the values if that is larger.

    Older manifests lack the fields from `tuning` on; they get the defaults.
    """

    sha256: str
    onnx_sha256: str
    parameters_total: int
    parameters_trainable: int
    flops: int
    keras_version: str
    layers: dict[str, int]
    batch_size: int
    ms_per_evaluation: float
    max_difference: float
    sandbox: str
    tuning: Tuning = field(default_factory=Tuning)
    left_out: str = ""
    seed: int = 0
    num_positions: int = 0
    artefact_numbers: int = 0
    memory_bytes: int = 0
    answers: tuple[float, ...] = ()
    planes_shape: tuple[int, ...] = PLANES_SHAPE
    policy_size: int = NUM_POINTS
    turned_answers: tuple[float, ...] = ()
    significant_bits: int = 0
    rounding_difference: float = 0.0
    warning: str = ""

    def write(self, path: Path) -> None:
        """Write the manifest as JSON; the file is there whole or not at all."""
        write_whole(path, json.dumps(self.to_json(), indent=2).encode("ascii") + b"\n")

    def to_json(self) -> dict:
        """Return the manifest as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: object) -> "Manifest":
        """Return the manifest with these fields and no others; raises IntakeError.

        Its writer may be compromised, so its texts are made printable.
        """
        names = {field.name for field in fields(cls)}
        later = {field.name for field in fields(cls)
                 if field.default is not MISSING or field.default_factory is not MISSING}
        if not isinstance(values, dict) or values.keys() | later != names:
            raise IntakeError(
                f"expected the fields {', '.join(sorted(names))} in a manifest: submit again"
            )
        for field_ in fields(cls):
            if field_.name in values and not _fits(values[field_.name], field_.type):
                raise IntakeError(
                    f"expected {field_.type} in {field_.name} of a manifest: submit again"
                )
        read: dict[str, Any] = {name: printable(value) if isinstance(value, str) else value
                                for name, value in values.items()}
        read["layers"] = {printable(name): number for name, number in read["layers"].items()}
        try:
            read["tuning"] = Tuning.from_json(read["tuning"]) if "tuning" in read else Tuning()
        except ValueError as error:
            raise IntakeError(f"{error}: submit again") from error
        for name in ("answers", "turned_answers", "planes_shape"):
            if name in read:
                read[name] = tuple(read[name])
        return cls(**read)

    @classmethod
    def read(cls, path: Path) -> "Manifest":
        """Return the manifest in a file; raises IntakeError where it is missing or damaged."""
        try:
            return cls.from_json(json.loads(path.read_bytes()))
        except (OSError, ValueError) as error:
            raise IntakeError(f"cannot read the manifest {path}: {error}; submit again") from error


def _fits(value: object, kind: object) -> bool:
    """Return whether a value is of a field's type; that of a tuning is looked at elsewhere."""
    if kind in (int, float):
        if not isinstance(value, int | float) or type(value) not in (kind, int):
            return False
        return -MAX_NUMBER < value < MAX_NUMBER
    if kind is str:
        return type(value) is str
    if kind in (tuple[float, ...], tuple[int, ...]):
        item_kind, _ = get_args(kind)
        return isinstance(value, list | tuple) and all(_fits(item, item_kind) for item in value)
    if kind == dict[str, int]:
        return isinstance(value, dict) and all(_fits(one, int) for one in value.values())
    return True
