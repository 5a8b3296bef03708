"""What holds for every test."""

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.fake_ray import FakeMachine, FakeRay
from tests.this_process import ThisProcess


def pytest_configure():
    """A shell that runs tests in the background ignores Ctrl-C, and so would what they start."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Networks and graphs are millions of objects that live on: looking through them takes long.
    gc.set_threshold(200_000, 20, 100)
    # As the kit does; without it, TensorFlow's transposed convolutions have no dilation.
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")
    if "PYTEST_XDIST_WORKER" in os.environ:
        _take_one_core()
    else:
        _keep_files_in_memory()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish():
    """To look for garbage among a session's networks takes seconds, and Python does so thrice."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        gc.freeze()


@pytest.fixture(scope="module")
def without_graphs() -> Iterator[None]:
    """Let TensorFlow compute step by step: a graph takes longer to make than to use once."""
    with _eagerly():
        yield


@pytest.fixture
def with_graphs_here(without_graphs: None) -> Iterator[None]:
    """The opposite for one test of such a module."""
    with _eagerly(False):
        yield


@pytest.fixture
def without_curves(monkeypatch) -> None:
    """Let trainings draw nothing, and time little: both take as long as a tiny network's epochs."""
    import train
    from models.training import outlook, run_folder
    from selfplay import page

    for module in (train, run_folder, page):
        monkeypatch.setattr(module, "draw_curves", lambda *_: None)
    monkeypatch.setattr(train, "draw_worst", lambda *_: None)
    monkeypatch.setattr(outlook, "PEAK_SECONDS", 0)
    monkeypatch.setattr(page, "curve_panels", lambda *_: {})


@pytest.fixture(scope="module")
def networks_read_here() -> Iterator[None]:
    """Read what Keras saved without the two processes that keep a stranger's file apart.

    What is wrong with a file, those processes still say.
    """
    from models.catalogue import saved
    from tournament.intake import child, for_keras

    apart = saved._read

    def read(path: Path, folder: str, own: list[str]) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(child, "run", lambda *asked, **_: for_keras.read(asked[2]))
            try:
                for_keras.write_for_keras(path, Path(folder), set(own))
            except Exception:
                apart(path, folder, own)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(saved, "_read", read)
        yield


@pytest.fixture(scope="module")
def jobs_here() -> Iterator[None]:
    """Do the jobs of labels and of self-play in this process."""
    from golois.labels import playing, run
    from selfplay import shards

    with pytest.MonkeyPatch.context() as patch:
        for module in (playing, run, shards):
            patch.setattr(module, "ThisMachine", ThisProcess)
        yield


@pytest.fixture(scope="module")
def order_of_sums_as_before() -> Iterator[None]:
    """Self-play has TensorFlow add up in one order in the whole process, which then has no XLA."""
    yield
    from tensorflow.python.framework.config import disable_op_determinism

    disable_op_determinism()


@contextmanager
def _eagerly(wanted: bool = True) -> Iterator[None]:
    from models.training.quiet import import_keras_quietly

    import_keras_quietly()
    import tensorflow as tf

    tf.config.run_functions_eagerly(wanted)
    try:
        yield
    finally:
        tf.config.run_functions_eagerly(not wanted)


def _keep_files_in_memory() -> None:
    """Journals and archives wait for a disk at every step; memory takes a run's 0.4 GB at once."""
    memory = Path("/dev/shm")
    if not memory.is_dir() or not os.access(memory, os.W_OK):
        return
    system = os.statvfs(memory)
    may_execute = not system.f_flag & os.ST_NOEXEC
    if may_execute and system.f_bavail * system.f_frsize > 4 << 30:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(memory))


def _take_one_core() -> None:
    """Each of several test processes computes in one thread, and so does what it starts."""
    for name in ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")


@pytest.fixture
def ray(monkeypatch) -> Iterator[Callable[..., FakeRay]]:
    """Make a Ray of these machines, which is what `import ray` then finds."""
    made: list[FakeRay] = []

    def make(*machines: FakeMachine) -> FakeRay:
        made.append(FakeRay(*machines))
        monkeypatch.setitem(sys.modules, "ray", made[-1])
        return made[-1]

    yield make
    for one in made:
        one.head.close()
        assert one.actors == [], "an actor was left behind"
