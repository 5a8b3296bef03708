"""The verdicts: a few uploads at a time, in the inbox's order, each judged in a separate process.

Judging survives a kill: a file without a verdict is judged again. It doesn't touch the league.
"""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import asdict
from pathlib import Path

from golois.kit.processes import end_with_parent, run_apart
from tournament.errors import SubmissionError, TournamentError
from tournament.intake import Fault, IntakeError, JudgeOptions, Manifest, Verdict
from tournament.league.league import League
from tournament.league.settings import Deadline
from tournament.server import limits
from tournament.server.desk import LOG, PASSING, Desk
from tournament.server.inbox import COPY_REMEDY, Inbox, Upload

COMMAND = ("-m", "tournament.server.judging")


class JudgeError(RuntimeError):
    """The intake failed, through no fault of the file."""


class Judges:
    """Gives every upload its verdict, and files what counts before a deadline, if there is one."""

    def __init__(
        self, inbox: Inbox, desk: Desk, league: Path, options: JudgeOptions,
        files_until: Callable[[], Deadline | None],
    ):
        self._inbox, self._desk, self._league = inbox, desk, league
        self._options, self._files_until = options, files_until
        self.must_wait = False  # what counts is not filed while games are hidden
        self._busy: dict[str, str] = {}
        self._news = asyncio.Condition()

    @property
    def being_judged(self) -> set[str]:
        """The ids of the uploads that are being judged."""
        return set(self._busy)

    async def wake(self) -> None:
        """Announce a new upload."""
        async with self._news:
            self._news.notify_all()

    async def judge_next(self) -> None:
        """Give the next upload its verdict, or wait for one to come."""
        upload = await self._take()
        try:
            await self._judge(upload)
        finally:
            del self._busy[upload.id]
        await self.wake()

    async def _take(self) -> Upload:
        async with self._news:
            while (upload := await self._next()) is None:
                await self._news.wait()
            self._busy[upload.id] = upload.owner
        return upload

    async def _next(self) -> Upload | None:
        """Return the next upload to judge; an owner's files go in order, so the last counts."""
        waiting = await self._desk(self._inbox.waiting)
        owners = self._busy.values()
        return next((upload for upload in waiting if upload.owner not in owners), None)

    async def _judge(self, upload: Upload) -> None:
        try:
            verdict = await judge_apart(
                self._inbox.file_of(upload), self._inbox.artefacts_of(upload), self._options
            )
        except JudgeError as error:
            LOG.error("the intake failed on upload %s: %s", upload.id, error)
            await self._desk(self._inbox.fail, upload)
            await asyncio.sleep(limits.RETRY_SECONDS)
            return
        manifest = verdict["manifest"]
        if manifest is None:
            faults = [Fault(*pair) for pair in verdict["faults"]]
            await self._desk(self._inbox.refuse, upload, faults)
        elif fault := await asyncio.to_thread(_fault_here, self._league, upload, manifest):
            await self._desk(self._inbox.refuse, upload, [fault])
        else:
            await self._desk(self._inbox.accept, upload, manifest)

    async def file_what_counts(self) -> None:
        """File the uploads that count and that the league lacks, then wait a while for news.

        While games are hidden, uploads wait: a network that is filed would take them away.
        """
        uploads = await self._desk(self._inbox.to_file, self._files_until())
        self.must_wait = bool(uploads) and await asyncio.to_thread(_has_hidden_games, self._league)
        for upload in [] if self.must_wait else uploads:
            await self._file(upload)
        with suppress(TimeoutError):
            async with asyncio.timeout(limits.RETRY_SECONDS), self._news:
                await self._news.wait()

    async def _file(self, upload: Upload) -> None:
        path, artefacts = self._inbox.file_of(upload), self._inbox.artefacts_of(upload)
        try:
            await asyncio.to_thread(_file, self._league, upload, path, artefacts)
        except SubmissionError as error:
            await self._desk(self._inbox.refuse, upload, [Fault(str(error), COPY_REMEDY)])
        except (IntakeError, FileNotFoundError) as error:  # of another version, or taken away
            LOG.error("upload %s is judged once more: %s", upload.id, error)
            await self._desk(self._inbox.fail, upload)
        except PASSING as error:
            LOG.error("upload %s is not filed yet: %s", upload.id, error)
        else:
            await self._desk(self._inbox.note_filed, upload)


async def judge_apart(path: Path, work_dir: Path, options: JudgeOptions) -> dict:
    """Judge a file in a separate process, which ends with this call; JudgeError without a verdict.

    Return "faults", pairs of text and remedy, and "manifest", None for a refused file.
    """
    asked = {
        "server": os.getpid(), "path": str(path), "work_dir": str(work_dir),
        "options": asdict(options),
    }
    try:
        async with asyncio.timeout(limits.JUDGE_SECONDS):
            ended = await run_apart(*COMMAND, given=json.dumps(asked).encode())
    except TimeoutError as error:
        raise JudgeError(f"no verdict within {limits.JUDGE_SECONDS} seconds") from error
    if ended.code:
        raise JudgeError(ended.said)
    try:
        return json.loads(ended.output)
    except ValueError as error:
        raise JudgeError(f"the verdict cannot be read: {error}") from error


def _fault_here(league: Path, upload: Upload, manifest: dict) -> Fault | None:
    """Return why this league would refuse a good network when it is filed, maybe days later."""
    with closing(League(league)) as opened, opened.hidden.as_published():
        try:
            opened.submissions.check(upload.owner, manifest)
        except SubmissionError as error:
            return Fault(str(error), COPY_REMEDY)
    return None


def _has_hidden_games(league: Path) -> bool:
    with closing(League(league)) as opened:
        return opened.hidden.are_any()


def _file(league: Path, upload: Upload, path: Path, artefacts: Path) -> None:
    """File this network for the upload's owner; doing so twice changes nothing."""
    manifest = Manifest.from_json(upload.manifest)
    verdict = Verdict(True, (), manifest, artefacts / f"{upload.sha256}.onnx")
    with closing(League(league)) as opened:
        opened.submissions.add(
            upload.owner, path, verdict, replace=True, submitted_at=upload.received_at,
            message=upload.message,
        )


def main() -> int:
    """Judge the file on stdin; return 1 if this machine cannot judge, or the server has ended."""
    from tournament.intake.trial import judge_and_try  # here, since the server plays no game

    end_with_parent()
    asked = json.load(sys.stdin)
    if os.getppid() != asked["server"]:
        return 1
    try:
        verdict = judge_and_try(
            asked["path"], work_dir=asked["work_dir"], options=JudgeOptions(**asked["options"])
        )
    except (TournamentError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    manifest = asdict(verdict.manifest) if verdict.manifest else None
    faults = [[fault.text, fault.remedy] for fault in verdict.faults]
    json.dump({"faults": faults, "manifest": manifest}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
