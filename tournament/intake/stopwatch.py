"""Ends work that takes too long, with a refusal in words."""

import time

from tournament.intake.faults import refuse


class Stopwatch:
    """Limits the processor time of what looks at it, counted from its making."""

    def __init__(self, seconds: float) -> None:
        self._end = time.process_time() + seconds

    def check(self) -> None:
        """Raise Refused once the time is over."""
        if time.process_time() > self._end:
            raise refuse(
                "the file takes more processor time than a submission may use",
                "use fewer layers, and save the model again with model.save('net.h5')",
            )
