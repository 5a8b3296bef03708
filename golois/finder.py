"""Finds the kit's packages, whatever lies in the current folder or beside a script.

An installation has a copy of this file, `golois_kit_finder`, which `golois_kit.pth` calls at the
start of Python. So it imports nothing that is not loaded already.
"""

import os
import sys

NAMES = ("golois", "models", "tournament", "papers")
PROGRAMS = ("golois", "tournament")  # also commands of their own


def install(site: str | None = None, *, editable: bool = False) -> None:
    """Let Python find the kit's packages, once.

    `site` is the folder of golois, None for this file's. An `editable` installation is a checkout,
    with all packages side by side; otherwise the others are in `golois_kit`.
    """
    if any(type(finder).__name__ == KitFinder.__name__ for finder in sys.meta_path):
        return
    finder = KitFinder(site or os.path.dirname(os.path.abspath(__file__)), editable)
    sys.meta_path.insert(0, finder)
    sys.meta_path.append(LastResort(finder))
    if command_name():
        import importlib.util  # noqa: F401  else `-m` imports it with the current folder in place


def join_installation(package_path: list[str]) -> None:
    """Use the installed core for a checkout without a core, if `golois_kit.pth` was not read."""
    site = os.path.dirname(package_path[0])
    if os.path.isdir(os.path.join(site, "golois_kit")):
        install(site)
    elif not is_built(package_path[0]):
        packages = [os.path.join(place, "golois") for place in sys.path]
        package_path += list(filter(is_built, packages))[:1]


def command_name() -> str:
    """Return the kit's package or program that Python was started for; else an empty text."""
    called = sys.argv[0] if sys.argv else ""
    if called != "-m":
        return os.path.basename(called) if os.path.basename(called) in PROGRAMS else ""
    words = sys.orig_argv[-len(sys.argv) :]
    word = words[0] if words else ""
    module = word.partition("m")[2] if word.startswith("-") else word  # -m NAME or -mNAME
    package = module.partition(".")[0]
    is_ours = package in PROGRAMS or module == "models"  # `models.train` is a project's own
    return package if is_ours else ""


def leave_current_folder() -> None:
    """Take the current folder out of `sys.path`, unless PYTHONPATH names it in full."""
    here = current_folder()
    if here not in os.environ.get("PYTHONPATH", "").split(os.pathsep):
        sys.path[:] = [place for place in sys.path if place not in ("", here)]


def current_folder() -> str:
    """Return the current folder; end the program in one sentence where it has been removed."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        name = command_name() or "golois"
        print(f"{name}: the current folder has been removed: change to another", file=sys.stderr)
        sys.exit(2)


# `import golois` gives the kit's package, also beside a `golois.py`, a folder `golois` or a
# `golois.so`, none of which is run. A checkout of the kit on `sys.path` goes first, once built.
# `models`, `tournament` and `papers` are the kit's if there are no others. `python -m` of a program
# of the kit takes the current folder out of `sys.path` before it imports anything.
class KitFinder:
    """Stands first in `sys.meta_path`, for golois and for the kit's commands."""

    def __init__(self, site: str, editable: bool) -> None:
        self._site = site
        self._editable = editable

    def find_spec(self, name, path=None, target=None):
        """Return where golois is, or the command's package; None for anything else."""
        if name not in NAMES:
            return None
        if name == command_name():
            leave_current_folder()
        elif name != "golois":
            return None
        places = map(os.path.abspath, sys.path)
        place = next((place for place in places if self._has_golois(place)), self._site)
        if name == "golois":
            self._say_what_is_passed_over(place)
        if place != self._site and os.path.isdir(os.path.join(place, name)):
            return _spec_of(name, place)
        return self.find_installed(name)

    def find_installed(self, name: str):
        """Return where the installed package is."""
        if self._editable or name == "golois":
            return _spec_of(name, self._site)
        return _spec_of(name, os.path.join(self._site, "golois_kit"))

    def _has_golois(self, place: str) -> bool:
        return place == self._site or is_built(os.path.join(place, "golois"))

    def _say_what_is_passed_over(self, place: str) -> None:
        """Name what Python would have taken for golois in the script's folder."""
        folder = os.path.abspath(sys.path[0]) if sys.path else place
        if folder == place or not os.path.isdir(folder):
            return
        found = [name for name in sorted(os.listdir(folder)) if self._may_hide(folder, name)]
        if found:
            print(
                f"golois: {', '.join(found)} of {folder} is ignored; this is the kit's package",
                file=sys.stderr,
            )

    def _may_hide(self, folder: str, name: str) -> bool:
        path = os.path.join(folder, name)
        if name == "golois":
            unbuilt_kit = os.path.exists(os.path.join(path, "csrc")) and not self._editable
            return os.path.exists(os.path.join(path, "__init__.py")) and not unbuilt_kit
        if name == "golois.py":
            script = getattr(sys.modules.get("__main__"), "__file__", None)
            return script is None or os.path.abspath(script) != path
        return name.startswith("golois.") and name.endswith((".so", ".pyd"))


class LastResort:
    """Stands last in `sys.meta_path`, for what nobody else has found."""

    def __init__(self, finder: KitFinder) -> None:
        self._finder = finder

    def find_spec(self, name, path=None, target=None):
        """Return where the kit's package of this name is; None for anything else."""
        return self._finder.find_installed(name) if name in NAMES else None


def is_built(package: str) -> bool:
    """Return whether a folder is a package with a native core, as golois is."""
    from importlib import machinery  # its names by `from` import warnings on Python 3.14

    suffixes = machinery.EXTENSION_SUFFIXES
    natives = [os.path.join(package, f"_native{suffix}") for suffix in suffixes]
    has_init = os.path.exists(os.path.join(package, "__init__.py"))
    return has_init and any(map(os.path.exists, natives))


def _spec_of(name: str, place: str):
    from importlib.util import spec_from_file_location

    package = os.path.join(place, name)
    init = os.path.join(package, "__init__.py")
    if not os.path.exists(init):
        return None
    return spec_from_file_location(name, init, submodule_search_locations=[package])
