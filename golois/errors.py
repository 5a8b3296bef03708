"""The exceptions of golois: one root; each subclass also inherits from a matching builtin."""

from collections.abc import Collection

from golois.kit.command import KitError


class GoloisError(KitError):
    """Root of all errors of the package."""


class BuildError(GoloisError, ImportError):
    """The native extension is missing or was built from other sources."""


class ArgumentError(GoloisError, ValueError):
    """An argument has the wrong shape, type or range."""


class IllegalMoveError(GoloisError, ValueError):
    """A move that the rules forbid: occupied point, suicide, ko or superko."""


class DataFormatError(GoloisError, ValueError):
    """A file or record that is not in the format it claims."""


class ConcurrentUseError(GoloisError, RuntimeError):
    """Two threads used one native handle at the same time."""


class ArgumentTypeError(GoloisError, TypeError):
    """An argument of the wrong kind."""


def require_one_of(name: str, value: str, known: Collection[str]) -> None:
    """Raise ArgumentError unless the argument of this name has one of the known values."""
    if value not in known:
        raise ArgumentError(f"{name} must be one of {', '.join(known)}, not {value!r}")


def require_range(name: str, value: float, least: float, most: float) -> None:
    """Raise ArgumentError unless the argument of this name is from `least` to `most`."""
    if not least <= value <= most:
        raise ArgumentError(f"{name} must be from {least} to {most}, not {value}")
