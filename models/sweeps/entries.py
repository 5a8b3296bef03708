"""A TOML file of runs that differ: what they have alike, what varies, and how a script takes it."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any

from golois.kit.command import UsageError, did_you_mean
from golois.kit.options import flag, key_values, switch
from tournament.league.names import NAME


@dataclass(frozen=True)
class Entry:
    """A run's name, and what the file gives it of a script's options."""

    name: str
    given: Mapping[str, Any]

    def spelled(self, known: type, repeated: Sequence[str]) -> list[str]:
        """Spell the options as a script takes them: `repeated` options singly, others by commas.

        A switch that is as usual is left out, unless there is a preset, which may have changed it.
        """
        return [
            text
            for key, value in self.given.items()
            if "preset" in self.given or not _is_usual_switch(key, value, known)
            for text in _spelled(key, value, repeated)
        ]


def read_toml(path: Path) -> dict[str, Any]:
    """Read a file; UsageError where it is not TOML."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not TOML: {error}") from error


def take_table(content: dict[str, Any], name: str) -> dict[str, Any]:
    """Take a table out of a file's content; empty where there is none."""
    return _table(content.pop(name, {}), f"[{name}]")


def take_entries(content: dict[str, Any]) -> list[dict[str, Any]]:
    """Take the tables [[runs]] out of a file's content; one that says nothing if there are none."""
    listed = content.pop("runs", [{}])
    if not isinstance(listed, list) or not listed:
        raise UsageError(f"runs must be a list of tables [[runs]], not {listed!r}")
    return [_table(entry, "[[runs]]") for entry in listed]


def each_run(
    common: Mapping[str, Any], grid: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]
) -> list[Entry]:
    """Cross entries with the grid, the last axis fastest; UsageError: names or axes that clash."""
    runs = [_entry(common, entry, point) for entry in entries for point in product(*_axes(grid))]
    names = [run.name for run in runs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"two runs are called {twice[0]}: remove one, or give them names")
    return runs


def require_known(table: Mapping[str, Any], known: Iterable[str], what: str) -> None:
    """Refuse options that do not exist."""
    names = list(known)
    for key in table:
        name, dot, _ = key.partition(".")
        if dot and name in names:  # quoted, TOML takes the dot for a part of the name
            raise UsageError(f'write {key} without quotes: "{key}" is another name to TOML')
        if key not in names:
            guess = did_you_mean(key.replace("-", "_"), names)
            raise UsageError(f"there is no option {key}{guess}: use {what}")


def names_of(options: type) -> list[str]:
    """Return the names of a dataclass's fields."""
    return [item.name for item in fields(options)]


def _axes(grid: Mapping[str, Any]) -> list[list[tuple[str, Any]]]:
    """List what each axis of the grid may be; a table `set` has an axis for each of its keys."""
    axes = []
    for key, values in grid.items():
        if key == "set" and isinstance(values, dict):
            for inner, inner_values in values.items():
                choices = _choices(f"set.{inner}", inner_values)
                axes.append([("set", {inner: value}) for value in choices])
        else:
            axes.append([(key, value) for value in _choices(key, values)])
    return axes


def _choices(key: str, values: Any) -> list[Any]:
    if not isinstance(values, list) or not values:
        raise UsageError(f"{key} in [grid] must be a list of values, not {values!r}")
    return values


def _entry(
    common: Mapping[str, Any], entry: Mapping[str, Any], point: Sequence[tuple[str, Any]]
) -> Entry:
    """Put a run together: what is common, then its own entry, then its point of the grid."""
    own = [(key, value) for key, value in entry.items() if key != "name"]
    if twice := _keys(own) & _keys(point):
        raise UsageError(f"{min(twice)} is in [grid] and in [[runs]]: leave it out of one of them")
    labels = [entry["name"]] if "name" in entry else [_label(*item) for item in own]
    name = "_".join(map(str, [*labels, *(_label(*item) for item in point)])) or "run"
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).lstrip("-.")
    if not NAME.fullmatch(name):
        raise UsageError(
            f"a run cannot be called {name!r}: give its entry of [[runs]] a name of up to 64 "
            "letters, digits, '_', '.' and '-'"
        )
    options = dict(common)
    for key, value in (*own, *point):
        if key == "set":
            value = {**_pairs(options.get("set", {})), **_pairs(value)}
        options[key] = value
    return Entry(name, options)


def _keys(options: Iterable[tuple[str, Any]]) -> set[str]:
    found = set()
    for key, value in options:
        found |= {f"set.{inner}" for inner in _pairs(value)} if key == "set" else {key}
    return found


def _pairs(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    return key_values([str(text) for text in (value if isinstance(value, list) else [value])])


def _label(key: str, value: Any) -> str:
    """Say in a name what sets a run apart: `lr0.001`, `mixnet`, `blocks8_filters64`, `no-aux`."""
    if value in ([], {}):
        return f"no-{key}"
    if isinstance(value, dict):
        return "_".join(_label(*item) for item in value.items())
    if isinstance(value, list):
        return "_".join(map(str, value))
    return value if isinstance(value, str) else f"{key}{_text(value)}"


def _table(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{where} must be a table, not {value!r}")
    return value


def _spelled(key: str, value: Any, repeated: Sequence[str]) -> list[str]:
    if isinstance(value, bool):
        return [switch(key, value)]
    if isinstance(value, dict):
        value = [f"{inner}={_text(one)}" for inner, one in value.items()]
    if not isinstance(value, list):
        value = [str(value)]
    elif key not in repeated:
        value = [",".join(map(str, value))] if value else []
    return [f"{flag(key)}={text}" for text in value]


def _is_usual_switch(key: str, value: Any, known: type) -> bool:
    return isinstance(value, bool) and value == getattr(known, key, False)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
