"""A frozen dataclass as a command line: each field declares its option, and --help shows it."""

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import field, fields
from math import inf, nan
from pathlib import Path
from typing import Any, NoReturn

from golois.kit.command import UsageError, did_you_mean, guess_option


def option(default: Any, advice: str, **argument: Any) -> Any:
    """Declare a dataclass field together with its place on the command line.

    Args:
        default: its type is that of the option, too.
        advice: the line of --help.
        **argument: more for `argparse`, as `choices`.
    """
    return field(default=default, metadata={"help": f"{advice} [{default}]", **argument})


def flag(name: str) -> str:
    """Spell a field as on the command line."""
    return "--" + name.replace("_", "-")


def switch(name: str, is_on: bool) -> str:
    """Spell a field of type bool as on the command line; one that is off by default has no "no"."""
    return flag(name if is_on else f"no_{name}")


class OptionsParser(argparse.ArgumentParser):
    """Parses to what was given, and nothing else; what is wrong is a `UsageError`."""

    def __init__(self, prog: str, text: str) -> None:
        summary, _, details = text.partition("\n")
        super().__init__(
            prog,
            description=summary,
            epilog=details,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            argument_default=argparse.SUPPRESS,
            allow_abbrev=False,
        )

    def add_fields(self, options: type) -> None:
        """Add every field of a dataclass that was declared by `option`."""
        for item in fields(options):
            if item.metadata and isinstance(item.default, bool):
                action = argparse.BooleanOptionalAction if item.default else "store_true"
                self.add_argument(flag(item.name), action=action, **item.metadata)
            elif item.metadata:
                self.add_argument(flag(item.name), type=type(item.default), **item.metadata)

    def error(self, message: str) -> NoReturn:
        """Raise the message as UsageError, which the scripts print in one line."""
        raise UsageError(guess_option(message, self._option_string_actions))


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


def weighted_names(name: str, text: str, known: Mapping[str, float]) -> dict[str, float]:
    """Split `NAME,NAME=WEIGHT,…` into names and weights; without one it is that in `known`.

    Args:
        name: of the option.
        text: what was given.
        known: all names, with their usual weights.
    """
    weights = {}
    for part in text.split(","):
        key, _, weight = part.partition("=")
        if key not in known:
            raise UsageError(
                f"{flag(name)} must be one of {', '.join(known)}, not {key!r}"
                f"{did_you_mean(key, known)}"
            )
        try:
            weights[key] = float(weight) if weight else known[key]
        except ValueError:
            weights[key] = nan
        if not 0 <= weights[key] < inf:
            raise UsageError(f"the weight in {flag(name)} {part!r} must be a finite number from 0")
    return weights


def _split_weight(text: str) -> tuple[str, float]:
    """Return the path, which may itself contain an equals sign, and the weight."""
    path, _, weight = text.rpartition("=")
    try:
        return (path, float(weight)) if path else (text, 1.0)
    except ValueError:
        return text, 1.0
