"""Jobs in the process of the tests, where to start another takes longer than what it does."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from golois.kit.cluster import ClusterError, Ended, Happened, Here, Job, Told
from golois.kit.command import KitError, in_one_sentence
from golois.kit.signals import Stopped, StopRequest


class ThisProcess:
    """Stands in for ThisMachine, whatever the number of processes: one job after the other."""

    def __init__(self, _number: int) -> None:
        pass

    def __enter__(self) -> "ThisProcess":
        return self

    def __exit__(self, *_error: object) -> None:
        pass

    def do(self, jobs: Iterable[Job], stop: StopRequest | None = None) -> Happened:
        """See ThisMachine."""
        for job in jobs:
            with tempfile.TemporaryDirectory() as folder:
                for path in job.files():
                    os.symlink(path.resolve(strict=True), Path(folder) / path.name)
                events = job.run(Here(Path(folder)))
                while not (stop is not None and stop.signal):
                    try:
                        event = next(events)
                    except StopIteration as end:
                        yield Ended(job, end.value)
                        break
                    except (KitError, OSError) as error:
                        raise ClusterError(in_one_sentence(error)) from None
                    yield Told(job, event)
                else:
                    raise Stopped
