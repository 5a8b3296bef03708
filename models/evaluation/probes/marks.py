"""Properties of SGF that mark a position for a probe, and the games of a file."""

import re

GAME_BEGINS = re.compile(rb"(?m)^(?=\(;\s*(?:GM|FF|SZ|CA|AP)\[)")


def marked_values(text: str, name: str) -> list[str]:
    """Return all values of an SGF property, of its first place in the text."""
    found = re.search(rf"(?<![A-Za-z]){name}((?:\s*\[[^\]]*\])+)", text)
    return [value.strip() for value in re.findall(r"\[([^\]]*)\]", found[1])] if found else []


def split_games(data: bytes) -> list[bytes]:
    """Return the game trees of a file; each begins on a line of its own with a root property."""
    return [game for game in GAME_BEGINS.split(data) if game.strip()]
