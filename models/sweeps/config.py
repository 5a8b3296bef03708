"""The TOML file of a sweep: common options of train.py, what varies, and the league at the end."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from golois.kit.command import UsageError
from models.sweeps.entries import (
    Entry,
    each_run,
    names_of,
    read_toml,
    require_known,
    take_entries,
    take_table,
)
from models.training.arguments import parse_arguments
from models.training.options import Options, complete
from tournament.league.names import skeleton

BUDGETS = ("minutes", "epochs")
VISITS = 64
"""Of a move of the league, where a file says nothing."""

REPEATED = ("set", "data", "curriculum")
"""What train.py takes several times; a list or a table of anything else is one text of commas."""


@dataclass(frozen=True)
class LeagueOptions:
    """The leagues of the results: every two networks play, by visits or CPU `seconds` a move.

    With both, the networks play two leagues; with neither, one by 64 visits.
    """

    visits: int | None = None
    seconds: float | None = None
    games: int = 20

    def __post_init__(self) -> None:
        for name in ("visits", "games"):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < 1):
                raise UsageError(f"{name} in [league] must be a whole number from 1, not {value!r}")
        seconds = self.seconds
        if seconds is not None and not (type(seconds) in (int, float) and 0 < seconds < inf):
            raise UsageError(f"seconds in [league] must be a number above 0, not {seconds!r}")
        if self.games % 2:
            raise UsageError(
                f"games in [league] must be even, not {self.games}: "
                "each opening is played with both colours"
            )

    def limits(self) -> dict[str, list[str]]:
        """Return each league's folder, and its limit as `python -m tournament run` takes it."""
        found = {}
        if self.visits or self.seconds is None:
            found["league"] = ["--visits", str(self.visits or VISITS)]
        if self.seconds is not None:
            found["league_seconds" if found else "league"] = ["--seconds", str(self.seconds)]
        return found


def options_of(arguments: Sequence[str]) -> Options:
    """Read the arguments of a new run as train.py does; UsageError where it would not take them."""
    return Options(**complete(parse_arguments(arguments)))


@dataclass(frozen=True)
class Recipe(Entry):
    """One run: its name, also in the league, and what the file gives it of train.py's options."""

    def arguments(self) -> list[str]:
        """Spell what is given as train.py takes it."""
        return self.spelled(Options, REPEATED)

    def options(self) -> Options:
        """Read the arguments as train.py does; UsageError where it would not take them."""
        try:
            return options_of(self.arguments())
        except UsageError as error:
            raise UsageError(f"run {self.name}: {error}") from error


@dataclass(frozen=True)
class Sweep:
    """What a file asks for: recipes in its order, each of so many "minutes" or "epochs"."""

    recipes: Sequence[Recipe]
    budget: str
    league: LeagueOptions = field(default_factory=LeagueOptions)


def read_sweep(path: Path) -> Sweep:
    """Read a file and check it; UsageError: train.py or the league could not take it."""
    content = read_toml(path)
    grid, league = (take_table(content, name) for name in ("grid", "league"))
    entries = take_entries(content)
    budget = _budget(content, [grid, *entries])
    recipes = [Recipe(run.name, run.given) for run in each_run(content, grid, entries)]
    _check_names(recipes)
    _check_alike(recipes, budget)
    require_known(league, names_of(LeagueOptions), "visits, seconds and games in [league]")
    return Sweep(recipes, budget, LeagueOptions(**league))


def _budget(common: dict[str, Any], varied: Iterable[Mapping[str, Any]]) -> str:
    given = [name for name in BUDGETS if name in common]
    if len(given) != 1 or any(name in table for name in BUDGETS for table in varied):
        raise UsageError(
            "give either minutes or epochs at the top of the file, and neither in [grid] or "
            f"[[runs]]: the top has {' and '.join(given) or 'neither'}"
        )
    return given[0]


def _check_names(recipes: Sequence[Recipe]) -> None:
    by_look: dict[str, str] = {}
    for recipe in recipes:
        other = by_look.setdefault(skeleton(recipe.name), recipe.name)
        if other != recipe.name:
            raise UsageError(
                f"the names of the runs {other} and {recipe.name} look alike to the "
                "league: rename one of the runs"
            )


def _check_alike(recipes: Sequence[Recipe], budget: str) -> None:
    """Hold each run to train.py's options, and all of them to one budget."""
    names = [recipe.name for recipe in recipes]
    options = [checked_options(recipe) for recipe in recipes]
    if not getattr(options[0], budget):
        raise UsageError(f"{budget} must be above 0, not {recipes[0].given[budget]}")
    if len({one.clock for one in options}) > 1:
        raise UsageError("all runs need the same clock: set it at the top of the file")
    shown = [_shown(one) for one in options]
    if budget == "epochs" and len(set(shown)) > 1:
        found = (f"{number} for {name}" for number, name in zip(shown, names, strict=True))
        raise UsageError(
            "all runs need the same number of positions, epochs · steps_per_epoch · batch_size, "
            f"not {', '.join(found)}"
        )


def _shown(options: Options) -> str:
    batches = options.epochs * options.steps_per_epoch
    return f"{batches:,} games" if options.whole_games else f"{batches * options.batch_size:,}"


def checked_options(recipe: Recipe) -> Options:
    """Read a recipe as train.py does; UsageError: options that it lacks or would not take."""
    what = f"those of train.py --help in the run {recipe.name}"
    require_known(recipe.given, names_of(Options), what)
    if isinstance(recipe.given.get("curriculum"), dict):  # each of its keys would be a network
        raise UsageError(
            f"run {recipe.name}: curriculum must be a list with a text for each network, "
            'such as ["blocks=2,filters=8"], not a table'
        )
    return recipe.options()
