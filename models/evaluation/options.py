"""What evaluate.py is asked on its command line."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from golois.kit.command import UsageError
from golois.kit.options import flag, refuse_repeated, script_parser
from golois.kit.run_folder import network_file
from models.training.options import END_OF_SEEDS

PROBES = ("ladder", "circular", "attention")


@dataclass(frozen=True)
class Options:
    """What is asked on the command line, checked."""

    network: Path
    data: tuple[Path, ...] = ()
    positions: int = 2048
    seed: int | None = None
    validation_fraction: float | None = None
    teacher: Path | None = None
    probe: str = ""
    mask_ladders: bool = False
    races: bool = False
    sgf: tuple[Path, ...] = ()
    point: str = ""
    contrast: bool = False
    gtp: bool = False
    out: Path | None = None

    def __post_init__(self) -> None:
        if self.positions <= 0:
            raise UsageError(f"--positions must be above 0, not {self.positions}")
        if self.seed is not None and not 0 <= self.seed < END_OF_SEEDS:
            raise UsageError(f"--seed must be from 0, below {END_OF_SEEDS}, not {self.seed}")
        if self.validation_fraction is not None and not 0 < self.validation_fraction < 1:
            raise UsageError(
                f"--validation-fraction must be above 0 and below 1, not {self.validation_fraction}"
            )
        belongs = {
            "mask_ladders": ("ladder",),
            "races": ("circular",),
            "sgf": PROBES,
            "point": ("attention",),
        }
        for name, probes in belongs.items():
            if getattr(self, name) and self.probe not in probes:
                words = " or ".join(f"--probe {probe}" for probe in probes)
                raise UsageError(f"{flag(name)} is only for {words}")
        shows_sgf = self.probe == "attention" and self.sgf
        draws_games = not (self.gtp or self.probe == "circular" or shows_sgf)
        has_effect = {
            "positions": not (self.gtp or self.probe),
            "teacher": not (self.gtp or self.probe),
            "data": draws_games,
            "validation_fraction": draws_games,
            "seed": draws_games or (self.probe == "circular" and not self.sgf),
        }
        for name, is_used in has_effect.items():
            if getattr(self, name) != getattr(Options, name) and not is_used:
                what = "--gtp" if self.gtp else f"--probe {self.probe}"
                with_sgf = " and --sgf" if self.sgf else ""
                raise UsageError(f"{flag(name)} has no effect with {what}{with_sgf}: leave it out")
        if self.races and self.sgf:
            raise UsageError("--races generates positions: leave out --sgf")
        if self.contrast and not (self.gtp or self.probe == "attention"):
            raise UsageError("--contrast is only for --probe attention or --gtp")
        if self.gtp and (self.probe or self.out):
            raise UsageError("--gtp shows its answers in a Go program: leave out --probe and --out")
        if self.probe == "attention" and len(self.sgf) > 1:
            raise UsageError(f"--probe attention reads one --sgf, not {len(self.sgf)}")


def parse_arguments(argv: Sequence[str] | None, text: str = "") -> Options:
    """Read the command line; `text` is for --help. UsageError: options or values that don't fit."""
    parser = script_parser("evaluate.py", text)
    parser.add_argument(
        "network", type=Path, metavar="NET.h5",
        help="a network as model.save wrote it, or the folder of a run",
    )  # fmt: skip
    parser.add_argument(
        "--data", action="append", type=Path, metavar="FILE",
        help="packed .games file or the course's games.data; repeatable [those of the run]",
    )  # fmt: skip
    parser.add_argument("--positions", type=int, help="held-out positions to measure [2048]")
    parser.add_argument(
        "--seed", type=int, help="seed of the split, or of a probe [the run's, else 0]"
    )
    parser.add_argument(
        "--validation-fraction", type=float,
        help="chance of each game to be held out [the run's, else 0.05]",
    )  # fmt: skip
    parser.add_argument(
        "--teacher", type=Path, metavar="FILE",
        help="also compare with a network of KataGo (.bin.gz)",
    )  # fmt: skip
    parser.add_argument("--probe", choices=PROBES, help="answer one of three questions instead")
    parser.add_argument(
        "--mask-ladders", action="store_true", help="ladder: hide planes 1 to 4 from the network"
    )
    parser.add_argument(
        "--races", action="store_true",
        help="circular: rings that liberties and the turn decide, instead of settled ones",
    )  # fmt: skip
    parser.add_argument(
        "--sgf", action="append", type=Path, metavar="FILE",
        help="ladder: test positions, marked by LA; circular: positions marked by POS and CO, not "
        "generated rings; repeatable. attention: the file whose last position is shown",
    )  # fmt: skip
    parser.add_argument(
        "--point", help="attention: the point that attends [the network's first move]"
    )
    parser.add_argument(
        "--contrast", action="store_true",
        help="attention: spread the middle shades, as ResTNet's code does",
    )  # fmt: skip
    parser.add_argument(
        "--gtp", action="store_true",
        help="speak GTP: a Go program shows ownership and attention; the network doesn't play",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="folder for JSON and PNG")
    given: dict[str, Any] = vars(parser.parse_args(argv))
    for name, value in given.items():
        if isinstance(value, list):
            given[name] = tuple(value)
    for name in ("data", "sgf"):
        refuse_repeated(flag(name), given.get(name, ()))
    given["network"] = network_file(given["network"])
    return Options(**given)
