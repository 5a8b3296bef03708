"""Runs an event: missing games go to an engine, and their results to the journal."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from tournament.errors import EngineError
from tournament.game.options import EventOptions
from tournament.game.record import VOID, GameRecord
from tournament.league.draws import Draw
from tournament.league.games import Target
from tournament.league.league import League
from tournament.running.engine_protocol import ATTEMPTS, Engine, Events, MovePlayed
from tournament.running.plan import LeaguePlan, Plan
from tournament.running.views import QuietView

# After this many games that were void every time, the machine is at fault and not a game. Single
# attempts don't tell: a network that ends its worker may be at work on many cores at once.
GIVEN_UP_IN_A_ROW = 4


@dataclass(frozen=True)
class Outcome:
    """What a run did: games that count now, and games that were given up as void.

    is_cut_short: whether the budget was spent before all rounds were begun.
    """

    num_games: int
    given_up: tuple[str, ...]
    is_cut_short: bool = False


def run_event(
    league: League,
    options: EventOptions,
    target: Target,
    engine: Engine,
    view: QuietView,
    clock: Callable[[], float] = time.monotonic,
    announce: Callable[[Sequence[Draw]], None] = lambda draws: None,
) -> Outcome:
    """Play the missing games, also of networks that are filed while it runs.

    The week ends when all games are played or the budget is spent. When all games are played, what
    the seed was drawn from is published, unless games are hidden. All games are of the week of the
    run's first game. The first run fixes the options. `clock` has the seconds against the target's
    hours.

    Raises:
        LeagueError: fewer than two networks, another run holds the league, or the disk is full.
        OptionsError: the league was begun with other rules.
        EngineError: only voids come back.
    """
    with league.coordinate():
        if league.options() is not None:
            league.fix_options(options)  # refuses others, before the plan closes a draw
        plan = LeaguePlan(league, options, target, clock)
        league.fix_options(options)
        league.summary_path.unlink(missing_ok=True)
        if (before := league.weeks.of_run()) is not None and not before.is_kept:
            league.weeks.keep_run(before)  # that run was killed before its last report
        league.hidden.guard_files()
        announce(league.draws.all())
        outcome = play_plan(league, plan, engine, view)
        outcome = replace(outcome, is_cut_short=plan.is_cut_short())
        if not outcome.given_up:
            league.weeks.end_run()
            if not outcome.is_cut_short and not league.hidden.may_be_on():
                league.draws.publish()
        return outcome


def play_plan(league: League, plan: Plan, engine: Engine, view: QuietView) -> Outcome:
    """Play what a plan hands out, inside of `league.coordinate()`.

    Raises:
        LeagueError: the disk is full.
        EngineError: only voids come back.
    """
    with view:
        view.begin(plan, league.games.rows())
        _play(league, plan, engine, view)
    return Outcome(len(league.games.rows()), plan.given_up())


def _events(plan: Plan, engine: Engine) -> Events:
    # An engine takes the games there are; the games of networks that came meanwhile are next.
    while plan.next_pair():
        with closing(engine.play(plan)) as events:
            yield from events


def _play(league: League, plan: Plan, engine: Engine, view: QuietView) -> None:
    voids: Counter[str] = Counter()  # of each game, since one had a result
    has_begun = False
    with closing(_events(plan, engine)) as events:
        for event in events:
            if isinstance(event, MovePlayed):
                view.progress(event)
                continue
            if event.kind != VOID and not has_begun:
                league.weeks.begin_run(event.started_at)
                has_begun = True
            league.games.record(event)
            league.schedules.note_run_seconds(plan.run_seconds())
            view.result(event)
            if event.kind == VOID:
                voids[event.game_id] += 1
                _refuse_endless_voids(voids, event)
            else:
                voids.clear()
            if plan.is_decided():
                return


def _refuse_endless_voids(voids: Counter[str], last: GameRecord) -> None:
    if sum(number >= ATTEMPTS for number in voids.values()) >= GIVEN_UP_IN_A_ROW:
        raise EngineError(
            f"games cannot be played here: {voids.total()} attempts in a row were void, "
            f"the last one because: {last.reason}"
        )
