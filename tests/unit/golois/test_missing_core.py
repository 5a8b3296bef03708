"""The native core's absence or age is said with its remedy."""

import re
import subprocess
import sys
import zlib

from golois.native import ABI_VERSION
from tests.data import ROOT

MISSING = "import sys; sys.modules['golois._native'] = None; from golois import Board"
OTHER_AGE = """
import sys, types
lib = types.SimpleNamespace(golois_abi_version=lambda: -1)
sys.modules["golois._native"] = types.SimpleNamespace(ffi=None, lib=lib)
from golois import Board
"""


def last_line(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    return done.stderr.strip().splitlines()[-1]


def test_a_missing_core_names_the_remedy():
    line = last_line(MISSING)
    assert line.startswith("golois.errors.BuildError: the native core golois._native is missing")
    assert "pip install -r requirements.txt" in line and "apt install g++" in line


def test_a_core_of_other_sources_is_refused():
    line = last_line(OTHER_AGE)
    assert "the native core has version -1, and golois needs 3" in line


def test_the_version_counts_the_changes_of_the_interface():
    """Otherwise new Python would call an old core with other arguments."""
    header = (ROOT / "golois" / "csrc" / "abi" / "golois_abi.h").read_text()
    words = " ".join(re.sub(r"//.*", "", header).split())
    assert (ABI_VERSION, zlib.crc32(words.encode())) == (3, 1991049191), "count ABI_VERSION up"
