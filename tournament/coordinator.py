"""Runs an event: missing games go to an engine, and what comes back goes to the journal."""

from contextlib import closing
from dataclasses import dataclass
from itertools import groupby

from tournament.errors import EngineError, LeagueError
from tournament.game import VOID, GameRecord
from tournament.league import League
from tournament.openings import load_openings
from tournament.options import EventOptions
from tournament.progress import View
from tournament.schedule import GameJob, pairings
from tournament.workers import Engine, Progress

# Voids without one result between them, after which the machine and not a game is to blame.
VOIDS_IN_A_ROW = 12


@dataclass(frozen=True)
class Outcome:
    """What a run did: games with a result now, and those that were given up as void."""

    num_games: int
    given_up: tuple[str, ...]


def run_event(
    league: League, options: EventOptions, rounds: int, engine: Engine, view: View
) -> Outcome:
    """Plays what is missing of `rounds` rounds.

    Args:
        league: where the networks are and the games go.
        options: the rules; from the first run on they are the league's.
        rounds: how many game pairs every two networks play in all, earlier runs included.
        engine: plays by the same rules.
        view: is told what happens.

    Raises:
        LeagueError: fewer than two networks, or another run holds the league.
        OptionsError: the league was begun with other rules.
        EngineError: only voids come back.
    """
    with league.coordinate():
        jobs = scheduled_jobs(league, options, rounds)
        league.fix_options(options)
        league.note_schedule(jobs, rounds)
        missing = league.missing(jobs)
        pairs = [list(pair) for _, pair in groupby(missing, key=lambda job: job.pair_id)]
        open_games = {job.game_id for job in missing}
        voids_in_a_row = 0
        with view, closing(engine.play(pairs)) as events:
            view.begin(jobs, league.games())
            for event in events:
                if isinstance(event, Progress):
                    view.progress(event)
                    continue
                league.record_game(event)
                view.result(event)
                if event.kind == VOID:
                    voids_in_a_row += 1
                    _refuse_endless_voids(voids_in_a_row, event)
                else:
                    voids_in_a_row = 0
                    open_games.discard(event.game_id)
    return Outcome(len(jobs) - len(open_games), tuple(sorted(open_games)))


def scheduled_jobs(league: League, options: EventOptions, rounds: int) -> list[GameJob]:
    """All games of the league's active networks over so many rounds.

    Raises:
        LeagueError: fewer than two networks.
        OptionsError: more opening plies than the book has.
    """
    entrants = league.entrants()
    if len(entrants) < 2:
        raise LeagueError(
            f"expected two networks or more in {league.folder}: got {len(entrants)}; "
            "file them by submit.py NET.h5 --name NAME --league DIR"
        )
    return pairings(entrants, rounds, options.seed, load_openings(options.opening_plies))


def _refuse_endless_voids(voids_in_a_row: int, last: GameRecord) -> None:
    if voids_in_a_row >= VOIDS_IN_A_ROW:
        raise EngineError(
            f"expected games to end: {voids_in_a_row} attempts in a row were void, "
            f"the last one because: {last.reason}"
        )
