"""A throwaway process that does one piece of work on untrusted data and cannot do more.

The child first writes a line, "ready" and the layers of the sandbox that hold, when it is confined.
Only then the parent writes one request to the child's standard input; so what the line says cannot
come from the data. Without the line the failure is the machine's, not the submission's. The child
answers with one reply on its standard output. Request and reply are a line of JSON each, and then
texts and raw bytes.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import IO, NoReturn

from golois.kit.processes import ErrorsReader, end_with_parent, kill_session, last_line
from tournament.intake.faults import MAX_FAULTS, Fault, IntakeError, Refused, printable, refuse
from tournament.intake.sandbox import ROOT, PeakMemory, confine, isolate, missing_layers

MAX_HEADER = 5_000_000
_BOOTSTRAP = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from tournament.intake.child import start; start(*sys.argv[2:])"
)
_READY, _MAX_READY = b"ready ", 200
_TOO_MUCH_MEMORY = "the file needs more memory than a submission may use"
_TOO_MUCH_REMEDY = "make the network smaller and save it again with model.save('net.h5')"
_SHORTER = "give the layers shorter names and save the network again with model.save('net.h5')"


@dataclass(frozen=True)
class Message:
    """A header, and the bytes that follow it.

    Its line of JSON lists the header's own texts by their lengths, and they stand behind it as they
    are: escaped, a long one would not fit into the line.
    """

    header: dict
    payload: bytes = b""

    def encode(self) -> bytes:
        """Return the bytes that `decode` reads; raises Refused where it would find them too long.

        Only a file's names and shapes can make the line so long.
        """
        texts = {
            key: value.encode("utf-8", "backslashreplace")
            for key, value in self.header.items() if isinstance(value, str)
        }
        values = {key: value for key, value in self.header.items() if key not in texts}
        lengths = {key: len(text) for key, text in texts.items()}
        line = json.dumps({"values": values, "texts": lengths}).encode("ascii")
        if len(line) > MAX_HEADER:
            raise refuse("the names of the layers are too long together", _SHORTER)
        return b"".join([line, b"\n", *texts.values(), self.payload])

    @classmethod
    def decode(cls, data: bytes) -> "Message":
        """Return what `encode` wrote; raises ValueError where it is something else or too long."""
        line, _, rest = data.partition(b"\n")
        read = json.loads(line) if len(line) <= MAX_HEADER else None
        if not isinstance(read, dict) or not all(
            isinstance(read.get(part), dict) for part in ("values", "texts")
        ):
            raise ValueError("expected a header in the first line")
        header, start = read["values"], 0
        for key, length in read["texts"].items():
            if type(length) is not int or not 0 <= length <= len(rest) - start:
                raise ValueError("expected texts of the lengths in the first line")
            header[key] = rest[start:start + length].decode("utf-8", "replace")
            start += length
        return cls(header, rest[start:])


def start(module: str, function: str) -> NoReturn:
    """Run as the child: enter the sandbox, send "ready", read, do the work, reply and exit.

    The reply's header has "faults" instead of a result when the work refuses.

    Args:
        module: has `LIMITS`, a sandbox.Limits, and the function.
        function: takes the request and returns the reply, both a Message.
    """
    peak_memory = PeakMemory()
    held = isolate()
    end_with_parent()
    worker = import_module(module)
    held += confine(worker.LIMITS)
    output = sys.stdout.buffer
    output.write(_READY + ("+".join(held) or "none").encode() + b"\n")
    output.flush()

    def encoded(reply: Message) -> bytes:
        return Message({**reply.header, "peak_bytes": peak_memory.read()}, reply.payload).encode()

    output.write(_answer(getattr(worker, function), encoded))
    output.flush()
    os._exit(0)


def _answer(work: Callable[[Message], Message], encoded: Callable[[Message], bytes]) -> bytes:
    """Return the reply to the request on standard input, or the faults that are found."""
    try:
        return encoded(work(Message.decode(sys.stdin.buffer.read())))
    except Refused as refusal:
        faults = [[fault.text, fault.remedy] for fault in refusal.faults]
    except MemoryError:
        faults = [[_TOO_MUCH_MEMORY, _TOO_MUCH_REMEDY]]
    return encoded(Message({"faults": faults}))


@dataclass
class Usage:
    """What children have cost so far: processor seconds in all, and the most memory of one.

    Zero where the system doesn't report it (Windows). A child reports its own memory, since the
    system's figure includes its parent's; one that is killed reports nothing.
    """

    cpu_seconds: float = 0.0
    peak_bytes: int = 0

    def wait(self, process: subprocess.Popen) -> None:
        """Wait for the end of a child and add its time."""
        if not hasattr(os, "wait4"):
            process.wait()
            return
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu_seconds += used.ru_utime + used.ru_stime

    def take_peak(self, header: dict) -> None:
        """Remove the child's report of its memory from its reply."""
        peak = header.pop("peak_bytes", 0)
        self.peak_bytes = max(self.peak_bytes, peak if type(peak) is int else 0)


def run(
    module: str,
    function: str,
    request: Message,
    *,
    wall_seconds: float,
    max_reply: int,
    require_sandbox: bool = False,
    usage: Usage | None = None,
) -> Message:
    """Run a function of a module in a child process (see `start`) and return its reply.

    The reply's header always has "sandbox", the layers that held before the request was sent.
    What the child cost is added to `usage`, also where this raises.

    Args:
        module: of the function.
        function: its name.
        request: what the function gets.
        wall_seconds: a child that takes longer is killed.
        max_reply: bytes of the reply at most.
        require_sandbox: send the request to a child with all layers of the sandbox only.
        usage: of the children so far.

    Raises:
        Refused: what the child found, or that it crashed or took too long on this request; or the
            request is too long.
        IntakeError: the child could not even start, or a required layer is missing.
    """
    sent = request.encode()
    command = [sys.executable, "-I", "-c", _BOOTSTRAP, str(ROOT), module, function]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=_environment(), start_new_session=True,
    )
    assert process.stdin and process.stdout and process.stderr  # all three are pipes
    errors = ErrorsReader(process.stderr)
    timer = threading.Timer(wall_seconds, kill_session, [process])
    timer.start()
    output, surplus = b"", b""
    try:
        held = _read_layers(process.stdout, require_sandbox)
        if held:
            with suppress(BrokenPipeError):  # the child's exit status says more
                process.stdin.write(sent)
                process.stdin.close()
            output = process.stdout.read(max_reply)
            surplus = process.stdout.read(1)
    finally:
        usage = usage or Usage()
        in_time = timer.is_alive()
        timer.cancel()
        kill_session(process)
        usage.wait(process)
        for pipe in (process.stdin, process.stdout):
            _close(pipe)
    said = last_line(errors.last())
    if not held:
        raise IntakeError(
            "a child process of the intake could not start (exit status "
            f"{process.returncode}): {printable(said) or '-'}; install the requirements again, or "
            "free memory"
        )
    reply = _read_reply(output, said, process.returncode, bool(surplus), in_time, usage)
    return Message({**reply.header, "sandbox": held}, reply.payload)


def _read_layers(output: IO[bytes], required: bool) -> str:
    """Return the layers that a child reports when it is ready, "" if it does not become so."""
    line = output.readline(_MAX_READY)
    if not (line.startswith(_READY) and line.endswith(b"\n")):
        return ""
    held = printable(line[len(_READY):].decode("ascii", "replace").strip())
    missing = missing_layers(held)
    if required and missing:
        raise IntakeError(
            f"no sandbox: this machine lacks {', '.join(missing)}; judge on another one, or "
            "without --require-sandbox"
        )
    return held


def _read_reply(
    output: bytes, said: str, code: int, surplus: bool, in_time: bool, usage: Usage
) -> Message:
    if not in_time:
        raise refuse("the file takes too long to read or to evaluate", _TOO_MUCH_REMEDY)
    if surplus:
        raise refuse("the file yields more data than a submission may have", _TOO_MUCH_REMEDY)
    try:
        reply = Message.decode(output)
    except (ValueError, RecursionError):
        raise refuse(_crash(code, said), _TOO_MUCH_REMEDY) from None
    usage.take_peak(reply.header)
    if "faults" in reply.header:
        raise Refused(_read_faults(reply.header["faults"]))
    return reply


def _crash(code: int, said: str) -> str:
    if code in (-signal.SIGKILL, -getattr(signal, "SIGXCPU", signal.SIGKILL)):
        return "the file takes more processor time than a submission may use"
    detail = printable(said, 120)
    how = f"signal {-code}" if code < 0 else detail or f"exit status {code}"
    return f"the file makes its reader fail ({how})"


def _read_faults(faults: object) -> list[Fault]:
    """Read the faults from a child, which may be compromised: any text, made printable."""
    pairs = faults if isinstance(faults, list) else []
    read = [
        Fault(printable(str(pair[0])), printable(str(pair[1])))
        for pair in pairs[: MAX_FAULTS + 1]
        if isinstance(pair, list) and len(pair) == 2
    ]
    return read or [Fault("the file makes its reader fail", _TOO_MUCH_REMEDY)]


def _environment() -> dict[str, str]:
    """Return the few variables a child gets, with one thread for everything."""
    kept = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT") if key in os.environ}
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    return {
        **kept, **dict.fromkeys(threads, "1"), "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
    }


def _close(pipe: IO[bytes]) -> None:
    with suppress(BrokenPipeError):
        pipe.close()
