"""A network that somebody names, ready to evaluate."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from tournament.artefacts import place_artefact
from tournament.evaluator import Evaluator, open_evaluator
from tournament.intake import MAX_TUNE_SECONDS
from tournament.tuning import DEFAULT_BATCH_SIZE


@dataclass(frozen=True)
class Network:
    """A network and what it is known by.

    name: of its file, without the suffix.
    sha256: of its file, in hexadecimal.
    """

    name: str
    sha256: str
    evaluator: Evaluator


def open_network(path: Path, batch_size: int | None = None, *, is_timed: bool) -> Network:
    """The network in an .h5, judged on the spot, or in an artefact of a league (.onnx).

    Args:
        path: of the file.
        batch_size: positions evaluated at a time; None for what suits the limit.
        is_timed: whether searches have a clock: then an .h5 is tuned to this machine, in up to
            three seconds. Searches by visits shall be the same every time.

    Raises:
        NetworkError: the runtime or the intake refuses the file.
        IntakeError: this machine cannot judge.
        OSError: the file cannot be read.
    """
    with tempfile.TemporaryDirectory() as folder:
        artefact = place_artefact(path, Path(folder), MAX_TUNE_SECONDS if is_timed else 0)
        wanted = batch_size or (None if is_timed else DEFAULT_BATCH_SIZE)
        return Network(path.stem, artefact.sha256, open_evaluator(artefact.path, wanted))
