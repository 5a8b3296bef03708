"""Work that is shared out among threads, where the system has fewer of them."""

import os
import resource
import subprocess
import sys

import pytest

from tests.data import ROOT

# There is room for the stack of one thread and what it computes with, and for no second stack.
ROOM_FOR_ONE_THREAD = """
import resource
import numpy as np
from golois import NoGo, SelfPlay, SelfPlayOptions

def collected(threads, room=0):
    games = SelfPlay(NoGo(3), SelfPlayOptions(num_simulations=2), 64, threads=threads)
    planes = np.empty((64, *games.planes_shape), np.float32)
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    if room:
        resource.setrlimit(resource.RLIMIT_AS, (used + room, limits[1]))
    assert games.collect(planes) == 64
    resource.setrlimit(resource.RLIMIT_AS, limits)
    return planes

stack, _ = resource.getrlimit(resource.RLIMIT_STACK)
assert np.array_equal(collected(64, room=7 * stack // 4), collected(1))
"""


@pytest.mark.skipif(
    sys.platform != "linux" or "libasan" in os.environ.get("LD_PRELOAD", ""),
    reason="needs a limit of memory that holds, and AddressSanitizer none",
)
def test_threads_that_cannot_be_had_change_nothing():
    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    if most != resource.RLIM_INFINITY and most < 256 << 20:
        pytest.skip("needs large stacks")
    large_stacks = 'ulimit -s 262144 && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", large_stacks, "sh", sys.executable, "-c", ROOM_FOR_ONE_THREAD],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
