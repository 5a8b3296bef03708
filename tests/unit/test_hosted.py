"""The packages of Colab and Kaggle, and what the kit asks of them; `make colab` installs them."""

import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from tests.data import ROOT
from tests.hosted.try_out import LISTS, changes, interpreter, python_of

ADDED = {"onnxruntime", "openvino"}


def pins(name: str) -> dict[str, str]:
    lines = LISTS[name].read_text().splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


@pytest.mark.parametrize("name", LISTS)
def test_the_packages_of_a_host_satisfy_the_kit(name):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    versions = {package.lower(): version for package, version in pins(name).items()}
    asked = [Requirement(line) for line in project["dependencies"]]
    assert {one.name for one in asked} - versions.keys() == ADDED
    for one in asked:
        assert one.name in ADDED or one.specifier.contains(versions[one.name]), one
    assert SpecifierSet(project["requires-python"]).contains(python_of(LISTS[name]))


def test_what_pip_replaced_or_removed_is_told():
    before = {"numpy": "2.1.3", "protobuf": "5.29.6", "six": "1.17.0"}
    assert changes(before, {**before, "openvino": "2026.4.1"}) == []
    after = {"numpy": "2.1.3", "protobuf": "7.36.2"}
    assert changes(before, after) == ["protobuf 5.29.6 → 7.36.2", "six 1.17.0 → removed"]


def test_a_python_that_is_not_here_is_said(capsys):
    interpreter("3.99")
    assert capsys.readouterr().out.startswith("no Python 3.99 is here: the same versions")
