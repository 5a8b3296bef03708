"""`--rules`: the word for a league's rules, and what it sets."""

import argparse
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from golois.kit.options import declared
from tournament.game.presets import COURSE, KIT, PRESETS, flags


def add_rules_argument(parser: argparse.ArgumentParser, of_league: bool = True) -> None:
    """Add the word; by default it is that of the league, where the command has one."""
    course = PRESETS[COURSE]
    default = f"as the league was begun, else {KIT}" if of_league else KIT
    parser.add_argument(
        "--rules", choices=PRESETS,
        help="a set of rules by its name; options that you give override its rules. "
        f"{COURSE}: {flags({**course.judging, **course.games})} (default: {default})",
    )


def given_fields(arguments: argparse.Namespace, options: type) -> dict[str, Any]:
    """Return what was given of the fields that a dataclass of options declares."""
    values = {item.name: getattr(arguments, item.name) for item in declared(options)}
    return {name: value for name, value in values.items() if value is not None}


def rules_of_league(folder: Path) -> str | None:
    """Return the word that a league keeps; None without a league, or without a word."""
    from tournament.league.league import League  # here, so that --help answers at once

    if not (folder / "league.sqlite").exists():
        return None
    with closing(League(folder, create=False)) as league:
        return league.rules()


def in_effect(word: str, *options: Any) -> str:
    """Describe a word, a key of PRESETS, by the current values of the options that it sets."""
    preset = PRESETS[word]
    names: Iterable[str] = (*preset.judging, *preset.games)
    found = {name: getattr(of, name) for name in names for of in options if hasattr(of, name)}
    return f"rules {word}: {flags(found)}"
