"""The command line of train.py, and the run that it describes; options.py has the options."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from golois.kit.command import UsageError
from golois.kit.options import (
    flag,
    key_values,
    require_networks,
    script_parser,
    weighted_files,
    weighted_names,
)
from golois.kit.run_folder import network_file
from models.catalogue.known import require_known
from models.catalogue.own import absolute, is_own, own_file, title_of
from models.training.dial import PARAMETERS
from models.training.options import EMBEDDED_GAMES, SMOKE, Options, complete
from models.training.run_folder import TrainingFolder
from models.training.targets import AUXILIARY

LENGTHS = ("epochs", "minutes")
"""Of a run that can be continued for longer."""


def parse_arguments(argv: Sequence[str] | None, text: str = "") -> dict[str, Any]:
    """Read the command line; options that were not given are absent from the result."""
    parser = script_parser("train.py", text)
    parser.add_argument("--list", action="store_true", help="print the registry and exit")
    parser.add_argument("--smoke", action="store_true", help="two small batches, then save")
    parser.add_argument(
        "--size", choices=tuple(PARAMETERS),
        help="train for 10, 60 or 480 minutes, with at most 30,000, 60,000 or 100,000 parameters; "
        "this machine's speed decides the length of an epoch; prints the options that it sets",
    )
    parser.add_argument("--out", type=Path, help="folder of the run [runs/MODEL-DATE-TIME]")
    parser.add_argument("--resume", type=Path, metavar="OUT", help="continue the run in OUT")
    parser.add_argument(
        "--ladder", action="store_true",
        help="then rate the network by games, which takes three minutes: too long for each run of "
        "a sweep, so it must be asked for",
    )
    parser.add_argument("--set", action="append", metavar="KEY=VALUE", help="option of the network")
    parser.add_argument(
        "--data",
        action="append",
        metavar="FILE[=WEIGHT]",
        help="packed .games file or the course's games.data; repeat it to mix files by weight "
        f"[{EMBEDDED_GAMES}]",
    )
    parser.add_argument(
        "--curriculum",
        action="append",
        metavar="KEY=VALUE[,KEY=VALUE]",
        help="first train a smaller network with these options; repeat it, smallest first",
    )
    parser.add_argument(
        "--aux",
        metavar="NAME[=WEIGHT],…",
        help="auxiliary heads, only for training; best.h5 does not have them: "
        + ", ".join(f"{name} [{target.weight}]" for name, target in AUXILIARY.items()),
    )
    parser.add_fields(Options)
    given = vars(parser.parse_args(argv))
    if "aux" in given:
        usual = {name: target.weight for name, target in AUXILIARY.items()}
        given["aux"] = weighted_names(given["aux"], usual)
    if "model" in given:
        given["model"] = absolute(given["model"])
    for name in ("distill", "init_from"):
        if given.get(name):
            given[name] = str(network_file(given[name]).resolve())
    if "set" in given:
        given["set"] = key_values(given["set"])
    if "data" in given:
        given["data"] = weighted_files(given["data"])
    return given


def new_run(given: dict[str, Any]) -> tuple[Options, TrainingFolder]:
    """Complete the given options to the recipe of a new run and its folder.

    Raises UsageError: a value out of range, a missing file, or a folder with a run; ModelsError: no
    such network or option.
    """
    given = {**(SMOKE if given.pop("smoke", False) else {}), **given}
    out = given.pop("out", None)
    options = Options(**complete(given))
    require_known(options.model, options.set)
    require_networks(options, ("distill", "init_from"))
    name = f"{title_of(options.model)}-{datetime.now():%Y%m%d-%H%M%S}"
    folder = TrainingFolder(out or Path("runs") / name)
    folder.require_new()
    return options, folder


def old_run(given: dict[str, Any]) -> tuple[Options, TrainingFolder]:
    """Read a run's recipe; files that moved, and a longer run, may be given again."""
    folder = TrainingFolder(given.pop("resume"))
    options = folder.read_options(Options)
    model = options.model
    if is_own(model) and is_own(given.get("model", "")):
        model = given.pop("model")
    if is_own(model) and not own_file(model).is_file():
        raise UsageError(f"there is no file {own_file(model)}: give --model where it is now")
    teacher = given.pop("distill", options.distill)
    if bool(teacher) != bool(options.distill):
        raise UsageError(
            "this run has no teacher: leave out --distill, which with --resume only says where the "
            "teacher's file is now"
        )
    moved = given.pop("data", options.data)
    if list(moved.values()) != list(options.data.values()):
        raise UsageError(
            "--data with --resume needs as many files, with the same weights, as at the run's "
            f"start: {list(options.data.values())}, not {list(moved.values())}"
        )
    longer: dict[str, Any] = {
        name: _longer(options, name, given.pop(name)) for name in LENGTHS if name in given
    }
    options = replace(options, model=model, data=moved, distill=teacher, **longer)
    for name, value in given.items():
        if value != getattr(options, name, None):
            raise UsageError(
                f"{flag(name)} {value} differs from the run that --resume continues: "
                "leave it out, or start a new run"
            )
    return options, folder


def _longer(options: Options, name: str, value: float) -> float:
    before = getattr(options, name)
    if value < before:
        raise UsageError(
            f"{flag(name)} {value} is less than the {before} of the run: give more, or leave it out"
        )
    if value > before == 0:
        (other,) = set(LENGTHS) - {name}
        raise UsageError(f"the run has no {flag(name)}: to make it longer, give {flag(other)}")
    return value
