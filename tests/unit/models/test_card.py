"""A model card: the command that repeats a run, and what was measured of it."""

import hashlib
import json
import shlex
from dataclasses import asdict

import pytest

from golois.kit.files import sha256_of
from models.__main__ import main
from models.catalogue.registry import default_options, resolve_options
from models.evaluation.positions import choose_split
from models.training.arguments import parse_arguments
from models.training.card import card, command_of
from models.training.options import EMBEDDED_GAMES, Options, complete
from tests.data import ROOT

COMMANDS = (
    "--model resnet --data games.data",
    "--model restnet --set blocks=RRT --set heads=4 --minutes 2.5 --jit --ema 0.999",
    "--model resnet --minutes 30",
    "--model resnet --minutes 30 --epochs 100",
    "--model resnet --minutes 30 --epochs 20 --warmup-epochs 2.5",
    "--model resnet --minutes 30 --warmup-epochs 0.5 --weight-decay 0",
    "--model mobilenet --optimizer adam",
    "--model nogozero --aux ownership,score=0.1 --curriculum blocks=2 --curriculum blocks=4",
    "--model resnet --optimizer adamw --weight-decay 0 --lr 0.0012345678",
    "--model resnet --optimizer sgd --lr 0.2 --momentum 0 --no-nesterov",
    "--model vit --optimizer sgd --features vit --fit-budget --data b.games=0.5 --data 'a b.games'",
)
FOLDERS = sorted(path for path in (ROOT / "data").glob("*networks/*") if path.is_dir())
HISTORY = "epoch,positions,seconds,val_loss,average_val_loss\n1,640,60,4.0,\n2,1280,120,5.0,3.5\n"


@pytest.mark.parametrize("words", COMMANDS)
def test_the_command_of_a_run_means_the_same_run(words):
    options = Options(**complete(parse_arguments(shlex.split(words))))
    python, script, *spelt = shlex.split(command_of(vars(options)))
    assert (python, script) == ("python", "train.py")
    assert Options(**complete(parse_arguments(spelt))) == options


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: "/".join(path.parts[-2:]))
def test_a_shipped_network_can_be_built_again_and_has_its_card(folder):
    config = json.loads((folder / "config.json").read_text())
    options = config["options"]
    settings = resolve_options(options["model"], options["set"], options["preset"])
    assert settings == default_options(options["model"]) | config["model_options"]
    assert card(folder) == (folder / "README.md").read_text()


def report_of(source: str, top1: float) -> dict:
    policy = {"top1": top1, "top5": 0.7, "extended_top1": 0.41}
    value = {
        "one_view": {"mse": 0.05, "mae": 0.15, "brier": 0.2}, "constant": {"mse": 0.125, "mae": 0.3}
    }
    found = {"num_positions": 2000, "value": value}
    found["policy"] = {"one_view": policy, "eight_views": policy}
    speed = {"device": "cpu:0", "milliseconds": {"1": {"wall": 8.0}}}
    network = {"sha256": hashlib.sha256(b"measured").hexdigest()}
    return {"network": network, "by_source": {source: found}, "speed": speed}


def config_of(options: Options, total: int, trainable: int) -> str:
    sizes = {"total": total, "trainable": trainable}
    data = {"files": [{"num_games": 2029, "sha256": ""}]}
    return json.dumps(
        {"options": vars(options), "model_options": {}, "parameters": sizes, "data": data}
    )


def test_a_card_tells_of_run_and_measurements(tmp_path, capsys):
    config = config_of(Options(model="resnet", data={"some.games": 2.0}), 95_987, 95_325)
    run = tmp_path / "mine"
    for source, top1 in (("people", 0.4), ("katago", 0.5)):
        (run / source).mkdir(parents=True)
        (run / source / "evaluation.json").write_text(json.dumps(report_of(source, top1)))
    (run / "config.json").write_text(config)
    (run / "history.csv").write_text(HISTORY)
    (run / "best_with_heads.h5").write_bytes(b"measured")
    (run / "best.h5").write_bytes(b"without heads")
    assert main(["card", str(run)]) == 0
    text = (run / "README.md").read_text()
    assert text.startswith("# mine\n") and "95,987 parameters" in text
    assert "1,280 positions drawn from 2,029 games of some.games" in text
    assert "in 2 minutes, validation included" in text
    assert "epoch 2 of 2" in text  # its average has the lowest held-out loss
    (run / "history.csv").write_text(HISTORY.replace("2,1280,120,", "2,1280,45,"))
    assert "in 45 seconds, validation included" in card(run)
    assert "| katago | 2,000 | 50.0% |" in text and "| people | 2,000 | 40.0% |" in text
    assert "| 0.0500 | 0.1250 | 0.1500 | 0.2000 |" in text
    (run / "best_with_heads.h5").write_bytes(b"of a longer run")
    assert main(["card", str(run)]) == 2
    assert "is of a network that is no longer in this folder: run" in capsys.readouterr().err


def test_a_card_tells_reports_of_other_networks_and_other_games_apart(tmp_path):
    """The milliseconds are those of best.h5."""
    config = json.loads(config_of(Options(model="resnet"), 9, 8))
    config["data"]["files"][0]["sha256"] = sha256_of(EMBEDDED_GAMES)
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "history.csv").write_text(HISTORY)
    for folder, name in (("a", "average.h5"), ("b", "best.h5"), ("c", "best.h5")):
        network = tmp_path / name
        network.write_bytes(name.encode())
        report = report_of("katago", 0.4)
        report["network"]["sha256"] = sha256_of(network)
        seed = 5 if folder == "c" else None
        report["split"] = asdict(choose_split(network, [], seed, None))
        report["split"] |= {"files": []}
        report["speed"]["milliseconds"]["1"]["wall"] = len(name)
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "evaluation.json").write_text(json.dumps(report))
    text = card(tmp_path)
    rows = [line.split("|")[1].strip() for line in text.splitlines() if "| 2,000 |" in line]
    assert rows == ["katago, average.h5", "katago", "katago, perhaps trained on"]
    assert "Milliseconds a position: 7.0 (batch of 1)" in text


def test_a_card_names_a_file_without_its_folder_and_does_not_run_it(tmp_path, capsys):
    """What is no run is one sentence."""
    options = Options(model="/nowhere/my_net.py:build", distill="/nowhere/teacher.h5")
    whole = config_of(options, 9, 8)
    for config, history, words in (
        (None, None, "is not the folder of a run"),
        ("{}", None, "the run has not ended an epoch yet"),
        ('{"options": {"model": "resnet"}}', HISTORY, "cannot read what train.py and evaluate.py"),
        (whole, HISTORY, None),
    ):
        for name, text in (("config.json", config), ("history.csv", history)):
            if text is not None:
                (tmp_path / name).write_text(text)
        if words:
            assert main(["card", str(tmp_path)]) == 2
            assert words in capsys.readouterr().err
            assert not (tmp_path / "README.md").exists()
    text = card(tmp_path)
    assert "\n`my_net.py:build`: 9 parameters, 8 of them trainable." in text
    assert "--model my_net.py:build --distill teacher.h5 --data" in text
