"""The arguments of selfplay.py: its helps, and what it says to bad input."""

import json
from dataclasses import asdict

import pytest

from golois.kit.command import UsageError
from papers.fishnet.command import ACTIONS
from selfplay.arguments import complete, parse_arguments
from selfplay.command import FURTHER_COMMANDS, main
from selfplay.options import Options


@pytest.mark.parametrize("name", [*FURTHER_COMMANDS, *(f"td {action}" for action in ACTIONS)])
def test_a_further_command_has_a_help_of_its_own(name, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*name.split(), "--help"], "of the training command")
    shown = capsys.readouterr().out
    assert ended.value.code == 0 and shown.startswith(f"usage: selfplay.py {name} [-h]")
    assert "of the training command" not in shown
    _, summary, _ = shown.split("\n\n", 2)
    assert summary.endswith(".")


IDLE = [
    ("--gate-simulations 2", "--gate-games 2", "--gate-games"),
    ("--gate-threshold 0.6", "--preset nogozero9", "--gate-games"),
    ("--quick-simulations 4", "--full-share 0.5", "--full-share below 1"),
    ("--hold-out-share 0.2", "--resign-value -0.9", "--resign-value above -1"),
    ("--root-noise-concentration 2", "--root puct --root-noise 0.25", "--root-noise"),
    ("--early-moves 0 --early-temperature 2", "--early-moves 3", "--early-moves"),
    ("--game go --measure-positions 9", "--game hex", "NoGo or Hex on up to 16 points"),
    ("--size 9 --measure-positions 9", "--size 4", "NoGo or Hex on up to 16 points"),
    (
        "--model nogozero --dominion-weight 1",
        "--set multitask=true",
        "--model nogozero --set multitask=true",
    ),
    ("--score-weight 1", "--preset nogozero9", "--model nogozero --set multitask=true"),
    (
        "--preset nogozero9 --set multitask=false --score-weight 1",
        "--set multitask=1",
        "--model nogozero --set multitask=true",
    ),
]


@pytest.mark.parametrize(("idle", "more", "needed"), IDLE, ids=[idle for idle, _, _ in IDLE])
def test_an_option_that_does_nothing_is_refused(idle, more, needed):
    with pytest.raises(UsageError, match=f"has no effect without {needed}: leave it out"):
        complete(parse_arguments(idle.split(), ""))
    complete(parse_arguments([*idle.split(), *more.split()], ""))


@pytest.mark.parametrize(
    "given",
    [
        "--preset nogozero9 --gate-games 0 --set multitask=false --root-noise 0",
        "--preset restnet_go9 --resign-value -1 --early-moves 0",
        "--preset nogo4 --size 5",
    ],
)
def test_what_a_preset_says_may_become_idle(given):
    complete(parse_arguments(given.split(), ""))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--preset", "nogo5"], "invalid choice: 'nogo5'"),
        (["--simulation", "3"], "did you mean --simulations?"),
        (["--set", "blocks"], "--set needs KEY=VALUE"),
        (["--resume", "nowhere"], "nowhere is not the folder of a run"),
        (["measure", "nowhere"], "nowhere is not the folder of a run"),
        (["measure", "nowhere", "--games", "x"], "--games"),
        (["--out", "taken"], "already holds a run"),
        (["--victim", "nowhere.h5"], "there is no file nowhere.h5: give --victim a network"),
        (["--victim", "net.keras"], "--victim must be an .h5, not net.keras"),
        (["--preset", "nogo3", "--komi", "3.5"], "--komi has no effect without --game go"),
        (["--nesterov", "--optimizer", "adam"], "--nesterov has no effect without --optimizer sgd"),
        (["--game", "go", "--komi", "7.3"], "--komi must be quarters of points from −100 to 100"),
        (
            ["--resume", "taken", "--size", "5"],
            "--workers, --address: leave it out, or begin a new run with "
            "--init-from taken/nets/NNNN.h5\n",
        ),
        (["--resume", "taken", "--out", "new"], "--workers, --address: leave it out\n"),
        (["--victim", "net.h5", "--keeps-tree"], "--keeps-tree cannot be given with --victim: "),
        (["--resume", "other"], "does not have the options of a run of self-play"),
        (["measure", "taken"], "has no network to measure yet"),
        (["measure", "taken", "--games", "3"], "--games must be an even number"),
        (["measure", "taken", "--simulations", "0"], "--simulations must be 1 or more"),
        (["measure", "taken", "--opening-moves", "-1"], "--opening-moves must be 0 or more"),
        (
            ["measure", "taken", "--games", "0", "--against", "random"],
            "--against has no effect without --games above 0",
        ),
        (["measure", "taken", "--after", "Z9"], "--after: 'Z9' is not a GTP vertex"),
        (["measure", "taken", "--after", "A1", "A1"], "--after: White cannot play A1"),
        (["league", "nowhere"], "nowhere is not the folder of a run"),
        (["league", "taken", "--games", "0"], "--games must be an even number from 2"),
        (["league", "taken", "--every", "-1"], "--every must be 1 or more"),
        (["league", "taken", "--every", "0"], "--every must be 1 or more"),
        (["league", "taken"], "has fewer than two networks to rate"),
    ],
)
def test_bad_input_is_one_sentence(arguments, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, config in (("taken", {"options": asdict(Options())}), ("other", {"options": 1})):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps(config))
    (tmp_path / "net.keras").touch()
    assert main(arguments, "Train.") == 2
    error = capsys.readouterr().err
    assert words in error and error.startswith("selfplay.py: ") and error.count("\n") == 1


def test_matches_have_the_first_of_the_komis_unless_another_is_given():
    given = dict(preset="go5", planes="course", komis="2.5,3.5")
    assert complete(given).rules().komi == 2.5
    assert complete({**given, "komi": 3.0}).rules().komi == 3.0
