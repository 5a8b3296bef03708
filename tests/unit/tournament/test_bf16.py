"""bf16: who may have it, how it is refused, and that it reaches networks and records."""

import numpy as np
import pytest

from golois.kit.cluster import ClusterError, Here
from selfplay.command import main as selfplay
from selfplay.shards import play_here
from tests.fake_arena import league_of
from tests.runs import tournament
from tests.small_networks import random_artefact
from tournament.errors import OptionsError
from tournament.game.options import EventOptions
from tournament.intake.artefact import open_network
from tournament.networks.evaluator import open_evaluator
from tournament.networks.runtimes import open_vino, require_precision
from tournament.report.snapshot import rules_of
from tournament.running.cluster_engine import survey_under
from tournament.running.match import entrants_of
from tournament.running.sides import parse_side

BF16 = EventOptions(visits=4, precision="bf16")
REFUSAL = "needs a processor with AVX512_BF16 or AMX"


def flags(*names: str) -> str:
    """What Linux says of a processor of two cores."""
    core = f"processor\t: 0\nflags\t\t: fpu avx512f {' '.join(names)}\nbugs\t\t: spectre\n\n"
    return 2 * core


@pytest.fixture
def processor(tmp_path, monkeypatch):
    """Makes this machine one that Linux describes so, None where there is no Linux."""

    def describe(text: str | None, capabilities=("FP32", "BF16")) -> None:
        info = tmp_path / "cpuinfo"
        if text is not None:
            info.write_text(text)
        core = type("Core", (), {"get_property": lambda *of: list(capabilities)})
        monkeypatch.setattr(open_vino, "_CPU_INFO", info)
        monkeypatch.setattr(open_vino, "_core", core)

    return describe


@pytest.mark.parametrize(
    ("described", "has_it"),
    [
        ((flags("avx512_bf16"),), True),
        ((flags("amx_tile", "amx_bf16"),), True),
        ((flags("avx512_vnni"),), False),
        (("Features : fp asimd bf16\n", ["FP32", "FP16"]), False),
        ((None,), True),
        ((None, ["FP32"]), False),
    ],
)
def test_a_processor_has_bf16_where_it_need_not_be_emulated(processor, described, has_it):
    processor(*described)
    assert open_vino.has_bfloat16() == has_it


@pytest.fixture
def no_bf16(processor):
    processor(flags("avx512_vnni"))


def test_what_lacks_it_refuses_it_and_nothing_else(no_bf16, monkeypatch):
    require_precision("float32")
    with pytest.raises(OptionsError, match=REFUSAL):
        require_precision("bf16")
    # As a machine of a cluster says it.
    in_bf16, in_float32 = (survey_under(one).fault for one in (BF16, EventOptions(visits=4)))
    assert REFUSAL in in_bf16 and not in_float32
    monkeypatch.setattr("tournament.networks.runtimes._load", lambda name: None)
    with pytest.raises(OptionsError, match="needs OpenVINO: pip install openvino"):
        require_precision("bf16")


@pytest.mark.parametrize(
    "command",
    [
        ["run", "--precision", "bf16", "--league"],
        ["play", "one.onnx", "two.onnx", "--precision", "bf16", "--folder"],
        ["play", "one.onnx", "two.onnx,precision=bf16", "--folder"],
        ["gtp", "--precision", "bf16"],
        ["board", "--precision", "bf16"],
    ],
    ids=lambda command: f"{command[0]}-{command[-2]}",
)
def test_each_command_refuses_it_in_a_sentence(no_bf16, tmp_path, command):
    target = tmp_path / "net.onnx"
    target.touch()
    if command[0] == "run":
        target = league_of(tmp_path).folder
    if command[0] == "play":
        target = tmp_path / "match"
    code, _, errors = tournament(*command, target)
    assert (code, errors.count("\n")) == (2, 1) and REFUSAL in errors


def test_self_play_refuses_it_before_it_begins(no_bf16, tmp_path, capsys):
    run = tmp_path / "run"
    assert selfplay(["--precision", "bf16", "--out", str(run)], "") == 2
    assert (error := capsys.readouterr().err).count("\n") == 1 and REFUSAL in error
    assert not run.exists()
    job = dict(artefact="net.onnx", options={"precision": "bf16"}, first_game=0, num_games=1)
    with pytest.raises(OptionsError, match=REFUSAL):
        next(play_here(job, Here(tmp_path)))


def test_a_run_on_a_cluster_needs_it_here_for_its_gate_alone(
    no_bf16, tmp_path, monkeypatch, capsys
):
    def refused(name: str, address: str) -> None:
        raise ClusterError("no cluster")

    monkeypatch.setattr("selfplay.command.open_engine", refused)
    given = ["--precision", "bf16", "--address", "auto", "--out", str(tmp_path / "run")]
    for more, words in ([], "no cluster"), (["--gate-games", "2"], REFUSAL):
        assert selfplay([*given, *more], "") == 2
        assert words in capsys.readouterr().err


def test_it_is_a_rule_that_is_kept_and_shown():
    assert EventOptions.from_json(BF16.to_json()) == BF16
    older = {name: value for name, value in BF16.to_json().items() if name != "precision"}
    assert EventOptions.from_json(older).precision == "float32"
    assert dict(rules_of(BF16))["Precision"] == "bf16"
    with pytest.raises(OptionsError, match="--precision must be one of float32, bf16, not 'fp8'"):
        parse_and_apply("net.h5,precision=fp8")


def parse_and_apply(text: str) -> EventOptions:
    return BF16.changed(parse_side(text).options)


def test_a_network_can_play_itself_in_both(tmp_path):
    network = tmp_path / "net.onnx"
    network.write_bytes(random_artefact())
    sides = [parse_side(f"{network}{option}") for option in ("", ",precision=bf16")]
    one, other = entrants_of(sides, tmp_path)
    assert one.sha256 == other.sha256 and one.identity != other.identity


@pytest.fixture
def real_bf16():
    if not open_vino.has_bfloat16():
        pytest.skip("this processor has no bf16")


def test_answers_in_bf16_are_near_those_in_float32(real_bf16, tmp_path):
    path = tmp_path / "net.onnx"
    path.write_bytes(random_artefact(filters=32))
    one, other = (open_network(path, 4, is_timed=False, precision=p) for p in ("float32", "bf16"))
    assert (one.version, other.version) == (one.sha256[:12], f"{one.sha256[:12]} bf16")
    planes = np.random.default_rng(0).integers(0, 2, one.evaluator.planes.shape).astype("float32")
    answers = [np.hstack([a, v[:, None]]) for a, v in map(_evaluate(planes), (one, other))]
    difference = np.abs(answers[0] - answers[1]).max()
    assert 1e-6 < difference < 0.05
    again = open_evaluator(path, 4).evaluate(planes)[0]
    assert np.abs(again - answers[0][:, :-1]).max() < 1e-6


def _evaluate(planes):
    return lambda network: network.evaluator.evaluate(planes)


def test_a_match_in_bf16_plays(real_bf16, tmp_path):
    for name in ("ada", "grace"):
        (tmp_path / f"{name}.onnx").write_bytes(random_artefact(seed=len(name)))
    rules = ("--precision", "bf16", "--visits", 2, "--max-plies", 8, "--workers", 1)
    sides = [tmp_path / "ada.onnx", f"{tmp_path / 'grace.onnx'},precision=float32"]
    code, out, _ = tournament("play", *sides, *rules, "--games", 2, "--quiet")
    assert code == 0 and "won" in out
