"""`--min-rank`, `--max-rank`, `--no-handicap`: which games an import keeps, by who played them."""

import pytest

from golois.__main__ import main
from golois.errors import ArgumentError
from golois.records.importing import import_games
from golois.records.packed_file import GameFile
from tests.games import HEAD, SHORT_GAME, TEXT_GAME

MOVES = ";B[pd];W[dd];B[pq])"

# from weak to strong, each as one of the texts that servers write
RANKS = ("30k", "12 kyu", "2级", "1k?", "1d", "4 dan", "6D", "8d?", "9段", "1p", "9P")


def by(black: str, white: str, more: str = "") -> str:
    return f"{HEAD}BR[{black}]WR[{white}]{more}{MOVES}"


def imported(folder, games, **wanted):
    """How many games are kept, and those dropped by their reason."""
    source = folder / "games"
    source.write_text("\n".join(games))
    summary = import_games([source], folder / "out.games", **wanted)
    return summary.num_games, dict(summary.dropped)


@pytest.mark.parametrize("at", range(len(RANKS)))
def test_ranks_are_in_order(at, tmp_path):
    games = [by(rank, rank) for rank in RANKS]
    bound = RANKS[at]
    assert imported(tmp_path, games, min_rank=bound)[0] == len(RANKS) - at
    assert imported(tmp_path, games, max_rank=bound)[0] == at + 1


def test_both_players_must_have_the_rank(tmp_path):
    games = [by("4d", "9d"), by("3d", "9d"), by("9d", "3d"), by("1p", "9d"), by("9d", "1p")]
    wanted = dict(min_rank="4d", max_rank="9d")
    assert imported(tmp_path, games, **wanted) == (1, {"rank": 4})
    assert GameFile.open(tmp_path / "out.games").provenance["dropped"] == {"rank": 4}


@pytest.mark.parametrize(
    "unknown", ["", "?", "-", "d", "0d", "10d", "31k", "10p", "5", "5 stars", "six dan"]
)
def test_a_game_of_unknown_ranks_is_dropped_with_a_bound_alone(unknown, tmp_path):
    games = [by("4d", "4d"), by(unknown, "4d"), by("4d", unknown), SHORT_GAME]
    assert imported(tmp_path, games) == (4, {})
    assert imported(tmp_path, games, min_rank="30k") == (1, {"rank": 3})
    assert imported(tmp_path, games, max_rank="9p") == (1, {"rank": 3})


def test_handicap_and_set_up_stones(tmp_path):
    games = [
        by("4d", "4d", more) for more in ("", "HA[0]", "HA[1]", "HA[2]", "HA[9]", "AB[dp][pp]")
    ]
    assert imported(tmp_path, games)[0] == 6
    assert imported(tmp_path, games, no_handicap=True) == (3, {"handicap": 3})


def test_an_opening_of_games_data_is_no_handicap(tmp_path):
    """Its first move has no label, as a set-up stone has none in SGF."""
    assert imported(tmp_path, [TEXT_GAME], no_handicap=True) == (1, {})


def test_a_game_counts_as_dropped_once_and_not_as_seen(tmp_path):
    games = [by("3d", "4d", "HA[2]"), by("4d", "4d"), by("4d", "4d")]
    wanted = dict(min_rank="4d", no_handicap=True, dedupe=True)
    assert imported(tmp_path, games, **wanted) == (1, {"rank": 1, "duplicate": 1})


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (dict(min_rank="strong"), "a rank is written as 4d, 12k or 1p, not 'strong'"),
        (dict(max_rank="10d"), "not '10d'"),
        (dict(min_rank="1p", max_rank="9d"), "min_rank must be at most max_rank, 9d, not 1p"),
    ],
)
def test_ranks_that_are_none_are_refused(wanted, words, tmp_path):
    with pytest.raises(ArgumentError, match=words):
        imported(tmp_path, [SHORT_GAME], **wanted)
    assert not (tmp_path / "out.games").exists()


def test_the_command_reports_what_it_dropped(tmp_path, capsys):
    source, packed = tmp_path / "kgs.sgf", tmp_path / "kgs.games"
    source.write_text("\n".join([by("6d", "5d"), by("6d", "3k"), by("6d", "5d", "HA[3]")]))
    bounds = ["--min-rank", "4d", "--max-rank", "9d", "--no-handicap"]
    assert main(["import", str(source), "-o", str(packed), *bounds]) == 0
    text = capsys.readouterr().out
    assert "dropped: rank" in text and "dropped: handicap" in text
    assert "kgs.sgf:2: rank: White is weaker than asked" in text
    assert len(GameFile.open(packed)) == 1
    assert main(["import", str(source), "-o", str(packed), "--min-rank", "x"]) == 2
    assert "a rank is written as" in capsys.readouterr().err
