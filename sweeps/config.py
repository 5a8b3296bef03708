"""The TOML file of a sweep: common options of train.py, what varies, and the league at the end."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import product
from math import inf
from pathlib import Path
from typing import Any

from models.training.arguments import parse_arguments
from models.training.command_line import UsageError, flag, key_values, switch
from models.training.options import Options, complete
from tournament.league.submissions import NAME

BUDGETS = ("minutes", "epochs")
ENDLESS_EPOCHS = 10_000
"""Epochs of a run that is limited by minutes: too many to reach."""

REPEATED = ("set", "data", "curriculum")
"""What train.py takes several times; a list or a table of anything else is one text of commas."""


@dataclass(frozen=True)
class LeagueOptions:
    """The league of the results.

    Attributes:
        visits: a move; all networks search equally, whatever the cost.
        seconds: of CPU time a move, in the place of visits; fast networks search more.
        games: of every two networks.
    """

    visits: int = 64
    seconds: float | None = None
    games: int = 20

    def __post_init__(self) -> None:
        for name in ("visits", "games"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise UsageError(f"{name} in [league] must be a whole number from 1, not {value!r}")
        if self.seconds is not None and not _is_above_zero(self.seconds):
            raise UsageError(f"seconds in [league] must be a number above 0, not {self.seconds!r}")
        if self.games % 2:
            raise UsageError(
                f"games in [league] must be even, not {self.games}: "
                "each opening is played with both colours"
            )

    def limit(self) -> list[str]:
        """Return the limit of a move, as `python -m tournament run` takes it."""
        if self.seconds is not None:
            return ["--seconds", str(self.seconds)]
        return ["--visits", str(self.visits)]


@dataclass(frozen=True)
class Recipe:
    """One run: its name, also in the league, and what the file gives it of train.py's options."""

    name: str
    given: Mapping[str, Any]

    def arguments(self) -> list[str]:
        """Spell what is given as train.py takes it."""
        return [text for key, value in self.given.items() for text in _spelled(key, value)]

    def options(self) -> Options:
        """Read the arguments as train.py does.

        Raises:
            UsageError: it would not take them.
        """
        try:
            return Options(**complete(parse_arguments(self.arguments())))
        except UsageError as error:
            raise UsageError(f"run {self.name}: {error}") from error


@dataclass(frozen=True)
class Sweep:
    """What a file asks for.

    Attributes:
        recipes: of the runs, in the order of the file, the last axis of the grid fastest.
        budget: "minutes" or "epochs", which all runs have alike.
        league: how the results play.
    """

    recipes: Sequence[Recipe]
    budget: str
    league: LeagueOptions = field(default_factory=LeagueOptions)


def read_sweep(path: Path) -> Sweep:
    """Read a file and check it; the networks' own options are left to their builders.

    Raises:
        UsageError: something in the file that train.py or the league could not take.
    """
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not TOML: {error}") from error
    grid, league = (_table(content.pop(name, {}), f"[{name}]") for name in ("grid", "league"))
    listed = content.pop("runs", [{}])
    if not isinstance(listed, list) or not listed:
        raise UsageError(f"runs must be a list of tables [[runs]], not {listed!r}")
    entries = [_table(entry, "[[runs]]") for entry in listed]
    budget = _budget(content, [grid, *entries])
    recipes = [
        _recipe(content, entry, point)
        for entry in entries
        for point in product(*_axes(grid))
    ]
    _check_alike(recipes, budget)
    _known(league, LeagueOptions, "visits, seconds and games in [league]")
    if {"visits", "seconds"} <= league.keys():
        raise UsageError("[league] has both visits and seconds: leave one out")
    return Sweep(recipes, budget, LeagueOptions(**league))


def _budget(common: dict[str, Any], varied: Iterable[Mapping[str, Any]]) -> str:
    """Name the budget; one of minutes gets more epochs than it can need."""
    given = [name for name in BUDGETS if name in common]
    if len(given) != 1 or any(name in table for name in BUDGETS for table in varied):
        raise UsageError(
            "give either minutes or epochs at the top of the file, and neither in [grid] or "
            f"[[runs]]: the top has {' and '.join(given) or 'neither'}"
        )
    (budget,) = given
    if budget == "minutes":
        common["epochs"] = ENDLESS_EPOCHS
    return budget


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


def _recipe(
    common: Mapping[str, Any], entry: Mapping[str, Any], point: Iterable[tuple[str, Any]]
) -> Recipe:
    """Put a run together: what is common, then its own entry, then its point of the grid."""
    own = [(key, value) for key, value in entry.items() if key != "name"]
    labels = [entry["name"]] if "name" in entry else [_label(*item) for item in own]
    name = "_".join(map(str, [*labels, *(_label(*item) for item in point)])) or "run"
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).lstrip("-.")
    if not NAME.fullmatch(name):
        raise UsageError(
            f"a run cannot be called {name!r}: give its entry of [[runs]] a name of up to 64 "
            "letters, digits, '_', '.' and '-'"
        )
    given = dict(common)
    for key, value in (*own, *point):
        if key == "set":
            value = {**_pairs(given.get("set", {})), **_pairs(value)}
        given[key] = value
    return Recipe(name, given)


def _pairs(value: Any) -> dict[str, Any]:
    """Return the network's options, which a file may also spell as train.py takes them."""
    if isinstance(value, dict):
        return value
    return key_values(value if isinstance(value, list) else [value])


def _label(key: str, value: Any) -> str:
    """Say in a name what sets a run apart: `lr0.001`, `mixnet`, `blocks8_filters64`."""
    if isinstance(value, dict):
        return "_".join(_label(*item) for item in value.items())
    if isinstance(value, list):
        return "_".join(map(str, value))
    return value if isinstance(value, str) else f"{key}{_text(value)}"


def _check_alike(recipes: Sequence[Recipe], budget: str) -> None:
    """Hold each run to train.py's options, and all of them to one budget and names of their own."""
    names = [recipe.name for recipe in recipes]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"two runs are called {twice[0]}: remove one, or give them names")
    options = [_options(recipe) for recipe in recipes]
    if not getattr(options[0], budget):
        raise UsageError(f"{budget} must be above 0, not {recipes[0].given[budget]}")
    if budget == "minutes" and any(map(_counts_epochs, options)):
        raise UsageError(
            "schedule step, restart_epochs and warmup_epochs count epochs: "
            "leave them out where minutes end a run"
        )
    positions = [one.epochs * one.steps_per_epoch * one.batch_size for one in options]
    if budget == "epochs" and len(set(positions)) > 1:
        found = (f"{number:,} for {name}" for number, name in zip(positions, names, strict=True))
        raise UsageError(
            "all runs need equally many positions, epochs · steps_per_epoch · batch_size, "
            f"not {', '.join(found)}"
        )


def _counts_epochs(options: Options) -> bool:
    return bool(options.schedule == "step" or options.restart_epochs or options.warmup_epochs)


def _options(recipe: Recipe) -> Options:
    _known(recipe.given, Options, f"those of train.py --help in the run {recipe.name}")
    return recipe.options()


def _known(table: Mapping[str, Any], options: type, what: str) -> None:
    known = [item.name for item in fields(options)]
    for key in table:
        if key not in known:
            raise UsageError(f"there is no option {key}: use {what}")


def _is_above_zero(value: Any) -> bool:
    return type(value) in (int, float) and 0 < value < inf


def _table(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{where} must be a table, not {value!r}")
    return value


def _spelled(key: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [] if value == getattr(Options, key, False) else [switch(key, value)]
    if isinstance(value, dict):
        value = [f"{inner}={_text(one)}" for inner, one in value.items()]
    if not isinstance(value, list):
        value = [str(value)]
    elif key not in REPEATED:
        value = [",".join(map(str, value))]
    return [f"{flag(key)}={text}" for text in value]


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
