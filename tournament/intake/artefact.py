"""Networks outside a league's submissions: any .h5 or .keras, or an artefact of a league."""

import hashlib
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from golois.katago.reading import katago_suffix
from golois.kit.files import write_whole
from golois.kit.run_folder import name_of_file
from tournament.errors import NetworkError
from tournament.intake import MAX_TUNE_SECONDS, IntakeError, JudgeOptions, Manifest, judge
from tournament.networks.evaluator import Evaluator, open_evaluator
from tournament.networks.runtimes import BF16, FLOAT32, require_precision
from tournament.networks.tuning import DEFAULT_BATCH_SIZE

ARTEFACT, MANIFEST = ".onnx", ".json"
VERSION_LENGTH = 12
# No league's budget applies here, only the limits of the intake.
NO_BUDGET = JudgeOptions(
    max_params=3_000_000, max_bytes=16_000_000, max_ms=1_000.0, max_megabytes=1_000
)


@dataclass(frozen=True)
class Artefact:
    """A network that workers can load.

    sha256: of the file that it was made of.
    path: of SHA256.onnx, or of SHA256.bin.gz for a network of KataGo.
    """

    sha256: str
    path: Path


def place_artefact(
    source: Path, folder: Path, tune_seconds: float = MAX_TUNE_SECONDS
) -> Artefact:
    """Put a network's artefact into a folder, unless it is there already.

    An .onnx is taken for an artefact, a .bin.gz for a network of KataGo, and everything else for an
    .h5 or .keras, which is judged as a submission is, but for the budget; no code of it is run.

    Args:
        source: of the network.
        folder: of artefacts.
        tune_seconds: for an .h5, as JudgeOptions has it; with 0 it runs the same way every time.

    Raises:
        NetworkError: the runtime or the intake refuses the file.
        DataFormatError: a .bin.gz that is no network of KataGo.
        IntakeError: this machine cannot judge.
        OSError: the file cannot be read.
    """
    content = source.read_bytes()
    sha256 = hashlib.sha256(content).hexdigest()
    suffix = katago_suffix(source) or ARTEFACT
    artefact = Artefact(sha256, folder / f"{sha256}{suffix}")
    if artefact.path.exists():
        return artefact
    if source.name.lower().endswith(suffix):
        open_evaluator(source)
        if source.with_suffix(MANIFEST).exists():
            tuned = source.with_suffix(MANIFEST).read_bytes()
            write_whole(artefact.path.with_suffix(MANIFEST), tuned)
        write_whole(artefact.path, content)
        return artefact
    options = replace(NO_BUDGET, tune_seconds=tune_seconds)
    verdict = judge(source, work_dir=folder, options=options)
    if not (verdict.manifest and verdict.onnx_path):
        fault, *others = verdict.faults
        more = f" (and {len(others)} more: python -m tournament check)" if others else ""
        raise NetworkError(f"{source}: {fault.text}: {fault.remedy}{more}")
    return Artefact(verdict.manifest.sha256, verdict.onnx_path)  # the file may have changed since


@dataclass(frozen=True)
class OpenedNetwork:
    """A network and what it is known by.

    name: of its run, or of its file without the suffix.
    sha256: of its file, in hexadecimal; of an artefact, that of the file that it was made of.
    precision: in which it computes.
    """

    name: str
    sha256: str
    evaluator: Evaluator
    precision: str

    @property
    def version(self) -> str:
        """What tells its answers from those of others, in short."""
        return self.sha256[:VERSION_LENGTH] + (f" {BF16}" if self.precision == BF16 else "")


def open_network(
    path: Path, batch_size: int | None = None, *, is_timed: bool, precision: str = FLOAT32
) -> OpenedNetwork:
    """Return the network in an .h5, judged on the spot, or in an artefact of a league (.onnx).

    Args:
        path: of the file.
        batch_size: positions evaluated at a time; None for what suits the limit.
        is_timed: whether searches have a clock: then an .h5 is tuned to this machine, in up to
            three seconds. Searches by visits shall be the same every time.
        precision: in which it computes (tournament.networks.runtimes).

    Raises:
        OptionsError: this machine doesn't compute in that precision, or the batch is too large.
        NetworkError: the runtime or the intake refuses the file.
        IntakeError: this machine cannot judge.
        OSError: the file cannot be read.
    """
    require_precision(precision)
    with tempfile.TemporaryDirectory() as folder:
        artefact = place_artefact(path, Path(folder), MAX_TUNE_SECONDS if is_timed else 0)
        wanted = batch_size or (None if is_timed else DEFAULT_BATCH_SIZE)
        evaluator = open_evaluator(artefact.path, wanted, precision=precision)
        return OpenedNetwork(name_of_file(path), _sha256_of_network(artefact), evaluator, precision)


def _sha256_of_network(artefact: Artefact) -> str:
    """Return the SHA-256 of a network's file; an artefact's manifest knows it, if it has one."""
    try:
        manifest = Manifest.read(artefact.path.with_suffix(MANIFEST))
    except IntakeError:
        return artefact.sha256
    return manifest.sha256 if manifest.onnx_sha256 == artefact.sha256 else artefact.sha256
