"""The verdict as Gradescope reads it."""

import json

from tests.data import ROOT
from tests.runs import tournament

NETWORK = ROOT / "data" / "networks" / "resnet" / "best.h5"


def test_a_verdict_is_written_for_gradescope(tmp_path):
    results = tmp_path / "results.json"
    assert tournament("check", NETWORK, "--gradescope", results)[0] == 0
    written = json.loads(results.read_text())
    assert written["score"] == 1 and written["tests"][0]["status"] == "passed"
    assert {"name": "Parameters", "value": 95987, "order": "asc"} in written["leaderboard"]
    assert tournament("check", ROOT / "README.md", "--gradescope", results)[0] == 2
    written = json.loads(results.read_text())
    assert written["score"] == 0 and "leaderboard" not in written
    assert [one["status"] for one in written["tests"]] == ["failed"]
    assert "not an HDF5 file" in written["tests"][0]["name"]


def test_gradescope_gets_one_network_and_overwrites_none(tmp_path):
    copy = tmp_path / "net.h5"
    copy.write_bytes(NETWORK.read_bytes())
    assert tournament("check", NETWORK, copy, "--gradescope", tmp_path / "r.json")[0] == 2
    assert tournament("check", copy, "--gradescope", copy)[0] == 2
    assert copy.read_bytes() == NETWORK.read_bytes()
    assert list(tmp_path.iterdir()) == [copy]
