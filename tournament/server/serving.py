"""The application on a port, until it is stopped."""

import logging
import socket
import sys
from contextlib import closing, suppress

import uvicorn

from tournament.errors import LeagueError
from tournament.league.league import League
from tournament.listening import listen
from tournament.server.app import create_app
from tournament.server.calendar import Calendar
from tournament.server.connections import ImpatientProtocol
from tournament.server.ledger import open_ledger
from tournament.server.options import ServerOptions
from tournament.server.service import alone_on

MAX_CONNECTIONS = 500
MAX_FILES = 4096  # a connection may have a file of the site open, besides itself
STOP_SECONDS = 5  # for answers in progress


def serve(options: ServerOptions, host: str, port: int) -> None:
    """Serve a league; create it if it doesn't exist.

    Raises:
        OptionsError: the address cannot be listened on.
        LeagueError: the folder holds no league of this version, or another server has it.
    """
    with listen(host, port) as listening:
        _serve(options, listening)


def _serve(options: ServerOptions, listening: socket.socket) -> None:
    with closing(League(options.league)) as league:
        league.keep_rules(options.rules)
        league.draws.ensure_open()
    open_ledger(options.league).close()
    with alone_on(options.league):
        host, port = listening.getsockname()[:2]
        print(f"serving {options.league} on http://{_in_url(host)}:{port}", flush=True)
        calendar = Calendar(options.now, options.deadline, options.term)
        if (deadline := calendar.next()) is not None:
            print(f"deadline: {deadline}", flush=True)
        if calendar.is_over():
            print("the last deadline of the term has passed: files that come wait", flush=True)
        _log_to_stderr()
        _allow_files()
        server = server_of(options)
        server.run(sockets=[listening])
        if not server.started:
            raise LeagueError(f"cannot serve {options.league}: see the log for the reason")


def server_of(options: ServerOptions) -> uvicorn.Server:
    """Return a server of a league, not started yet."""
    config = uvicorn.Config(
        create_app(options), http=ImpatientProtocol, ws="none", log_config=None, access_log=False,
        server_header=False, limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    return uvicorn.Server(config)


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _allow_files() -> None:
    """Let the process open what all connections need: many systems begin with 1,024 files."""
    with suppress(ImportError, OSError, ValueError):  # Windows; a system with its own limit
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = MAX_FILES if hard == resource.RLIM_INFINITY else min(MAX_FILES, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _log_to_stderr() -> None:
    """Log the server's lines and its libraries' warnings to stderr."""
    logging.basicConfig(
        stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s", level=logging.WARNING
    )
    logging.getLogger("tournament.server").setLevel(logging.INFO)
