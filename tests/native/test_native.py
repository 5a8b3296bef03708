"""The core by itself, under AddressSanitizer and UBSan: csrc/tests and the fuzzers' corpus."""

import shutil
import subprocess

import pytest

from tests.data import ROOT

MISSING = [tool for tool in ("make", "g++") if shutil.which(tool) is None]


@pytest.mark.skipif(bool(MISSING), reason=f"needs {' and '.join(MISSING)}")
def test_native_tests_pass():
    run = subprocess.run(
        ["make", "--no-print-directory", "-j2", "CXX=g++", "test-native"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, (run.stdout + run.stderr)[-4000:]
    assert " 0 failed" in run.stdout
