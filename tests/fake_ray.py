"""As much of Ray as a sweep uses, in this process: tasks are generators, machines are names."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any


class RayError(Exception):
    """What a lost machine raises."""


class FakeRay:
    """Machines that play along.

    Args:
        machines: their names.
        lost_after: how many results each of those that are lost still brings.
    """

    exceptions = SimpleNamespace(RayError=RayError)
    util = SimpleNamespace(
        scheduling_strategies=SimpleNamespace(
            NodeAffinitySchedulingStrategy=lambda node_id, soft: node_id
        )
    )

    def __init__(self, machines: Sequence[str], lost_after: dict[str, int] | None = None):
        self.machines = machines
        self.cancelled: list[Any] = []
        self._lost_after = lost_after or {}

    def nodes(self) -> list[dict[str, Any]]:
        resources = {"CPU": 2.0}
        return [
            {"NodeID": name, "NodeManagerHostname": name, "Alive": True, "Resources": resources}
            for name in self.machines
        ]

    def remote(self, function: Callable) -> Any:
        def options(scheduling_strategy: str, **_settings: Any) -> Any:
            return SimpleNamespace(
                remote=lambda *arguments: self._task(function(*arguments), scheduling_strategy)
            )

        return SimpleNamespace(options=options)

    def _task(self, results: Any, machine: str) -> Any:
        for number, result in enumerate(results):
            if number == self._lost_after.get(machine):
                results.close()
                raise RayError(f"{machine} does not answer")
            yield result

    def wait(self, tasks: Sequence[Any], **_settings: Any) -> tuple[list[Any], list[Any]]:
        return list(tasks), []

    def get(self, result: Any) -> Any:
        return result

    def cancel(self, task: Any) -> None:
        task.close()
        self.cancelled.append(task)
