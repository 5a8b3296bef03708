"""Games on many machines: pairs go to idle machines, and come back whole or are replayed.

A pair is always played on one machine. After a machine is lost its pairs are replayed elsewhere,
and given up after three attempts.
"""

import logging
from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from golois.kit.cluster import Begun, Cluster, Ended, Here, Job, Lost, Survey, Told, Wanted
from tournament.errors import OptionsError
from tournament.game.job import GameJob, networks_of
from tournament.game.options import EventOptions
from tournament.game.play import void_record
from tournament.game.record import VOID, GameRecord
from tournament.intake.artefact import ARTEFACT, MANIFEST
from tournament.networks.runtimes import require_precision
from tournament.running.calibration import speed_under
from tournament.running.engine_protocol import Events, MovePlayed, patience
from tournament.running.local_engine import LocalEngine
from tournament.running.machine import physical_cores, spread_warning

# Added to `patience`, after which a machine replaces a hung worker: time for networks to arrive.
GRACE_SECONDS = 120.0

log = logging.getLogger(__name__)


def survey_under(options: EventOptions) -> Survey:
    """Measure the machine that this is called on, if it can play by the rules of the event."""
    try:
        require_precision(options.precision)
    except OptionsError as error:
        return Survey(fault=str(error))
    return Survey(physical_cores(), speed_under(options))


def play_pair(
    options: EventOptions, pair: Sequence[GameJob], here: Here
) -> Generator[MovePlayed | GameRecord, None, list[GameRecord]]:
    """Play a pair on one core of the machine that this is called on; return its results."""
    engine = LocalEngine(here.folder, options, cores=[here.core], speed=here.speed)
    results = []
    for event in engine.play([pair]):
        if isinstance(event, GameRecord) and event.kind != VOID:
            results.append(event)
        else:
            yield event
    return results


class ClusterEngine:
    """Plays on the machines of a cluster; see tournament.running.engine_protocol.Engine."""

    def __init__(self, cluster: Cluster, artefacts: Path, options: EventOptions):
        self._cluster = cluster
        self._artefacts = artefacts
        self._options = options

    def play(self, pairs: Iterable[Sequence[GameJob]]) -> Events:
        """See Engine; raise ClusterError if no machine is left."""
        wanted = Wanted(
            rooms=("golois", "tournament"),
            survey=partial(survey_under, self._options),
            silence=self._silence_seconds,
        )
        speeds: dict[str, float] = {}
        with self._cluster(wanted) as machines:
            for happened in machines.do(map(self._job, pairs)):
                match happened:
                    case Begun(_, machine) if machine.speed and machine.host not in speeds:
                        speeds[machine.host] = machine.speed
                        if warning := spread_warning(speeds):
                            log.warning(warning)
                    case Told(_, event):
                        yield event
                    case Ended(_, results):
                        yield from results
                    case Lost():
                        yield from self._given_up(happened)

    def _job(self, pair: Sequence[GameJob]) -> Job:
        paths = [
            self._artefacts / f"{sha256}{suffix}"
            for sha256 in sorted(networks_of(pair))
            for suffix in (MANIFEST, ARTEFACT)
        ]
        run = partial(play_pair, self._options, pair)
        return Job(pair, run, lambda: filter(Path.exists, paths))

    def _given_up(self, lost: Lost) -> Iterator[GameRecord]:
        reason = f"the machine {lost.machine.host} was lost: {lost.reason}"
        num_pairs = len(lost.again) + len(lost.given_up)
        log.warning("%s; game pairs under way: %d", reason, num_pairs)
        for pair in lost.given_up:
            yield from (void_record(job, self._options, reason) for job in pair.about)

    def _silence_seconds(self, speed: float | None) -> float:
        return patience(self._options, speed) + GRACE_SECONDS
