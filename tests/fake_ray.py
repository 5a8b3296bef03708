"""As much of Ray as the kit uses, in this process: actors are objects, a machine fails as it says.

Its clock goes on by a second whenever something is waited for, and by a minute if nothing comes.
"""

import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any

from golois.kit.cluster import Machines


class RayError(Exception):
    """What is Ray's own."""


class RayActorError(RayError):
    """What a lost machine raises."""


class RayTaskError(RayError):
    """What a job that raises something is to who waits for it, also where that is Ray's own."""

    def __init__(self, cause: Exception) -> None:
        super().__init__("a traceback of many lines")
        self.cause = cause


@dataclass(eq=False)
class FakeMachine:
    """Dies after so many events, falls silent after as many, comes at that second."""

    host: str = "a"
    num_cpus: int = 1
    dies_at: float = float("inf")
    silent_at: float = float("inf")
    comes_at: int = 0
    num_events: int = 0
    num_actors: int = 0


@dataclass(eq=False)
class Ref:
    """What `get` returns, or raises."""

    value: Any


@dataclass(eq=False)
class FakeCall:
    """A method's events, or its one result."""

    machine: FakeMachine
    method: Callable[[], Any]
    events: Any = None

    def __next__(self) -> Ref:
        self.machine.num_events += 1
        if self.machine.num_events > self.machine.dies_at:
            return Ref(RayActorError())
        self.events = self.events or self.method()
        try:
            return Ref(next(self.events))
        except StopIteration:
            raise
        except Exception as error:
            return Ref(RayTaskError(error))


@dataclass(eq=False)
class FakeActor:
    """An object on a machine, whose methods have a `remote`."""

    machine: FakeMachine
    inner: Any
    calls: list[FakeCall] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any) -> FakeCall:
            self.calls.append(FakeCall(self.machine, partial(method, *arguments)))
            return self.calls[-1]

        method = getattr(self.inner, name)
        return SimpleNamespace(remote=call)


class FakeRay:
    """Machines, behind a head that listens until it is closed."""

    exceptions = SimpleNamespace(
        RayError=RayError, RayActorError=RayActorError, RayTaskError=RayTaskError
    )
    strategies = SimpleNamespace(NodeAffinitySchedulingStrategy=lambda node_id, soft: node_id)
    util = SimpleNamespace(scheduling_strategies=strategies)

    def __init__(self, *machines: FakeMachine) -> None:
        self.machines = machines
        self.seconds = 0.0
        self.actors: list[FakeActor] = []
        self.num_sent, self.damages = 0, False
        self.head = socket.create_server(("127.0.0.1", 0))
        self._address = "{}:{}".format(*self.head.getsockname())

    def cluster(self, wanted: Any) -> Machines:
        """As `open_engine` returns it."""
        return Machines(self, wanted, clock=lambda: self.seconds)

    def get_runtime_context(self) -> Any:
        return SimpleNamespace(gcs_address=self._address)

    def nodes(self) -> list[dict[str, Any]]:
        return [
            {"NodeID": str(number), "NodeManagerHostname": one.host, "Alive": True,
             "Resources": {"CPU": float(one.num_cpus)}}
            for number, one in enumerate(self.machines)
            if one.comes_at <= self.seconds
        ]  # fmt: skip

    def remote(self, kind: type) -> Any:
        def options(scheduling_strategy: str, **_settings: Any) -> Any:
            def start(*arguments: Any) -> FakeActor:
                machine = self.machines[int(scheduling_strategy)]
                machine.num_actors += 1
                self.actors.append(FakeActor(machine, kind(*arguments)))
                return self.actors[-1]

            return SimpleNamespace(remote=start)

        return SimpleNamespace(options=options)

    def put(self, content: bytes) -> Ref:
        self.num_sent += 1
        return Ref(content[self.damages :])

    def get(self, one: Ref | FakeCall) -> Any:
        value = one.value if isinstance(one, Ref) else one.method()
        if isinstance(value, Exception):
            raise value
        return value

    def wait(self, calls: list, timeout: float, **_: Any) -> tuple[list, list]:
        heard = [call for call in calls if call.machine.num_events < call.machine.silent_at]
        if timeout:
            self.seconds += 1 if heard else 60
        return heard, []

    def kill(self, actor: FakeActor) -> None:
        for call in actor.calls:
            if call.events is not None:
                call.events.close()
        actor.inner.clean_up()
        self.actors.remove(actor)
