
import pytest

from golois.errors import ArgumentError
from golois.kit.options import Parser
from tournament.commands.arguments import add_rule_arguments, event_options
from tournament.errors import OptionsError
from tournament.game.job import Entrant
from tournament.game.rules import EventOptions
from tournament.running.schedule import pairings
from tournament.running.sides import options_of_side, parse_side

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


def test_a_side_without_options_plays_by_those_of_the_event():
    assert options_of_side(EVENT, parse_side("net.h5").options) == EVENT


def test_seconds_of_a_side_take_the_place_of_the_events_visits():
    own = options_of_side(EVENT, parse_side("net.h5,seconds=0.5").options)
    assert (own.seconds, own.visits) == (0.5, None)


@pytest.mark.parametrize(
    "text",
    ["net.h5,", "net.h5,komi=7.5", "net.h5,visits", "net.h5,visits=many", "net.h5,tta=1",
     "net.h5,batch_size=1.5"],
)  # fmt: skip
def test_what_is_no_option_of_a_side_is_refused(text):
    with pytest.raises(OptionsError, match="expected"):
        parse_side(text)


@pytest.mark.parametrize(
    "text", ["batch_size=0", "player=chess", "visits=0", "seconds=nan", "c_puct=-1", "c_scale=inf"]
)
def test_values_out_of_range_are_refused(text):
    with pytest.raises((OptionsError, ArgumentError), match="expected|must be"):
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
