"""What a run prints while it goes on."""

import pytest

from selfplay.reporter import Reporter


def test_a_bar_counts_by_steps_on_a_terminal(monkeypatch, capsys):
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "100"}.items():
        monkeypatch.setenv(name, value)
    with Reporter().bar("iteration 1: games", 96, step=32) as advance:
        advance()
        advance()
    shown = capsys.readouterr().out
    assert "iteration 1: games" in shown and "64/96" in shown


@pytest.mark.parametrize("total", [0, 2])
def test_without_a_terminal_there_is_no_bar(total, capsys):
    reporter = Reporter()
    with reporter.bar("iteration 1: games", total) as advance:
        advance()
        reporter.say("a line")
    assert capsys.readouterr().out == "a line\n"
