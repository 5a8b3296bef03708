"""A student's own network in place of a name of the registry: `FILE.py:FUNCTION` or `FILE.h5`."""

import importlib.util
import inspect
import sys
import traceback
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from models.errors import ModelOptionError, UnknownModelError
from models.spec import ModelSpec

FILES = (".h5", ".keras")


def is_own(name: str) -> bool:
    """Return whether a name is that of a file, and not of the registry."""
    return ".py:" in name or name.endswith((".py", *FILES))


def absolute(name: str) -> str:
    """Return the name with the whole path of the file, so that it means the same anywhere.

    >>> absolute("resnet")
    'resnet'
    """
    if not is_own(name):
        return name
    path, colon, function = name.rpartition(":") if ".py:" in name else (name, "", "")
    return f"{Path(path).resolve()}{colon}{function}"


def own_file(name: str) -> Path:
    """Return the file of a network of one's own."""
    return Path(name.rpartition(":")[0] if ".py:" in name else name)


def title_of(name: str) -> str:
    """Return a short name, for folders: `my_net` of `/home/ada/my_net.py:build`."""
    return Path(name.partition(".py:")[0]).stem if is_own(name) else name


def own_spec(name: str) -> ModelSpec:
    """Describe a network of one's own: a function of a file, which is run, or a saved network.

    Its options are the function's keyword arguments. Raises UnknownModelError: no such file or
    function; ModelOptionError: the file can't be run, or the function needs an argument.
    """
    build = _loader(Path(name)) if name.endswith(FILES) else _function(name)
    return ModelSpec(
        name=name, build=build, idea="", source="", budget={}, scales="", small={}, learns={},
        picture=(),
    )  # fmt: skip


def _loader(path: Path) -> Any:
    def load() -> Any:
        from models.catalogue.saved import open_network  # here, so that --help needs no NumPy

        if not path.is_file():
            raise UnknownModelError(f"there is no file {path}")
        return open_network(path)

    return load


def _function(name: str) -> Any:
    path, _, function = name.rpartition(":")
    if name.endswith(".py"):
        raise UnknownModelError(f"{name} needs the name of a function: give {name}:build")
    build = getattr(_run(Path(path)), function, None)
    if not callable(build):
        raise UnknownModelError(f"{path} has no function {function!r}")
    for parameter in inspect.signature(build).parameters.values():
        if parameter.default is parameter.empty:
            raise ModelOptionError(f"{function} of {path} needs a default for {parameter.name!r}")
    return build


@cache
def _run(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise UnknownModelError(f"there is no file {path}")
    module = importlib.util.module_from_spec(spec)
    sys.path.append(str(path.resolve().parent))
    is_new = sys.modules.setdefault(spec.name, module) is module  # a dataclass looks for it there
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        line = _line_of(error, module.__file__)
        place = f"{path}, line {line}" if line else path
        raise ModelOptionError(f"{place}: {type(error).__name__}: {error}") from error
    finally:
        if is_new:  # the file may have the name of a package that is imported later
            del sys.modules[spec.name]
    return module


def _line_of(error: BaseException, file: str | None) -> int | None:
    """Return the last line of a file that led to an error; None where it ran none."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(frames) if frame.filename == file), None)
