"""Names and options of the families, read from their sources without importing Keras."""

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, NoReturn, get_args, get_origin

from golois.kit.command import did_you_mean
from models.catalogue.own import is_own, own_file
from models.errors import ModelOptionError, UnknownModelError

FAMILIES = Path(__file__).resolve().parents[1] / "families"
TYPES = {"bool": bool, "int": int, "float": float, "str": str}
KINDS = {bool: "true or false", int: "a whole number from 0", float: "a number from 0"}
"""Types of options that not every text is, in words."""


def require_known(name: str, overrides: Mapping[str, Any]) -> None:
    """Refuse a name or an option that no family has, or a value that the option cannot take.

    The overrides are text as typed on a command line. Raises UnknownModelError: no such family or
    file; ModelOptionError: an unknown option, or a value that does not fit its type.
    """
    if is_own(name):
        if not own_file(name).is_file():
            raise UnknownModelError(f"there is no file {own_file(name)}")
        return
    known = _families()
    if name not in known:
        refuse_name(name, known)
    for key, value in overrides.items():
        if key not in known[name]:
            refuse_option(name, key, known[name])
        if (annotation := known[name][key]) is not None:
            typed(f"{name} option {key}", value, annotation)


def refuse_name(name: str, known: Mapping[str, Any]) -> NoReturn:
    """Raise UnknownModelError for a name that no family has."""
    raise UnknownModelError(
        f"there is no model {name!r}{did_you_mean(name, known)}: choose one of {', '.join(known)}"
    )


def refuse_option(name: str, key: str, known: Mapping[str, Any]) -> NoReturn:
    """Raise ModelOptionError for an option that a network does not have."""
    if not known:
        raise ModelOptionError(f"{name} has no options: leave out {key!r}")
    raise ModelOptionError(
        f"{name} has no option {key!r}{did_you_mean(key, known)}: choose one of {', '.join(known)}"
    )


def typed(what: str, value: Any, annotation: Any) -> Any:
    """Return a value, or its text, in the type of an option; ModelOptionError: it does not fit."""
    if get_origin(annotation) is Literal:
        choices = {str(choice): choice for choice in get_args(annotation)}
        if str(value) in choices:
            return choices[str(value)]
        raise ModelOptionError(f"{what} must be one of {', '.join(choices)}, not {value!r}")
    if annotation is bool:
        named = {"true": True, "false": False, "1": True, "0": False}
        if str(value).lower() in named:
            return named[str(value).lower()]
    elif annotation in (int, float):
        try:
            number = annotation(str(value))
        except ValueError:
            number = None
        if number is not None and number >= 0:
            return number
    elif annotation is str:
        return str(value)
    elif annotation not in KINDS:
        return value
    raise ModelOptionError(f"{what} must be {KINDS[annotation]}, not {value!r}")


@cache
def _families() -> dict[str, dict[str, Any]]:
    found = {}
    for path in sorted(FAMILIES.glob("*.py")):
        body = ast.parse(path.read_text("utf-8")).body
        builders = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
        for node in body:
            call = getattr(node, "value", None)
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "ModelSpec":
                given = {keyword.arg: keyword.value for keyword in call.keywords}
                builder = builders[ast.unparse(given["build"])]
                found[ast.literal_eval(given["name"])] = {
                    argument.arg: _type_of(argument.annotation)
                    for argument in builder.args.kwonlyargs
                }
    return found


def _type_of(annotation: ast.expr | None) -> Any:
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == "Literal":
        return Literal[ast.literal_eval(annotation.slice)]
    return TYPES.get(ast.unparse(annotation)) if annotation else None
