"""A match: its sides and their options, and what is added up of its games."""

import os

import pytest

from golois.errors import ArgumentError
from golois.kit.options import Parser
from tests.fake_arena import tiny_network
from tournament.commands.arguments import add_rule_arguments, event_options
from tournament.errors import NetworkError, OptionsError
from tournament.game.job import Entrant
from tournament.game.options import EventOptions
from tournament.game.record import GameRecord
from tournament.players.protocol import Choice
from tournament.running.match import entrants_of, result_of
from tournament.running.schedule import pairings
from tournament.running.sides import options_of_side, parse_side

SIDES = [Entrant("Ada", "a" * 64), Entrant("Bob", "b" * 64)]
JOBS = pairings(SIDES, 5, 0, [(60, 300)])


def game(job, winner_name: str, **changes) -> GameRecord:
    """A game of three moves after the opening: Black, White, Black."""
    winner = "black" if job.black == winner_name else "white"
    moves = [
        Choice(100 + i, 50 if i % 2 else 40, 0.5 if i % 2 else 0.25, 0.5) for i in range(3)
    ]
    names = {"black": job.black, "white": job.white}
    fields = {
        **names, "game_id": job.game_id, "pair_id": job.pair_id, "black_sha256": job.black_sha256,
        "white_sha256": job.white_sha256, "winner": winner, "result": "?", "kind": "played",
        "reason": "", "opening": job.opening, "moves": tuple(moves), "komi": 7.5, "host": "",
        "started_at": "",
    }  # fmt: skip
    return GameRecord(**{**fields, **changes})


def test_a_match_is_added_up_from_its_first_side():
    """Ada wins all five games as Black and two as White, one of them by forfeit."""
    white_wins = iter([True, True, False, False, False])
    games = [game(job, "Ada" if job.black == "Ada" or next(white_wins) else "Bob") for job in JOBS]
    forfeit = next(i for i, g in enumerate(games) if g.winner == "white" and g.white == "Ada")
    games[forfeit] = game(JOBS[forfeit], "Ada", kind="forfeit")
    result = result_of(SIDES, JOBS, games)
    ada, bob = result.sides
    assert (ada.wins, ada.losses, bob.wins, bob.losses) == (7, 3, 3, 7)
    assert (ada.wins_as_black, ada.losses_as_black) == (5, 0)
    assert (ada.wins_as_white, ada.losses_as_white) == (2, 3)
    assert (ada.forfeits, bob.forfeits) == (0, 1)
    assert result.games == 10 and result.win_rate == pytest.approx(0.7)
    assert (result.win_rate_low, result.win_rate_high) == pytest.approx((0.3968, 0.8922), abs=1e-4)
    assert 100 < result.elo < 300 and result.elo_halfwidth > 100
    assert ada.visits_per_move == pytest.approx((10 * 40 + 5 * 50) / 15)
    assert ada.cpu_seconds_per_move == pytest.approx((10 * 0.25 + 5 * 0.5) / 15)


def test_a_match_is_the_opposite_from_the_other_side_whatever_that_was_called():
    games = [game(job, "Ada" if i % 3 else "Bob") for i, job in enumerate(JOBS)]
    one, other = (result_of(sides, JOBS, games) for sides in (SIDES, SIDES[::-1]))
    assert one.elo == pytest.approx(-other.elo) and one.elo_halfwidth == other.elo_halfwidth
    assert one.win_rate_low == pytest.approx(1 - other.win_rate_high)
    assert one.sides == other.sides[::-1]
    games = [game(job, "Ada") for job in JOBS]
    renamed = [
        type(g)(**{**vars(g), "black": "old/" + g.black, "white": "old/" + g.white}) for g in games
    ]
    assert result_of(SIDES, JOBS, renamed) == result_of(SIDES, JOBS, games)
    result = result_of(SIDES, JOBS, [game(job, "Bob") for job in JOBS])
    assert result.win_rate == 0 and -1500 < result.elo < -200


@pytest.fixture
def networks(tmp_path):
    for seed, name in enumerate(("a/best.onnx", "b/best.onnx", "b/last.onnx")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(tiny_network(seed))
    return tmp_path


def entrants(folder, *texts) -> list[Entrant]:
    return entrants_of([parse_side(f"{folder}/{text}") for text in texts], folder / "artefacts")


def test_sides_are_named_by_their_files_and_by_folders_only_when_they_must(networks):
    assert [e.name for e in entrants(networks, "a/best.onnx", "b/last.onnx,tta=true")] == [
        "best",
        "last,tta=true",
    ]
    assert [e.name for e in entrants(networks, "a/best.onnx", "b/best.onnx")] == [
        f"{networks}/a/best.onnx",
        f"{networks}/b/best.onnx",
    ]
    one, other = entrants(networks, "a/best.onnx", "a/best.onnx,batch_size=1")
    assert one.sha256 == other.sha256 and one.identity != other.identity
    assert (networks / "artefacts" / f"{one.sha256}.onnx").read_bytes() == tiny_network(0)


def test_a_file_whose_name_is_no_utf8_has_a_name_that_can_be_written(networks):
    path = networks / os.fsdecode(b"zo\xeb.onnx")
    path.write_bytes(tiny_network(3))
    one, _ = entrants(networks, path.name, "b/last.onnx")
    assert one.name == r"zo\udceb"


def test_sides_that_are_the_same_or_no_network_are_refused(networks):
    with pytest.raises(OptionsError, match="both sides are the same network"):
        entrants(networks, "a/best.onnx", "a/best.onnx")
    (networks / "broken.onnx").write_bytes(b"no network")
    with pytest.raises(NetworkError, match="onnxruntime"):
        entrants(networks, "a/best.onnx", "broken.onnx")
    (networks / "broken.h5").write_bytes(b"no network")
    with pytest.raises(NetworkError, match="broken.h5"):
        entrants(networks, "a/best.onnx", "broken.h5")


EVENT = EventOptions(visits=100, komi=6.5)


def test_a_side_is_a_file_with_options_of_its_own():
    side = parse_side("runs/net.v2.h5,batch_size=1,player=gumbel,c_puct=2,noise=true,tta=false")
    assert (str(side.path), side.name.partition(",")[0]) == ("runs/net.v2.h5", "net.v2")
    assert side.name.endswith(",batch_size=1,player=gumbel,c_puct=2,noise=true,tta=false")
    own = options_of_side(EVENT, side.options)
    assert (own.batch_size, own.player, own.tta) == (1, "gumbel", False)
    assert own.search.c_puct == 2.0 and own.search.fpu_reduction == EVENT.search.fpu_reduction
    assert own.gumbel.noise is True and own.gumbel.c_visit == EVENT.gumbel.c_visit
    assert (own.visits, own.komi) == (EVENT.visits, EVENT.komi)


def test_a_side_may_be_the_folder_of_a_run(tmp_path):
    run = tmp_path / "mine"
    run.mkdir()
    (run / "best.h5").touch()
    side = parse_side(f"{run},tta=true")
    assert (side.path, side.name) == (run / "best.h5", "mine,tta=true")
    assert parse_side(f"{run}/best.h5,tta=true").name == "mine,tta=true"


def test_the_name_of_a_file_may_have_commas(tmp_path):
    run = tmp_path / "lr 0,01"
    run.mkdir()
    (run / "best.h5").touch()
    for text in (run, run / "best.h5", f"net:{run}"):
        side = parse_side(f"{text},tta=true")
        assert (side.path, side.name) == (run / "best.h5", "lr 0,01,tta=true")
    assert parse_side(str(run)).name == "lr 0,01"
    with pytest.raises(OptionsError, match="an option of a side must be of .*, not '02'"):
        parse_side(f"{tmp_path}/lr 0,02")


def test_a_side_without_options_plays_by_the_events_and_seconds_replace_its_visits():
    assert options_of_side(EVENT, parse_side("net.h5").options) == EVENT
    own = options_of_side(EVENT, parse_side("net.h5,seconds=0.5").options)
    assert (own.seconds, own.visits) == (0.5, None)


@pytest.mark.parametrize(
    "text",
    ["net.h5,", "net.h5,komi=7.5", "net.h5,visits", "net.h5,visits=many", "net.h5,tta=1",
     "net.h5,batch_size=1.5"],
)  # fmt: skip
def test_what_is_no_option_of_a_side_is_refused(text):
    with pytest.raises(OptionsError, match="must "):
        parse_side(text)


@pytest.mark.parametrize(
    "text", ["batch_size=0", "player=chess", "visits=0", "seconds=nan", "c_puct=-1", "c_scale=inf"]
)
def test_values_out_of_range_are_refused(text):
    with pytest.raises((OptionsError, ArgumentError), match="must "):
        options_of_side(EVENT, parse_side(f"net.h5,{text}").options)


def test_one_network_with_other_options_is_another_entrant():
    plain, small = Entrant("net", "a"), Entrant("net,batch_size=1", "a", {"batch_size": 1})
    jobs = pairings([plain, small], 2, 0, [(60,), (61,)])
    assert len({job.game_id for job in jobs}) == 4
    for job in jobs:
        assert {job.black, job.white} == {plain.name, small.name}
        assert job.black_options == (small.options if job.black == small.name else {})
        assert job.white_options == (small.options if job.white == small.name else {})
    assert (
        Entrant("x", "a", {"tta": True, "visits": 5}).identity
        == Entrant("y", "a", {"visits": 5, "tta": True}).identity
    )


def test_the_command_line_takes_every_rule_of_an_event():
    parser = Parser()
    add_rule_arguments(parser)
    given = ["--seconds", "0.5", "--scale-clock", "--time-plan", "middle", "--no-resign", "--tta"]
    expected = EventOptions(
        seconds=0.5, scale_clock=True, time_plan="middle", resign=False, tta=True
    )
    assert event_options(parser.parse_args(given), None) == expected
    numbers = {"komi": 6.5, "seed": 3, "max_plies": 50, "opening_plies": 2, "batch_size": 4}
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in numbers.items()]
    assert event_options(parser.parse_args(flags), EVENT) == EVENT.changed(numbers)
    assert event_options(parser.parse_args(["--seconds", "1"]), EVENT).visits is None
