"""What train.py takes on its command line, and the one sentence it says about the rest."""

import json
import re
import shutil
from contextlib import nullcontext
from errno import ENOLCK, ENOSPC, EPIPE
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import train
from golois.kit.command import UsageError, in_one_sentence
from golois.kit.files import write_whole
from models.catalogue.registry import REGISTRY, resolve_options
from models.errors import ModelOptionError
from models.training.checkpoint import RunState
from models.training.curriculum import is_over, stages_of
from models.training.dial import derive, dialled
from models.training.options import complete
from models.training.outlook import Outlook
from models.training.run_folder import TrainingFolder
from models.training.schedules import continued, make_schedule
from models.training.steps import constant_errors, prefetched
from tests.data import EMBEDDED_GAMES
from tests.games import altered


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--epochs", "0"], "--epochs must be above 0 without --minutes"),
        (["--epochs", "-1", "--minutes", "1"], "--epochs must be a finite number from 0, not -1"),
        (["--batch-size", "-1"], "--batch-size must be a finite number above 0, not -1"),
        (["--lr", "nan"], "--lr must be a finite number above 0, not nan"),
        (["--lr", "inf"], "--lr must be a finite number above 0, not inf"),
        (["--minutes", "inf"], "--minutes must be a finite number from 0, not inf"),
        (["--seed", "4294967296"], "--seed must be from 0, below 4294967296, not 4294967296"),
        (["--size", "small", "--batch-size", "0"], "--batch-size must be a finite number above 0"),
        (["--size", "small", "--minutes", "nan"], "--minutes must be a finite number from 0"),
        (["--lr", "fast"], "--lr: invalid float value: 'fast'"),
        (["--restart-epochs", "-1"], "--restart-epochs must be a finite number from 0, not -1.0"),
        (["--schedule", "warm"], "invalid choice: 'warm'"),
        (["--features", "zero"], "--features must be one of preset, course, vit, "),
        (["--schedule", "step", "--step-epochs", "9,7"], "such as 16 or 70,90, not '9,7'"),
        (["--step-epochs", "70,90"], "--step-epochs is only for --schedule step, not cosine"),
        (["--schedule=step", "--restart-epochs=9"], "only for --schedule cosine, not step"),
        (["--restart-factor", "2"], "has no effect without --restart-epochs: give both, or"),
        (["--optimizer", "best"], "invalid choice: 'best'"),
        (["--ema", "1"], "--ema must be from 0, below 1, not 1.0"),
        (["--optimizer", "sgd", "--momentum", "1"], "--momentum must be from 0, below 1, not 1.0"),
        (["--momentum", "0.8"], "--momentum is only for --optimizer sgd, not muon"),
        (["--optimizer", "lion", "--no-nesterov"], "--nesterov is only for --optimizer sgd"),
        (["--optimizer", "sgd", "--muon-blocks-only"], "only for --optimizer muon or normuon, not"),
        (["--optimizer", "sgd", "--cautious-decay"], "has no effect without --weight-decay: give"),
        (["--swa", "1.5"], "--swa must be from 0 to 1, not 1.5"),
        (["--swa", "0.5", "--ema", "0.9"], "--ema 0.9 and --swa 0.5 exclude each other"),
        (["--batch-size", "3", "--devices", "2"], "must be a multiple of --devices 2, not 3"),
        (["--epochs", "1", "--curriculum", "blocks=1"], "the number of --curriculum, 1, not 1"),
        (["--precision", "half"], "invalid choice: 'half'"),
        (["--set", "blocks"], "--set needs KEY=VALUE, not 'blocks'"),
        (["--label-smoothing", "1.5"], "--label-smoothing must be from 0 to 1, not 1.5"),
        (["--distill-weight", "-1", "--distill", "t.h5"], "must be from 0 to 1, not -1"),
        (["--distill-weight", "0.3"], "--distill-weight has no effect without --distill: give"),
        (["--whole-games", "--jit"], "batches of many sizes, and --jit needs one size"),
        (["--whole-games", "--hard-examples=0.5"], "and --hard-examples needs one size: leave"),
        (["--hard-examples", "0"], "--hard-examples must be above 0, up to 1, not 0"),
        (["--whole-games", "--devices=2"], "and --devices needs one size: leave one out"),
        (["--aux", "dominion"], "--aux must be one of ownership, score, reply, moves, teacher, "),
        (["--aux", "soft_policy"], "--aux soft_policy needs games that a teacher has labelled"),
        (["--data", "nowhere.games"], "nowhere.games: give --data a file of games"),
        (["--data", "a", "--data", "./a=2"], "--data names ./a twice"),
        (["--data", "a=0"], "the weight in --data 'a=0' must be a finite number above 0"),
        (["--resume", "nowhere"], "nowhere is not the folder of a run"),
        (["--epoch", "3"], "unrecognized arguments: --epoch 3 (did you mean --epochs?)"),
        (["--aux", "replay"], "not 'replay' (did you mean reply?)"),
        (["--model", "mobilnet"], "no model 'mobilnet' (did you mean mobilenet?): choose one of"),
        (["--set", "block=3"], "mobilenet has no option 'block' (did you mean blocks?): choose"),
    ],
)
def test_bad_input_is_one_sentence(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert train.main(arguments) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.err.startswith("train.py: ") and captured.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_it_says_what_can_be_trained_and_help_has_each_option(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert train.main([]) == 2
    captured = capsys.readouterr()
    names = {line.split()[0] for line in captured.out.splitlines() if line.startswith("  ")}
    assert names == set(REGISTRY)
    assert captured.err == f"train.py: nothing was trained; to begin: {train.FIRST_COMMAND}\n"
    assert list(tmp_path.iterdir()) == []
    first = train.parse_arguments(train.FIRST_COMMAND.split()[2:])
    assert train.new_run(first)[0].minutes == 5
    assert train.new_run(train.parse_arguments(["--epochs", "2"]))[0].model == "mobilenet"
    with pytest.raises(SystemExit, match="0"):
        train.parse_arguments(["--help"])
    told = set(re.findall(r"--[a-z0-9-]+", capsys.readouterr().out))
    assert {f"--{name.replace('_', '-')}" for name in vars(train.Options())} <= told


def keep(folder: Path, options: dict) -> None:
    """Write the config of a run with these options."""
    (folder / "config.json").write_text(json.dumps({"options": options}))


@pytest.mark.parametrize(
    ("given", "longer"),
    [
        ({"epochs": 100}, "--epochs 200"),
        ({"minutes": 2.5}, "--minutes 5"),
        ({"epochs": 3, "minutes": 0.5}, "--epochs 6 --minutes 1"),
        ({"epochs": 1_000_001}, "--epochs 2000002"),
    ],
)
def test_a_run_can_be_made_longer_in_what_it_was_begun_with(given, longer, tmp_path):
    options, _ = train.new_run(given)
    assert options.twice_as_long() == longer
    keep(tmp_path, vars(options))
    again = train.parse_arguments(["--resume", str(tmp_path), *longer.split()])
    later, _ = train.old_run(again)
    assert later.progress(options.epochs * options.steps_per_epoch, 60 * options.minutes) == 0.5


def test_altered_games_are_refused_before_the_network_is_built(tmp_path, capsys):
    path = tmp_path / "altered.games"
    path.write_bytes(EMBEDDED_GAMES.read_bytes())
    altered(path, 5000, b"\xff\xff\xff")
    assert train.main(["--data", str(path), "--out", str(tmp_path / "run")]) == 2
    assert "altered.games: the words at bytes" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ("--lr 1", {"lr": 1.0}),
        ("--set blocks=2 --set filters=8", {"set": {"blocks": "2", "filters": "8"}}),
        ("--data /a=2.5 --data /b=c.games", {"data": {"/a": 2.5, "/b=c.games": 1.0}}),
        ("--data d", {"data": {str(Path("d").resolve()): 1.0}}),
        ("--jit", {"jit": True}),
        ("--nesterov", {"nesterov": True}),
    ],
)
def test_text_on_the_command_line_is_typed(arguments, given):
    assert train.parse_arguments(arguments.split()) == given


def test_an_optimizer_has_its_own_rate_decay_and_momentum():
    assert train.new_run({})[0] == train.Options()
    assert train.new_run({"optimizer": "adam"})[0].lr == 0.002
    chosen, _ = train.new_run({"optimizer": "lion", "weight_decay": 0.1})
    assert (chosen.lr, chosen.weight_decay) == (0.0002, 0.1)
    words = ["--optimizer", "sgd", "--momentum", "0", "--no-nesterov", "--weight-decay", "0.1"]
    chosen = train.new_run(train.parse_arguments(words))[0].of_compilation()
    assert (chosen["momentum"], chosen["nesterov"], chosen["weight_decay"]) == (0.0, False, 0.1)
    usual = train.new_run({"optimizer": "sgd"})[0].of_compilation()
    assert (usual["momentum"], usual["nesterov"]) == (0.9, True)
    assert "momentum" not in train.new_run({})[0].of_compilation()


def test_a_run_from_before_an_option_of_its_network_had_the_builder_s_default(tmp_path):
    """It is resumed, unless the preset has another value."""
    settings = resolve_options("resnet")
    description = {"options": {"model": "resnet"}, "model_options": settings}
    description |= {"data": {"files": []}, "teacher": None, "own_network": None}
    for later, is_same in (({"size", "planes", "moves"}, True), ({"perspective"}, False)):
        older = {key: value for key, value in settings.items() if key not in later}
        config = {**description, "model_options": older}
        (tmp_path / "config.json").write_text(json.dumps(config))
        with nullcontext() if is_same else pytest.raises(UsageError, match="another network"):
            train.require_same(TrainingFolder(tmp_path), description)


def test_an_option_of_an_own_network_may_be_renamed(tmp_path):
    description = {"options": {"model": "my_net.py:build"}, "model_options": {"filters": 4}}
    description |= {"data": {"files": []}, "teacher": None, "own_network": "1", "versions": {}}
    config = {**description, "model_options": {"width": 4}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    train.require_same(TrainingFolder(tmp_path), description)


def test_stages_differ_from_the_last_network_in_what_they_say():
    curriculum = ["blocks=1,filters=4", "blocks=2"]
    stages = stages_of(train.Options(set={"filters": "8"}, curriculum=curriculum))
    sizes = [(stage["blocks"], stage["filters"]) for stage in stages]
    assert sizes == [(1, 4), (2, 8), (18, 8)]
    with pytest.raises(UsageError, match="--curriculum needs KEY=VALUE, not 'blocks'"):
        stages_of(train.Options(curriculum=["blocks"]))
    with pytest.raises(ModelOptionError, match="mobilenet has no option"):
        stages_of(train.Options(curriculum=["depth=3"]))


def test_all_stages_have_the_width_that_fits_the_budget():
    """Or a stage would not begin with the answers of the stage before."""
    options = train.Options(
        model="resnet", set={"blocks": "3"}, fit_budget=60_000,
        curriculum=["blocks=1", "blocks=2", "blocks=2,filters=8"],
    )  # fmt: skip
    *fitted, own, last = [stage["filters"] for stage in stages_of(options)]
    assert fitted == [last, last] and last > own == 8


@pytest.mark.parametrize(
    ("num_epochs", "best_epoch", "progress", "stage", "num_positions", "over"),
    [
        (0, 0, 0.0, 0, 0, False),
        (3, 1, 0.1, 0, 0, False),
        (4, 1, 0.1, 0, 0, True),
        (4, 1, 0.1, 0, 128, False),
        (4, 4, 0.4, 0, 0, True),
        (4, 4, 0.4, 1, 0, False),
        (4, 0, 0.4, 1, 0, False),
        (6, 0, 0.5, 1, 0, True),
        (9, 0, 0.9, 2, 0, False),
    ],
)
def test_a_stage_ends_when_it_stalls_or_has_had_its_share(
    num_epochs, best_epoch, progress, stage, num_positions, over
):
    """Of three; the second one began after three epochs."""
    state = RunState(history=[{}] * num_epochs, best_epoch=best_epoch, stage=stage)
    state.stage_began = 3 * stage
    state.num_positions = num_positions
    assert is_over(state, num_stages=3, progress=progress) == over


def test_smoke_gives_way_to_what_is_given():
    chosen, _ = train.new_run({"smoke": True, "batch_size": 4})
    assert (chosen.epochs, chosen.steps_per_epoch, chosen.batch_size) == (1, 2, 4)


def test_resume_takes_what_leaves_the_run_as_it_is(tmp_path):
    keep(tmp_path, vars(train.Options(epochs=7, set={"blocks": "1"}, data={"/a": 1.0, "/b": 2.0})))
    assert train.old_run({"resume": tmp_path, "epochs": 7})[0].epochs == 7
    moved = {"/c": 1.0, "/d": 2.0}
    assert train.old_run({"resume": tmp_path, "data": moved})[0].data == moved
    differs = "differs from the run that --resume continues"
    for other, words in (
        ({"lr": 0.5}, differs),
        ({"set": {}}, differs),
        ({"out": tmp_path}, differs),
        ({"smoke": True}, differs),
        ({"data": {"/c": 1.0}}, "as many files, with the same weights"),
    ):
        with pytest.raises(UsageError, match=words):
            train.old_run({"resume": tmp_path, **other})
    with pytest.raises(UsageError, match="--resume"):  # a new run into its folder
        train.new_run({"out": tmp_path})
    keep(tmp_path, vars(train.Options(epochs=0, minutes=2)))
    assert train.old_run({"resume": tmp_path, "minutes": 3})[0].minutes == 3
    with pytest.raises(UsageError, match="the run has no --epochs: to make it longer, give --minu"):
        train.old_run({"resume": tmp_path, "epochs": 7})
    before_the_momentum = vars(train.new_run({"optimizer": "sgd"})[0])
    del before_the_momentum["momentum"], before_the_momentum["nesterov"]
    keep(tmp_path, before_the_momentum)
    options, _ = train.old_run({"resume": tmp_path})
    assert (options.momentum, options.nesterov) == (0.9, True)


def test_resume_is_told_where_a_network_of_one_s_own_is_now(tmp_path):
    keep(tmp_path, vars(train.Options(model="/colab/my_net.py:build")))
    with pytest.raises(UsageError, match="no file /colab/my_net.py: give --model where it is now"):
        train.old_run({"resume": tmp_path})
    (tmp_path / "my_net.py").touch()
    moved = f"{tmp_path}/my_net.py:build"
    assert train.old_run({"resume": tmp_path, "model": moved})[0].model == moved
    with pytest.raises(UsageError, match="--model resnet differs from the run"):
        keep(tmp_path, vars(train.Options(model=moved)))
        train.old_run({"resume": tmp_path, "model": "resnet"})


def test_a_run_goes_on_as_it_began_whatever_the_defaults_are_now(tmp_path):
    begun = {
        **dict(model="resnet", epochs=100, steps_per_epoch=160, batch_size=64, value_weight=4.0),
        **dict(optimizer="adam", lr=0.002, weight_decay=0.0, warmup_epochs=0.0),
    }
    keep(tmp_path, {**vars(train.Options()), **begun})
    options, _ = train.old_run({"resume": tmp_path, "epochs": 200})
    assert {name: getattr(options, name) for name in begun} == {**begun, "epochs": 200}
    for name in ("optimizer", "weight_decay", "warmup_epochs"):  # which the oldest runs don't have
        keep(tmp_path, {key: begun[key] for key in begun if key != name})
        assert getattr(train.old_run({"resume": tmp_path})[0], name) == begun[name]


def test_a_longer_run_is_kept_before_its_first_checkpoint(tmp_path, monkeypatch):
    """As of a run that was killed in its first epoch."""
    folder, tiny = tmp_path / "run", ["--set=blocks=1", "--set=filters=4"]
    monkeypatch.setattr(train, "train", lambda *_: 0)
    assert train.main([*tiny, "--epochs=2", "--out", str(folder)]) == 0
    assert train.main(["--resume", str(folder), "--epochs=60"]) == 0
    assert TrainingFolder(folder).read_config()["options"]["epochs"] == 60


def test_files_that_moved_are_kept_by_a_resumed_run(tmp_path, monkeypatch):
    folder, moved = tmp_path / "run", tmp_path / "moved.games"
    shutil.copy(EMBEDDED_GAMES, moved)
    monkeypatch.setattr(train, "train", lambda *_: 0)
    small = ["--model=resnet", "--set=blocks=1", "--set=filters=4"]
    assert train.main([*small, "--epochs=2", "--out", str(folder)]) == 0
    assert train.main(["--resume", str(folder), f"--data={moved}"]) == 0
    assert list(TrainingFolder(folder).read_config()["options"]["data"]) == [str(moved)]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (dict(minutes=1, epochs=2), "100 positions/s: 32 s for the whole run"),
        (dict(minutes=1, epochs=9), "100 positions/s: about 6,000 positions in 1 minutes, each 12"),
        (dict(epochs=9), "100 positions/s: 144 s for the whole run"),
        (dict(epochs=9, whole_games=True), "100 positions/s"),
        (dict(epochs=9, clock="cpu"), "100 positions/s: 144 s of processor time for the whole run"),
        (
            dict(minutes=1, clock="cpu"),
            "100 positions/s: about 6,000 positions in 1 minutes of processor time, each 12",
        ),
    ],
)
def test_what_ends_a_run_first_is_forecast(given, said, monkeypatch):
    outlook = object.__new__(Outlook)
    outlook._options = train.Options(steps_per_epoch=50, batch_size=32, **given)
    outlook._games = SimpleNamespace(num_positions=lambda split: 500)
    monkeypatch.setattr(outlook, "_expected", lambda seen: ())
    (line,) = outlook.at_the_end(100.0)
    assert line.startswith(said.replace("144 s", "2 min"))


def test_progress_is_the_further_of_batches_and_time(tmp_path):
    """Minutes alone end a run after any number of epochs."""
    for minutes, step, seconds, expected in (
        (0, 5, 1e9, 0.5),
        (2, 5, 12, 0.5),
        (2, 1, 60, 0.5),
        (2, 1, 500, 1.0),
        (0, 10, 0, 1.0),
    ):
        chosen = train.Options(epochs=2, steps_per_epoch=5, minutes=minutes)
        assert chosen.progress(step, seconds) == expected
    options, _ = train.new_run({"minutes": 2, "steps_per_epoch": 5, "out": tmp_path / "run"})
    assert options.epochs == 0 and options.progress(10**6, 60) == 0.5
    assert options.of_schedule()["epochs"] == options.scheduled_epochs == 100
    assert options.warmup_epochs == 2.5, "per cent of the time: the usual share of a run"
    both, _ = train.new_run({"minutes": 2, "epochs": 7, "out": tmp_path / "run"})
    assert both.of_schedule()["epochs"] == both.epochs == 7 and both.warmup_epochs == 0.5


@pytest.mark.parametrize(
    ("name", "saved", "expected"),
    [
        ("cosine", dict(initial=0.1, period=2, growth=1.0, final=0.0), 0.05),
        ("onecycle", dict(highest=0.1, epochs=2, rise=0.3, first=0.04, last=4e-6), None),
        ("dividing", dict(initial=0.1, batches_per_step=6, rate=0.025), 0.025),
    ],
)
def test_a_schedule_goes_on_in_a_longer_run(name, saved, expected):
    longer = make_schedule(name, initial=0.1, epochs=4, batch_size=32)
    rate = continued(longer, saved)(2.0, float("nan"))
    assert rate == pytest.approx(longer(2.0, float("nan")) if expected is None else expected)


def test_the_first_rate_is_that_of_the_first_batch():
    for given, first in (
        ({}, 0.0),
        ({"warmup_epochs": 0.0}, 0.01),
        ({"schedule": "onecycle", "warmup_epochs": 0.0}, 0.01 / 25),
    ):
        assert train.Options(**given).first_rate == pytest.approx(first)


def test_memory_that_runs_out_is_one_sentence():
    import tensorflow as tf

    of_device = tf.errors.ResourceExhaustedError(None, None, "OOM when allocating")
    for full in (of_device, MemoryError("unable to allocate")):
        words = "memory ran out with --batch-size 32: .* --batch-size 16"
        with pytest.raises(UsageError, match=words), train.full_memory_in_words(train.Options()):
            raise full
    with pytest.raises(ValueError, match="else"), train.full_memory_in_words(train.Options()):
        raise ValueError("something else")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(ENOSPC, "No space left on device"), "No space left on device"),
        (RuntimeError("Can't destroy cache"), "not written: Can't destroy cache"),
    ],
)
def test_a_failed_write_leaves_the_old_file_alone(error, words, tmp_path):
    path = tmp_path / "net.h5"
    path.write_text("old")

    def write_half(beside):
        beside.write_text("ha")
        raise error

    with pytest.raises(OSError, match=words) as raised:
        write_whole(path, write_half)
    assert in_one_sentence(raised.value) == f"cannot use {path}: {words}"
    assert list(tmp_path.iterdir()) == [path] and path.read_text() == "old"
    assert in_one_sentence(BrokenPipeError(EPIPE, "Broken pipe")) == "Broken pipe"
    assert in_one_sentence(UsageError("one\n  two")) == "one two"


def test_a_file_system_without_locks_holds_a_run_too(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    with TrainingFolder(tmp_path / "run").held():
        assert (tmp_path / "run").is_dir()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.25, 0.3, 0.7, 0.9, 1.0])
def test_weights_are_averaged_over_the_last_epochs(share):
    options = train.Options(epochs=100, steps_per_epoch=80, swa=share)
    averaged = [epoch for epoch in range(1, 101) if options.is_averaged(80 * epoch, 0.0)]
    assert averaged == list(range(101 - round(100 * share), 101))


def test_batches_are_prefetched_in_order():
    drawn = []
    batches = prefetched(lambda step: drawn.append(step) or step, 5)
    assert [next(batches) for _ in range(4)] == [5, 6, 7, 8]
    batches.close()
    assert drawn == [5, 6, 7, 8, 9]


def test_the_best_constants_are_the_mean_and_the_median():
    class Batch:
        value_white = np.array([0.0, 0.0, 0.0, 1.0], np.float32)

    assert constant_errors([Batch, Batch]) == (0.1875, 0.25)


@pytest.mark.parametrize(
    ("size", "given", "expected"),
    [
        # 100 positions/s: 60,000 in ten minutes, 1,875 batches of 32
        ("small", {}, dict(minutes=10, fit_budget=30_000, steps_per_epoch=94)),
        # 2,880,000 positions in eight hours: 90,000 batches of 32
        ("full", {}, dict(minutes=480, fit_budget=100_000, steps_per_epoch=2000)),
        (
            "medium", {"minutes": 1, "lr": 0.005, "batch_size": 16},
            dict(fit_budget=60_000, steps_per_epoch=40),
        ),
    ],
)  # fmt: skip
def test_a_size_derives_what_is_not_given(size, given, expected):
    found = derive(size, given, flops=2e8, peak=1e11)
    assert found.options == expected
    assert "about 100 positions/s" in " ".join(found.reasons)


@pytest.mark.parametrize(("limit", "words"), [(50_000, "at most 50,000 parameters, "), (0, "")])
def test_a_size_says_the_given_budget(limit, words):
    found = derive("small", {"fit_budget": limit}, flops=2e8, peak=1e11)
    assert found.reasons[0] == f"--size small: {words}10 minutes"


def test_a_size_is_told_as_the_whole_command(capsys):
    given = {"set": {"blocks": "1"}, "batch_size": 16, "minutes": 0.5, "out": Path("there")}
    chosen = dialled("small", given)
    said = capsys.readouterr().out
    for words in ("--batch-size 16", "--minutes 0.5", "--set blocks=1", "--fit-budget 30000"):
        assert words in said
    assert chosen["out"] == Path("there") and chosen["fit_budget"] == 30_000


def test_a_size_leaves_an_own_network_as_large_as_it_is(tmp_path, capsys):
    file = tmp_path / "my_net.py"
    file.write_text("import models\ndef net():\n    return models.build('resnet', filters=4)\n")
    assert dialled("small", {"model": f"{file}:net", "minutes": 0.5})["fit_budget"] == 0


@pytest.mark.parametrize("other", [["--resume", "runs/mine"], ["--smoke"]])
def test_a_size_is_for_a_new_run(other, capsys):
    assert train.main(["--size", "small", *other]) == 2
    assert f"--size has no effect with {other[0]}: leave it out" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "rate"),
    [
        ({}, 0.01),
        ({"model": "runs/mine/best.h5"}, 0.002),
        ({"model": "resnet", "init_from": "best.h5"}, 0.002),
        ({"init_from": "best.h5", "optimizer": "lion"}, 0.0002),
        ({"init_from": "best.h5", "lr": 0.005}, 0.005),
    ],
)
def test_a_network_that_has_learned_begins_at_a_low_rate(given, rate):
    assert complete(given)["lr"] == rate
