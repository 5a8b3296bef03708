"""Writes the ladder of data/ladder.toml: ratings by the reference league and by matches.

python -m data.make_ladder MATCH… > data/ladder.toml
python -m data.make_ladder --add MATCH… >> data/ladder.toml

A MATCH is the --folder of python -m tournament play; docs/studies/ladder.md has the commands. With
--add, players that are no rung yet are rated by their games with the rungs.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from golois.kit.command import run_in_words
from tournament.league.games import GameRow
from tournament.league.league import League
from tournament.players.registry import names_player
from tournament.ratings.bradley_terry import Ratings, rate
from tournament.report.league_zip import import_leagues
from tournament.running.ladder import read_ladder

LEAGUE = Path(__file__).with_name("reference_league.zip")
WEAKENED = {
    "player=gumbel,noise=true,visits=1,root_policy_temperature=0.5": "drawn",
    "visits=1": "1 visit",
    **{f"visits={visits}": f"{visits} visits" for visits in (8, 32)},
}

HEADER = """\
# The rungs of python -m tournament ladder, from weakest to strongest.
#
# name        in tables
# plays       a side of a match, as python -m tournament play takes it, below the kit's folder
# elo         on the scale of docs/studies/reference_league.md, by games at 0.05 CPU seconds a move
# halfwidth   half of the rating's 95 % interval
# measured    the games that it has played
#
# Written by python -m data.make_ladder; docs/studies/ladder.md has the matches.
"""


def name_of(side: str) -> str:
    """What tables call a side of a match."""
    network, _, options = side.partition(",")
    return f"{network}, {WEAKENED[options]}" if options in WEAKENED else side


def rows_of(folder: Path) -> list[GameRow]:
    """The games of a league or a match; raises LeagueError if the folder has none."""
    with closing(League(folder, create=False)) as league:
        return league.games.rows()


def all_rungs(matches: Sequence[GameRow]) -> Iterator[str]:
    """The tables of all players, weakest first; the reference league fixes the scale."""
    with TemporaryDirectory() as folder:
        of_league = rows_of(*import_leagues(LEAGUE, Path(folder)))
    before = rate(players_of(of_league), of_league)
    anchors = dict(zip(before.names, map(float, before.elo), strict=True))
    rows = [*of_league, *matches]
    ratings = rate(players_of(rows), rows, anchors=anchors)
    played = {
        "reference league": times_played(of_league), "matches": times_played(matches)
    }
    return tables(ratings, set(ratings.names), played)


def added_rungs(matches: Sequence[GameRow]) -> Iterator[str]:
    """The tables of the players that the ladder lacks, by its own ratings."""
    rows = [replace(row, black=name_of(row.black), white=name_of(row.white)) for row in matches]
    known = read_ladder().known
    ratings = rate(players_of(rows) | known.keys(), rows, known=known)
    return tables(ratings, players_of(rows) - known.keys(), {"matches": times_played(rows)})


def players_of(rows: Sequence[GameRow]) -> set[str]:
    """Everyone who has played."""
    return set(times_played(rows))


def times_played(rows: Sequence[GameRow]) -> Counter[str]:
    """How many games each player has."""
    return Counter(name for row in rows for name in (row.black, row.white))


def tables(
    ratings: Ratings, wanted: Collection[str], played: Mapping[str, Counter[str]]
) -> Iterator[str]:
    """The file's tables of the wanted players; `played` counts games by where they were."""
    rated = list(zip(ratings.names, ratings.elo, ratings.elo_halfwidth, strict=True))
    for side, elo, halfwidth in reversed(rated):
        if side in wanted:
            games = [f"{n[side]} games of the {what}" for what, n in played.items() if n[side]]
            yield "\n".join([
                "[[rung]]",
                f'name = "{name_of(side)}"',
                f'plays = "{side if names_player(side) else f"data/networks/{side}"}"',
                f"elo = {elo:.0f}",
                f"halfwidth = {halfwidth:.0f}",
                f'measured = "{", ".join(games)}"',
            ])


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the ladder that the league and the matches give."""
    parser = argparse.ArgumentParser("python -m data.make_ladder", description=main.__doc__)
    parser.add_argument("matches", nargs="+", type=Path, metavar="MATCH")
    parser.add_argument("--add", action="store_true", help="print only rungs that are new")
    given = parser.parse_args(arguments)

    def write() -> int:
        rows = [row for match in given.matches for row in rows_of(match)]
        found = added_rungs(rows) if given.add else [HEADER, *all_rungs(rows)]
        print(*found, sep="\n\n")
        return 0

    return run_in_words("make_ladder", write)


if __name__ == "__main__":
    sys.exit(main())
