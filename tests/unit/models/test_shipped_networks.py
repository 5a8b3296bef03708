"""The networks that data holds, mostly by their files alone."""

import csv
import hashlib
import json

import pytest

from models.evaluation.network import load_network
from tests.data import ROOT

DATA = ROOT / "data"
FOLDERS = sorted(path for path in DATA.glob("*networks/*") if path.is_dir())
MOST_BYTES = 1_500_000


def test_there_are_five_families():
    assert len(FOLDERS) >= 5


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: "/".join(path.parts[-2:]))
def test_a_network_is_small_and_says_where_it_is_from(folder):
    held = {path.name for path in folder.iterdir()}
    assert held >= {"best.h5", "config.json", "history.csv", "curves.png", "README.md"}
    assert (folder / "best.h5").stat().st_size <= MOST_BYTES
    with (folder / "history.csv").open() as file:
        positions = int(float(list(csv.DictReader(file))[-1]["positions"]))
    assert f"{positions:,} positions" in (folder / "README.md").read_text()
    assert f"]({folder.name}/README.md)" in (DATA / "networks" / "README.md").read_text()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: "/".join(path.parts[-2:]))
def test_its_evaluations_are_of_the_file_beside_them(folder):
    sha256 = hashlib.sha256((folder / "best.h5").read_bytes()).hexdigest()
    reports = sorted(folder.glob("*/evaluation.json"))
    assert len(reports) >= 2
    for path in reports:
        assert json.loads(path.read_text())["network"]["sha256"] == sha256, path


@pytest.mark.slow
def test_the_network_of_the_circular_probe_has_an_ownership_head():
    folder = DATA / "restnet_ownership"
    config = json.loads((folder / "config.json").read_text())
    assert config["options"]["aux"].keys() == {"ownership"}
    assert load_network(folder / "best_with_heads.h5").has_ownership
