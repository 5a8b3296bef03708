"""What an installed kit imports: never a file that lies in the current folder by chance.

The installation is a fresh environment with the finder; test_installation.py lets pip do it.
"""

import shutil
from pathlib import Path

import pytest

from tests.data import EMBEDDED_GAMES, ROOT
from tests.installations import ALL_NAMES, KIT, LIBRARIES, Environment, Traps

WHERE = "import golois; golois.getBatch; print(golois.__file__)"
CORE = "from importlib.util import find_spec; print(find_spec('golois._native').origin)"
NETWORK = ROOT / "data" / "networks" / "mobilenet" / "best.h5"
LAYOUTS = ["editable", "regular"]


@pytest.fixture(scope="module")
def environments(tmp_path_factory):
    made = {}
    for layout in LAYOUTS:
        made[layout] = Environment(tmp_path_factory.mktemp(layout) / "env")
        made[layout].install_finder(editable=layout == "editable")
    return made


@pytest.fixture(params=LAYOUTS)
def installed(request, environments):
    return environments[request.param]


@pytest.fixture
def editable(environments):
    return environments["editable"]


def own_golois(environment: Environment) -> str:
    beside = environment.packages / "golois"
    return str((beside if beside.exists() else ROOT / "golois") / "__init__.py")


each_command = pytest.mark.parametrize(
    "command",
    [
        ("-m", "golois", "info", str(EMBEDDED_GAMES)),
        pytest.param(("-mgolois", "--help"), marks=pytest.mark.slow),
        ("-Bm", "models", "--help"),
        pytest.param(("-m", "tournament", "--help"), marks=pytest.mark.slow),
        (str(ROOT / "submit.py"), "--help"),
    ],
    ids=" ".join,
)


@each_command
def test_a_command_runs_nothing_of_the_current_folder(installed, tmp_path, command):
    traps = Traps(tmp_path)
    for package in KIT:
        traps.add(f"{package}/__init__.py")
        traps.add(f"{package}/__main__.py")
    (tmp_path / "golois" / "_native.abi3.so").touch()  # as if it were the kit itself
    done = installed.run(*command, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert traps.sprung() == []


@each_command
def test_an_odd_search_path_makes_no_difference(editable, tmp_path, command):
    """An empty part of PYTHONPATH is the current folder, mostly by mistake.

    What Python imports as it starts comes from there, and nobody can help it.
    """
    traps = Traps(tmp_path, {*KIT, *LIBRARIES} - {"golois_kit_finder"})
    done = editable.run(*command, cwd=tmp_path, search_path=f":{ROOT / 'data'}")
    assert (done.returncode, done.stderr) == (0, "")
    assert traps.sprung() == []


@pytest.mark.slow
def test_self_play_runs_nothing_of_the_current_folder(editable, tmp_path):
    """Nor do the processes that play its games."""
    traps = Traps(tmp_path, ALL_NAMES - {"_cffi_backend"} | {"selfplay"})
    options = "--game nogo --size 2 --model resnet --set blocks=1 --set filters=4 --iterations 1"
    games = "--games-per-iteration 4 --games-per-shard 4 --simulations 2 --workers 1 --out run"
    script = str(ROOT / "selfplay.py")
    done = editable.run(script, *options.split(), *games.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert traps.sprung() == []


def test_a_check_runs_nothing_of_the_submissions(editable, tmp_path):
    traps = Traps(tmp_path)
    shutil.copy(NETWORK, tmp_path / "Ada.h5")
    done = editable.run("-m", "tournament", "check", ".", cwd=tmp_path)
    assert done.returncode == 0 and "accepted" in done.stdout, done.stderr
    assert traps.sprung() == []


@pytest.mark.parametrize("package", ["golois", "models", "tournament"])
def test_without_an_installation_a_command_leaves_the_current_folder(tmp_path, package):
    """As far as Python lets it: the imports of `-m` itself and the package's name come before."""
    bare = Environment(tmp_path / "env")
    program = "import runpy, importlib.util, sys; print(*sys.modules)"
    before = bare.run("-c", program, cwd=tmp_path).stdout.split()
    traps = Traps(tmp_path / "traps", ALL_NAMES - {*before, package})
    done = bare.run("-m", package, "--help", cwd=traps.folder, search_path=str(ROOT))
    assert (done.returncode, done.stderr) == (0, "")
    assert traps.sprung() == []


REMOVED = """
import os, sys
os.rmdir(os.getcwd())
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


@pytest.mark.parametrize(
    ("package", "is_installed"),
    [("golois", True), ("models", True), ("tournament", True), ("golois", False)],
)
def test_in_a_folder_that_was_removed_a_command_says_so(editable, tmp_path, package, is_installed):
    folder = tmp_path / "gone"
    folder.mkdir()
    environment = editable if is_installed else Environment(tmp_path / "env")
    search_path = None if is_installed else str(ROOT)
    command = ("-c", REMOVED, "-m", package, "--help")
    done = environment.run(*command, cwd=folder, search_path=search_path)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == f"{package}: the current folder has been removed: change to another\n"


def test_a_script_named_golois_finds_the_kit(installed, tmp_path):
    (tmp_path / "golois.py").write_text(WHERE)
    done = installed.run("golois.py", cwd=tmp_path)
    assert (done.stdout.strip(), done.stderr) == (own_golois(installed), "")


def test_folders_named_golois_are_passed_over(installed, tmp_path):
    for name in ("golois.cpp", "Board.h", "train.py"):  # the course's sources, or a clone
        (tmp_path / "golois" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "golois" / name).touch()
    shutil.copytree(ROOT / "golois", tmp_path / "golois" / "golois", ignore=without_core)
    (tmp_path / "mine.py").write_text(WHERE)
    done = installed.run("mine.py", cwd=tmp_path)
    assert (done.stdout.strip(), done.stderr) == (own_golois(installed), "")


def without_core(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name.startswith(("_native", "__pycache__", "csrc"))]


@pytest.mark.parametrize(
    ("installed", "name"),
    [
        ("regular", "golois.py"), ("editable", "golois.so"), ("editable", "golois/__init__.py"),
        ("editable", "golois.cpython-38-x86_64-linux-gnu.so"), ("editable", "golois.pyd"),
    ],
    indirect=["installed"],
)
def test_what_would_hide_the_kit_is_named_once_and_not_run(installed, tmp_path, name):
    traps = Traps(tmp_path, [])
    traps.add(name)
    (tmp_path / "mine.py").write_text(f"import golois\n{WHERE}")
    done = installed.run("mine.py", cwd=tmp_path)
    assert done.stdout.strip() == own_golois(installed)
    hidden = name.partition("/")[0]
    expected = f"golois: {hidden} of {tmp_path} is ignored; this is the kit's package\n"
    assert done.stderr == expected
    assert traps.sprung() == []


def test_models_of_a_project_are_its_own(installed, tmp_path):
    """Those of the kit are found where there are no others."""
    program = "import models; print([*getattr(models, '__path__', [models.__file__])])"
    for number, name in enumerate(("models.py", "models/__init__.py", "models/mine.py")):
        path = tmp_path / str(number) / name
        path.parent.mkdir(parents=True)
        path.write_text("print('mine')")
        done = installed.run("-c", program, cwd=tmp_path / str(number))
        assert str(tmp_path) in done.stdout and done.stderr == ""
    assert installed.run("-m", "models.mine", cwd=path.parents[1]).stdout == "mine\n"
    program = "import models.errors, tournament.running.opening_book as o; print(o.BOOK.exists())"
    done = installed.run("-c", program, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_a_built_checkout_on_the_search_path_goes_first(installed, tmp_path):
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit" / "golois").symlink_to(ROOT / "golois")
    done = installed.run("-c", WHERE, cwd=tmp_path, search_path=str(tmp_path / "kit"))
    assert Path(done.stdout.strip()) == tmp_path / "kit" / "golois" / "__init__.py"
    done = installed.run("-c", WHERE, cwd=ROOT)
    assert Path(done.stdout.strip()) == ROOT / "golois" / "__init__.py"


def test_an_unbuilt_checkout_is_passed_over(installed, tmp_path):
    shutil.copytree(
        ROOT / "golois", tmp_path / "golois", ignore=shutil.ignore_patterns("_native*", "*.?pp")
    )
    done = installed.run("-c", WHERE, cwd=tmp_path)
    assert done.stdout.strip() == own_golois(installed)
    is_editable = own_golois(installed).startswith(str(ROOT))
    assert ("golois of" in done.stderr) == is_editable  # a regular one has its core elsewhere


def test_a_start_imports_the_finder_alone(installed, tmp_path):
    bare = Environment(tmp_path / "env")
    program = "import sys; print(*sorted(sys.modules))"
    plain, found = (env.run("-c", program, cwd=tmp_path) for env in (bare, installed))
    new = {*found.stdout.split()} - {*plain.stdout.split()}
    assert new == {"golois_kit_finder"}


def test_a_running_python_finds_the_kit_once_golois_is_imported(environments, tmp_path):
    """As in a notebook whose kernel ran before the installation: `-S` reads no .pth file.

    In a checkout without a core it uses the installed one.
    """
    regular, checkout = environments["regular"], tmp_path / "checkout"
    begin = f"import sys; sys.path.append({str(regular.packages)!r})"
    done = regular.run("-S", "-c", f"{begin}; import golois, models.errors", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    shutil.copytree(ROOT / "golois", checkout / "golois", ignore=without_core)
    done = regular.run("-S", "-c", f"{begin}\n{CORE}", cwd=checkout)
    assert Path(done.stdout.strip()).parent == regular.packages / "golois", done.stderr
