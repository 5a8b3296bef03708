"""The table [mail] of `league.toml`: from whom e-mails come, and which server sends them.

[mail]
from = "Go course <go@example.edu>"
smtp = "smtp.example.edu:587"   # without it, e-mails are files in `mail/` of the league's folder
user = "go"                     # if the server asks; the password is in the environment
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import getaddresses
from typing import Any

from tournament.errors import OptionsError

KEYS = ("from", "smtp", "user")
DEFAULT_PORT = 25
# Plain ASCII, so that every server takes it, and no line of a head can be added.
ADDRESS = re.compile(r"[!#-'*+\-/-9=?A-Z^-~.]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*")


@dataclass(frozen=True)
class MailSettings:
    """How e-mails go out; `host` is None where they are only written to files."""

    sender: str
    host: str | None = None
    port: int = DEFAULT_PORT
    user: str | None = None


def mail_settings(table: Mapping[str, Any]) -> MailSettings:
    """Return what the table says; raise OptionsError for unknown keys or invalid values."""
    for key, value in table.items():
        if key not in KEYS:
            raise OptionsError(f"[mail] has no {key!r}: its keys are {', '.join(KEYS)}")
        if not isinstance(value, str) or not value.isprintable():
            raise OptionsError(f"{key} in [mail] must be a text, not {value!r}")
    sender = table.get("from", "")
    addresses = [address for _, address in getaddresses([sender])]
    if len(addresses) != 1 or not ADDRESS.fullmatch(addresses[0]):
        raise OptionsError(
            '[mail] needs an address as its from, such as from = "Go course <go@example.edu>"'
        )
    if "smtp" not in table:
        if "user" in table:
            raise OptionsError("[mail] has a user and no smtp: leave out user, or add the server")
        return MailSettings(sender)
    host, _, port = table["smtp"].partition(":")
    if not host or not (port or str(DEFAULT_PORT)).isdecimal() or int(port or DEFAULT_PORT) > 65535:
        raise OptionsError(
            'smtp in [mail] must be like "smtp.example.edu:587", not ' + repr(table["smtp"])
        )
    return MailSettings(sender, host, int(port or DEFAULT_PORT), table.get("user"))
