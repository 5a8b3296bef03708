"""Games on this machine, and on workers that borrow pairs over the network.

No report is trusted. Of what a worker has reported, this machine retraces a pair that it draws;
then all of it counts, or nothing. A pair that is lost with its worker is played again, and a
forfeit counts only if it happens here.
"""

import json
import logging
import random
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from golois.kit.cluster import kit_digest
from golois.kit.files import sha256_of
from tournament.errors import OptionsError
from tournament.game.job import GameJob, networks_of
from tournament.game.options import EventOptions
from tournament.game.record import FORFEIT, PLAYED, VOID, GameRecord
from tournament.intake.artefact import ARTEFACT
from tournament.intake.faults import printable
from tournament.league.work import Lease, Work
from tournament.running.engine_protocol import ATTEMPTS, Engine, Events, MovePlayed, patience
from tournament.running.machine import MAX_SPREAD
from tournament.running.retracing import (
    LEAST_SAME,
    WrongResultError,
    replayed,
    share_of_same,
    took_too_long,
)

ROOMS = ("golois", "tournament")  # whose sources a worker must have, too
GRACE_SECONDS = 60.0
LOOK_SECONDS = 0.5
LONGEST_SECONDS = 12 * 3600.0  # of a pair under a limit of visits, on whatever machine
MAX_NAME = 60

log = logging.getLogger(__name__)
Pair = Sequence[GameJob]


@dataclass(frozen=True)
class _Reported:
    """A pair that a worker says it has played; its games keep the rules."""

    lease: Lease
    records: tuple[GameRecord, ...]


@dataclass
class _Check:
    """A drawn pair that is being retraced, what counts if that succeeds, and the games so far."""

    drawn: _Reported
    others: list[_Reported]
    retraced: list[GameRecord] = field(default_factory=list)
    voids: Counter[str] = field(default_factory=Counter)

    def hear(self, record: GameRecord) -> bool:
        """Take a game; return whether the check is over."""
        self.voids[record.game_id] += record.kind == VOID
        if record.kind != VOID or self.voids[record.game_id] == ATTEMPTS:
            self.retraced.append(record)
        return len(self.retraced) == len(self.drawn.records)


class LendingEngine:
    """See tournament.running.engine_protocol.Engine; `here` plays on this machine.

    `speed` is this machine's (tournament.running.calibration). `clock` is `time.time`, in seconds.
    OptionsError: games that could not be retraced.
    """

    def __init__(
        self, league: Path, options: EventOptions, here: Engine, speed: float | None = None,
        clock: Callable[[], float] = time.time, nap: Callable[[float], None] = time.sleep,
    ):
        if options.player == "gumbel" and options.seconds is not None:
            raise OptionsError(
                "with --player gumbel, workers can play games of --visits only: a race on the "
                "clock can't be checked"
            )
        self._league, self._options, self._here = league, options, here
        self._speed, self._clock, self._nap = speed, clock, nap

    def play(self, pairs: Iterable[Pair]) -> Events:
        """See Engine."""
        work = Work(self._league)
        silence = patience(self._options, self._speed) + GRACE_SECONDS
        work.begin({
            "options": self._options.to_json(), "kit": kit_digest(ROOMS), "speed": self._speed,
            "spread": MAX_SPREAD, "seconds": silence, "longest": self._longest_seconds(),
        })
        desk = _Desk(work, iter(pairs), self._options, self._league / "artefacts", self._speed)
        try:
            while True:
                desk.look(self._clock())
                for event in self._here.play(desk):
                    yield from desk.hear(event)
                    desk.look(self._clock())
                if desk.is_done():
                    return
                self._nap(LOOK_SECONDS)
        finally:
            work.end()
            work.close()

    def _longest_seconds(self) -> float:
        """Return how long a pair may take, so that nobody can keep it from the others."""
        seconds = self._options.seconds
        return LONGEST_SECONDS if seconds is None else 4 * seconds * self._options.max_plies + 600


class _Desk:
    """What is to be played and checked. As an iterator, it gives this machine its next pair.

    It ends when there is none now, and may go on later.
    """

    def __init__(
        self, work: Work, pairs: Iterator[Pair], options: EventOptions, artefacts: Path,
        speed: float | None,
    ):
        self._work, self._pairs, self._options = work, pairs, options
        self._artefacts, self._speed = artefacts, speed
        self._again: deque[Pair] = deque()
        self._only_here: deque[Pair] = deque()
        self._losses: Counter[str] = Counter()
        self._reported: dict[str, list[_Reported]] = {}
        self._checks: dict[str, _Check] = {}
        self._look_at = 0.0
        self._random = random.SystemRandom()

    def __iter__(self) -> Iterator[Pair]:
        return self

    def __next__(self) -> Pair:
        if self._reported:
            return self._begin_check()
        if self._only_here:
            return self._only_here.popleft()
        return self._next_pair()

    def is_done(self) -> bool:
        """Return whether all pairs are played, and all reports checked."""
        waits = self._again or self._only_here or self._reported or self._checks
        return not waits and self._work.is_idle()

    def look(self, now: float) -> None:
        """Take what workers have reported or lost, and offer what they wait for."""
        if now < self._look_at:
            return
        self._look_at = now + LOOK_SECONDS
        for lease in self._work.take_lost(now):
            if lease.holder is not None:
                log.warning("the worker %s was lost: its pair is played again", lease.worker)
            self._lose(lease)
        for lease in self._work.take_reported():
            self._receive(lease)
        offered = []
        for _ in range(self._work.num_wanted(now)):
            try:
                offered.append(self._next_pair())
            except StopIteration:
                break
        if offered:
            self._work.offer(offered, now)

    def hear(self, event: MovePlayed | GameRecord) -> Events:
        """Take what happened on this machine, and yield what is news of the league."""
        about = event.job if isinstance(event, MovePlayed) else event
        check = self._checks.get(about.pair_id)
        if check is None:
            yield event
        elif isinstance(event, GameRecord) and check.hear(event):
            del self._checks[about.pair_id]
            yield from self._conclude(check)

    def _next_pair(self) -> Pair:
        return self._again.popleft() if self._again else next(self._pairs)

    def _begin_check(self) -> Pair:
        worker, reported = next(iter(self._reported.items()))  # who has waited for longest
        del self._reported[worker]
        drawn = reported.pop(self._random.randrange(len(reported)))
        jobs, records = drawn.lease.pair, drawn.records
        self._checks[jobs[0].pair_id] = _Check(drawn, reported)
        return [
            replace(job, moves=record.moves) for job, record in zip(jobs, records, strict=True)
        ]

    def _conclude(self, check: _Check) -> Events:
        """Yield all games of a check if they are true; else have them played again."""
        drawn, options = check.drawn, self._options
        retraced = {game.game_id: game for game in check.retraced}
        share, is_whole = share_of_same(check.retraced), all(
            game.kind == PLAYED for game in check.retraced
        )
        too_long = is_whole and any(
            took_too_long(game, retraced[game.game_id], options, drawn.lease.speed, self._speed)
            for game in drawn.records
        )
        if too_long or share < LEAST_SAME:
            said = "took more time than its report says" if too_long else (
                f"chooses only {100 * share:.0f} % of the reported moves"
            )
            self._catch(drawn.lease, f"retraced here, the game {drawn.records[0].game_id} {said}")
            for one in (drawn, *check.others):
                self._lose(one.lease)
        elif share < 1 or not is_whole:  # roundings, or a machine at fault: draw another one
            self._only_here.append(drawn.lease.pair)
            if check.others:
                self._reported.setdefault(drawn.lease.worker, []).extend(check.others)
        else:
            for one in (drawn, *check.others):
                yield from one.records

    def _receive(self, lease: Lease) -> None:
        """Take a worker's report: a loss, a forfeit to confirm, a pair to check, or a lie."""
        try:
            report = json.loads(lease.report or "")
            games, artefacts = report["games"], report["artefacts"]
            kinds = [game["kind"] for game in games]
            if len(games) != len(lease.pair):
                raise ValueError("a game is missing")
        except (LookupError, TypeError, ValueError, RecursionError) as error:
            return self._refuse(lease, f"its report cannot be read: {error}")
        if VOID in kinds or artefacts != digests_of(lease.pair, self._artefacts):
            log.warning("the worker %s could not play a pair: it is played again", lease.worker)
            return self._lose(lease)
        try:
            records = [
                replayed(job, self._options, game)
                for job, game in zip(lease.pair, games, strict=True)
            ]
        except WrongResultError as error:
            return self._refuse(lease, str(error))
        if FORFEIT in kinds:
            self._only_here.append(lease.pair)
            return None
        told = tuple(_told_by(lease, *each) for each in zip(records, games, strict=True))
        self._reported.setdefault(lease.worker, []).append(_Reported(lease, told))
        return None

    def _refuse(self, lease: Lease, reason: str) -> None:
        self._catch(lease, reason)
        self._lose(lease)

    def _catch(self, lease: Lease, reason: str) -> None:
        """Name a worker that has lied, stop its token, and drop what is not checked of it."""
        holder = lease.holder or ""
        log.warning(
            "the worker %s reported a wrong game: %s; the token of %s is stopped, and what is "
            "not checked of it is played again", lease.worker, reason, holder,
        )
        for ended in self._work.stop(holder, f"{lease.worker}: {reason}"):
            self._lose(ended)
        for worker, reported in list(self._reported.items()):
            if reported[0].lease.holder == holder:
                del self._reported[worker]
                for one in reported:
                    self._lose(one.lease)
        for check in self._checks.values():
            if check.drawn.lease.holder == holder:
                for one in check.others:
                    self._lose(one.lease)
                check.others.clear()

    def _lose(self, lease: Lease) -> None:
        pair_id = lease.pair[0].pair_id
        self._losses[pair_id] += lease.holder is not None
        again = self._only_here if self._losses[pair_id] >= ATTEMPTS else self._again
        again.append(lease.pair)


def digests_of(pair: Pair, artefacts: Path) -> dict[str, str]:
    """Return the SHA-256 of the artefact of each network in a pair, by the network's own."""
    return {name: sha256_of(artefacts / f"{name}{ARTEFACT}") for name in networks_of(pair)}


def _told_by(lease: Lease, record: GameRecord, said: dict[str, object]) -> GameRecord:
    """Return a record with the worker's name, processor and times."""
    begun = datetime.fromtimestamp(lease.lent_at or 0.0, UTC).isoformat(timespec="seconds")
    return replace(
        record, host=printable(lease.worker, MAX_NAME), started_at=begun, host_speed=lease.speed,
        cpu_model=printable(str(said.get("cpu_model", "")), MAX_NAME),
    )
