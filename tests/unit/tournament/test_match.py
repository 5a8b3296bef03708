import os

import pytest

from tests.fake_arena import tiny_network
from tournament.errors import NetworkError, OptionsError
from tournament.game.job import Entrant
from tournament.game.record import GameRecord
from tournament.players.protocol import Choice
from tournament.running.match import entrants_of, result_of
from tournament.running.schedule import pairings
from tournament.running.sides import parse_side

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


def test_seen_from_the_other_side_it_is_the_opposite():
    games = [game(job, "Ada" if i % 3 else "Bob") for i, job in enumerate(JOBS)]
    one, other = (result_of(sides, JOBS, games) for sides in (SIDES, SIDES[::-1]))
    assert one.elo == pytest.approx(-other.elo) and one.elo_halfwidth == other.elo_halfwidth
    assert one.win_rate_low == pytest.approx(1 - other.win_rate_high)
    assert one.sides == other.sides[::-1]


def test_a_match_that_one_side_sweeps_has_a_finite_rating():
    result = result_of(SIDES, JOBS, [game(job, "Bob") for job in JOBS])
    assert result.win_rate == 0 and -1500 < result.elo < -200


def test_a_game_counts_for_its_side_whatever_that_was_called_when_it_was_played():
    games = [game(job, "Ada") for job in JOBS]
    renamed = [
        type(g)(**{**vars(g), "black": "old/" + g.black, "white": "old/" + g.white}) for g in games
    ]
    assert result_of(SIDES, JOBS, renamed) == result_of(SIDES, JOBS, games)


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


def test_sides_that_are_the_same_are_refused(networks):
    with pytest.raises(OptionsError, match="both sides are the same network"):
        entrants(networks, "a/best.onnx", "a/best.onnx")


def test_what_is_no_network_is_refused_before_the_match(networks):
    (networks / "broken.onnx").write_bytes(b"no network")
    with pytest.raises(NetworkError, match="onnxruntime"):
        entrants(networks, "a/best.onnx", "broken.onnx")
    (networks / "broken.h5").write_bytes(b"no network")
    with pytest.raises(NetworkError, match="broken.h5"):
        entrants(networks, "a/best.onnx", "broken.h5")
