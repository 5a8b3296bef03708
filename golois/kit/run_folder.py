"""The folder of a run: its options, what it has reached, and how it goes on; files appear whole."""

import csv
import io
import json
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any, Generic, TypeVar
from zipfile import BadZipFile

from golois.kit.command import KitError, UsageError
from golois.kit.files import lock, remove_unfinished, write_whole
from golois.kit.options import flag

Options = TypeVar("Options")
"""Of a kind of run."""

MADE_AGAIN = "remove it, and --resume writes it again"

RUN_FILES = ("best.h5", "best.keras")
"""What the network of a run is called in the run's folder."""


def network_file(path: str | Path) -> Path:
    """Return a network's file: of a run's folder its `best.h5`, also where that is missing."""
    path = Path(path)
    try:
        return path / "best.h5" if path.is_dir() else path
    except OSError:  # a name that is too long, or a folder of others: what opens the path says so
        return path


def named_by(path: Path) -> Path:
    """Return the path whose last part names a network: its file's, or the folder of its run."""
    if path.name in RUN_FILES:
        return path.parent
    plain = path.name.removesuffix(".gz")  # a network of KataGo is a .bin.gz
    return path.with_name(plain).with_suffix("") if plain else path


def name_of_file(path: Path) -> str:
    """Return what the network in a file is called: as its run, or as the file without suffix."""
    return named_by(Path(os.path.abspath(path))).name or path.stem


DAMAGES = (OSError, ValueError, KeyError, TypeError, EOFError, RuntimeError, BadZipFile)
"""What damaged files make NumPy, zipfile and json raise."""


class CheckpointError(KitError, ValueError):
    """A run or a file of it that is missing, damaged, in use, or belongs to something else."""


class RunFolder:
    """The files that every run has."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.json"
        self.checkpoint = path / "checkpoint.npz"
        self.curves = path / "curves.png"

    def require_new(self) -> None:
        """Refuse a folder that holds a run already. Raises UsageError: it does."""
        if self.config.exists():
            raise UsageError(
                f"the folder {self.path} already holds a run: "
                f"continue it with --resume {quote(str(self.path))}, or choose another --out"
            )

    @contextmanager
    def held(self) -> Iterator[None]:
        """Make the folder, and lock it while inside; CheckpointError if another process has it."""
        self.path.mkdir(parents=True, exist_ok=True)
        if sys.platform == "win32":  # where a folder cannot be opened
            yield
            return
        folder = os.open(self.path, os.O_RDONLY)
        try:
            self._lock(folder)
            self.remove_unfinished()
            yield
        finally:
            os.close(folder)

    def _lock(self, folder: int) -> None:
        with suppress(OSError):  # a file system without locks
            if not lock(folder):
                raise CheckpointError(
                    f"another process trains into {self.path}: wait for it, or stop it"
                )

    def remove_unfinished(self) -> None:
        """Remove what killed processes have left, here and one folder below."""
        for folder in (self.path, *self.path.glob("*/")):
            remove_unfinished(folder)

    def write_config(self, config: dict[str, Any]) -> None:
        """Write config.json."""
        write_json(self.config, config)

    def read_config(self) -> dict[str, Any]:
        """Read config.json. Raises CheckpointError: the folder does not hold a run."""
        try:
            return json.loads(self.config.read_text())
        except (OSError, ValueError) as error:
            raise CheckpointError(
                f"{self.path} is not the folder of a run: "
                f"it has no config.json that can be read ({type(error).__name__})"
            ) from error

    def read_options(
        self, kind: Callable[..., Options], key: str = "options", what: str = "a run"
    ) -> Options:
        """Read a run's options, as `kind` makes them; CheckpointError: not this kind of run."""
        try:
            return kind(**self.read_config()[key])
        except (KeyError, TypeError) as error:
            raise CheckpointError(
                f"{self.config} does not have the options of {what} "
                f"({type(error).__name__}: {error}); start a new run"
            ) from error


def damaged(path: Path, remedy: str = MADE_AGAIN) -> CheckpointError:
    """Return the error of a file that cannot be read, with what helps."""
    return CheckpointError(f"{path} is damaged: {remedy}")


def read_json(path: Path, remedy: str = MADE_AGAIN) -> Any:
    """Read a file that a run has written; CheckpointError, with the remedy, where it is no JSON."""
    try:
        return json.loads(path.read_text())
    except ValueError as error:
        raise damaged(path, remedy) from error


def write_json(path: Path, content: Any, indent: int | None = 2) -> None:
    """Write a file of JSON, whole."""
    text = json.dumps(content, indent=indent) + "\n"
    write_whole(path, text.encode(), durable=False)


def write_table(path: Path, titles: Iterable[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a CSV file, whole."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(titles)
    writer.writerows(rows)
    write_whole(path, text.getvalue().encode(), durable=False)


def read_table(path: Path, empty: float | None = None) -> list[dict[str, Any]]:
    """Read a CSV file of numbers; an empty cell becomes `empty` or nothing. CheckpointError."""
    with path.open(newline="") as file:
        try:
            return [
                {
                    name: float(text) if text else empty
                    for name, text in row.items()
                    if text or empty is not None
                }
                for row in csv.DictReader(file)
            ]
        except (ValueError, TypeError, csv.Error) as error:
            raise damaged(path) from error


@dataclass(frozen=True)
class Preset(Generic[Options]):
    """A named run, and what it shows, in one line."""

    options: Options
    idea: str


def require_only(
    given: Collection[str], lengths: Collection[str], remedy: str = "leave it out"
) -> None:
    """Refuse options beside --resume other than `lengths`, by UsageError with what helps."""
    if others := set(given) - set(lengths):
        allowed = ", ".join(map(flag, lengths))
        raise UsageError(
            f"{flag(min(others))} cannot be given with --resume, only {allowed}: {remedy}"
        )
