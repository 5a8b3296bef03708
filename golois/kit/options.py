"""Options: a frozen dataclass whose fields declare default, help, range and choices.

The command line, the checks and the tables of docs come from the fields.

    @dataclass(frozen=True)
    class Options:
        visits: int = option(16, "visits a move", least=1)

        def __post_init__(self) -> None:
            check(self)
"""

import argparse
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, is_dataclass, replace
from math import inf, nan
from pathlib import Path
from types import NoneType
from typing import Any, NoReturn, TypeVar, get_args

from golois.kit.command import UsageError, did_you_mean, guess_option

Declared = TypeVar("Declared")


@dataclass(frozen=True)
class Range:
    """The numbers that an option may be; all of them are finite."""

    least: float | None = None
    above: float | None = None
    most: float | None = None
    below: float | None = None

    def has(self, number: float) -> bool:
        """Return whether a number is in the range; not a number never is."""
        return (
            -inf < number < inf
            and (self.least is None or number >= self.least)
            and (self.above is None or number > self.above)
            and (self.most is None or number <= self.most)
            and (self.below is None or number < self.below)
        )

    def __str__(self) -> str:
        if self.least is not None and self.most is not None:
            return f"from {self.least} to {self.most}"
        ends = {"from": self.least, "above": self.above, "up to": self.most, "below": self.below}
        words = [f"{word} {end}" for word, end in ends.items() if end is not None]
        return ", ".join(words) if len(words) == 2 else f"a finite number {words[0]}"

    def formula(self) -> str:
        """Return the range as a table shows it, such as `≥ 2, < 9`, without lower ends up to 1."""
        ends = {"≥": self.least, ">": self.above, "≤": self.most, "<": self.below}
        shown = {sign: end for sign, end in ends.items() if end is not None}
        return ", ".join(f"{sign} {end}" for sign, end in shown.items() if sign in "≤<" or end > 1)


def option(
    default: Any, advice: str, *, of_a_side: bool = False, choices: Collection[str] = (),
    least: float | None = None, above: float | None = None,
    most: float | None = None, below: float | None = None, **argument: Any,
) -> Any:
    """Declare a field of a dataclass of options.

    The type of the option is the default's; for None the annotation tells it. `advice` is for
    --help. A side of a match may have its own value `of_a_side` (tournament.running.sides). The
    range is least ≤ value ≤ most, above < value < below. `argument` is for `argparse`.
    """
    ends = Range(least, above, most, below)
    metadata = {
        "advice": advice,
        "of_a_side": of_a_side,
        "range": ends if ends != Range() else None,
        "argument": {**argument, "choices": tuple(choices)} if choices else argument,
    }
    return field(default=default, metadata=metadata)


def like(options: type, name: str) -> Any:
    """Declare a field as another dataclass of options does."""
    (item,) = (item for item in fields(options) if item.name == name)
    return field(default=item.default, metadata=item.metadata)


def declared(options: type) -> Iterator[Field]:
    """Yield the fields that were declared by `option` or `like`, in their order."""
    return (item for item in fields(options) if item.metadata)


def type_of(item: Field) -> type:
    """Return the type of a field's values, None aside."""
    if item.default is not None:
        return type(item.default)
    return next(kind for kind in get_args(item.type) if kind is not NoneType)


def check(
    options: Any, error: type[Exception] = UsageError, spell: Callable[[str], str] | None = None
) -> None:
    """Raise `error` for a value outside its field's range or choices; None is always allowed."""
    for item in declared(type(options)):
        value, name = getattr(options, item.name), (spell or flag)(item.name)
        ends, choices = item.metadata["range"], item.metadata["argument"].get("choices")
        if value is None:
            continue
        if ends and not ends.has(value):
            raise error(f"{name} must be {ends}, not {value}")
        if choices and value not in choices:
            guess = did_you_mean(str(value), choices)
            raise error(f"{name} must be one of {', '.join(choices)}, not {value!r}{guess}")


def changed(options: Declared, changes: Mapping[str, Any]) -> Declared:
    """Return options with changes by name, also of the dataclasses of options within them."""
    own = {item.name: getattr(options, item.name) for item in fields(options)}  # type: ignore[arg-type]  # a dataclass
    parts = {
        name: changed(part, found)
        for name, part in own.items()
        if is_dataclass(part)
        and (found := {key: changes[key] for key in changes if hasattr(part, key)})
    }
    return replace(options, **{key: changes[key] for key in changes if key in own}, **parts)  # type: ignore[type-var]


def flag(name: str) -> str:
    """Spell a field as on the command line."""
    return "--" + name.replace("_", "-")


def switch(name: str, is_on: bool) -> str:
    """Spell a field of type bool as on the command line."""
    return flag(name if is_on else f"no_{name}")


class Parser(argparse.ArgumentParser):
    """An ArgumentParser whose errors are a `UsageError` of one sentence."""

    def add_fields(self, options: type, exclusive: Collection[str] = ()) -> None:
        """Add every field declared by `option`; of the `exclusive` fields only one may be given."""
        group = self.add_mutually_exclusive_group() if exclusive else self
        for item in declared(options):
            where = group if item.name in exclusive else self
            argument, kind = dict(item.metadata["argument"]), type_of(item)
            if kind is bool:
                argument["action"] = argparse.BooleanOptionalAction
            else:
                argument["type"] = kind
            where.add_argument(flag(item.name), help=_help(item), **argument)

    def _get_value(self, action: argparse.Action, text: str) -> Any:
        if action.type is Path and not text:  # of a variable that is not set; "" is this folder
            raise argparse.ArgumentError(action, "expected a path, and got an empty text")
        return super()._get_value(action, text)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            guess = did_you_mean(str(value), map(str, action.choices or ()))
            if guess:  # in the place of all the others
                error.message = f"invalid choice: {value!r}{guess}"
            raise

    def error(self, message: str) -> NoReturn:
        """Raise the message as UsageError, with where to find help."""
        message = guess_option(" ".join(message.splitlines()), self._option_string_actions)
        raise UsageError(f"{message}; see {self.prog} --help")


def script_parser(prog: str, text: str) -> Parser:
    """Return a parser that gives only what was given; --help shows `text`, its first line above."""
    summary, _, details = text.partition("\n")
    return Parser(
        prog,
        description=summary,
        epilog=details,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        argument_default=argparse.SUPPRESS,
        allow_abbrev=False,
    )


def _help(item: Field) -> str:
    default = _default(item)
    return item.metadata["advice"] + (f" [{default}]" if default else "")


def _default(item: Field) -> str:
    if isinstance(item.default, bool):
        return switch(item.name, item.default)
    return "" if item.default is None else str(item.default)


def markdown_table(options: type, *shown: type) -> str:
    """Return the fields of a dataclass of options as a table of Markdown.

    Fields that it shares with one of the dataclasses `shown`, default and all, are left out.
    """
    above = [_key(item) for other in shown for item in declared(other)]
    rows = ["| option | default (other values) | |", "|---|---|---|"]
    for item in declared(options):
        if _key(item) not in above:
            cells = (f"`{flag(item.name)}`", _values(item), item.metadata["advice"])
            rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def _key(item: Field) -> tuple[Any, ...]:
    return item.name, item.metadata, item.default


def _values(item: Field) -> str:
    default, ends = "" if item.default is False else _default(item), item.metadata["range"]
    choices = [one for one in item.metadata["argument"].get("choices", ()) if one != default]
    others = ", ".join(choices) or (ends.formula() if ends else "")
    return f"{default} ({others})".strip() if others else default


def key_values(texts: list[str]) -> dict[str, str]:
    """Split texts `KEY=VALUE`; of a key given twice the last one counts."""
    for text in texts:
        if "=" not in text:
            raise UsageError(f"--set needs KEY=VALUE, not {text!r}")
    return dict(text.split("=", 1) for text in texts)


def weighted_files(texts: list[str]) -> dict[str, float]:
    """Split texts `FILE` or `FILE=WEIGHT` into absolute paths and weights; without one it is 1."""
    pairs = [_split_weight(text) for text in texts]
    refuse_repeated("--data", [path for path, _ in pairs])
    files = {}
    for text, (path, weight) in zip(texts, pairs, strict=True):
        if not 0 < weight < inf:
            raise UsageError(f"the weight in --data {text!r} must be a finite number above 0")
        files[str(Path(path).resolve())] = weight
    return files


def refuse_repeated(name: str, paths: Iterable[str | Path]) -> None:
    """Raise UsageError where an option of this name was given the same file twice."""
    seen = set()
    for path in paths:
        absolute = Path(path).resolve()
        if absolute in seen:
            raise UsageError(f"{name} names {path} twice: name each file once")
        seen.add(absolute)


def require_networks(options: object, names: Iterable[str]) -> None:
    """Raise UsageError where an option of these names has a path, and no file is there."""
    for name in names:
        path = getattr(options, name)
        if path and not Path(path).is_file():
            raise UsageError(f"there is no file {path}: give {flag(name)} a network")


def weighted_names(text: str, known: Mapping[str, float]) -> dict[str, float]:
    """Split `NAME,NAME=WEIGHT,…` of --aux; `known` has all names' usual weights."""
    weights = {}
    for part in text.split(","):
        key, _, weight = part.partition("=")
        if key not in known:
            raise UsageError(
                f"--aux must be one of {', '.join(known)}, not {key!r}{did_you_mean(key, known)}"
            )
        if key in weights:
            raise UsageError(f"--aux names {key} twice: name it once")
        try:
            weights[key] = float(weight) if weight else known[key]
        except ValueError:
            weights[key] = nan
        if not 0 <= weights[key] < inf:
            raise UsageError(f"the weight in --aux {part!r} must be a finite number from 0")
    return weights


def _split_weight(text: str) -> tuple[str, float]:
    """Return the path, which may itself contain an equals sign, and the weight."""
    path, _, weight = text.rpartition("=")
    try:
        return (path, float(weight)) if path else (text, 1.0)
    except ValueError:
        return text, 1.0
