"""The TOML file of a sweep: common options of train.py, what varies, and the league at the end."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import product
from pathlib import Path
from typing import Any

from models.training.command_line import UsageError, flag
from models.training.options import Options
from tournament.registry import NAME

BUDGETS = ("minutes", "epochs")
ENDLESS_EPOCHS = 10_000
"""Of a run that ends by its minutes: so many that they never end it."""

OPTIONS = {item.name: item for item in fields(Options)}


@dataclass(frozen=True)
class LeagueOptions:
    """The league of the results: visits a move, and games of every two networks."""

    visits: int = 64
    games: int = 20

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if type(value) is not int or value < 1:
                raise UsageError(f"expected {item.name} from 1 in [league]: got {value!r}")
        if self.games % 2:
            raise UsageError(
                "expected even games in [league], each opening is played with both colours: "
                f"got {self.games}"
            )


@dataclass(frozen=True)
class Recipe:
    """One run: its name, also in the league, and the options of train.py that the file gives it."""

    name: str
    options: Mapping[str, Any]

    def arguments(self) -> list[str]:
        """Spell the options as train.py takes them; a list or a table is one option repeated."""
        return [text for key, value in self.options.items() for text in _spelled(key, value)]


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
        raise UsageError(f"expected TOML in {path}: {error}") from error
    grid, league = (_table(content.pop(name, {}), f"[{name}]") for name in ("grid", "league"))
    listed = content.pop("runs", [{}])
    if not isinstance(listed, list) or not listed:
        raise UsageError(f"expected a list of tables [[runs]]: got {listed!r}")
    entries = [_table(entry, "[[runs]]") for entry in listed]
    budget = _budget(content, [grid, *entries])
    recipes = [
        _recipe(content, entry, point)
        for entry in entries
        for point in product(*_axes(grid))
    ]
    _check_alike(recipes, budget)
    return Sweep(recipes, budget, LeagueOptions(**_known(league, LeagueOptions, "[league]")))


def _budget(common: dict[str, Any], varied: Iterable[Mapping[str, Any]]) -> str:
    """Name the budget; one of minutes gets more epochs than it can need."""
    given = [name for name in BUDGETS if name in common]
    if len(given) != 1 or any(name in table for name in BUDGETS for table in varied):
        raise UsageError(
            "expected either minutes or epochs at the top of the file, the same for every run: "
            f"got {' and '.join(given) or 'neither'} there, and the others are not to have any"
        )
    (budget,) = given
    if budget == "minutes":
        if common["minutes"] == 0:
            raise UsageError("expected minutes above 0: got 0")
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
        raise UsageError(f"expected a list of values of {key} in [grid]: got {values!r}")
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
            f"expected a name of up to 64 letters, digits, '_', '.' and '-' for a run: "
            f"got {name!r}; give its entry of [[runs]] a shorter name"
        )
    options = dict(common)
    for key, value in (*own, *point):
        if key == "set" and isinstance(value, dict) and isinstance(options.get("set", {}), dict):
            value = {**options.get("set", {}), **value}
        options[key] = value
    return Recipe(name, options)


def _label(key: str, value: Any) -> str:
    """Say in a name what sets a run apart: `lr0.001`, `mixnet`, `blocks8_filters64`."""
    if isinstance(value, dict):
        return "_".join(_label(*item) for item in value.items())
    if isinstance(value, list):
        return "_".join(map(str, value))
    return value if isinstance(value, str) else f"{key}{_text(value)}"


def _check_alike(recipes: Sequence[Recipe], budget: str) -> None:
    """Hold each run to train.py's options, and all of them to one budget and names of their own."""
    positions = {recipe.name: _positions(recipe) for recipe in recipes}
    if len(positions) < len(recipes):
        names = [recipe.name for recipe in recipes]
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"expected runs that differ, or have names: got {twice} twice")
    if budget == "epochs" and len(set(positions.values())) > 1:
        raise UsageError(
            "expected equally many positions in every run, epochs · steps_per_epoch · batch_size: "
            + "got "
            + ", ".join(f"{number:,} for {name}" for name, number in positions.items())
        )


def _positions(recipe: Recipe) -> int:
    """Check a run's options; return how many positions its epochs are."""
    where = f"run {recipe.name}"
    plain = {}
    for key, value in _known(recipe.options, Options, where).items():
        item = OPTIONS[key]
        if not item.metadata:
            _check_repeated(key, value, where)
            continue
        kind, choices = type(item.default), item.metadata.get("choices", ())
        accepted = (int, float) if kind is float else (kind,)
        if type(value) not in accepted or choices and value not in choices:
            expected = f"one of {', '.join(choices)}" if choices else f"a value like {item.default}"
            raise UsageError(f"expected {expected} as {key} in {where}: got {value!r}")
        plain[key] = value
    try:
        options = Options(**plain)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from error
    return options.epochs * options.steps_per_epoch * options.batch_size


def _check_repeated(key: str, value: Any, where: str) -> None:
    """An option that may be given several times is a table or a list of texts; `set` is a table."""
    inner = value.values() if isinstance(value, dict) else value
    kinds = dict if key == "set" else dict | list
    if isinstance(value, kinds) and all(isinstance(one, str | int | float) for one in inner):
        return
    expected = "a table" if key == "set" else "a table or a list of texts"
    raise UsageError(f"expected {expected} as {key} in {where}: got {value!r}")


def _known(table: Mapping[str, Any], options: type, where: str) -> Mapping[str, Any]:
    known = [item.name for item in fields(options)]
    for key in table:
        if key not in known:
            raise UsageError(f"expected an option out of {', '.join(known)} in {where}: got {key}")
    return table


def _table(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"expected a table {where}: got {value!r}")
    return value


def _spelled(key: str, value: Any) -> Iterable[str]:
    if isinstance(value, bool):
        return [flag(key)] if value else []
    if isinstance(value, dict):
        return [f"{flag(key)}={inner}={_text(one)}" for inner, one in value.items()]
    if isinstance(value, list):
        return [f"{flag(key)}={one}" for one in value]
    return [f"{flag(key)}={value}"]


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
