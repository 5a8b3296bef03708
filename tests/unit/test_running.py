"""The tournament that a server runs, without games."""

import asyncio
import sys

from tournament.league.league import League
from tournament.server import running
from tournament.server.desk import Desk
from tournament.server.ledger import open_ledger
from tournament.server.running import TournamentRun


def test_a_pause_ends_a_run_that_has_just_begun(tmp_path, monkeypatch):
    run = TournamentRun(League(tmp_path), open_ledger(tmp_path), Desk())
    monkeypatch.setattr(run, "_entrants", lambda: [("Ada", "1"), ("Kurt", "2")])
    begin = asyncio.create_subprocess_exec

    async def begin_and_pause(*command: str, **options) -> asyncio.subprocess.Process:
        process = await begin(sys.executable, "-c", "import time; time.sleep(60)", **options)
        await run.want(False)
        await run.interrupt()
        return process

    async def start() -> dict[str, object]:
        await run.want(True)
        await asyncio.wait_for(run._run_if_due(), 30)
        return await run.state()

    monkeypatch.setattr(running.asyncio, "create_subprocess_exec", begin_and_pause)
    assert asyncio.run(start()) == {"wanted": False, "running": False, "problem": ""}
