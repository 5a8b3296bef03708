"""Engines by name: what each takes, and that a new one needs an entry of the table alone."""

from pathlib import Path

import pytest

from tests.fake_arena import league_of, record_of
from tournament.__main__ import main
from tournament.errors import OptionsError
from tournament.game.rules import EventOptions
from tournament.running.engines import ENGINES, EngineSetup, open_engine

OPTIONS = EventOptions(visits=4)


@pytest.mark.parametrize(
    ("name", "setting", "said"),
    [
        ("local", {"address": "auto"}, "--address is for clusters"),
        ("ray", {"workers": 2}, "--workers is for --engine local"),
    ],
)
def test_an_engine_refuses_what_is_for_another(name, setting, said):
    with pytest.raises(OptionsError, match=said):
        open_engine(name, EngineSetup(Path("artefacts"), OPTIONS, **setting))


def test_another_engine_plays_a_league_once_it_is_in_the_table(tmp_path, monkeypatch):
    class Elsewhere:
        def __init__(self, setup):
            assert setup.address == "there" and setup.options.visits == 4

        def play(self, pairs):
            for pair in pairs:
                yield from map(record_of, pair)

    monkeypatch.setitem(ENGINES, "elsewhere", Elsewhere)
    league = league_of(tmp_path)
    where = ("--engine", "elsewhere", "--address", "there")
    assert main(["run", "--league", str(league.folder), "--visits", "4", "--quiet", *where]) == 0
    assert league.games.count() == 6
