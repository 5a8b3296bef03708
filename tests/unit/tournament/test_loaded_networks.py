"""Which networks a worker keeps, by the memory that the intake measured."""

import json
from types import SimpleNamespace

import pytest

from tournament.errors import NetworkMemoryError
from tournament.game.options import EventOptions
from tournament.networks.tuning import UNKNOWN_MEMORY, read_memory
from tournament.running.loaded_networks import LoadedNetworks

RULES = EventOptions(batch_size=8)


def manifest(folder, name: str, megabytes: int) -> None:
    values = {"memory_bytes": megabytes * 1_000_000, "batch_size": 8}
    (folder / f"{name}.json").write_text(json.dumps(values))


class Opener:
    """Opens networks; while others are loaded, those of a list do not fit."""

    def __init__(self, too_large=()):
        self.opened, self._too_large = [], set(too_large)

    def __call__(self, path, batch_size, precision):
        self.opened.append(path.stem)
        if path.stem in self._too_large:
            self._too_large.remove(path.stem)
            raise NetworkMemoryError("no memory")
        return SimpleNamespace(name=path.stem, batch_size=batch_size or 8, precision=precision)


def test_networks_are_kept_while_they_fit(tmp_path):
    for name in "abcd":
        manifest(tmp_path, name, 40)
    opener = Opener()
    networks = LoadedNetworks(tmp_path, opener, cache_bytes=100_000_000)
    for name in "ababcab":
        assert networks.get(name, RULES).name == name
    assert opener.opened == ["a", "b", "c", "a", "b"] and len(networks) == 2


def test_a_network_in_two_precisions_is_two(tmp_path):
    networks = LoadedNetworks(tmp_path, Opener())
    in_bf16 = RULES.changed({"precision": "bf16"})
    found = [networks.get("a", rules).precision for rules in (RULES, in_bf16, RULES)]
    assert found == ["float32", "bf16", "float32"] and len(networks) == 2


def test_a_network_that_fills_the_cache_is_kept_alone(tmp_path):
    manifest(tmp_path, "a", 10)
    manifest(tmp_path, "b", 400)
    networks = LoadedNetworks(tmp_path, Opener(), cache_bytes=100_000_000)
    networks.get("a", RULES)
    networks.get("b", RULES)
    assert len(networks) == 1


def test_a_network_is_tried_once_more_without_the_others_and_then_said(tmp_path):
    opener = Opener(too_large="b")
    networks = LoadedNetworks(tmp_path, opener)
    networks.get("a", RULES)
    assert networks.get("b", RULES).name == "b"
    assert opener.opened == ["a", "b", "b"] and len(networks) == 1
    def open_none(path, batch_size, precision):
        raise NetworkMemoryError("no memory")

    with pytest.raises(NetworkMemoryError):
        LoadedNetworks(tmp_path, open_none).get("a", RULES)


def test_memory_grows_with_the_batch_and_is_guessed_when_unknown(tmp_path):
    manifest(tmp_path, "a", 40)
    sizes = [read_memory(tmp_path / "a.onnx", size) for size in (1, 8, 32)]
    assert sizes == [40_000_000, 40_000_000, 160_000_000]
    assert read_memory(tmp_path / "b.onnx", 8) == UNKNOWN_MEMORY
    manifest(tmp_path, "c", 0)
    assert read_memory(tmp_path / "c.onnx", 8) == UNKNOWN_MEMORY
