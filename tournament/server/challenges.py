"""Challenges: unranked matches that students ask for, played while the machine has nothing to do.

The folder `challenges/ID` beside the ledger has copies of the networks and the match of `play`, and
at the end only games.json. So a challenge goes on after a kill, and the league knows nothing of it.
"""

import asyncio
import json
import os
import secrets
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from golois.kit.command import EXIT_BAD_INPUT
from golois.kit.files import flush_folder, write_whole
from golois.kit.processes import end_with_parent, own_search_path, run_apart
from tournament.errors import EXIT_GIVEN_UP, LeagueError, TournamentError
from tournament.game.options import EventOptions
from tournament.league.journal import Journal
from tournament.league.league import League
from tournament.report.meetings import meetings_of
from tournament.running.ladder import read_ladder
from tournament.server import limits
from tournament.server.desk import LOG, Desk
from tournament.server.ledger import exact_now, hand_in_folder
from tournament.server.tournament_run import TournamentRun

WAITING, RUNNING, PLAYED, FAILED = "waiting", "running", "played", "failed"
COMMAND = ("-m", "tournament.server.challenges")
OWN, OTHER, MATCH = "own", "other", "match"
LOWEST_PRIORITY = 19
# Not in the ledger's schema: a ledger from before has its version, too.
TABLE = """
CREATE TABLE IF NOT EXISTS challenges (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    opponent TEXT NOT NULL,
    asked_at TEXT NOT NULL,
    begun_at TEXT,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'played', 'failed')),
    result TEXT,
    problem TEXT NOT NULL
)"""
COLUMNS = "number, id, owner, opponent, asked_at, state, result, problem"


class TooManyChallengesError(TournamentError, RuntimeError):
    """A student has asked for more challenges than the limits allow."""


@dataclass(frozen=True)
class Challenge:
    """A match that a student has asked for.

    opponent: "league/" and the name of a network, or "kit/" and the name of a rung.
    state: "waiting"; "running" from its first game on; "played"; "failed".
    result: what `play --json` has printed, once it is played.
    problem: why it has failed, or empty.
    """

    number: int
    id: str
    owner: str
    opponent: str
    asked_at: str
    state: str
    result: dict[str, Any] | None
    problem: str


class Challenges:
    """The queue of a league's challenges, one of which is played at a time.

    The ledger is used at `desk`. `rungs` has the sides of the kit's ladder by name. `games` returns
    the rules of a league that has none yet.
    """

    def __init__(
        self, ledger: Journal, desk: Desk, league: Path, run: TournamentRun,
        now: Callable[[], str] = exact_now, games: Callable[[], EventOptions] = EventOptions,
    ):
        self._ledger, self._desk, self._league, self._run = ledger, desk, league, run
        self._folder, self._now = hand_in_folder(league) / "challenges", now
        self._games = games
        self._failures: Counter[str] = Counter()  # by id, since the server started
        self._folder.mkdir(exist_ok=True)
        self.rungs = _rungs()
        with ledger.transaction():
            ledger.execute(TABLE)

    def add(self, owner: str, own: Path, opponent: str, other: Path | None) -> Challenge:
        """Store a challenge with copies of its networks' artefacts; a rung (`other` None) has none.

        Raises:
            TooManyChallengesError: beyond the limits of a student.
            LeagueError: a network is gone, or the disk is full; nothing was stored.
        """
        challenge_id = secrets.token_hex(6)
        folder = self._folder / challenge_id
        if self._is_disk_full():
            raise LeagueError("the disk is almost full")
        try:
            with self._ledger.transaction():
                self._refuse_too_many(owner)
                self._ledger.insert("challenges", {
                    "id": challenge_id, "owner": owner, "opponent": opponent,
                    "asked_at": self._now(), "state": WAITING, "problem": "",
                })
                _copy(own, folder / OWN, owner)
                if other is not None:
                    _copy(other, folder / OTHER, opponent.partition("/")[2])
                flush_folder(folder)
                flush_folder(self._folder)
        except BaseException:  # the table doesn't know it
            shutil.rmtree(folder, ignore_errors=True)
            raise
        (added,) = self._select("id = ?", challenge_id)
        return added

    def of(self, owner: str) -> list[Challenge]:
        """Return a student's challenges, latest first."""
        return self._select("owner = ? ORDER BY number DESC", owner)

    def games_file(self, owner: str, challenge_id: str) -> Path | None:
        """Return the file of a played challenge's games, as viewer.js shows them, or None."""
        found = self._select("id = ? AND owner = ? AND state = ?", challenge_id, owner, PLAYED)
        return self._folder / found[0].id / "games.json" if found else None

    def next(self) -> Challenge | None:
        """Return the challenge to play: the one begun, or one of whoever had the fewest lately."""
        found = self._select(
            "state IN ('waiting', 'running') ORDER BY state = 'running' DESC,"
            " (SELECT count(*) FROM challenges AS other WHERE other.owner = challenges.owner"
            " AND other.begun_at > ?), number LIMIT 1",
            self._a_day_ago(),
        )
        return found[0] if found else None

    def tidy(self) -> None:
        """Remove the files that the table doesn't know, or no longer needs."""
        states = dict(self._ledger.execute("SELECT id, state FROM challenges").fetchall())
        for folder in self._folder.iterdir():
            if folder.name not in states:
                shutil.rmtree(folder)
            elif states[folder.name] in (PLAYED, FAILED):
                for name in (OWN, OTHER, MATCH):
                    shutil.rmtree(folder / name, ignore_errors=True)

    async def step(self) -> None:
        """Play the next challenge; games of the league, which go first, and a full disk stop it."""
        challenge = await self._desk(self.next)
        if challenge is None or self._is_disk_full() or await self._run.is_running():
            return
        playing = asyncio.create_task(self._play(challenge))
        try:
            while not playing.done():
                await asyncio.wait([playing], timeout=limits.LOOK_SECONDS)
                if not playing.done() and (self._is_disk_full() or await self._run.is_running()):
                    return
            playing.result()
        except Exception:
            self._failures[challenge.id] += 1
            if self._failures[challenge.id] == limits.MAX_FAILURES:  # others wait behind it
                await self._desk(self._end, challenge, FAILED, None, "the server failed")
            raise
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)

    async def _play(self, challenge: Challenge) -> None:
        folder = self._folder / challenge.id
        await self._desk(self._begin, challenge)
        if not await asyncio.to_thread(_is_free, folder / MATCH, self._league, self._games):
            return
        asked = {
            "server": os.getpid(), "folder": str(folder.resolve()),
            "command": ["play", *self._sides(challenge), "--folder", MATCH, "--json", "--quiet",
                        "--games", str(limits.CHALLENGE_GAMES),
                        "--sprt", *map(str, limits.CHALLENGE_ELO)],
        }
        ended = await run_apart(*COMMAND, given=json.dumps(asked).encode())
        # A challenge that was stopped goes on in the next step.
        if ended.code not in (0, EXIT_BAD_INPUT, EXIT_GIVEN_UP):
            raise LeagueError(
                f"the challenge {challenge.id} was stopped (exit status {ended.code})"
            )
        if ended.code == EXIT_BAD_INPUT or not ended.output:
            if self._is_disk_full():  # it goes on when there is space
                return
            why = ended.said.removeprefix("python -m tournament play: ")
            await self._desk(self._end, challenge, FAILED, None, why)
            return
        await asyncio.to_thread(_keep_games, folder, self._league)
        await self._desk(self._end, challenge, PLAYED, ended.output.decode(), "")

    def _sides(self, challenge: Challenge) -> tuple[str, str]:
        """Return both sides as `play` takes them, within the challenge's folder."""
        kind, _, name = challenge.opponent.partition("/")
        other = f"{OTHER}/{name}.onnx" if kind == "league" else self.rungs.get(name, name)
        if name == challenge.owner:  # sides of one name would be shown with their paths
            other += f",visits={limits.CHALLENGE_VISITS}"
        return f"{OWN}/{challenge.owner}.onnx", other

    def _is_disk_full(self) -> bool:
        return shutil.disk_usage(self._folder).free < limits.MIN_FREE_BYTES

    def _begin(self, challenge: Challenge) -> None:
        if challenge.state == WAITING:
            self._change(challenge, state=RUNNING, begun_at=self._now())

    def _end(self, challenge: Challenge, state: str, result: str | None, problem: str) -> None:
        self._change(challenge, state=state, result=result, problem=problem)
        with self._ledger.transaction():
            for old in self.of(challenge.owner)[limits.KEPT_CHALLENGES:]:
                self._ledger.execute("DELETE FROM challenges WHERE number = ?", (old.number,))
        self.tidy()

    def _refuse_too_many(self, owner: str) -> None:
        if self._select("owner = ? AND state = ?", owner, WAITING):
            raise TooManyChallengesError(
                "a challenge of yours waits already: ask for this one when its games have begun"
            )
        if len(self._select("owner = ? AND asked_at > ?", owner, self._a_day_ago())) >= (
            limits.CHALLENGES_A_DAY
        ):
            raise TooManyChallengesError(
                f"you have asked for {limits.CHALLENGES_A_DAY} challenges in the last 24 hours: "
                "ask for this one later"
            )

    def _a_day_ago(self) -> str:
        ago = datetime.fromisoformat(self._now()) - timedelta(days=1)
        return ago.isoformat(timespec="microseconds")

    def _change(self, challenge: Challenge, **columns: Any) -> None:
        with self._ledger.transaction():
            self._ledger.update("challenges", "number", {**columns, "number": challenge.number})

    def _select(self, condition: str, *values: Any) -> list[Challenge]:
        rows = self._ledger.execute(f"SELECT {COLUMNS} FROM challenges WHERE {condition}", values)
        return [_challenge_of(row) for row in rows.fetchall()]


def _rungs() -> dict[str, str]:
    """Return the sides of the ladder's rungs by name; none where a course has no such files."""
    try:
        return {rung.name: rung.side.text for rung in read_ladder().rungs}
    except (TournamentError, OSError) as error:
        LOG.warning("nobody can challenge the ladder: %s", error)
        return {}


def _challenge_of(row: Sequence[Any]) -> Challenge:
    *head, result, problem = row
    cells = [*head, result and json.loads(result), problem]
    return Challenge(*cells)


def _copy(artefact: Path, folder: Path, name: str) -> None:
    """Copy an artefact, and its manifest if it has one, under the name that games show."""
    for path in (artefact, artefact.with_suffix(".json")):
        if path == artefact or path.exists():
            write_whole(folder / f"{name}{path.suffix}", path.read_bytes())
    flush_folder(folder)


def _is_free(match: Path, league: Path, games: Callable[[], EventOptions]) -> bool:
    """Return whether nobody plays a match, such as what a killed server has left on macOS.

    A new match gets the rules of the league, but by visits, and luck of its own.
    """
    with closing(League(league)) as event, closing(League(match)) as opened:
        if opened.options() is None:
            opened.fix_options((event.options() or games()).changed({
                "visits": limits.CHALLENGE_VISITS, "scale_clock": False, "time_plan": "flat",
                "seed": secrets.randbelow(1_000_000),
            }))
        return opened.coordinator() is None


def _keep_games(folder: Path, league: Path) -> None:
    """Write a match's games as viewer.js shows them, with names as the league writes them."""
    with closing(League(league)) as event, closing(League(folder / MATCH)) as match:
        games = match.games.rows()
        (meeting,) = meetings_of(games, written=event.written_names.all())
        shown = meeting.shown({game.game_id: match.games.sgf(game.game_id) for game in games})
    for game in shown:
        for colour in ("black", "white"):
            game[colour]["page"] = "./"  # the student's page: no player has a page here
    write_whole(folder / "games.json", json.dumps(shown).encode())


def main() -> int:
    """Become the command of stdin, at the lowest priority, which ends with the server."""
    end_with_parent()
    asked = json.load(sys.stdin)
    if os.getppid() != asked["server"]:
        return 1
    if hasattr(os, "nice"):
        os.nice(LOWEST_PRIORITY)
    os.chdir(asked["folder"])
    command = [sys.executable, "-m", "tournament", *asked["command"]]
    os.execve(sys.executable, command, {**os.environ, "PYTHONPATH": own_search_path()})


if __name__ == "__main__":
    sys.exit(main())
