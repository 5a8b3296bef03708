"""Numbers, times and outcomes as the pages write them, and where a network's page lies."""

import hashlib
import re

from tournament.game.sgf import sgf_name
from tournament.league.games import GameRow

# What stands after the "+" of a result that no score decided.
UNCOUNTED = {"F": "by forfeit", "R": "by adjudication", "T": "on time"}


def network_page(name: str) -> str:
    """Return where a network's page lies, from the site's root."""
    return f"networks/{file_stem(name)}.html"


def file_stem(name: str) -> str:
    """Return a file name without its ending: safe on every system, distinct for distinct names."""
    readable = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:32].rstrip("-")
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{readable}-{digest}" if readable else digest


def sgf_name_of(game: GameRow) -> str:
    """Return the name of a game's file; games may share one."""
    return sgf_name(game.started_at, game.black, game.white, game.result)


def outcome(game: GameRow) -> str:
    """Return the result of a game in words."""
    if game.winner is None:
        return f"Void: {game.reason}"
    points = "" if margin(game) in UNCOUNTED.values() else " points"
    reason = f": {game.reason.removeprefix('adjudicated, ')}" if game.reason else ""
    winner = f"{game.winner_name} ({game.winner.capitalize()})"
    return f"{winner} wins {margin(game)}{points}{reason}"


def margin(game: GameRow) -> str:
    """Return by how much, or how, a game was won: `by 12.5`, `by forfeit`."""
    after_plus = game.result.partition("+")[2]
    return UNCOUNTED.get(after_plus, f"by {after_plus}")


def result_of(game: GameRow, colour: str) -> str:
    """Return how a game ended for a colour: `won by 12.5`, `lost by forfeit`."""
    if game.winner is None:
        return "void"
    return f"{'won' if game.winner == colour else 'lost'} {margin(game)}"


def thousands(number: float | None) -> str:
    """Return a whole number with thin spaces between its thousands; empty without one."""
    return "" if number is None else f"{number:,.0f}".replace(",", "\u202f")


def seconds(duration: float | None) -> str:
    """Return CPU time with its unit, seconds or milliseconds; empty without any."""
    if duration is None:
        return ""
    return f"{duration:.2f} s" if duration >= 0.1 else f"{1000 * duration:.1f} ms"


def moment(timestamp: str) -> str:
    """Return an ISO 8601 time as people read it, to the minute."""
    return timestamp[:16].replace("T", " ")


def signed(elo: float) -> str:
    """Return a rating with its sign, rounded, as print has it: +120, 0, −80."""
    return f"{elo:+.0f}".replace("-", "−") if round(elo) else "0"
