"""Find the best way to run an accepted artefact, after the gates, in a third child.

The artefact is our own by now, and workers run it without a sandbox. Here it is confined because
of its weights, with one more permission than the gates have: OpenVINO must start threads.
"""

from dataclasses import asdict

from tournament.intake.child import Message
from tournament.intake.sandbox import Limits
from tournament.networks.evaluator import sample_positions
from tournament.networks.runtimes import installed_runtimes
from tournament.networks.tuning import tune

LIMITS = Limits(cpu_seconds=6, memory_bytes=1 << 30, threads=True)

installed_runtimes()  # imports them while that is allowed


def try_runtimes(request: Message) -> Message:
    """Return the tuning of the artefact in the payload.

    The header has the "seconds" to spend, and the "planes_shape" of the network.
    """
    positions = sample_positions(tuple(request.header["planes_shape"]))
    tuning = tune(request.payload, positions, request.header["seconds"])
    return Message({"tuning": asdict(tuning)})
