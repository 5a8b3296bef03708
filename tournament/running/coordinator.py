"""Runs an event: missing games go to an engine, and their results to the journal."""

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

from tournament.errors import EngineError
from tournament.game.record import VOID, GameRecord
from tournament.game.rules import EventOptions
from tournament.league.draws import Draw
from tournament.league.league import League
from tournament.league.schedules import Target
from tournament.running.engine_protocol import Engine, MovePlayed
from tournament.running.plan import LeaguePlan, Plan
from tournament.running.views import View

# After this many voids in a row the machine, not a game, is at fault.
VOIDS_IN_A_ROW = 12


@dataclass(frozen=True)
class Outcome:
    """What a run did: games that count now, and those that were given up as void."""

    num_games: int
    given_up: tuple[str, ...]


def run_event(
    league: League,
    options: EventOptions,
    target: Target,
    engine: Engine,
    view: View,
    clock: Callable[[], float] = time.monotonic,
    announce: Callable[[Sequence[Draw]], None] = lambda draws: None,
) -> Outcome:
    """Play the missing games, including those of networks that are filed while it runs.

    At the end it publishes what the seed was drawn from. All games are of the week in which the
    first one began, also those of a run that was stopped and goes on.

    Args:
        league: where the networks are and the games go.
        options: the rules; from the first run on they are the league's.
        target: how much to play in all, earlier runs included.
        engine: plays by the same rules.
        view: is told what happens.
        clock: seconds so far, against the target's hours.
        announce: is told the league's draws before the first game.

    Raises:
        LeagueError: fewer than two networks, another run holds the league, or the disk is full.
        OptionsError: the league was begun with other rules.
        EngineError: only voids come back.
    """
    with league.coordinate():
        plan = LeaguePlan(league, options, target, clock)
        league.fix_options(options)
        league.summary_path.unlink(missing_ok=True)
        announce(league.draws.all())
        outcome = play_plan(league, plan, engine, view)
        league.draws.publish()
        if not outcome.given_up:
            league.run_weeks.end()
        return outcome


def play_plan(league: League, plan: Plan, engine: Engine, view: View) -> Outcome:
    """Play what a plan hands out, inside of `league.coordinate()`.

    Raises:
        LeagueError: the disk is full.
        EngineError: only voids come back.
    """
    with view:
        view.begin(plan, league.games.rows())
        # An engine takes the games there are; those of networks that came meanwhile are next.
        while plan.next_pair():
            _play(league, plan, engine, view)
    return Outcome(len(league.games.rows()), plan.given_up())


def _play(league: League, plan: Plan, engine: Engine, view: View) -> None:
    voids_in_a_row = 0
    with closing(engine.play(plan)) as events:
        for event in events:
            if isinstance(event, MovePlayed):
                view.progress(event)
                continue
            if event.kind != VOID:
                league.run_weeks.begin(event.started_at)
            league.games.record(event)
            league.schedules.note_run_seconds(plan.run_seconds())
            view.result(event)
            voids_in_a_row = voids_in_a_row + 1 if event.kind == VOID else 0
            _refuse_endless_voids(voids_in_a_row, event)


def _refuse_endless_voids(voids_in_a_row: int, last: GameRecord) -> None:
    if voids_in_a_row >= VOIDS_IN_A_ROW:
        raise EngineError(
            f"games cannot be played here: {voids_in_a_row} attempts in a row were void, "
            f"the last one because: {last.reason}"
        )
