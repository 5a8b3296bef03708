"""What a run prints while it goes on."""

import pytest

from golois.kit import console as module
from golois.kit.console import Reporter


@pytest.mark.parametrize(("total", "expected"), [(96, "64/96"), (None, "64/?")])
def test_a_bar_counts_on_a_terminal(total, expected, monkeypatch, capsys):
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "100"}.items():
        monkeypatch.setenv(name, value)
    with Reporter().bar("iteration 1: games", total) as advance:
        advance(63)
        advance()
    shown = capsys.readouterr().out
    assert "iteration 1: games" in shown and expected in shown


@pytest.mark.parametrize(("total", "expected"), [(9000, "1,500 of 9,000"), (None, "1,500")])
def test_without_a_terminal_a_line_ends_a_long_silence(total, expected, monkeypatch, capsys):
    monkeypatch.setattr(module, "HEARTBEAT_SECONDS", -1.0)
    with Reporter().bar("iteration 1: batches", total) as advance:
        advance(1500)
    assert capsys.readouterr().out == f"  iteration 1: batches: {expected}\n"


@pytest.mark.parametrize("total", [0, 2])
def test_without_a_terminal_there_is_no_bar(total, capsys):
    reporter = Reporter()
    with reporter.bar("iteration 1: games", total) as advance:
        advance()
        reporter.say("a line")
    assert capsys.readouterr().out == "a line\n"
