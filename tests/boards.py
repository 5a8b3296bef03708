"""What tests of the page of a network share: a server in a thread, and games to ask about."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tournament.board.networks import SharedNetwork
from tournament.board.server import BoardServer


@contextmanager
def board_server(networks: Sequence[SharedNetwork]) -> Iterator[BoardServer]:
    """The page of some networks, served on any port."""
    with BoardServer(0) as server:
        server.offer(networks)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def asked(moves: Sequence[Sequence[int]] = (), **fields: Any) -> dict[str, Any]:
    """A request about a game: its last position, unless a ply is given."""
    game = {"komi": 7.5, "set_up": [], "moves": [list(move) for move in moves]}
    game |= fields.pop("game", {})
    return {"game": game, "ply": len(game["moves"]), **fields}
