"""The kit as pip installs it, into a fresh environment and without a network."""

import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.data import EMBEDDED_GAMES, ROOT
from tests.installations import Environment, Traps, copy_sources

NETWORKS = {name: ROOT / "data/networks" / name / "best.h5" for name in ("mixnet", "mobilenet")}
SHORT = ("--visits", "1", "--max-plies", "10")
FOR_TESTS_ONLY = ("pytest", "hypothesis")


def test_an_installation_requires_what_students_install():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    asked = [line for line in lines if not line.startswith(("#", "-e"))]
    wanted = {line for line in asked if not line.startswith(FOR_TESTS_ONLY)}
    assert set(project["dependencies"]) == wanted


def data_files(folder: str) -> set[str]:
    """What a package has besides modules, of files that are not made by running it."""
    files = (path for path in (ROOT / folder).rglob("*") if path.is_file())
    kept = (path for path in files if path.suffix not in (".py", ".pyc"))
    return {str(path.relative_to(ROOT)) for path in kept}


@dataclass(frozen=True)
class Installed:
    """An environment with the kit, and the checkout that it came from."""

    environment: Environment
    sources: Path
    editable: bool


@pytest.fixture(scope="module", params=["regular", "editable"])
def installed(request, tmp_path_factory):
    if find_spec("setuptools") is None or int(version("setuptools").split(".")[0]) < 77:
        pytest.skip("needs setuptools 77 or later")
    folder = tmp_path_factory.mktemp(request.param)
    sources = folder / "kit"
    copy_sources(sources)
    import setuptools

    environment = Environment(folder / "env", first=[Path(setuptools.__file__).parents[1]])
    how = ["-e"] if request.param == "editable" else []
    command = [sys.executable, "-m", "pip", "--python", environment.python, "install", "--quiet"]
    command += ["--no-deps", "--no-build-isolation", "--disable-pip-version-check", *how, sources]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Deprecat" not in done.stderr
    return Installed(environment, sources, bool(how))


@pytest.mark.slow
def test_commands_work_among_traps(installed, tmp_path):
    environment = installed.environment
    traps = Traps(tmp_path)
    for name, network in NETWORKS.items():
        shutil.copy(network, tmp_path / f"{name}.h5")
    games = str(EMBEDDED_GAMES)
    for command in (
        ("-m", "golois", "info", games), (environment.programs / "golois", "info", games),
        ("-m", "tournament", "check", "."), (environment.programs / "tournament", "check", "."),
        ("-m", "models", "table"),
        ("-m", "tournament", "play", "mixnet.h5", "mobilenet.h5", "--games", "2", *SHORT),
    ):
        done = environment.run(*command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert traps.sprung() == [], command


@pytest.mark.slow
def test_a_league_is_played_and_reported(installed, tmp_path):
    """Which takes the openings, the templates and the assets."""
    environment, sources = installed.environment, installed.sources
    for name, network in NETWORKS.items():
        submit = (sources / "submit.py", network, "--name", name, "--league", "league")
        assert environment.run(*submit, cwd=tmp_path).returncode == 0
    run = ("-m", "tournament", "run", "--league", "league", "--rounds", "1", *SHORT)
    done = environment.run(*run, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "mixnet" in (tmp_path / "league" / "site" / "index.html").read_text()
    script = "from golois import frames; print(sorted(frames.ranking('league').index))"
    done = environment.run("-c", script, cwd=tmp_path)
    assert (done.stdout, done.stderr) == (f"{sorted(NETWORKS)}\n", "")


@pytest.mark.slow
def test_the_checkout_trains(installed):
    command = ("train.py", "--model", "mobilenet", "--smoke", "--out", "runs/mine")
    done = installed.environment.run(*command, cwd=installed.sources)
    assert done.returncode == 0, done.stderr
    assert "is ignored" not in done.stderr


@pytest.mark.slow
def test_an_installation_is_complete(installed):
    if installed.editable:
        pytest.skip("an editable one is the checkout")
    packages = installed.environment.packages
    kit = packages / "golois_kit"
    files = ("katago_b6.games", "ladder.toml", "openings.txt", "measured_networks.csv")
    for name in (*files, "networks/mixnet/best.h5"):
        assert (kit / "data" / name).read_bytes() == (ROOT / "data" / name).read_bytes()
    for name in data_files("tournament") | data_files("models"):
        assert (kit / name).exists(), name
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "tournament").rglob("*.py")}
    assert all((kit / name).exists() for name in modules)
    top = {path.name for path in packages.iterdir()}
    assert not {"models", "tournament", "papers", "data", "tests"} & top


@pytest.mark.slow
def test_a_script_named_golois_finds_the_installed_package(installed, tmp_path):
    environment = installed.environment
    (tmp_path / "golois.py").write_text("import golois; print(golois.__file__)")
    (tmp_path / "golois").mkdir()
    done = environment.run("golois.py", cwd=tmp_path)
    home = installed.sources if installed.editable else environment.packages
    assert (Path(done.stdout.strip()), done.stderr) == (home / "golois" / "__init__.py", "")
