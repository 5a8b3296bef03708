"""`python -m models table`: every family's presets, with their sizes and cost."""

import argparse
import sys
from collections.abc import Sequence

from models.training.quiet import import_keras_quietly


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the command line says; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m models", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    table_parser = commands.add_parser("table", help="list the networks; builds each once")
    table_parser.add_argument("--markdown", action="store_true", help="as docs/models.md has it")
    arguments = parser.parse_args(argv)
    import_keras_quietly()
    from models.registry import table

    print(table(markdown=arguments.markdown))
    return 0


if __name__ == "__main__":
    sys.exit(main())
