"""Games on many machines: pairs go to idle machines, and come back whole or are replayed.

Two protocols hide how a cluster works; ray_cluster.py implements them on Ray.
Each machine runs its own engine, which replaces workers and replays their games. This module does
the rest: if a machine is lost, both games of its pair are replayed elsewhere, so that a pair is
always played on one machine. After three attempts the pair is given up.
"""

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from tournament.errors import EngineError
from tournament.game.job import GameJob
from tournament.game.play import void_record
from tournament.game.record import VOID, GameRecord
from tournament.game.rules import EventOptions
from tournament.running.engine_protocol import ATTEMPTS, Events, MovePlayed, patience
from tournament.running.machine import options_here

LISTEN_SECONDS = 1.0
# Added to `patience`, after which a machine replaces a hung worker: time for networks to arrive.
GRACE_SECONDS = 120.0


class MachineLost(Exception):
    """A machine, or the connection to it, is lost."""


class Machine(Protocol):
    """A machine of the cluster.

    host: its name, which two of them may share.
    speed: as tournament.running.calibration measured it, None where it doesn't matter.
    """

    host: str
    speed: float | None


class Slot(Protocol):
    """A core of a machine, for one game pair at a time."""

    @property
    def machine(self) -> Machine:
        """Where it is."""
        ...

    def begin(self, pair: Sequence[GameJob]) -> None:
        """Start a pair."""

    def next_event(self) -> MovePlayed | GameRecord | None:
        """Wait for the next event, as an Engine yields it, and return it; None at the pair's end.

        Raises:
            MachineLost: it is lost.
        """


SlotT = TypeVar("SlotT", bound=Slot)
MachineT = TypeVar("MachineT", contravariant=True)


class Cluster(AbstractContextManager, Protocol[SlotT, MachineT]):
    """Machines that come and go, as a context; leaving it ends all of their games.

    It gets back the slots that it gave, and their machines.
    """

    def new_slots(self) -> Sequence[SlotT]:
        """Return the idle slots of machines that joined since the last call, without waiting."""

    def may_come(self) -> bool:
        """Return whether any machine is still getting ready."""

    def wait(self, slots: Sequence[SlotT], seconds: float) -> Sequence[SlotT]:
        """Wait until a slot has an event; return all slots that have one."""

    def drop(self, machine: MachineT) -> None:
        """Stop whatever a lost machine may still be doing; its slots are not used again."""


@dataclass
class _Pair:
    """A game pair in progress, with the results received so far."""

    jobs: Sequence[GameJob]
    losses: int = 0
    deadline: float = 0.0
    records: dict[str, GameRecord] = field(default_factory=dict)


class ClusterEngine:
    """Plays on the machines of a cluster; see tournament.running.engine_protocol.Engine.

    Args:
        cluster: the machines.
        options: the rules of the event.
        clock: wall time in seconds; tests bring their own.
    """

    def __init__(
        self,
        cluster: Cluster[Any, Any],
        options: EventOptions,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._cluster = cluster
        self._options = options
        self._clock = clock
        self._idle: list[Slot] = []
        self._busy: dict[Slot, _Pair] = {}
        self._again: deque[_Pair] = deque()

    def play(self, pairs: Iterable[Sequence[GameJob]]) -> Events:
        """See Engine.

        Raises:
            EngineError: no machine is left.
        """
        waiting = iter(pairs)
        self._idle, self._busy, self._again = [], {}, deque()
        with self._cluster:
            while True:
                self._idle += self._cluster.new_slots()
                self._hand_out(waiting)
                if self._busy or self._cluster.may_come() and not self._idle:
                    yield from self._listen()
                elif self._idle:
                    return
                else:
                    raise EngineError(
                        "no machine in the cluster can play; the same command continues from here "
                        "when there is one"
                    )

    def _hand_out(self, waiting: Iterator[Sequence[GameJob]]) -> None:
        while self._idle:
            if self._again:
                pair = self._again.popleft()
            elif jobs := next(waiting, None):
                pair = _Pair(jobs)
            else:
                return
            slot = self._idle.pop(0)
            self._busy[slot] = pair
            self._extend_deadline(slot)
            slot.begin(pair.jobs)

    def _listen(self) -> Iterator[MovePlayed | GameRecord]:
        for slot in self._cluster.wait(list(self._busy), LISTEN_SECONDS):
            if slot in self._busy:
                yield from self._hear(slot)
        overdue = [slot for slot, pair in self._busy.items() if self._clock() > pair.deadline]
        for slot in overdue:
            if slot in self._busy:
                reason = f"it sent nothing for {self._silence_seconds(slot.machine):.0f} s"
                yield from self._lose(slot.machine, reason)

    def _hear(self, slot: Slot) -> Iterator[MovePlayed | GameRecord]:
        pair = self._busy[slot]
        try:
            event = slot.next_event()
        except MachineLost as loss:
            yield from self._lose(slot.machine, str(loss))
            return
        self._extend_deadline(slot)
        if event is None:
            del self._busy[slot]
            self._idle.append(slot)
            yield from pair.records.values()
        elif isinstance(event, GameRecord) and event.kind != VOID:
            pair.records[event.game_id] = event
        else:
            yield event

    def _lose(self, machine: Machine, reason: str) -> Iterator[GameRecord]:
        """Reclaim all pairs of a machine, which is not used again."""
        self._cluster.drop(machine)
        self._idle = [slot for slot in self._idle if slot.machine is not machine]
        lost = [slot for slot in self._busy if slot.machine is machine]
        reason = f"the machine {machine.host} was lost: {reason}"
        logging.getLogger(__name__).warning("%s; game pairs under way: %d", reason, len(lost))
        for pair in [self._busy.pop(slot) for slot in lost]:
            pair.losses += 1
            pair.records.clear()
            if pair.losses < ATTEMPTS:
                self._again.append(pair)
            else:
                yield from (void_record(job, self._options, reason) for job in pair.jobs)

    def _extend_deadline(self, slot: Slot) -> None:
        self._busy[slot].deadline = self._clock() + self._silence_seconds(slot.machine)

    def _silence_seconds(self, machine: Machine) -> float:
        """Return the wall time after which a silent machine of this speed is presumed lost."""
        return patience(options_here(self._options, machine.speed)) + GRACE_SECONDS
