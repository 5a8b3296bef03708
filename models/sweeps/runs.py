"""A run of a sweep, finished by `verdict.json`, and the processes of train.py and submit.py."""

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from golois.data.mixture import proportional_counts
from golois.kit.command import UsageError
from golois.kit.files import lock
from golois.kit.options import flag
from golois.kit.run_folder import read_table, write_json
from golois.kit.signals import StopRequest
from models.contract import PARAM_BUDGET
from models.sweeps.config import Recipe, options_of
from models.training.run_folder import TrainingFolder, digests_of, have_same_games

KIT = Path(__file__).resolve().parents[2]
LOOK_SECONDS = 0.2


class TrainedRun:
    """A run of train.py that is compared with others, under a name."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.folder = TrainingFolder(path)

    def milliseconds(self) -> float | None:
        """CPU time of an evaluation, None where the intake has not measured it."""
        return None

    def history(self) -> list[dict[str, float]]:
        """Read the rows of history.csv."""
        return read_table(self.folder.history)

    def held_out(self) -> tuple:
        """Name what decides on which positions a run was measured; alike for runs that compare."""
        return *(digests_of(file)[-1] for file in self._files()), *self._asked()

    def is_measured_as(self, other: "TrainedRun") -> bool:
        """Return whether both were measured on the same positions; see `have_same_games`."""
        are_alike = self._asked() == other._asked()
        return are_alike and have_same_games(self._files(), other._files())

    def _files(self) -> list[dict[str, Any]]:
        return self.folder.read_config()["data"]["files"]

    def _asked(self) -> list[Any]:
        options = self.folder.read_config()["options"]
        names = ("seed", "validation_fraction", "validation_positions")
        return [*options["data"].values(), *(options[name] for name in names)]

    def num_held_out(self) -> int:
        """Count the positions that a run was measured on after each epoch."""
        config = self.folder.read_config()
        available = [file["num_validation_positions"] for file in config["data"]["files"]]
        options = config["options"]
        weights = list(options["data"].values())
        return sum(proportional_counts(options["validation_positions"], weights, available))


class Run(TrainedRun):
    """A recipe of a sweep and its folder."""

    def __init__(self, recipe: Recipe, path: Path) -> None:
        super().__init__(recipe.name, path)
        self.arguments = recipe.arguments()
        self.recipe = recipe
        self.verdict_path = path / "verdict.json"

    @property
    def is_trained(self) -> bool:
        """Whether nothing is left to be trained."""
        return self.verdict_path.exists()

    @property
    def is_begun(self) -> bool:
        """Whether there is a run to be resumed, or a finished one."""
        return self.folder.config.exists()

    def verdict(self) -> dict[str, Any]:
        """Return what submit.py said of the finished run; UsageError: other options, or damage."""
        try:
            verdict = json.loads(self.verdict_path.read_text())
            arguments = [*map(str, verdict["arguments"])]
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f"{self.verdict_path} is not an answer of submit.py ({type(error).__name__}): "
                "remove it, and the network is checked again"
            ) from error
        if arguments != self.arguments and not _mean_the_same(arguments, self.arguments):
            raise UsageError(
                f"{self.folder.path} was trained with {' '.join(arguments)}, "
                f"not {' '.join(self.arguments)}: "
                "give the run another name, or take another --out"
            )
        return verdict

    def require_same_options(self) -> None:
        """Check a started run's options; UsageError: another option, or a damaged config.json."""
        now = _comparable(asdict(self.recipe.options()))
        try:
            before = _comparable(self.folder.read_config()["options"])
        except (KeyError, TypeError, AttributeError) as error:
            raise UsageError(
                f"{self.folder.config} does not have the options of a run "
                f"({type(error).__name__}): remove the folder, and the run begins anew"
            ) from error
        for name, value in now.items():
            if before.get(name, value) != value:
                raise UsageError(
                    f"{self.folder.path} was begun with {flag(name)} {before[name]}, not {value}: "
                    "give the run another name, or take another --out"
                )

    def milliseconds(self) -> float | None:
        """See TrainedRun."""
        return (self.verdict()["manifest"] or {}).get("ms_per_evaluation")

    def write_verdict(self, verdict: Mapping[str, Any]) -> None:
        """Finish the run."""
        write_json(self.verdict_path, {"arguments": self.arguments, **verdict})


def _mean_the_same(before: Sequence[str], now: Sequence[str]) -> bool:
    def meaning(arguments: Sequence[str]) -> dict[str, Any]:
        options = options_of(arguments)
        in_order = {name: list(getattr(options, name).items()) for name in ("data", "aux")}
        return asdict(options) | in_order

    try:
        return meaning(before) == meaning(now)
    except UsageError:  # an option that train.py has no longer
        return False


def _comparable(options: Mapping[str, Any]) -> dict[str, Any]:
    texts = json.loads(json.dumps(options))
    return {**texts, "data": list(texts["data"].values()), "distill": bool(texts["distill"])}


class Children:
    """Starts processes, one after the other, and waits for each to end.

    A request to stop is passed on as one Ctrl-C, so that a training saves its state. The processes
    hold the sweep's lock, so that the next sweep waits for them.
    """

    def __init__(self, lock: TextIO, stop: StopRequest) -> None:
        self._lock = lock
        self.stop = stop

    def run(
        self, command: Sequence[str], until: Callable[[], object] | None = None, **settings: Any
    ) -> int:
        """Run a command to its end, or ask it to stop once `until` is true; return its code."""
        process = subprocess.Popen(
            command, start_new_session=True, pass_fds=[self._lock.fileno()], **settings
        )
        is_told = False
        while True:
            try:
                return process.wait(LOOK_SECONDS)
            except subprocess.TimeoutExpired:
                if not is_told and (self.stop.signal or (until and until())):
                    process.send_signal(signal.SIGINT)
                    is_told = True


@contextmanager
def only_sweep_of(folder: Path, say: Callable[[str], None]) -> Iterator[TextIO]:
    """Lock the folder of a sweep, after waiting for its current holder."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "sweep.lock", "w") as file:
        if not lock(file):
            say(f"waiting for another sweep of {folder}, or for the processes of a killed sweep")
            lock(file, wait=True)
        yield file


def training_command(arguments: Sequence[str], folder: TrainingFolder) -> list[str]:
    """Spell the command that starts or resumes a run."""
    where = "--resume" if folder.config.exists() else "--out"
    return [sys.executable, str(KIT / "train.py"), where, str(folder.path), *arguments]


def train(run: Run, children: Children) -> int:
    """Train a run to its end; return train.py's exit code."""
    return children.run(training_command(run.arguments, run.folder))


def judge(run: Run, children: Children, league: Path | None) -> bool:
    """Have submit.py judge a trained network, for the league too; return if it has a verdict."""
    total = run.folder.read_config()["parameters"]["total"]
    command = [sys.executable, str(KIT / "submit.py"), str(run.folder.best), "--json"]
    command += ["--max-params", str(max(total, PARAM_BUDGET))]
    filing = ["--replace", "--allow-alike", "--name", run.name, "--league", str(league)]
    command += filing if league else ["--check-only"]
    with tempfile.TemporaryFile("w+") as output:
        children.run(command, stdout=output)
        output.seek(0)
        text = output.read()
    if not text and league and not children.stop.signal:
        return judge(run, children, None)  # of the same bytes as another run, it has no games
    if not text:
        return False
    run.write_verdict(json.loads(text))
    return True
