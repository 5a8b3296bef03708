"""Installs the kit as on Colab or Kaggle, shows that pip changed nothing, trains, checks, plays.

    python -m tests.hosted.try_out colab
    python -m tests.hosted.try_out kaggle

Makes an environment in build/hosted with the versions of colab.txt or kaggle.txt, by the Python
that the file names if it is on this machine, or else by the one that runs this. The processor, the
compiler and the system are those of this machine, and there is no GPU. pip needs its index.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.data import ROOT
from tests.installations import copy_sources

LISTS = {path.stem: path for path in sorted(Path(__file__).parent.glob("*.txt"))}
NETWORK = ("--model", "mobilenet", "--set", "blocks=4", "--set", "filters=48")
OPPONENT = "kit/data/networks/mixnet/best.h5"
COMMANDS = (
    ("kit/train.py", *NETWORK, "--minutes", "0.25", "--out", "run"),
    ("kit/submit.py", "run", "--name", "Mine", "--check-only"),
    ("-m", "tournament", "play", "run/best.h5", OPPONENT, "--games", "2", "--seconds", "0.01"),
)


def python_of(packages: Path) -> str:
    """Return the version of Python that a list of packages is for."""
    found = re.match(r"# Python (\d+\.\d+)\n", packages.read_text())
    assert found, f"{packages} begins with another line than `# Python VERSION`"
    return found[1]


def interpreter(version: str) -> str:
    """Return the program that is this Python, of the search path or of pyenv, or else our own."""
    of_pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for program in (f"python{version}", *of_pyenv.glob(f"{version}.*/bin/python")):
        if shutil.which(program) and not subprocess.run(
            [program, "-c", "import venv"], capture_output=True
        ).returncode:
            return str(program)
    own = ".".join(map(str, sys.version_info[:2]))
    print(f"no Python {version} is here: the same versions of packages are tried on Python {own}")
    return sys.executable


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Return a line for each package of `before` that another version, or none, has replaced."""
    return [
        f"{name} {version} → {after.get(name, 'removed')}"
        for name, version in before.items()
        if after.get(name) != version
    ]


class Hosted:
    """A folder with an environment, in which commands run as in a cell of a notebook."""

    def __init__(self, folder: Path, program: str) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self._folder = folder
        self._python = folder / "env" / "bin" / "python"
        subprocess.run([program, "-m", "venv", folder / "env"], check=True)

    def run(self, *command: str | Path, quiet: bool = False) -> str:
        """Run Python, and return what it printed; raises CalledProcessError if it fails."""
        print("python", *command, flush=True)
        own = {"PYTHONPATH", "PIP_CONSTRAINT", "VIRTUAL_ENV"}
        kept = {name: value for name, value in os.environ.items() if name not in own}
        done = subprocess.run(
            [self._python, *command], cwd=self._folder, env=kept, stdout=subprocess.PIPE, text=True
        )
        print("" if quiet else done.stdout, end="", flush=True)
        done.check_returncode()
        return done.stdout

    def packages(self) -> dict[str, str]:
        """Return the version of every package by name."""
        listed = self.run("-m", "pip", "list", "--format=json", quiet=True)
        return {package["name"]: package["version"] for package in json.loads(listed)}


def try_out(name: str, folder: Path) -> list[str]:
    """Install the packages and the kit, and return what pip changed; then run the commands."""
    packages = LISTS[name]
    hosted = Hosted(folder, interpreter(python_of(packages)))
    hosted.run("--version")
    hosted.run("-m", "pip", "install", "--quiet", "-r", packages)
    before = hosted.packages()
    copy_sources(folder / "kit")
    hosted.run("-m", "pip", "install", "--quiet", "./kit")
    after = hosted.packages()
    hosted.run("-m", "pip", "check")
    added = [f"{name} {version}" for name, version in after.items() if name not in before]
    print("pip added", ", ".join(added))
    for command in COMMANDS:
        hosted.run(*command)
    return changes(before, after)


def main() -> int:
    """Try one list out; 1 if pip changed a package of it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("name", choices=LISTS, help="whose packages")
    name = parser.parse_args().name
    changed = try_out(name, ROOT / "build" / "hosted" / name)
    total = len(LISTS[name].read_text().split("==")) - 1
    print(f"{name}: pip changed {len(changed)} of {total} packages", *changed, sep="\n  ")
    return bool(changed)


if __name__ == "__main__":
    sys.exit(main())
