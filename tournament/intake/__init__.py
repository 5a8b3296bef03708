"""From a stranger's .h5 to an artefact that is safe to use, or to the reasons why not.

    gate A  container.py   child: HDF5 → description and weights
    gate B  config.py      child: description → our own graph, strict
    gate C  bake.py        child: graph → ONNX, compared with a plain evaluation

The parent handles bytes only: it never opens the .h5, and no code of the author runs.
"""

import hashlib
from dataclasses import dataclass, field, replace
from pathlib import Path

from tournament.errors import OptionsError
from tournament.files import write_whole
from tournament.intake import child
from tournament.intake.faults import Fault, IntakeError, Refused
from tournament.intake.manifest import Manifest
from tournament.intake.sandbox import missing_layers
from tournament.intake.take import take

__all__ = ["Fault", "IntakeError", "JudgeOptions", "Manifest", "Verdict", "judge"]

_MAX_REPLY = 16_000_000


@dataclass(frozen=True)
class JudgeOptions:
    """How a submission is judged.

    Attributes:
        max_params: the budget.
        count: "total" counts moving statistics, "trainable" does not.
        max_bytes: of the .h5.
        batch_size: of the timing.
        wall_seconds: a child that takes longer is killed.
        require_sandbox: refuse to work on a machine that lacks a layer of the sandbox.
    """

    max_params: int = 100_000
    count: str = "total"
    max_bytes: int = 4_000_000
    batch_size: int = 8
    wall_seconds: float = 60.0
    require_sandbox: bool = False

    def __post_init__(self) -> None:
        if self.count not in ("total", "trainable"):
            raise OptionsError(f"expected 'total' or 'trainable' in count: got {self.count!r}")
        for name in ("max_params", "max_bytes", "batch_size", "wall_seconds"):
            if getattr(self, name) <= 0:
                raise OptionsError(f"expected more than 0 in {name}: got {getattr(self, name)}")


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
    max_params: int | None = None,
    count: str | None = None,
    options: JudgeOptions | None = None,
) -> Verdict:
    """Judge one .h5 and write its artefact and manifest into `work_dir`, named by its SHA-256.

    Doesn't change the file and doesn't run anything of it. The same bytes give the same artefact.

    Args:
        path: of the .h5; it need not exist, that is a verdict too.
        work_dir: made when missing.
        max_params, count: the budget, where it is not that of `options`.
        options: how to judge; JudgeOptions() when not given.
    Raises:
        IntakeError: this machine cannot judge.
        OptionsError: an option is out of range.
    """
    budget = {"max_params": max_params, "count": count}
    given = {name: value for name, value in budget.items() if value is not None}
    options = replace(options or JudgeOptions(), **given)
    work_dir = Path(work_dir)
    usage = child.Usage()
    try:
        data = take(Path(path), options.max_bytes)
        opened = _run("container", "read", child.Message({}, data), options, usage)
        asked = {name: getattr(options, name) for name in ("max_params", "count", "batch_size")}
        described = child.Message({**opened.header, **asked}, opened.payload)
        baked = _run("bake", "bake", described, options, usage)
    except Refused as refusal:
        return Verdict(False, refusal.faults, None, None, usage)
    sha256 = hashlib.sha256(data).hexdigest()
    manifest = Manifest.from_json({**baked.header, "sha256": sha256})
    onnx_path = work_dir / f"{sha256}.onnx"
    write_whole(onnx_path, baked.payload)
    manifest.write(work_dir / f"{sha256}.json")
    return Verdict(True, (), manifest, onnx_path, usage)


def _run(
    module: str,
    function: str,
    request: child.Message,
    options: JudgeOptions,
    usage: child.Usage,
) -> child.Message:
    reply = child.run(
        f"{__name__}.{module}", function, request,
        wall_seconds=options.wall_seconds, max_reply=_MAX_REPLY, usage=usage,
    )
    missing = missing_layers(str(reply.header.get("sandbox")))
    if options.require_sandbox and missing:
        raise IntakeError(
            f"this machine lacks {', '.join(missing)} for the sandbox: judge on another one, "
            "or without --require-sandbox"
        )
    return reply
