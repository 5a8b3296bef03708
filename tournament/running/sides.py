"""A side of a match: `net.h5,batch_size=1,player=gumbel`, or a player's name, `gnugo:10`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from golois.constants import BOARD_SIZE
from golois.games.rules import Go
from golois.kit.options import declared, type_of
from golois.kit.run_folder import name_of_file, network_file
from golois.search.tree import SearchOptions
from tournament.errors import OptionsError
from tournament.game.options import EventOptions
from tournament.networks.runtimes import require_precision
from tournament.players.gumbel import GumbelOptions
from tournament.players.registry import (
    file_and_settings,
    file_of_katago,
    find_player,
    names_player,
)

OF_GUMBEL = {item.name: type_of(item) for item in declared(GumbelOptions)}
TYPES = {
    **{item.name: type_of(item) for item in declared(EventOptions) if item.metadata["of_a_side"]},
    **{item.name: type_of(item) for item in declared(SearchOptions)},
    **OF_GUMBEL,
}
PROGRAM = "program"
NETWORK = "net:"  # may stand before a file, such as one whose name begins as that of a player
WORDS = {"true": True, "false": False}
VALUES = {bool: "true or false", int: "a whole number", float: "a number", str: "a name"}


@dataclass(frozen=True)
class Side:
    """A network's file and its own options, by name; a player by name has only PROGRAM."""

    text: str
    path: Path | None
    options: dict[str, Any]

    @property
    def name(self) -> str:
        """What the network is called, and its options; all of a player's name."""
        if self.path is None:
            return self.text
        _, settings = file_and_settings(self.text)
        return ",".join([name_of_file(self.path), *settings])


def parse_side(text: str) -> Side:
    """Return the side that `NET[,option=value…]` describes, or a player's name (`find_player`).

    Raises:
        OptionsError: no such option, no value of its type, or no such player.
        DataFormatError: a file that is no network of FishNet.
    """
    if names_player(text):
        find_player(text, Go(BOARD_SIZE))  # whether it is installed, and plays Go
        return Side(text, None, {PROGRAM: text})
    text = file_of_katago(text) or text.removeprefix(NETWORK)
    file, settings = file_and_settings(text)
    return Side(text, network_file(file), dict(map(_setting, settings)))


def require_playable(options: EventOptions, side: Side) -> None:
    """Raise OptionsError if this machine lacks a side's precision, or it has an idle option."""
    own = options_of_side(options, side.options)
    require_precision(own.precision)
    refuse_idle(own, side.options)


def refuse_idle(options: EventOptions, changes: Mapping[str, Any]) -> None:
    """Raise OptionsError if `changes` has an option of gumbel for a side with another player."""
    idle = [name for name in OF_GUMBEL if name in changes]
    if idle and options.player != "gumbel":
        raise OptionsError(f"{idle[0]} needs player=gumbel: the player {options.player} ignores it")


def options_of_side(options: EventOptions, changes: Mapping[str, Any]) -> EventOptions:
    """Return an event's options as one side plays by them; seconds and visits replace each other.

    Raises:
        OptionsError, ArgumentError: a value out of range.
    """
    return options.changed({name: changes[name] for name in TYPES if name in changes})


def _setting(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    if name not in TYPES:
        raise OptionsError(f"an option of a side must be of {', '.join(TYPES)}, not {text!r}")
    kind = TYPES[name]
    try:
        return name, WORDS[value] if kind is bool else kind(value)
    except (KeyError, ValueError):
        raise OptionsError(f"{name}= must have {VALUES[kind]}, not {text!r}") from None
