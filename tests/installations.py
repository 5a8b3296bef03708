"""Installations of the kit to try: an environment, and folders full of files that must not run."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterable
from pathlib import Path

from tests.data import ROOT

KIT = ("golois", "models", "tournament", "papers", "golois_kit", "golois_kit_finder")
LIBRARIES = (
    "cffi", "h5py", "jinja2", "keras", "matplotlib", "numpy", "onnxruntime", "openvino", "rich",
    "tensorflow", "typing_extensions", "_cffi_backend",
)
LEFT_BEHIND = (".git", ".venv", "build", "runs", "league", "demo")
ALL_NAMES = {*sys.stdlib_module_names, *KIT, *LIBRARIES} - {*sys.builtin_module_names, "__main__"}


def copy_sources(target: Path) -> None:
    """Copy the checkout without what was built or made in it."""
    made = shutil.ignore_patterns("_native.*", "*.egg-info", "__pycache__")

    def left_behind(folder: str, names: list[str]) -> set[str]:
        return {*made(folder, names), *(LEFT_BEHIND if Path(folder) == ROOT else ())}

    shutil.copytree(ROOT, target, ignore=left_behind)


class Environment:
    """A virtual environment that also sees the packages of the one that runs the tests."""

    def __init__(self, path: Path, first: Iterable[Path] = ()) -> None:
        venv.EnvBuilder(symlinks=os.name != "nt").create(path)
        self.programs = path / ("Scripts" if os.name == "nt" else "bin")
        self.python = self.programs / "python"
        where = {"base": str(path), "platbase": str(path)}
        self.packages = Path(sysconfig.get_path("purelib", "venv", where))
        others = [place for place in sys.path if Path(place).name.endswith("-packages")]
        self.packages.joinpath("others.pth").write_text("\n".join([*map(str, first), *others]))

    def run(
        self, *command: str | Path, cwd: Path, search_path: str | None = None
    ) -> subprocess.CompletedProcess:
        """Run Python, with PYTHONPATH if it is given."""
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        given = {} if search_path is None else {"PYTHONPATH": search_path}
        return subprocess.run(
            [self.python, *command], cwd=cwd, capture_output=True, text=True,
            env={**kept, **given, "PYTHONDONTWRITEBYTECODE": "1"},
        )

    def install_finder(self, *, editable: bool) -> None:
        """Do what an installation does, with links to the sources in place of copies."""
        how = f"{ascii(str(ROOT))}, editable=True" if editable else ""
        line = f"import golois_kit_finder; golois_kit_finder.install({how})\n"
        self.packages.joinpath("golois_kit.pth").write_text(line)
        finder = (ROOT / "golois" / "finder.py").read_bytes()
        self.packages.joinpath("golois_kit_finder.py").write_bytes(finder)
        if not editable:
            self.packages.joinpath("golois").symlink_to(ROOT / "golois")
            self.packages.joinpath("golois_kit").mkdir()
            for name in ("models", "tournament", "data"):
                self.packages.joinpath("golois_kit", name).symlink_to(ROOT / name)


class Traps:
    """A folder with a module of each name, which leaves a mark when it is run."""

    def __init__(self, folder: Path, names: Iterable[str] = ALL_NAMES) -> None:
        self.folder, self._marks = folder, folder / "marks"
        self._marks.mkdir(parents=True)
        for name in names:
            self.add(f"{name}.py")

    def add(self, path: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        mark = self._marks / path.replace("/", ".")
        file.write_text(f"open({str(mark)!r}, 'w').close()\n")

    def sprung(self) -> list[str]:
        return sorted(mark.name for mark in self._marks.iterdir())
