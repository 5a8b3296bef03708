"""What tests of whole programs share."""

from pathlib import Path

import pytest

from tests.fake_arena import league_of
from tests.runs import RULES, run


@pytest.fixture(scope="session")
def uninterrupted(tmp_path_factory) -> Path:
    """A league of three that was played to its end at one go; tests add no game to it."""
    folder = league_of(tmp_path_factory.mktemp("uninterrupted")).folder
    code, _, errors = run(folder, *RULES, "--workers", "1", "--quiet")
    assert (code, errors) == (0, "")
    return folder
