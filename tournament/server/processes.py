"""Work in a separate process, which ends with the task that waits for it."""

import asyncio
import sys
from dataclasses import dataclass

from tournament.child_processes import kill_session, last_line
from tournament.game.record import one_line


@dataclass(frozen=True)
class Ended:
    """A finished process: its exit status, output, and the last line of its errors."""

    code: int
    output: bytes
    said: str


async def run_apart(*arguments: str, given: bytes = b"") -> Ended:
    """Run Python with these arguments; when the caller is cancelled the process is killed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, start_new_session=True,
    )
    try:
        output, errors = await process.communicate(given)
    except BaseException:
        kill_session(process)
        await process.communicate()
        raise
    assert process.returncode is not None  # it has ended
    said = one_line(last_line(errors)) or f"exit status {process.returncode}"
    return Ended(process.returncode, output, said)
