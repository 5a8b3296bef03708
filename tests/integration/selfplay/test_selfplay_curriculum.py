"""A run whose network first learns from the games of another run."""

import os
import shutil
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from golois.games.rules import Go, Hex, NoGo
from golois.kit.options import UsageError
from golois.kit.run_folder import CheckpointError
from golois.records.packed_file import GameFile
from selfplay.arguments import new_run, old_run
from selfplay.command import main, run
from selfplay.journal import read_journal
from selfplay.layout import Layout, Shard
from selfplay.learner import Learner
from selfplay.options import Options
from selfplay.window import as_seen_by, inherit, inherited, newest_shards, open_window
from tests.small_selfplay import NOT_STOPPED, SMALL, baked, play_shard

pytestmark = pytest.mark.usefixtures("without_graphs", "without_curves")

COMMON = ["--size=3", "--simulations=2", "--games-per-iteration=8", "--games-per-shard=4"]
COMMON += ["--batch-size=16", "--reuse=2", "--set=blocks=1", "--iterations=1", "--workers=1"]
COMMON += ["--measure-positions=0"]


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Layout:
    """The files of a run that has played two shards of four games."""
    folder = tmp_path_factory.mktemp("small")
    layout = Layout(folder / "run")
    layout.write_config({"options": asdict(SMALL)})
    artefact = baked(folder)
    for number in range(2):
        play_shard(artefact, SMALL, 4 * number, 4, layout.games(Shard(1, number)))
    return layout


def test_a_run_killed_amid_inherited_games_takes_those_that_it_began_with(
    small, tmp_path, monkeypatch
):
    earlier, layout = Layout(tmp_path / "earlier"), Layout(tmp_path / "large")
    shutil.copytree(small.path, earlier.path)
    options = replace(SMALL, games_from=str(earlier.path), window_games=8)
    expected = [earlier.games(shard).read_bytes() for shard in earlier.shards()]
    link, linked = os.link, []

    def link_or_die(source: Path, target: Path) -> None:
        linked.append(target)
        if len(linked) == 3:  # the second shard's counts
            raise KeyboardInterrupt
        link(source, target)

    monkeypatch.setattr(os, "link", link_or_die)
    with pytest.raises(KeyboardInterrupt):
        inherit(layout, options)
    assert len(inherited(layout)) == 1
    for suffix in (".json", ".games"):  # the earlier run goes on
        newest = earlier.games(Shard(2, 0)).with_suffix(suffix)
        shutil.copy(earlier.games(Shard(1, 0)).with_suffix(suffix), newest)
    inherit(layout, options)
    taken = [layout.games(shard).read_bytes() for shard in inherited(layout)]
    assert taken == expected and len(taken) == 2
    shutil.rmtree(earlier.path)
    inherit(layout, options)
    assert len(inherited(layout)) == 2
    newest = Layout(tmp_path / "newest")
    inherit(newest, replace(SMALL, games_from=str(small.path), window_games=3))
    assert inherited(newest) == {Shard(0, 0): 4}
    ours, theirs = newest.games(Shard(0, 0)), small.games(Shard(1, 1))
    assert ours.read_bytes() == theirs.read_bytes() and len(GameFile.open(ours)) == 4


def killed(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_run_killed_before_its_first_network_needs_the_earlier_run_no_more(
    small, tmp_path, monkeypatch, capsys
):
    earlier, folder = tmp_path / "earlier", tmp_path / "large"
    shutil.copytree(small.path, earlier)
    given = [*COMMON, "--set=filters=4", "--games-from", str(earlier), "--out", str(folder)]
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Learner, "begin_with_games", killed)
        run([*given, "--games-per-iteration=4", "--steps-per-iteration=1"], "")
    shutil.rmtree(earlier)
    assert not Layout(folder).network(0).exists()
    assert main(["--resume", str(folder)], "") == 0
    assert "trains on 8 games of" in capsys.readouterr().out
    assert Layout(folder).network(1).exists()


@pytest.mark.slow
def test_a_stop_while_it_learns_inherited_games_loses_few_batches(small, tmp_path, monkeypatch):
    monkeypatch.setattr("selfplay.learner.BATCHES_KEPT", 2)
    games = open_window(SMALL, [small.games(shard) for shard in small.shards()])
    whole, stopped, resumed = (Learner(SMALL) for _ in range(3))
    whole.begin_with_games(games, 5, tmp_path / "whole.npz", NOT_STOPPED, lambda: None)
    batches = iter(range(3))
    with pytest.raises(StopIteration):
        stopped.begin_with_games(
            games, 5, tmp_path / "state.npz", NOT_STOPPED, lambda: next(batches)
        )
    done = []
    resumed.begin_with_games(
        games, 5, tmp_path / "state.npz", NOT_STOPPED, lambda: done.append(resumed.state.step)
    )
    assert done == [2, 2, 3, 4, 5], "two batches were done before"
    for got, expected in zip(*(one.network.get_weights() for one in (resumed, whole)), strict=True):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.slow
def test_the_optimizer_begins_anew_after_inherited_games(small, tmp_path):
    """So that a run that is killed before its first checkpoint goes on alike."""
    games = open_window(SMALL, [small.games(shard) for shard in small.shards()])
    learner = Learner(replace(SMALL, optimizer="adam"))
    before = learner.network.get_weights()
    learner.begin_with_games(games, 1, tmp_path / "state.npz", NOT_STOPPED, lambda: None)
    assert any((a != b).any() for a, b in zip(before, learner.network.get_weights(), strict=True))
    assert learner.iteration == learner.state.step == 0
    optimizer = learner._model.optimizer
    assert len(optimizer.variables) > 2 * len(learner.network.trainable_variables)
    kept = [one for one in optimizer.variables if one is not optimizer.learning_rate]
    assert not any(np.asarray(one).any() for one in kept)


def test_games_that_cannot_be_learned_from_are_refused(small, tmp_path):
    for changes, words in (
        (dict(games_from="nowhere"), "is not the folder of a run"),
        (dict(size=4), "has games of NoGo 3×3, not of NoGo 4×4"),
    ):
        options = replace(SMALL, **{"games_from": str(small.path), **changes})
        with pytest.raises((UsageError, CheckpointError), match=words):
            inherit(Layout(tmp_path / "large"), options)
    theirs = Options(game="go", size=3, komi=2.5, komis="2.5,3.5")
    Layout(tmp_path / "run").write_config({"options": asdict(theirs)})
    ours = replace(theirs, komis="", planes="zero", games_from=str(tmp_path / "run"))
    with pytest.raises(UsageError, match=r"has games of Go 3×3.* 3.5, .*not of Go 3×3.* 2.5"):
        newest_shards(ours)  # whose planes do not show the komi
    with pytest.raises(UsageError, match="has no games yet"):
        newest_shards(replace(ours, planes=""))


def test_a_run_that_cannot_go_on_says_what_a_new_one_can_take_of_it(small, tmp_path):
    folder = tmp_path / "a run"
    shutil.copytree(small.path, folder)
    network, games = f" --init-from '{folder}/nets/NNNN.h5'", f" --games-from '{folder}'"
    for given, taken in (
        (dict(l2=0.1, out=tmp_path), f", or begin a new run with{network}{games}"),
        (dict(size=4, minutes=1.0), f", or begin a new run with{network}"),
        (dict(planes="zero"), f", or begin a new run with{games}"),
        (dict(game="hex"), ", or begin a new run"),
        (dict(out=tmp_path, minutes=1.0), ""),
    ):
        with pytest.raises(UsageError) as refused:
            old_run({"resume": folder, **given})
        assert str(refused.value).endswith(f"--address: leave it out{taken}")
    with pytest.raises(UsageError, match=f"continue it with --resume '{folder}', or choose"):
        new_run({"out": folder})


def test_games_fit_where_the_planes_show_what_differs():
    for ours, theirs, fits in (
        (NoGo(5, planes="zero"), NoGo(5), True),
        (Hex(5), Hex(5, swap=True), False),
        (Go(5, 2.5, max_moves=9), Go(5, 3.5, max_moves=50, planes="zero"), True),
        (Go(5, 2.5, planes="zero"), Go(5, 3.5, planes="zero"), False),
        (Go(5), NoGo(5), False),
    ):
        assert (as_seen_by(ours, theirs) == ours) == fits


@pytest.fixture(scope="module")
def trained_run(tmp_path_factory) -> Path:
    """The run of a small network: two shards of four games."""
    folder = tmp_path_factory.mktemp("runs") / "small"
    assert main([*COMMON, "--set=filters=4", "--out", str(folder)], "") == 0
    return folder


@pytest.mark.slow
def test_a_larger_network_learns_from_a_small_one_s_games(trained_run, tmp_path, capsys):
    folder, again = tmp_path / "large", tmp_path / "again"
    larger = [*COMMON, "--set=filters=8", "--window-games=12", "--games-from", str(trained_run)]
    assert main([*larger, "--out", str(folder)], "") == 0
    assert "trains on 8 games of" in capsys.readouterr().out
    for number in ("00", "01"):
        theirs = trained_run / "games" / f"0001-{number}.games"
        ours = folder / "games" / f"0000-{number}.games"
        assert ours.read_bytes() == theirs.read_bytes()
    rows = read_journal(folder / "journal.csv")
    assert [row["window_games"] for row in rows][1:] == [12] and rows[1]["games"] == 8

    untrained = tmp_path / "untrained"
    assert main([*larger[:-2], "--out", str(untrained)], "") == 0
    first = Layout(folder).network(0).read_bytes()
    assert first != Layout(untrained).network(0).read_bytes()

    # As after a kill just before the first game: the networks come out the same.
    again.mkdir()
    shutil.copy(folder / "config.json", again)
    for name in ("games", "nets"):
        shutil.copytree(folder / name, again / name, ignore=lambda _, names: {
            one for one in names if not one.startswith("0000")
        })  # fmt: skip
    shutil.rmtree(trained_run / "games")  # what was inherited is the run's own
    assert main(["--resume", str(again)], "") == 0
    assert Layout(again).network(1).read_bytes() == Layout(folder).network(1).read_bytes()
    assert len(GameFile(again / "games" / "0001-01.games")) == 4


@pytest.mark.slow
def test_a_curriculum_on_a_small_board_comes_to_its_table(tmp_path, capsys):
    common = "size = 5\niterations = 1\ngames_per_iteration = 4\ngames_per_shard = 4\nreuse = 1\n"
    common += 'simulations = 4\nworkers = 1\nmodel = "nogozero"\nbatch_size = 16\n'
    common += "[league]\ngames = 2\nsimulations = 4\n"
    stages = [
        f'[[runs]]\nname = "b{number}"\nset = {{ blocks = {number}, filters = 8 }}\n'
        for number in (1, 2, 3)
    ]
    path = tmp_path / "file.toml"
    path.write_text(common + "\n".join(stages))
    given = ["curriculum", str(path), "--out", str(tmp_path / "out")]
    assert main(given, "") == 0
    table = (tmp_path / "out" / "table.md").read_text()
    assert [line.split("|")[1].strip() for line in table.splitlines()[2:5]] == ["b1", "b2", "b3"]
    for stage in ("b2", "b3"):
        run = tmp_path / "out" / "runs" / stage
        assert list((run / "games").glob("0000-*.games")) and (run / "nets" / "0001.h5").exists()
    shown = capsys.readouterr().out
    assert main(given, "") == 0  # nothing is left but to print the table
    assert table in shown and table in capsys.readouterr().out
