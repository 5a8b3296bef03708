"""evaluate.py on a small network with an ownership output, from the command line to the files."""

import json
import os
import shutil

import keras
import pytest
from keras import layers

import evaluate
import models
from golois.kit.files import sha256_of
from models.evaluation import network as measured_network
from models.evaluation import teacher as measured_teacher
from models.evaluation.network import Network
from models.evaluation.probes import ladder, ladder_positions
from tests.katago_files import NAME, write_network

pytestmark = pytest.mark.usefixtures("without_graphs", "networks_read_here")

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    model = models.build("restnet", blocks="RT", filters=4, heads=1)
    trunk = Network(model, "small").trunk().output
    x = layers.Flatten()(layers.Conv2D(1, 1)(trunk))
    ownership = layers.Activation("tanh", name="ownership")(x)
    path = tmp_path_factory.mktemp("network") / "net.h5"
    keras.Model(model.inputs, [*model.outputs, ownership]).save(path)
    return path


def report_of(capsys, folder, name, *arguments):
    code = evaluate.main([*map(str, arguments), "--out", str(folder)])
    output = capsys.readouterr()
    assert (code, output.err) == (0, "")
    assert [path for path in folder.iterdir() if path.name.startswith(".")] == []
    return json.loads((folder / f"{name}.json").read_text()), output.out


def test_a_network_is_measured_and_compared_with_a_teacher(network, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(measured_network, "TIMED_SECONDS", 0)  # so a few calls of each batch
    monkeypatch.setattr(measured_teacher, "NUM_SHOWN", 2)
    teacher, folder = write_network(tmp_path / "tiny.bin.gz", 14), tmp_path / "out"
    asked = (network, "--positions", "16", "--teacher", teacher)
    report, text = report_of(capsys, folder, "evaluation", *asked)
    assert report["num_positions"] == 16
    assert sum(group["num_positions"] for group in report["by_phase"].values()) == 16
    assert report["network"]["sha256"] and report["split"]["seed"] == 0
    speed = report["speed"]
    assert set(speed["milliseconds"]) == {"1", "32"}
    assert all(timed["calls"] >= 5 for timed in speed["milliseconds"].values())
    assert speed["total"]["answers"] == 8 * 16 and speed["total"]["cpu_seconds"] > 0
    for words in ("may have been trained", "extended, strict", "constant", "owner found", "200+"):
        assert words in text
    assert "all 128 answers above, on all cores" in text
    assert "…" not in text.replace("0 … 4", ""), "no number is cut off where there is no terminal"
    found = report["teacher"]
    assert found["teacher"]["name"] == NAME and found["num_positions"] == 16
    assert sum(group["num_positions"] for group in found["by_phase"].values()) == 16
    assert found["cross_entropy"] > found["entropy"] > 0
    assert 0 < len(found["disagreements"]) <= 2
    for words in (f"agreement with the teacher {NAME}", "the largest disagreements", "200+"):
        assert words in text
    for name in ("calibration", "disagreements"):
        assert (folder / f"{name}.png").read_bytes().startswith(PNG)
    monkeypatch.setattr(measured_network, "TIMED_CALLS", 1)
    alone, _ = report_of(capsys, tmp_path / "alone", "evaluation", network, "--positions", "2")
    assert "teacher" not in alone and not (tmp_path / "alone" / "disagreements.png").exists()


def test_the_digest_is_that_of_the_network_measured(network, tmp_path, monkeypatch):
    """A training that runs on replaces best.h5."""
    path, load = shutil.copy(network, tmp_path / "best.h5"), measured_network.load_network
    better = models.build("resnet", blocks=1, filters=4)
    better.save(tmp_path / "better.h5")

    def load_during_a_training(path):
        found = load(path)
        if (tmp_path / "better.h5").exists():
            (tmp_path / "better.h5").replace(path)
        return found

    monkeypatch.setattr(measured_network, "load_network", load_during_a_training)
    found, sha256 = evaluate.loaded(path)
    assert sha256 == sha256_of(path) != sha256_of(network)
    assert found.model.count_params() == better.count_params()


@pytest.mark.parametrize("name", ["none.bin.gz", "text.bin.gz"])
def test_a_file_that_is_no_teacher_is_refused_before_the_work(network, tmp_path, capsys, name):
    (tmp_path / "text.bin.gz").write_text("no network")
    assert evaluate.main([str(network), "--teacher", str(tmp_path / name)]) == 2
    printed = capsys.readouterr()
    assert name in printed.err and printed.err.count("\n") == 1 and printed.out == ""


@pytest.mark.parametrize(
    ("options", "num_rings", "words"),
    [
        pytest.param([], 24, "24 black ring, alive", marks=pytest.mark.slow),
        (["--races"], 3, "for the first to move"),
    ],
)
def test_circular_groups_are_asked_about(
    options, num_rings, words, network, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(evaluate, "NUM_RINGS", num_rings)
    arguments = (network, "--probe", "circular", *options)
    report, text = report_of(capsys, tmp_path, "circular", *arguments)
    errors = [row["mse"] for row in report["positions"]]
    assert report["mean_mse"] == pytest.approx(sum(errors) / num_rings) and len(errors) == num_rings
    assert report["races"] == bool(options) and words in text


def test_attention_is_drawn(network, tmp_path, capsys):
    """Contrast changes what is drawn and not what is kept."""
    sgf = tmp_path / "game.sgf"
    sgf.write_text("(;FF[4]GM[1]SZ[19];B[pd];W[dp])")
    arguments = (network, "--probe", "attention", "--point", "Q16", "--sgf", sgf)
    plain, text = report_of(capsys, tmp_path / "plain", "attention", *arguments)
    assert [(head["block"], head["head"]) for head in plain["heads"]] == [(1, 1)]
    assert sum(plain["heads"][0]["weights"]) == pytest.approx(1, abs=1e-5)
    assert "block 1, head 1, from Q16" in text
    again, other = report_of(capsys, tmp_path / "curve", "attention", *arguments, "--contrast")
    assert plain["heads"] == again["heads"]
    assert text.partition("written into")[0] != other.partition("written into")[0]
    pictures = [(tmp_path / name / "attention.png").read_bytes() for name in ("plain", "curve")]
    assert pictures[0].startswith(PNG) and pictures[0] != pictures[1]


def test_a_go_program_is_shown_ownership_and_attention(network, tmp_path, capfd, monkeypatch):
    network = shutil.copy(network, tmp_path / "best.h5")
    reader, writer = os.pipe()
    shown = "golois-ownership", "golois-attention 1 1 q16"
    os.write(writer, "\n".join(["name", "play b q16", *shown, "genmove w", "quit"]).encode())
    os.close(writer)
    with os.fdopen(reader) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        assert evaluate.main([str(network), "--gtp"]) == 0
    name, played, ownership, attention, refused, ended = capfd.readouterr().out.split("\n\n")[:6]
    assert name == f"= {tmp_path.name}"
    assert (played, refused, ended) == ("=", "? unknown command", "=")
    assert ownership.startswith("= INFLUENCE A19 ") and "points for Black" in ownership
    assert attention.count("COLOR #") == 361 and attention.endswith("SQUARE Q16")


def test_ladders_are_probed(network, tmp_path, capsys, monkeypatch):
    games = ladder_positions._games
    monkeypatch.setattr(ladder, "ROUNDS", 1)
    monkeypatch.setattr(ladder_positions, "MIN_SAMPLES", 4)
    monkeypatch.setattr(
        ladder_positions, "_games", lambda d: (p for p, _ in zip(games(d), range(20), strict=False))
    )
    arguments = (network, "--probe", "ladder", "--mask-ladders")
    report, text = report_of(capsys, tmp_path, "ladder", *arguments)
    assert report["mask_ladders"] and report["trunk"]["channels"] == 4
    assert 0 <= report["head"]["accuracy"] <= 1
    assert "a line through planes 1 to 4" in text
    written = tmp_path / "ladders_test.sgf"
    marked, _ = report_of(capsys, tmp_path / "again", "ladder", *arguments, "--sgf", written)
    num_ladders = len(written.read_text().splitlines())
    assert marked["num_test_positions"] == report["num_test_positions"] == num_ladders
    assert marked["head"] == report["head"] and marked["sgf"] == [str(written)]


def test_a_pass_is_no_point_to_look_from(network, capsys):
    assert evaluate.main([str(network), "--probe", "attention", "--point", "pass"]) == 2
    assert capsys.readouterr().err == (
        "evaluate.py: --point must be a point of the board, not a pass\n"
    )
