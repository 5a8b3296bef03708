"""A throwaway process that does one piece of work on untrusted data and cannot do more.

The child first writes a line, "ready" and the layers of the sandbox that hold, when it is confined.
Only then the parent writes one request to the child's standard input; so what the line says cannot
come from the data. Without the line the failure is the machine's, not the submission's. The child
answers with one reply on its standard output. Request and reply are a line of JSON each, and then
texts and raw bytes.

Where many files are judged, a child is forked from a template: a process that has imported what
the work needs, and never sees data. Every child is a new process all the same, confines itself
before it reads, and does one piece of work. It has neither the template's socket nor the pipes of
another child.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain
from types import ModuleType
from typing import IO, Any, NoReturn, Self

from golois.kit.processes import ErrorsReader, end_with_parent, kill_session, last_line
from tournament.intake.faults import (
    MAX_FAULTS,
    Fault,
    IntakeError,
    Refused,
    fault,
    printable,
    refusal,
)
from tournament.intake.sandbox import ROOT, PeakMemory, confine, isolate, missing_layers

MAX_HEADER = 5_000_000
_BOOTSTRAP = (
    "import sys; sys.path.insert(0, sys.argv[1]); from tournament.intake import child; "
    "getattr(child, sys.argv[2])(*sys.argv[3:])"
)
_READY, _MAX_READY = b"ready ", 200
_MAX_ASKED = 100  # bytes of what a template is asked and says


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
            raise refusal("long-names")
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
    memory, held = PeakMemory(), isolate()
    end_with_parent()
    _work(import_module(module), function, memory, held)


def serve(module: str, descriptor: str) -> NoReturn:
    """Run as the template: fork a child for each function that the socket names, with its pipes.

    Once a child has ended, the answer is its exit code and the processor seconds since the last
    answer. The template ends with the socket.
    """
    end_with_parent()
    worker, asked = import_module(module), socket.socket(fileno=int(descriptor))
    before = 0.0
    while True:
        function, pipes, _, _ = socket.recv_fds(asked, _MAX_ASKED, 3)
        if not function:
            os._exit(0)
        child = os.fork()
        if child == 0:
            asked.close()
            for place, pipe in enumerate(pipes):
                os.dup2(pipe, place)
        for pipe in pipes:
            os.close(pipe)
        if child == 0:
            os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # whatever an import has opened
            memory, held = PeakMemory(), isolate()
            end_with_parent()
            _work(worker, function.decode("ascii"), memory, held)
        _, status, used = os.wait4(child, 0)
        now = time.process_time()
        seconds = now - before + used.ru_utime + used.ru_stime
        asked.send(f"{os.waitstatus_to_exitcode(status)} {seconds}".encode("ascii"))
        before = now


def _work(worker: ModuleType, function: str, memory: PeakMemory, held: list[str]) -> NoReturn:
    """Confine this process for good, and only then read and answer a request."""
    held += confine(worker.LIMITS)
    output = sys.stdout.buffer
    output.write(_READY + ("+".join(held) or "none").encode() + b"\n")
    output.flush()
    try:
        reply = getattr(worker, function)(Message.decode(sys.stdin.buffer.read()))
        answer = _with_peak(reply, memory)
    except (Refused, MemoryError) as error:
        refused = error if isinstance(error, Refused) else refusal("too-much", what="memory")
        faults = [[fault.text, fault.remedy] for fault in refused.faults]
        answer = _with_peak(Message({"faults": faults}), memory)
    output.write(answer)
    output.flush()
    os._exit(0)


def _with_peak(reply: Message, memory: PeakMemory) -> bytes:
    return Message({**reply.header, "peak_bytes": memory.read()}, reply.payload).encode()


class _Started:
    """A child that Python was started for.

    input, output: its pipes; `errors` reads what it says besides.
    """

    def __init__(self, module: str, function: str) -> None:
        self.leader = _python("start", module, function, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE)
        assert self.leader.stdin and self.leader.stdout and self.leader.stderr  # all are pipes
        self.input, self.output = self.leader.stdin, self.leader.stdout
        self.errors = ErrorsReader(self.leader.stderr)

    def settle(self, whole: bool) -> None:
        """Have the child end, which has given a whole answer or is of no more use."""
        kill_session(self.leader)

    def reap(self, in_time: bool) -> tuple[int, float, str]:
        """Return its exit code, the processor seconds that it took, and the end of its errors."""
        if not hasattr(os, "wait4"):
            return self.leader.wait(), 0.0, last_line(self.errors.last())
        _, status, used = os.wait4(self.leader.pid, 0)
        self.leader.returncode = os.waitstatus_to_exitcode(status)
        seconds = used.ru_utime + used.ru_stime
        return self.leader.returncode, seconds, last_line(self.errors.last())


class _Forked:
    """A template and its child; has what `_Started` has. It forks one child at a time.

    idle: where the template is kept for the next child, once a child has ended well.
    """

    def __init__(self, module: str, idle: "list[_Forked]") -> None:
        self._idle = idle
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.leader = _python(
                "serve", module, str(theirs.fileno()), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, pass_fds=(theirs.fileno(),),
            )
        assert self.leader.stderr  # a pipe
        self._own_errors = ErrorsReader(self.leader.stderr)

    def fork(self, function: str) -> "_Forked":
        """Ask for a child, with pipes that no other child has had."""
        self._said = b""
        (stdin, request), (output, stdout), (errors, stderr) = (os.pipe() for _ in range(3))
        self.input, self.output = os.fdopen(request, "wb"), os.fdopen(output, "rb")
        with suppress(OSError):  # where the template has failed its errors say more
            socket.send_fds(self._socket, [function.encode("ascii")], [stdin, stdout, stderr])
        for end in (stdin, stdout, stderr):
            os.close(end)
        self.errors = ErrorsReader(os.fdopen(errors, "rb"))
        return self

    def settle(self, whole: bool) -> None:
        """Wait for the child's end, or kill it with the template."""
        if not whole:
            kill_session(self.leader)
        with suppress(OSError):
            self._said = self._socket.recv(_MAX_ASKED)

    def reap(self, in_time: bool) -> tuple[int, float, str]:
        """Return what `_Started.reap` does; the processor seconds are also the template's."""
        said = last_line(self.errors.last())
        if self._said and in_time:
            code, seconds = self._said.split()
            self._idle.append(self)  # last: another thread may take it now
            return int(code), float(seconds), said
        self.close()
        return self.leader.returncode, 0.0, said or last_line(self._own_errors.last())

    def close(self) -> None:
        """End the template."""
        kill_session(self.leader)
        self._socket.close()
        self.leader.wait()


class Templates:
    """The templates of many judgements, in any number of threads; on Linux only there are any.

    A context manager, whose end is theirs.
    """

    def __init__(self) -> None:
        self._idle: dict[str, list[_Forked]] = defaultdict(list)
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for template in chain(*self._idle.values()):
            template.close()

    def begin(self, module: str, function: str) -> _Started | _Forked:
        """Return a new child."""
        if sys.platform != "linux":
            return _Started(module, function)
        with self._lock:
            idle = self._idle[module]
            template = idle.pop() if idle else None
        return (template or _Forked(module, idle)).fork(function)


@dataclass
class Usage:
    """What children have cost so far: processor seconds in all, and the most memory of one.

    Zero where the system doesn't report it (Windows). A child reports its own memory, since the
    system's figure includes its parent's; a child that is killed reports nothing. The children are
    forked from `templates`; without them Python is started for each.
    """

    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    templates: Templates | None = field(default=None, repr=False)

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
    sent, late, usage = request.encode(), threading.Event(), usage or Usage()
    begin = usage.templates.begin if usage.templates else _Started
    child = begin(module, function)

    def stop() -> None:
        late.set()
        kill_session(child.leader)

    timer = threading.Timer(wall_seconds, stop)
    timer.start()
    held, output, surplus = "", b"", b""
    try:
        held = _read_layers(child.output, require_sandbox)
        if held:
            with suppress(BrokenPipeError):  # the child's exit status says more
                child.input.write(sent)
                child.input.close()
            output = child.output.read(max_reply)
            surplus = child.output.read(1)
    finally:
        child.settle(whole=bool(held) and not surplus)
        timer.cancel()
        timer.join()
        for pipe in (child.input, child.output):
            with suppress(BrokenPipeError):
                pipe.close()
        code, seconds, said = child.reap(in_time=not late.is_set())
        usage.cpu_seconds += seconds
    if not held:
        raise IntakeError(
            "a child process of the intake could not start (exit status "
            f"{code}): {printable(said) or '-'}; install the requirements again, or free memory"
        )
    if late.is_set():
        raise refusal("late", seconds=wall_seconds)
    reply = _read_reply(output, said, code, bool(surplus), usage)
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
            f"no sandbox: this machine lacks {', '.join(missing)}; judge on another machine, or "
            "without --require-sandbox"
        )
    return held


def _read_reply(
    output: bytes, said: str, code: int, surplus: bool, usage: Usage
) -> Message:
    if surplus:
        raise refusal("too-much", what="room for its data")
    try:
        reply = Message.decode(output)
    except (ValueError, RecursionError):
        raise _crash(code, said) from None
    usage.take_peak(reply.header)
    if "faults" in reply.header:
        raise Refused(_read_faults(reply.header["faults"]))
    return reply


def _crash(code: int, said: str) -> Refused:
    if code in (-signal.SIGKILL, -getattr(signal, "SIGXCPU", signal.SIGKILL)):
        return refusal("too-much", what="processor time")
    detail = printable(said, 120)
    how = f"signal {-code}" if code < 0 else detail or f"exit status {code}"
    return refusal("reader-fails", how=f" ({how})")


def _read_faults(faults: object) -> list[Fault]:
    """Read the faults from a child, which may be compromised: any text, made printable."""
    pairs = faults if isinstance(faults, list) else []
    read = [
        Fault(printable(str(pair[0])), printable(str(pair[1])))
        for pair in pairs[: MAX_FAULTS + 1]
        if isinstance(pair, list) and len(pair) == 2
    ]
    return read or [fault("reader-fails", how="")]


def _python(call: str, *arguments: str, **pipes: Any) -> subprocess.Popen[bytes]:
    """Start a function of this module in a session of its own, where all has one thread."""
    kept = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT") if key in os.environ}
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    more = {"LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen(
        [sys.executable, "-I", "-c", _BOOTSTRAP, str(ROOT), call, *arguments], **pipes,
        stderr=subprocess.PIPE, env={**kept, **dict.fromkeys(threads, "1"), **more},
        start_new_session=True,
    )
