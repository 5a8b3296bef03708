"""`python -m models`: networks, sizes, runs compared, a race, cards, a swap of heads, a check."""

import os
import sys

# Nothing is imported from the current folder unless it is the kit's: it may hold anyone's files.
if os.getcwd() != os.path.dirname(os.path.dirname(os.path.abspath(__file__))):
    sys.path[:] = [place for place in sys.path if place not in ("", os.getcwd())]

import argparse
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from golois.kit.command import UsageError, run_in_words
from golois.kit.files import write_whole
from golois.kit.options import Parser, key_values
from models.catalogue.known import require_known
from models.contract import PARAM_BUDGET
from models.training.quiet import import_keras_quietly


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the command line says; return the exit code."""

    def run() -> int:
        arguments = _parser().parse_args(argv)
        return arguments.run(arguments)

    return run_in_words("python -m models", run)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="python -m models", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    table = commands.add_parser("table", help="list the networks")
    table.add_argument(
        "--markdown", action="store_true", help="print the table of docs/student/models.md"
    )
    table.set_defaults(run=_table)
    fit = commands.add_parser("fit", help="find the largest network of a family that fits")
    fit.add_argument("model", help="network of the registry")
    fit.add_argument(
        "--limit", type=int, default=PARAM_BUDGET, help="parameters at most [%(default)s]"
    )
    fit.add_argument("--preset", choices=("budget", "paper"), default="budget")
    fit.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    fit.set_defaults(run=_fit)
    card = commands.add_parser("card", help="describe a run and its network in its README.md")
    card.add_argument("folder", type=Path, metavar="RUN", help="folder that train.py left")
    card.set_defaults(run=_card)
    compare = commands.add_parser("compare", help="compare runs: results, options and curves")
    compare.add_argument(
        "runs", type=Path, nargs="+", metavar="RUN", help="folder of a run, or a folder with runs"
    )
    compare.add_argument(
        "--out", type=Path, metavar="DIR", help="folder for index.html, table.csv and curves.png"
    )
    compare.set_defaults(run=_compare)
    speedrun = commands.add_parser(
        "speedrun", help="train until a goal is reached, and judge it (docs/student/speedrun.md)"
    )
    speedrun.add_argument(
        "entry", type=Path, nargs="?", metavar="ENTRY.toml",
        help="what to train; or a folder, whose entries are listed [data/speedrun]",
    )  # fmt: skip
    speedrun.add_argument("--seed", type=int, default=0, help="0, 1 or 2 in the race [%(default)s]")
    speedrun.add_argument(
        "--out", type=Path, default=Path("runs/speedrun"), help="folder of the runs [%(default)s]"
    )
    speedrun.set_defaults(run=_speedrun)
    swap = commands.add_parser(
        "swap", help="make a head of --aux the policy of a network, to hand it in"
    )
    swap.add_argument("network", type=Path, metavar="RUN/best_with_heads.h5")
    swap.add_argument("head", help="head of moves, such as optimistic_policy")
    swap.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE.h5", help="the new network"
    )
    swap.set_defaults(run=_swap)
    check = commands.add_parser(
        "check", help="check an untrained network as the intake would, before a long training"
    )
    check.add_argument("model", help="network of the registry, or MY_NET.py:FUNCTION")
    check.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    check.set_defaults(run=_check)
    return parser


def _table(arguments: argparse.Namespace) -> int:
    import_keras_quietly()
    from models.catalogue.table import table

    print(table(markdown=arguments.markdown))
    return 0


def _fit(arguments: argparse.Namespace) -> int:
    given = key_values(arguments.set)
    require_known(arguments.model, given)
    import_keras_quietly()
    from models.catalogue.fit import fit

    found = fit(arguments.model, given, arguments.preset, arguments.limit)
    print(
        f"{arguments.model} with {found.option}={found.value} has {found.total:,} parameters of "
        f"at most {arguments.limit:,}; with {found.option}={found.next_value} it has "
        f"{found.next_total:,}"
    )
    return 0


def _card(arguments: argparse.Namespace) -> int:
    import_keras_quietly()
    from models.training.card import card

    text, path = card(arguments.folder), arguments.folder / "README.md"
    write_whole(path, text.encode(), durable=False)
    print(f"written: {path}")
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    from golois.kit.console import Console
    from models.sweeps.compare import compare

    compare(arguments.runs, arguments.out, Console(highlight=False, soft_wrap=True))
    return 0


def _speedrun(arguments: argparse.Namespace) -> int:
    from golois.kit.console import Console
    from models.sweeps.speedrun import ENTRIES, race, table

    entry, console = arguments.entry or ENTRIES, Console(highlight=False, soft_wrap=True)
    if entry.is_dir():
        console.print(table(entry))
        return 0
    return race(entry, arguments.seed, arguments.out, console)


def _swap(arguments: argparse.Namespace) -> int:
    if arguments.output.suffix != ".h5":
        raise UsageError(f"--output must end in .h5, not {arguments.output.name}")
    if arguments.output.resolve() == Path(arguments.network).resolve():
        raise UsageError(f"the output would overwrite the network {arguments.output}")
    import_keras_quietly()
    from models.catalogue.saved import open_network
    from models.training.auxiliary import with_policy_of
    from models.training.steps import save_network

    network = with_policy_of(open_network(arguments.network), arguments.head)
    save_network(arguments.output, network)
    print(f"written: {arguments.output}, whose policy is {arguments.head}")
    return 0


def _check(arguments: argparse.Namespace) -> int:
    given: dict[str, Any] = key_values(arguments.set)
    require_known(arguments.model, given)
    import_keras_quietly()
    from models.catalogue.registry import build
    from models.training.steps import save_network

    network = build(arguments.model, **given)
    submit = Path(__file__).resolve().parents[1] / "submit.py"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "untrained.h5"
        save_network(path, network)
        return subprocess.run([sys.executable, submit, "--check-only", path]).returncode


if __name__ == "__main__":
    sys.exit(main())
