"""The engines that can play a league, by name. Another cluster is another entry of `ENGINES`."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tournament.errors import OptionsError
from tournament.game.rules import EventOptions
from tournament.networks.runtimes import require_precision
from tournament.running.calibration import speed_under
from tournament.running.cluster_engine import ClusterEngine
from tournament.running.engine_protocol import Engine
from tournament.running.local_engine import LocalEngine
from tournament.running.ray_cluster import RayCluster


@dataclass(frozen=True)
class EngineSetup:
    """What an engine is made from.

    artefacts: the folder of the baked networks.
    options: the rules of the event.
    workers: processes on this machine; None for one on each physical core.
    address: of a cluster, in its engine's format; None for the cluster of this machine.
    """

    artefacts: Path
    options: EventOptions
    workers: int | None = None
    address: str | None = None


def open_engine(name: str, setup: EngineSetup) -> Engine:
    """Return the engine of this name, a key of `ENGINES`.

    Raises:
        OptionsError: a setting that the engine does not have, a package is missing, or this machine
            doesn't compute in the event's precision.
        EngineError: no cluster at the address.
    """
    return ENGINES[name](setup)


def _local(setup: EngineSetup) -> Engine:
    if setup.address is not None:
        raise OptionsError(f"--address is for clusters: got {setup.address} with --engine local")
    require_precision(setup.options.precision)
    speed = speed_under(setup.options)
    return LocalEngine(setup.artefacts, setup.options, setup.workers, speed=speed)


def _ray(setup: EngineSetup) -> Engine:
    if setup.workers is not None:
        raise OptionsError(
            "--workers is for --engine local: a cluster plays on every core of its machines"
        )
    cluster = RayCluster(setup.address or "auto", setup.artefacts, setup.options)
    return ClusterEngine(cluster, setup.options)


ENGINES: dict[str, Callable[[EngineSetup], Engine]] = {"local": _local, "ray": _ray}
