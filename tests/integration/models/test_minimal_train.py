"""examples/minimal_train.py, as a student runs it."""

import subprocess
import sys

from tests.data import ROOT

SCRIPT = ROOT / "examples" / "minimal_train.py"


def test_the_example_leaves_a_network_that_can_be_handed_in(tmp_path):
    out = tmp_path / "runs" / "best.h5"
    arguments = ["--epochs", "1", "--steps", "2", "--out", str(out)]
    done = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "accepted" in done.stdout and out.is_file()
    assert done.stdout.endswith(f"to hand it in: python submit.py {out} --name Your_Name\n")
    assert len(SCRIPT.read_text().splitlines()) <= 150
