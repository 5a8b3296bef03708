"""What a run shows: its curves, and on its page which games, the same as SGF."""

import json
import re

import pytest
from matplotlib.figure import Figure

from golois.games.game import after_moves
from golois.go.coords import BLACK, gtp_to_point
from golois.records.finished_games import FinishedGame, write_finished_games
from selfplay.journal import write_journal
from selfplay.layout import Layout, Shard
from selfplay.options import Options
from selfplay.page import MOST_OF_AN_ITERATION, draw_curves, write_page
from tournament.matches.games import HEADER, MatchGame, kept_games
from tournament.matches.round_robin import Elo


def shard_of(layout: Layout, options: Options, iteration: int, games: list[list[int]]) -> None:
    path = layout.games(Shard(iteration, 0))
    path.parent.mkdir(exist_ok=True)
    finished = []
    for moves in games:
        # A game that ends early ends by resignation.
        winner = after_moves(options.rules(), moves).winner or BLACK
        finished.append(FinishedGame(moves, winner, [{}] * len(moves), [0.5] * len(moves)))
    write_finished_games(path, options.rules(), finished)


def shown_by(layout: Layout, options: Options) -> dict:
    write_page(layout, options)
    found = re.search(r'id="shown">(.*?)</script>', layout.page.read_text(), re.DOTALL)
    return json.loads(found[1]) if found else {}


def test_a_run_without_games_has_a_page(tmp_path):
    """Its name cannot become markup."""
    layout = Layout(tmp_path / "<b>")
    layout.path.mkdir()
    assert shown_by(layout, Options(size=3)) == {}
    text = layout.page.read_text()
    assert "No game has been played yet" in text
    assert "<b>" not in text.replace("&lt;b&gt;", "")
    assert layout.sgf.read_text() == ""


def test_its_curves_have_no_colour_of_paper_and_are_in_the_page(tmp_path):
    layout = Layout(tmp_path)
    row = {"loss": 2.0, "policy_loss": 1.5, "value_mse": 0.2, "black_wins": 0.5, "kept": 0.9}
    rows = [{"iteration": i, "games": 10 * i, **row} for i in range(3)]
    write_journal(layout.journal, rows)
    layout.league.write_text("iteration,elo,elo_halfwidth\n0,0,0\n1,10,20\n")
    write_page(layout, Options(size=3))
    text = layout.page.read_text()
    panels = re.findall(r"<svg aria-hidden.*?</svg>", text, re.DOTALL)
    captions = re.findall(r"<figcaption>(.*?), by all games so far</figcaption>", text)
    assert len(panels) == len(captions) == 5 and captions[-1].startswith("Elo")
    assert "<img" not in text
    for panel in panels:
        assert not {"#000000", "#ffffff"} & set(re.findall("#[0-9a-f]{6}", panel))
    ids = [name for panel in panels for name in re.findall(r'\bid="([^"]*)"', panel)]
    assert len(ids) == len(set(ids)), "an id belongs to one element of the page"


def league_of(layout: Layout, options: Options, black: str, white: str, winner, moves) -> None:
    """A game of two networks of the run."""
    first, second = sorted((black, white))
    path = layout.league_games / f"{first}-{second}.csv"
    with kept_games(path, {}, options.rules()) as kept:
        kept.add(MatchGame("drawn 1", 0, black, white, winner, moves))


def titles_of(shown: dict) -> dict[str, list[str]]:
    return {
        group["title"]: [game["title"] for game in group["games"]]
        for group in shown.get("groups", [])
    }


def test_it_shows_the_last_iteration_and_the_league(tmp_path):
    layout, options = Layout(tmp_path), Options(game="go", size=3, komi=2.5, komis="4.5")
    shard_of(layout, options, 1, [[0, 9, 9]])
    shard_of(layout, options, 2, [[4, 9, 9], [4, 0]])
    league_of(layout, options, "0002", "0000", "white", (4, 1, 9, 9))
    layout.league.write_text("iteration,elo,elo_halfwidth\n0,0,0\n2,31.4,12.2\n")
    shown = shown_by(layout, options)
    assert (shown["size"], shown["isHex"]) == (3, False)
    assert titles_of(shown) == {
        "iteration 2": 2 * ["network 1 against itself, Black wins"],
        "network 2 against network 0": ["network 2 against network 0, White wins"],
    }
    assert [game["moves"] for group in shown["groups"] for game in group["games"]] == [
        [4, 9, 9], [4, 0], [4, 1, 9, 9]
    ]  # fmt: skip
    assert ">+31</td>" in layout.page.read_text() and "± 12" in layout.page.read_text()
    assert "NoGoZero+" not in layout.page.read_text()
    last = layout.sgf.read_text().split("(")[-1]
    assert last.startswith(";FF[4]GM[1]SZ[3]RU[Go]PB[network 2]PW[network 0]RE[W+]KM[2.5]\n")
    assert last.endswith(";B[bb]\n;W[ba]\n;B[]\n;W[])\n")


def match_of(layout: Layout, opponent: str, options: Options, *games: MatchGame) -> None:
    settings = {"network": 7, "opponent": opponent, "simulations": 32}
    path = layout.matches / f"0007-{opponent.replace(':', '-')}.csv"
    with kept_games(path, settings, options.rules()) as kept:
        for game in games:
            kept.add(game)


def test_it_shows_the_matches_of_measure(tmp_path):
    layout, options = Layout(tmp_path), Options(game="go", size=3, komi=2.5)
    won = MatchGame("drawn 1", 0, "first", "second", "black", (4, 9, 9))
    drawn = MatchGame("drawn 1", 1, "second", "first", None, (0, 4))
    match_of(layout, "gnugo:1", options, won, drawn)
    match_of(layout, "random", options, MatchGame("drawn 1", 0, "second", "first", "white", (1,)))
    (layout.matches / "0007-random.csv").open("ab").write(b"drawn 1,1,black,wh")  # being written
    (layout.matches / "0007-broken-1.csv").write_text(HEADER.decode() + "1,2\n")
    (layout.matches / "0007-broken-1.json").write_text("{}")
    (layout.matches / "0007-begun-1.csv").write_text(HEADER.decode())
    shown = shown_by(layout, options)
    assert titles_of(shown) == {
        "network 7 with 32 simulations against gnugo:1": [
            "network 7 against gnugo:1, Black wins",
            "gnugo:1 against network 7, a draw",
        ],
        "network 7 with 32 simulations against random": ["random against network 7, White wins"],
    }
    assert shown["groups"][0]["games"][0]["moves"] == [4, 9, 9]
    assert "PB[gnugo:1]PW[network 7]RE[0]KM[2.5]" in layout.sgf.read_text()


@pytest.mark.parametrize(("begun", "name"), [({}, "untrained"), ({"init_from": "a.h5"}, "first")])
def test_the_first_network_is_called_untrained_only_where_it_was(begun, name, tmp_path):
    layout, options = Layout(tmp_path), Options(size=3, **begun)
    won = MatchGame("drawn 1", 0, "first", "second", "black", (4,))
    match_of(layout, "untrained", options, won)
    assert titles_of(shown_by(layout, options)) == {
        f"network 7 with 32 simulations against the {name} network": [
            f"network 7 against the {name} network, Black wins"
        ]
    }


def test_games_of_networks_that_are_not_rated_any_more_are_left_out(tmp_path):
    layout, options = Layout(tmp_path), Options(size=3)
    for pair in (("0000", "0001"), ("0000", "0002"), ("0001", "0002")):
        league_of(layout, options, *pair, "black", (4,))
    layout.league.write_text(
        "iteration,elo,elo_halfwidth,games,won,elo_of_updates\n0,0,0,1,1,0.0\n2,31.4,12.2,1,0,-7.6\n"
    )
    assert titles_of(shown_by(layout, options)) == {
        "network 2 against network 0": ["network 0 against network 2, Black wins"]
    }
    assert layout.sgf.read_text().count("PB[") == 1
    assert "NoGoZero+'s Elo</th>" in layout.page.read_text()
    assert ">-8</td>" in layout.page.read_text()


def test_an_iteration_s_players_are_named(tmp_path):
    """The network that the gate has left, a victim, an earlier run; of many games the first."""
    layout, options = Layout(tmp_path / "gated"), Options(size=3)
    layout.path.mkdir()
    rows = [{"iteration": number, "player": min(number, 1)} for number in range(4)]
    write_journal(layout.journal, rows)
    shard_of(layout, options, 3, [[0]] * (MOST_OF_AN_ITERATION + 1))
    assert titles_of(shown_by(layout, options)) == {
        "iteration 3": MOST_OF_AN_ITERATION * ["network 1 against itself, Black wins"]
    }
    assert "PB[network 1]PW[network 1]" in layout.sgf.read_text()
    layout = Layout(tmp_path / "victim")
    layout.path.mkdir()
    shard_of(layout, options, 0, [[0]])
    assert titles_of(shown_by(layout, options)) == {
        "the earlier run": ["a network against itself, Black wins"]
    }
    options = Options(size=3, victim="net.h5", games_per_iteration=3, games_per_shard=3)
    shard_of(layout, options, 2, [[0], [0]])  # games 3 and 4 of the run
    assert titles_of(shown_by(layout, options)) == {
        "iteration 2": [
            "the victim against network 1, Black wins",
            "network 1 against the victim, Black wins",
        ]
    }


@pytest.mark.parametrize(
    ("options", "moves", "expected"),
    [
        (Options(size=3), [0, 4], "GM[1]SZ[3]RU[NoGo]PB[network 0]PW[network 0]RE[B+]\n;B[aa]"),
        (Options(game="hex", size=3, swap=True), [1, 1], ";B[a2]\n;W[swap-pieces])"),
        (Options(game="hex", size=3), [5, 1], "GM[11]SZ[3]RU[Hex]"),
        (Options(game="hex", size=3), [5, 1], ";B[b3]\n;W[a2])"),  # reflected, as for MoHex
    ],
)
def test_other_games_as_sgf(options, moves, expected, tmp_path):
    layout = Layout(tmp_path)
    shard_of(layout, options, 1, [moves])
    assert shown_by(layout, options)["isHex"] == (options.game == "hex")
    assert expected in layout.sgf.read_text()


def test_the_note_on_hex_names_one_point_as_page_and_sgf_do(tmp_path):
    layout, options = Layout(tmp_path), Options(game="hex", size=4)
    point = gtp_to_point("A3", 4)
    shard_of(layout, options, 1, [[point]])
    shown_by(layout, options)
    assert ";B[b1]" in layout.sgf.read_text()
    assert "A3 of this page is b1" in layout.page.read_text()
    shown_by(Layout(tmp_path), Options(size=4))
    assert "of this page is" not in layout.page.read_text()


def test_curves_have_a_panel_for_what_was_measured(tmp_path, monkeypatch):
    path, row = tmp_path / "curves.png", dict(
        games=100, moves_a_game=7.5, black_wins=0.5, policy_loss=1.0, value_mse=0.1,
        value_mse_of_a_constant=0.25, kept=0.9, in_network=0.9,
    )  # fmt: skip
    whole = [{"iteration": 0, "games": 0, "kept": 0.5}, row, {**row, "kept": 0.99}]
    draw_curves(path, whole, {})
    assert path.read_bytes().startswith(b"\x89PNG")
    figures = []
    monkeypatch.setattr(
        Figure, "savefig", lambda self, path: figures.append(self) or path.touch()
    )
    draw_curves(path, whole, {})
    draw_curves(path, [{"iteration": 0, "games": 0}], {})
    measured = [{"iteration": 0, "games": 9.0, "moves_a_game": 4.0}]
    draw_curves(path, measured, {0: Elo(0, 0)})
    first, *others = ({axes.get_title(): axes for axes in one.axes} for one in figures)
    assert list(first) == [
        "losses", "squared error of the value", "wins kept", "shares", "moves a game"
    ]  # fmt: skip
    assert all(axes.lines for axes in first.values())
    assert [len(first[name].lines) for name in ("wins kept", "shares")] == [1, 2]
    assert first["wins kept"].get_ylim() == first["shares"].get_ylim() == (0, 1)
    least, most = first["moves a game"].get_ylim()
    assert least == 0 and most > 7.5
    assert [list(one) for one in others] == [
        ["moves a game", "Elo over the first network, with 95 %"]
    ]
