"""What tests of workers share: a player without a network, and an engine that lies or not."""

import asyncio
import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from golois.kit.processes import Ended
from tests.runs import tournament
from tournament.commands import play
from tournament.game.job import GameJob
from tournament.game.options import EventOptions
from tournament.game.play import play_game
from tournament.game.record import GameRecord
from tournament.league.work import Lease
from tournament.players.limits import Limits
from tournament.players.protocol import Choice, Player
from tournament.running.retracing import Retracing
from tournament.server import challenges, limits

OPTIONS = EventOptions(visits=4, seed=0, max_plies=16)
Change = Callable[[GameRecord], GameRecord]


class Seeded(Player):
    """Plays a candidate that its seed and the position decide."""

    def __init__(self, seed: object):
        self._seed = seed

    def choose(self, game: Any, limits: Limits | None = None) -> Choice:
        rng = random.Random(f"{self._seed} {game.key} {game.num_moves}")
        return Choice(rng.choice(game.candidates()), 4, 0.01, 0.5)


def game_of(job: GameJob, options: EventOptions = OPTIONS, salt: str = "") -> GameRecord:
    """The game of a job; another salt has other networks."""
    moves = iter(job.moves)
    players = [Seeded(f"{job.seed} {colour} {salt}") for colour in ("black", "white")]
    if job.moves:
        players = [Retracing(player, moves) for player in players]
    return play_game(job, *players, options)


class InThisProcess:
    """An engine: plays here, with a step of a script before each pair that nobody has reported."""

    num_workers = 1

    def __init__(
        self, change: Change = lambda record: record, script: Iterator[None] | None = None,
        options: EventOptions = OPTIONS,
    ):
        self._change, self._script, self._options = change, script or iter(()), options
        self.played: list[GameRecord] = []

    def play(self, pairs: Iterable[Sequence[GameJob]]) -> Iterator[GameRecord]:
        for pair in pairs:
            if not pair[0].moves:
                next(self._script, None)
            for job in pair:
                self.played.append(self._change(game_of(job, self._options)))
                yield self.played[-1]


async def played_here(*_command: str, given: bytes) -> Ended:
    """What a challenge's process does, in this process; its LocalEngine may be replaced."""
    asked = json.loads(given)
    folder = Path(asked["folder"])
    words = [str(folder / word) if (folder / word).exists() else word for word in asked["command"]]
    said = await asyncio.to_thread(tournament, *words)
    return Ended(said.code, said.out.encode(), said.errors.strip())


def play_challenges_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a server in this process play challenges of a few games without networks, at once."""
    monkeypatch.setattr(challenges, "run_apart", played_here)
    monkeypatch.setattr(play, "LocalEngine", lambda *_, **__: InThisProcess())
    monkeypatch.setattr(limits, "CHALLENGE_GAMES", 4)
    monkeypatch.setattr(limits, "LOOK_SECONDS", 0.02)


def report_of(lease: Lease, change: Change = lambda record: record, **others: Any) -> str:
    """What a worker sends of a lease."""
    games = [change(game_of(job)).to_json() for job in lease.pair]
    return json.dumps({"games": games, **others})


def other_networks(record: GameRecord, options: EventOptions = OPTIONS) -> GameRecord:
    """A game by the rules, that other players have played."""
    names = {name: getattr(record, name) for name in GameJob.__dataclass_fields__
             if hasattr(record, name) and name != "moves"}
    job = GameJob(**{**names, "round": 0})
    return game_of(job, options, salt="other")


def other_winner(record: GameRecord) -> GameRecord:
    """The same moves, and the other winner."""
    winner = "white" if record.winner == "black" else "black"
    return replace(record, winner=winner, result=f"{winner[0].upper()}+1.5")

