"""From an untrusted .h5 or .keras to an artefact that is safe to use, or to the reasons why not.

    gate A  container.py     child: HDF5 or a zip of it → description and weights
    gate B  keras/           child: description → our own graph, strict
    gate C  bake.py, graph/  the same child: graph → ONNX, compared with a plain evaluation
    tuning  try_runtimes.py  child: the accepted artefact → how it is run best

The parent handles bytes only: it never opens the file, and none of the author's code runs.
"""

import hashlib
import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path

from golois.constants import BOARD_SIZE, NUM_POINTS, PARAM_BUDGET, PLANES_SHAPE
from golois.kit.files import write_whole
from golois.kit.options import check, option
from tournament.errors import OptionsError
from tournament.intake import child
from tournament.intake.faults import Fault, IntakeError, Refused, refusal
from tournament.intake.manifest import Manifest
from tournament.intake.take import BYTES_PER_PARAMETER, file_limit, over_budget, take, too_large
from tournament.networks.tuning import Tuning

__all__ = [
    "MAX_TUNE_SECONDS", "Fault", "IntakeError", "JudgeOptions", "Manifest", "Verdict", "judge"
]

MAX_TUNE_SECONDS = 3.0
SEED_BITS = 48
MAX_FILE_BYTES = 1 << 30
_MAX_REPLY = 16_000_000
_ASKED = ("max_params", "count", "round_numbers", "batch_size", "planes_shape", "policy_size")


@dataclass(frozen=True)
class JudgeOptions:
    """How a submission is judged.

    Attributes:
        round_numbers: round each number, so that the budget bounds what a network holds.
        batch_size: of the timing.
        tune_seconds: processor time for finding out how an accepted network is run best, at most
            3; with 0 it keeps the defaults.
        wall_seconds: a child that takes longer is killed.
        seed: of the positions that the network must answer; another one at each judgement when
            None.
        planes_shape, policy_size: what the network must read and answer with, as `Game` has them.
            A league's networks have those of the arena. There are positions of real games for the
            arena's planes only.
    """

    max_params: int = option(PARAM_BUDGET, "largest number of parameters", above=0, metavar="N")
    count: str = option(
        "total", "what the budget counts: total is count_params(), moving statistics included",
        choices=("total", "trainable"),
    )  # fmt: skip
    round_numbers: bool = True
    max_bytes: int | None = option(
        None, f"largest file in bytes [{file_limit(PARAM_BUDGET)}, or "
        f"{BYTES_PER_PARAMETER} for each parameter of the budget if that is more]",
        above=0, metavar="N",
    )  # fmt: skip
    max_ms: float = option(
        30.0, "longest processor time of one position, in milliseconds on this machine",
        above=0, metavar="MS",
    )  # fmt: skip
    max_megabytes: int = option(
        256, "largest memory for evaluating, in MB", above=0, metavar="MB"
    )
    require_sandbox: bool = option(
        False, "refuse to judge if a layer of the sandbox is missing"
    )
    batch_size: int = 8
    tune_seconds: float = 0.0
    wall_seconds: float = 60.0
    seed: int | None = None
    planes_shape: tuple[int, int, int] = PLANES_SHAPE
    policy_size: int = NUM_POINTS

    def __post_init__(self) -> None:
        check(self, OptionsError)
        object.__setattr__(self, "planes_shape", tuple(self.planes_shape))  # JSON has lists
        size, *rest = self.planes_shape
        if not (2 <= size <= BOARD_SIZE and len(rest) == 2 and rest[0] == size and rest[1] > 0):
            raise OptionsError(
                f"planes_shape must be (size, size, planes) with a size from 2 to {BOARD_SIZE}, "
                f"not {self.planes_shape}"
            )
        if self.policy_size - size**2 not in (0, 1):
            raise OptionsError(
                f"policy_size must be {size**2}, or {size**2 + 1} with a pass, "
                f"not {self.policy_size}"
            )
        if self.file_limit > MAX_FILE_BYTES:
            raise OptionsError(
                f"a file would be allowed {self.file_limit:,} bytes, and the most is "
                f"{MAX_FILE_BYTES:,}: lower max_bytes or max_params"
            )
        for name in ("batch_size", "wall_seconds"):
            if not getattr(self, name) > 0:
                raise OptionsError(f"{name} must be above 0, not {getattr(self, name)}")
        if self.seed is not None and not 0 <= self.seed < 1 << SEED_BITS:
            raise OptionsError(f"seed must be from 0, below {1 << SEED_BITS}, not {self.seed}")
        if not 0 <= self.tune_seconds <= MAX_TUNE_SECONDS:
            raise OptionsError(
                f"tune_seconds must be from 0 to {MAX_TUNE_SECONDS:g}, not {self.tune_seconds}"
            )

    @property
    def file_limit(self) -> int:
        """The bytes that a file may have: `max_bytes`, or what the budget needs."""
        return file_limit(self.max_params) if self.max_bytes is None else self.max_bytes


@dataclass(frozen=True)
class Verdict:
    """What the intake says about one file: a manifest and an artefact, or faults.

    `usage` is what the children cost: processor seconds in all, and the most memory of one.
    """

    accepted: bool
    faults: tuple[Fault, ...]
    manifest: Manifest | None
    onnx_path: Path | None
    usage: child.Usage = field(default_factory=child.Usage, compare=False)


def judge(
    path: str | Path,
    *,
    work_dir: str | Path,
    options: JudgeOptions | None = None,
    templates: child.Templates | None = None,
) -> Verdict:
    """Judge one .h5 or .keras; write its artefact and manifest, named by its SHA-256.

    Doesn't change the file and runs no code from it. The same bytes give the same artefact. The
    verdict depends on the seed only for a network that answers some positions with nonsense.

    Args:
        path: of the file; if it doesn't exist, the verdict says so.
        work_dir: where the artefact and the manifest go; made when missing.
        options: how to judge; JudgeOptions() when not given.
        templates: those of many judgements, which start faster by them.

    Raises:
        IntakeError: this machine cannot judge, or lacks a required sandbox.
        OptionsError: an option is out of range.
    """
    options = options or JudgeOptions()
    seed = secrets.randbits(SEED_BITS) if options.seed is None else options.seed
    work_dir = Path(work_dir)
    usage = child.Usage(templates=templates)
    try:
        data = _take(Path(path), options, usage)
        if len(data) > options.file_limit:
            in_layers, elsewhere = _count(data, options, usage)
            large = too_large(len(data), options.file_limit, in_layers, elsewhere)
            if faults := over_budget(in_layers, options.max_params, options.count):
                raise Refused((*(large.faults if elsewhere else ()), *faults))
            raise large
        opened = _run("container", "read", child.Message({}, data), options, usage)
        baked = _run("bake", "bake", bake_request(opened, options, seed), options, usage)
        manifest = read_manifest(data, baked, options, seed)
        _check_cost(manifest, options)
    except Refused as refused:
        return Verdict(False, refused.faults, None, None, usage)
    manifest = replace(manifest, tuning=_tune(baked.payload, options, usage))
    onnx_path = work_dir / f"{manifest.sha256}.onnx"
    manifest.write(onnx_path.with_suffix(".json"))
    write_whole(onnx_path, baked.payload)  # last: an artefact always has its manifest
    return Verdict(True, (), manifest, onnx_path, usage)


def bake_request(opened: child.Message, options: JudgeOptions, seed: int) -> child.Message:
    """Return what `bake.bake` is asked: what `container.read` found, and what there is to check."""
    # Here, so that neither --help nor a child loads what reads games.
    from tournament.intake.real_positions import draw_positions, questions, with_positions

    asked = {name: getattr(options, name) for name in _ASKED}
    header = {**opened.header, **asked, "seed": seed, "num_positions": 0}
    if options.planes_shape != PLANES_SHAPE:
        return child.Message(header, opened.payload)
    request = child.Message({**header, "questions": questions()}, opened.payload)
    return with_positions(request, draw_positions(seed), seed)


def read_manifest(
    data: bytes, baked: child.Message, options: JudgeOptions, seed: int
) -> Manifest:
    """Return the manifest of what was baked of a file; raises Refused if it is not a valid one."""
    known = {
        "sha256": hashlib.sha256(data).hexdigest(),
        "onnx_sha256": hashlib.sha256(baked.payload).hexdigest(),
        "seed": seed,
        "planes_shape": options.planes_shape,
        "policy_size": options.policy_size,
    }
    try:
        return Manifest.from_json({**baked.header, **known})
    except IntakeError as error:
        raise refusal("reader-fails", how="") from error


def _take(path: Path, options: JudgeOptions, usage: child.Usage) -> bytes:
    """Return the bytes of a file, as `take` does."""
    try:
        return take(path, options.file_limit)
    except Refused:
        if options.require_sandbox:  # and there is none: then this verdict isn't given either
            _count(b"", options, usage)
        raise


def _check_cost(manifest: Manifest, options: JudgeOptions) -> None:
    """Refuse a network that takes more time or memory than each network of a league may."""
    if manifest.ms_per_evaluation > options.max_ms:
        raise refusal("slow", ms=manifest.ms_per_evaluation, most=options.max_ms)
    if manifest.memory_bytes > options.max_megabytes * 1_000_000:
        raise refusal("memory", number=manifest.batch_size, most=options.max_megabytes,
                      megabytes=manifest.memory_bytes / 1e6)


def _count(data: bytes, options: JudgeOptions, usage: child.Usage) -> tuple[int, int]:
    """Return how many numbers a file has in its layers and elsewhere; zeros if it can't be read."""
    try:
        found = _run("container", "count", child.Message({}, data), options, usage).header
    except Refused:
        return 0, 0
    layers, elsewhere = found.get("in_layers"), found.get("elsewhere")
    if type(layers) is not int or type(elsewhere) is not int:
        return 0, 0
    return layers, elsewhere


def _tune(model: bytes, options: JudgeOptions, usage: child.Usage) -> Tuning:
    """Return the best way to run an artefact, or the defaults if that can't be measured."""
    if options.tune_seconds == 0:
        return Tuning()
    asked = {"seconds": options.tune_seconds, "planes_shape": options.planes_shape}
    request = child.Message(asked, model)
    try:
        tried = _run("try_runtimes", "try_runtimes", request, options, usage)
        return Tuning.from_json(tried.header["tuning"])
    except (Refused, KeyError, ValueError):
        return Tuning()


def _run(
    module: str,
    function: str,
    request: child.Message,
    options: JudgeOptions,
    usage: child.Usage,
) -> child.Message:
    return child.run(
        f"{__name__}.{module}", function, request, wall_seconds=options.wall_seconds,
        max_reply=max(_MAX_REPLY, options.file_limit),
        require_sandbox=options.require_sandbox, usage=usage,
    )
