"""The jobs of examples/slurm on a real Slurm of one node: stopped, preempted, and continued."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from tests.data import ROOT
from tests.fake_arena import league_of
from tests.runs import num_games, tournament
from tests.serving import issue_tokens, serving, wait_for
from tournament.league.league import League

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("slurmctld") is None, reason="apt install slurm-wlm"),
    pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root"),
    pytest.mark.skipif(not (ROOT / ".venv").exists(), reason="the jobs use .venv"),
]
PATIENCE = 300.0
SMALL = (
    "--game", "nogo", "--size", "3", "--set", "blocks=1", "--set", "filters=4",
    "--simulations", "4", "--games-per-iteration", "24", "--games-per-shard", "8",
    "--iterations", "6", "--workers", "1",
)  # fmt: skip
SWEEP = """
model = "resnet"
epochs = 3
steps_per_epoch = 10
batch_size = 16
validation_positions = 64
set = { filters = 4 }

[grid]
set.blocks = [1, 2]
"""


class Slurm:
    """A cluster of this machine; jobs write into its folder."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}

    def ask(self, *command: str) -> str:
        done = subprocess.run(
            command, cwd=ROOT, env=self._environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def submit(self, *words: str, **options: str) -> str:
        named = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        command = ("--parsable", f"--output={self.folder}/%x.txt", "--cpus-per-task=2", *named)
        return self.ask("sbatch", *command, *words)

    def said(self, job: str) -> str:
        path = self.folder / f"{job}.txt"
        return path.read_text() if path.exists() else ""

    def state(self, job: str) -> str:
        shown = self.ask("scontrol", "--oneliner", "show", "job", job)
        return shown.partition("JobState=")[2].partition(" ")[0]

    def begin_again(self, job: str) -> None:
        """Slurm waits two minutes before it begins a job anew."""
        wait_for(lambda: self.state(job) == "PENDING", PATIENCE)
        self.ask("scontrol", "update", f"JobId={job}", "StartTime=now")

    def has_ended(self, job: str) -> bool:
        return self.state(job) in ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL")


@pytest.fixture(scope="module")
def slurm(tmp_path_factory) -> Iterator[Slurm]:
    folder = tmp_path_factory.mktemp("slurm")
    with ExitStack() as opened:
        free = [opened.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(2)]
        ports = [str(one.getsockname()[1]) for one in free]
    try:
        subprocess.run([Path(__file__).parent / "start.sh", folder, *ports], check=True)
        yield Slurm(folder)
    finally:
        for pid in reversed((folder / "pids").read_text().split()):
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGTERM)


def test_an_array_of_workers_plays_a_league(slurm, tmp_path):
    league = league_of(tmp_path).folder
    tokens = issue_tokens(league)
    made = tournament("tokens", "--worker", "slurm", "--league", str(league))
    (tmp_path / "token").write_text(made.out)
    with serving(league, tokens) as server:
        job = slurm.submit(
            "examples/slurm/league.sbatch", f"http://127.0.0.1:{server.port}",
            str(tmp_path / "token"), "1", array="1-2", cpus_per_task="1",
        )
        wait_for(lambda: slurm.said("league").count("no games are played now") == 2, PATIENCE)
        rules = ("--visits", "8", "--max-plies", "60", "--rounds", "60", "--seed", "0")
        run = subprocess.Popen(
            [sys.executable, "-m", "tournament", "run", "--league", str(league), "--quiet",
             "--engine", "workers", "--workers", "1", *rules], cwd=ROOT,
        )  # fmt: skip
        try:
            assert run.wait(PATIENCE) == 0
        finally:
            run.kill()
        for task in (1, 2):
            wait_for(lambda task=task: slurm.has_ended(f"{job}_{task}"), PATIENCE)
            assert slurm.state(f"{job}_{task}") == "COMPLETED"
    with closing(League(league)) as opened:
        hosts = {game.host for game in opened.games.rows()}
    assert len({host for host in hosts if host.startswith("slurm/")}) == 2
    assert num_games(league) == 360


def test_self_play_that_makes_room_for_another_job_goes_on(slurm, tmp_path):
    out = tmp_path / "run"
    job = slurm.submit("examples/slurm/selfplay.sbatch", str(out), *SMALL)
    wait_for(lambda: (out / "nets" / "0001.onnx").exists(), PATIENCE)
    other = slurm.submit(partition="high", wrap="true", job_name="other")
    wait_for(lambda: slurm.state(other) == "COMPLETED", PATIENCE)
    assert not (out / "nets" / "0006.onnx").exists()
    slurm.begin_again(job)
    wait_for(lambda: slurm.has_ended(job), PATIENCE)
    assert slurm.state(job) == "COMPLETED", slurm.said("selfplay")
    said = slurm.said("selfplay")
    assert "stopped by SIGTERM" in said and (out / "nets" / "0006.onnx").exists()
    assert said.count("iteration 1,") == 1, "it was not begun anew"


def test_a_sweep_whose_time_ends_goes_on_and_a_cancelled_job_does_not(slurm, tmp_path):
    config, out = tmp_path / "sweep.toml", tmp_path / "out"
    config.write_text(SWEEP)
    job = slurm.submit("examples/slurm/sweep.sbatch", str(config), "--out", str(out), "--no-league")
    wait_for(lambda: (out / "runs" / "blocks1" / "history.csv").exists(), PATIENCE)
    slurm.ask("scancel", "--signal=TERM", job)  # as --signal does when the time is almost over
    slurm.begin_again(job)
    wait_for(lambda: slurm.has_ended(job), PATIENCE)
    assert slurm.state(job) == "COMPLETED" and (out / "table.csv").exists(), slurm.said("sweep")
    assert "stopped; the same command goes on from here" in slurm.said("sweep")

    job = slurm.submit(
        "examples/slurm/selfplay.sbatch", str(tmp_path / "other"), *SMALL, job_name="cancelled"
    )
    wait_for(lambda: (tmp_path / "other" / "config.json").exists(), PATIENCE)
    slurm.ask("scancel", job)
    wait_for(lambda: slurm.has_ended(job), PATIENCE)
    assert slurm.state(job) == "CANCELLED"
