"""`board`: play against networks in the browser (docs/student/play.md)."""

import argparse
import threading
import webbrowser

from tournament.board.networks import open_networks, open_players
from tournament.board.server import BoardServer
from tournament.commands.arguments import add_precision_argument, network_path, positive
from tournament.errors import OptionsError
from tournament.players.registry import names_player


def add_board_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "networks", nargs="+", metavar="NET",
        help="an .h5 or .keras, the folder of a run, an artefact of a league (.onnx), or "
        "katago:FILE, a network of KataGo; beside a network also players by name, as `play` takes "
        "them, such as gnugo:10",
    )
    parser.add_argument("--port", type=int, default=8001, help="port; 0: any (default %(default)s)")
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
    names = list(filter(names_player, arguments.networks))
    networks = [name for name in arguments.networks if name not in names]
    paths = list(map(network_path, networks))
    if not paths:
        raise OptionsError("name a network: the page shows what a network sees")
    with BoardServer(arguments.port) as server, open_players(names) as players:
        # A port in use is said before the networks open: an .h5 takes a few seconds.
        print("opening the networks", flush=True)
        opened = open_networks(paths, arguments.batch_size, arguments.precision)
        server.offer(opened, players)
        offered = [network.name for network in opened] + [player.name for player in players]
        print(f"{server.address} plays {', '.join(offered)}")
        print("Ctrl-C ends it", flush=True)
        if not arguments.no_browser:
            # Some browsers, as those in a terminal, return only when they are closed.
            threading.Thread(target=webbrowser.open, args=[server.address], daemon=True).start()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            raise KeyboardInterrupt("stopped") from None
    return 0
