"""`board`: play against networks in the browser (docs/board.md)."""

import argparse
import threading
import webbrowser
from pathlib import Path

from tournament.board.networks import open_networks
from tournament.board.server import BoardServer
from tournament.commands.arguments import add_precision_argument, positive


def add_board_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "networks", type=Path, nargs="+", metavar="NET",
        help="an .h5 or .keras, the folder of a run, or an artefact of a league (.onnx)",
    )
    parser.add_argument("--port", type=int, default=8001, help="0 for any (default %(default)s)")
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address, and open no browser"
    )
    parser.add_argument(
        "--batch-size",
        type=positive,
        help="positions evaluated at a time (default: as each network is tuned)",
    )
    add_precision_argument(parser)


def board_command(arguments: argparse.Namespace) -> int:
    """Serve the page until it is stopped."""
    with BoardServer(arguments.port) as server:  # a port in use is said before the networks open
        print("opening the networks", flush=True)  # an .h5 takes a few seconds
        networks = open_networks(arguments.networks, arguments.batch_size, arguments.precision)
        server.offer(networks)
        print(f"{server.address} plays {', '.join(network.name for network in networks)}")
        print("Ctrl-C ends it", flush=True)
        if not arguments.no_browser:
            # Some browsers, as those in a terminal, return only when they are closed.
            threading.Thread(target=webbrowser.open, args=[server.address], daemon=True).start()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            raise KeyboardInterrupt("stopped") from None
    return 0
