"""Where KataGo's networks are on this machine: a path, $KATAGO_NETWORKS, an installed KaTrain."""

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from golois.errors import ArgumentError
from golois.katago.reading import katago_suffix
from golois.kit.command import did_you_mean
from golois.kit.run_folder import named_by

VARIABLE = "KATAGO_NETWORKS"
HOW_TO_GET = (
    "download one from https://katagotraining.org/networks, or unzip what "
    "`pip download --no-deps katrain` downloads and look in its folder katrain/models"
)
PUBLISHED = {
    "f5d32604e3675c480c7c8f6aa579a1ea857135628a0afccc8fa56330fbacd38d": "g170-b6c96-s175395328",
    "1579a64e6190c3a8d73eeb96feb4dee1879f9e5e114279b15d6c56dbab3b0f78": "g170-b15c192-s1672170752",
    "0ba27eced5180b3e3d0b898b280c541112989765e789d1eb6cd0d31b2b2c1229": "b10c384h6nbttflrs",
}
"""The networks that this kit was checked with: the SHA-256 of the files, and their names."""


def find_teachers(place: Path | None = None) -> dict[str, Path]:
    """Return the networks in a place, or in the usual places, by name: the file's without ending.

    A place is a file, a folder, or a folder with KaTrain in it. The usual places are those of
    $KATAGO_NETWORKS, separated as in $PATH, then KaTrain. Of two files with one name, the first
    counts. Raises ArgumentError: none is found; it tells how to get one.
    """
    places = [place] if place is not None else list(_usual_places())
    found: dict[str, Path] = {}
    for path in (path for each in places for path in _networks_in(each)):
        found.setdefault(named_by(path).name, path)
    if not found:
        where = place if place is not None else f"${VARIABLE} and no KaTrain is installed"
        raise ArgumentError(f"there is no network of KataGo in {where}: {HOW_TO_GET}")
    return found


def teacher_at(text: str) -> Path:
    """Return the file of a network, given as a path or by its name; ArgumentError: no such one."""
    path = Path(text)
    if path.exists() or katago_suffix(path):
        path.stat()
        return path
    found = find_teachers()
    if text not in found:
        raise ArgumentError(
            f"there is no network {text!r}{did_you_mean(text, found)}: `python -m golois teacher` "
            "lists the networks that it finds"
        )
    return found[text]


def _usual_places() -> Iterator[Path]:
    yield from (Path(part) for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part)
    spec = find_spec("katrain")
    yield from (Path(folder) for folder in spec.submodule_search_locations or ()) if spec else ()


def _networks_in(place: Path) -> Iterator[Path]:
    if not place.is_dir():
        place.stat()
        yield place
        return
    for folder in (place, place / "models", place / "katrain" / "models"):
        yield from sorted(path for path in folder.glob("*") if katago_suffix(path))
