"""Networks that nobody handed in: somebody's own .h5, or an artefact of a league."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from tournament.errors import NetworkError
from tournament.evaluator import open_evaluator
from tournament.files import write_whole
from tournament.intake import MAX_TUNE_SECONDS, JudgeOptions, judge

ARTEFACT, MANIFEST = ".onnx", ".json"
# No league's budget counts here: as much as the intake can carry.
MAX_PARAMS, MAX_BYTES = 3_000_000, 16_000_000


@dataclass(frozen=True)
class Artefact:
    """A network that workers can load.

    sha256: of the file that it was made of.
    path: of SHA256.onnx.
    """

    sha256: str
    path: Path


def place_artefact(
    source: Path, folder: Path, tune_seconds: float = MAX_TUNE_SECONDS
) -> Artefact:
    """Puts a network's artefact into a folder, unless it is there already.

    An .onnx is taken for an artefact, everything else for an .h5, which is judged as a submission
    is, but for the budget; no code of it is run.

    Args:
        source: of the network.
        folder: of artefacts.
        tune_seconds: for an .h5, as JudgeOptions has it; with 0 it runs the same way every time.

    Raises:
        NetworkError: the runtime or the intake refuses the file.
        IntakeError: this machine cannot judge.
        OSError: the file cannot be read.
    """
    content = source.read_bytes()
    sha256 = hashlib.sha256(content).hexdigest()
    artefact = Artefact(sha256, folder / f"{sha256}{ARTEFACT}")
    if artefact.path.exists():
        return artefact
    if source.suffix.lower() == ARTEFACT:
        open_evaluator(source)
        if source.with_suffix(MANIFEST).exists():
            tuned = source.with_suffix(MANIFEST).read_bytes()
            write_whole(artefact.path.with_suffix(MANIFEST), tuned)
        write_whole(artefact.path, content)
        return artefact
    options = JudgeOptions(max_params=MAX_PARAMS, max_bytes=MAX_BYTES, tune_seconds=tune_seconds)
    verdict = judge(source, work_dir=folder, options=options)
    if not verdict.accepted:
        fault, *others = verdict.faults
        more = f" (and {len(others)} more: python -m tournament check)" if others else ""
        raise NetworkError(f"{source}: {fault.text}: {fault.remedy}{more}")
    return artefact
