"""What the kit's two servers share: the socket to listen on, and the headers of every response."""

import errno
import socket

from tournament.errors import OptionsError

# Nothing but files of this server: no inline script or style, no frame, no form that is sent.
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_REMEDIES = {
    errno.EADDRINUSE: "another program uses this port: stop it, or choose another --port",
    errno.EACCES: "this user may not use this port: choose a --port above 1023",
    errno.EADDRNOTAVAIL: "this machine does not have this address",
}


def listen(host: str, port: int, place: str = "") -> socket.socket:
    """Listen on an address (port 0: any), which messages call `place`.

    Raises:
        OptionsError: the address cannot be listened on; the text says why and what to do.
    """
    place = place or f"{host}:{port}"
    if not 0 <= port <= 65_535:
        raise OptionsError(f"cannot listen on {place}: a port is a number from 0 to 65535")
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(address[:2], family=family)
    except (OSError, UnicodeError) as error:  # UnicodeError of a host such as ".."
        number = None if isinstance(error, socket.gaierror) else getattr(error, "errno", None)
        reason = _REMEDIES.get(number) if number is not None else "there is no host of this name"
        raise OptionsError(f"cannot listen on {place}: {reason or error}") from error
