"""Files that Keras wrote, made once and kept, and the judge of hostile ones."""

import fcntl
import hashlib
import itertools
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
from keras_files import HAS_KERAS_2, write

from tests.data import ROOT
from tests.integration.intake.hostile import reason
from tests.integration.intake.parity import open_file
from tournament.intake import child, judge


@pytest.fixture(scope="session")
def keras_files() -> Path:
    """The folder with NAME.h5 and NAME.npz of the networks that every run of the tests needs."""
    return _written("common")


@pytest.fixture(scope="session")
def more_keras_files() -> Path:
    """The same for the networks of slow tests."""
    return _written("more")


@pytest.fixture(scope="module")
def opened(keras_files) -> child.Message:
    """What gate A makes of the resnet."""
    return open_file(keras_files / "resnet.h5")


def _written(part: str) -> Path:
    """Return the folder with a part of the files, kept between runs until their makers change."""
    kept = Path(os.environ.get("KERAS_FILES") or ROOT / "build" / "keras")
    kept.mkdir(parents=True, exist_ok=True)
    folder = kept / f"{part}_{_makers()}"
    with open(kept / f"{part}.lock", "w") as lock:  # whichever process of tests asks first
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            unfinished = kept / f"{part}.new"
            for old in (unfinished, *kept.glob(f"{part}_*")):
                shutil.rmtree(old, ignore_errors=True)
            unfinished.mkdir()
            _write(unfinished, part)
            unfinished.rename(folder)
    return folder


def _makers() -> str:
    """Return a digest of all that the bytes of the files depend on."""
    here, parts = Path(__file__).parent, ROOT / "models" / "parts"
    scripts = [here.glob(f"*{name}.py") for name in ("keras_files", "networks", "_2", "_cases")]
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted({*itertools.chain(*scripts), *parts.glob("*.py")}):
        digest.update(path.read_bytes())
    for package in ("keras", "tensorflow", "numpy", "h5py", *["tf_keras"] * HAS_KERAS_2):
        digest.update(version(package).encode())
    return digest.hexdigest()[:16]


def _write(folder: Path, part: str) -> None:
    """In this process, which has imported Keras long before: that takes as long as to write."""
    for keras_version in ("3", "2") if HAS_KERAS_2 else ("3",):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            write(folder, keras_version, part)


@pytest.fixture(scope="session")
def shared_templates() -> Iterator[child.Templates]:
    with child.Templates() as templates:
        yield templates


@pytest.fixture(scope="module")
def forked_children(shared_templates: child.Templates) -> Iterator[None]:
    """Fork the child of each gate, as `tournament check` does: to start Python takes longer.

    Templates end with the thread that has started them, here the tests' own.
    """
    usage = child.Usage
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            child, "Usage", lambda templates=None: usage(templates=templates or shared_templates)
        )
        yield


@pytest.fixture
def victim(keras_files, tmp_path) -> Path:
    """A good file of its own for each test, to be spoiled."""
    path = tmp_path / "net.h5"
    shutil.copy(keras_files / "resnet.h5", path)
    return path


@pytest.fixture
def refusal(tmp_path) -> Callable[[Path], str]:
    """Judges what should be refused, and returns the faults; nothing is written."""

    def judged(path: Path) -> str:
        before = sorted(tmp_path.rglob("*"))
        verdict = judge(path, work_dir=tmp_path / "work")
        assert sorted(tmp_path.rglob("*")) == before
        return reason(verdict)

    return judged
