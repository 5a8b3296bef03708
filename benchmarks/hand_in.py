"""What handing in costs: judging a file, and the answers of the server after many uploads.

Named peer of judging: `keras.saving.load_model(path, compile=False)` in a process of its own, which
neither checks nor converts anything and trusts the file. Time is processor time with the start of
the processes; memory is the most that one process had.

The server: every student's page asks about one file every 1.5 seconds, as it does while a file is
judged, and shows the history now and then; the teacher's page asks every 3 seconds. Each question
has a connection of its own, as behind a proxy. One student has four tenths of the uploads. All have
their verdicts and are in the league, so nothing is judged meanwhile.

With --slow-readers, so many connections of four other addresses ask for a large file of the site
meanwhile and read 64 bytes of it a second; one that is closed asks again. An answer that a student
gets only at a further attempt counts from the first one.

    python -m benchmarks.hand_in [FILE.h5 …] [--repeats 3]  without files: the registry's networks
    python -m benchmarks.hand_in --server [--students 60] [--uploads 10000] [--seconds 60]
                                 [--slow-readers 0]
"""

import argparse
import asyncio
import itertools
import json
import multiprocessing
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from benchmarks.report import ROOT, saved_presets, show
from tournament.board.networks import names_of
from tournament.intake import judge
from tournament.league.journal import Journal
from tournament.server.ledger import open_ledger
from tournament.server.tokens import STUDENT, TEACHER, Tokens

LOAD = """
import sys
status = open("/proc/self/status")
import keras
keras.saving.load_model(sys.argv[1], compile=False)
import time
print(time.process_time(), next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""
STUDENT_SECONDS, TEACHER_SECONDS = 1.5, 3.0
HISTORIES = 0.1  # of a student's questions
SHARE_OF_FIRST = 0.4  # of all uploads
THE_TEACHER = "Emmy"
LARGE_FILE, LARGE_BYTES = "large.bin", 20_000_000
GIVE_UP_SECONDS = 30.0
MANIFEST = json.dumps({
    "sha256": "0" * 64, "parameters_total": 95_987, "layers": {"Conv2D": 21, "ReLU": 20},
    "keras_version": "3.10.0", "tuning": {"runtime": "openvino", "batch_size": 8},
})
FAULTS = json.dumps([["the network has 120,000 parameters", "use fewer filters or blocks"]])


def judged(path: Path, repeats: int) -> tuple[float, float, float]:
    """Median processor seconds, wall seconds, and MB of one judgement."""
    rows = []
    with tempfile.TemporaryDirectory() as work_dir:
        for _ in range(repeats):
            start = time.perf_counter()
            verdict = judge(path, work_dir=work_dir)
            wall = time.perf_counter() - start
            rows.append((verdict.usage.cpu_seconds, wall, verdict.usage.peak_bytes / 1e6))
    return tuple(map(statistics.median, zip(*rows, strict=True)))


def loaded(path: Path, repeats: int) -> tuple[float, float, float] | None:
    """The same of Keras, None where it can't load the file."""
    rows = []
    for _ in range(repeats):
        start = time.perf_counter()
        command = [sys.executable, "-c", LOAD, str(path)]
        result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        if result.returncode != 0:
            return None
        wall = time.perf_counter() - start
        seconds, kibibytes = re.findall(r"[\d.]+", result.stdout)[-2:]
        rows.append((float(seconds), wall, 1024 * float(kibibytes) / 1e6))
    return tuple(map(statistics.median, zip(*rows, strict=True)))


def judging_rows(files: list[Path], repeats: int) -> Iterator[list[str]]:
    """A row for each file."""
    for name, path in zip(names_of([path.resolve() for path in files]), files, strict=True):
        peer = loaded(path, repeats)
        cells = [*judged(path, repeats), *(peer or ())]
        row = [f"{cell:.0f}" if at % 3 == 2 else f"{cell:.2f}" for at, cell in enumerate(cells)]
        yield [name, *row, *([] if peer else ["does not load", "", ""])]


def fill(league: Path, num_students: int, num_uploads: int) -> dict[str, str]:
    """Makes a league with these uploads, and returns everybody's token."""
    ledger, tokens = open_ledger(league), {}
    names = [f"student{number:02d}" for number in range(num_students)]
    Tokens(ledger).issue(names, STUDENT, tokens.update)
    Tokens(ledger).issue([THE_TEACHER], TEACHER, tokens.update)
    others = itertools.cycle(names[1:])
    with ledger.transaction():
        for number in range(num_uploads):
            is_firsts = number % 10 < 10 * SHARE_OF_FIRST
            add_upload(ledger, names[0] if is_firsts else next(others), number)
    ledger.close()
    return tokens


def add_upload(ledger: Journal, owner: str, number: int) -> None:
    """Adds the row of an upload; every second one was accepted."""
    at = f"2026-11-{1 + number // 500:02d}T{number % 24:02d}:00:00.{number:06d}+00:00"
    is_accepted = number % 2 == 0
    ledger.insert("uploads", {
        "id": f"{number:016x}", "owner": owner, "file_name": "net.h5", "sha256": f"{number:064x}",
        "num_bytes": 500_000, "received_at": at, "state": "accepted" if is_accepted else "refused",
        "num_failures": 0, "faults": "[]" if is_accepted else FAULTS,
        "manifest": MANIFEST if is_accepted else None, "judged_at": at,
        "filed_at": at if is_accepted else None,
    })


@contextmanager
def served(league: Path) -> Iterator[tuple[int, int]]:
    """The server as a process of its own; yields its number and its port once the site is built."""
    command = (sys.executable, "-m", "tournament", "serve", "--league", league, "--port", "0")
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            port = int(re.search(r":(\d+)$", process.stdout.readline().strip())[1])
            while not (league / "site" / "index.html").exists():
                time.sleep(0.2)
            yield process.pid, port
        finally:
            process.terminate()


async def measure(port: int, tokens: dict[str, str], owned: dict[str, str], seconds: float) -> dict:
    """Returns the milliseconds of all answers, by question."""
    times: dict[str, list[float]] = defaultdict(list)
    async with asyncio.TaskGroup() as everybody:
        for name, token in tokens.items():
            everybody.create_task(one_page(port, token, owned.get(name), seconds, times))
    return times


async def one_page(
    port: int, token: str, upload_id: str | None, seconds: float, times: dict[str, list[float]]
) -> None:
    """Asks as the page of a student does, or that of the teacher, who has no upload."""
    pause = TEACHER_SECONDS if upload_id is None else STUDENT_SECONDS
    now = time.monotonic()
    at, until = now + random.uniform(0, pause), now + seconds
    while at < until:
        await asyncio.sleep(at - time.monotonic())
        if upload_id is None:
            what, path = "the teacher's overview", "teacher"
        elif random.random() < HISTORIES:
            what, path = "a history's first page", "uploads"
        else:
            what, path = "one upload", f"uploads/{upload_id}"
        times[what].append(await ask(port, f"/api/{path}", token))
        at = max(at + pause, time.monotonic())


async def ask(port: int, path: str, token: str) -> float:
    """Returns how many milliseconds an answer took, from the connection to its last byte."""
    start, answer = time.perf_counter(), b""
    while not answer.startswith(b"HTTP/1.1 200"):
        with suppress(ConnectionError):
            answer = await one_answer(port, path, token)
        if time.perf_counter() - start > GIVE_UP_SECONDS:
            raise RuntimeError(f"expected an answer to {path}: got {answer[:100]!r}")
    return 1000 * (time.perf_counter() - start)


async def one_answer(port: int, path: str, token: str) -> bytes:
    """Returns an answer, which is empty where the server closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lines = (f"GET {path} HTTP/1.1", "Host: x", f"Authorization: Bearer {token}",
             "Connection: close", "", "")
    writer.write("\r\n".join(lines).encode())
    try:
        return await reader.read()
    finally:
        writer.close()


@contextmanager
def attacked(league: Path, port: int, num_readers: int) -> Iterator[None]:
    """So many slow readers, in a process of their own."""
    (league / "site" / LARGE_FILE).write_bytes(bytes(LARGE_BYTES))
    process = multiprocessing.Process(target=read_slowly, args=(port, num_readers), daemon=True)
    process.start()
    try:
        time.sleep(5)  # until all are connected
        yield
    finally:
        process.kill()
        process.join()


def read_slowly(port: int, num_readers: int) -> None:
    """Keeps so many connections open, each with an answer that is hardly read."""

    async def all_of_them() -> None:
        await asyncio.gather(*(one_reader(port, number) for number in range(num_readers)))

    asyncio.run(all_of_them())


async def one_reader(port: int, number: int) -> None:
    loop = asyncio.get_running_loop()
    while True:
        with socket.socket() as line, suppress(OSError):
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            line.bind((f"127.0.0.{2 + number % 4}", 0))
            line.setblocking(False)
            await loop.sock_connect(line, ("127.0.0.1", port))
            asked = f"GET /site/{LARGE_FILE} HTTP/1.1\r\nHost: x\r\n\r\n"
            await loop.sock_sendall(line, asked.encode())
            while await loop.sock_recv(line, 64):
                await asyncio.sleep(1)
        await asyncio.sleep(0.5)


def cpu_seconds(pid: int) -> float:
    """Returns the processor time that a process has taken (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def show_server(options: argparse.Namespace, league: Path) -> None:
    """Prints a row for each question to the server."""
    tokens = fill(league, options.students, options.uploads)
    ledger = open_ledger(league)
    owned = dict(ledger.execute("SELECT owner, id FROM uploads ORDER BY number").fetchall())
    ledger.close()
    with served(league) as (pid, port), attacked(league, port, options.slow_readers):
        before = cpu_seconds(pid)
        times = asyncio.run(measure(port, tokens, owned, options.seconds))
        spent = cpu_seconds(pid) - before
    rows = []
    for what, took in sorted(times.items(), key=lambda item: -len(item[1])):
        figures = (np.median(took), np.percentile(took, 99), max(took))
        rows.append([what, str(len(took)), *(f"{value:.1f}" for value in figures)])
    show(
        f"{options.students} students, {options.uploads:,} uploads, {options.slow_readers} slow "
        f"readers; {1000 * spent / sum(map(len, times.values())):.1f} CPU ms a question",
        "question | asked | median ms | p99 ms | longest ms",
        rows,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--server", action="store_true", help="measure the server instead")
    parser.add_argument("--students", type=int, default=60)
    parser.add_argument("--uploads", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--slow-readers", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.server:
            show_server(options, Path(folder) / "league")
            return
        show(
            "one file: processor seconds, wall seconds, most memory",
            "file | judge CPU s | wall s | MB | Keras CPU s | wall s | MB",
            judging_rows(options.files or saved_presets(Path(folder)), options.repeats),
        )


if __name__ == "__main__":
    main()
