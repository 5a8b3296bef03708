"""Small runs of self-play, for tests."""

from collections import deque
from dataclasses import asdict
from pathlib import Path
from signal import SIGINT, raise_signal
from types import SimpleNamespace
from typing import Any

import pytest

from golois.games.game import Game
from golois.games.rules import Rules
from golois.kit.this_machine import ThisMachine
from selfplay import shards
from selfplay.layout import Layout, first_game, shards_of
from selfplay.learner import Learner
from selfplay.options import Options
from selfplay.shards import Shards
from tournament.game.loop import Outcome
from tournament.intake.own_network import bake_own_network
from tournament.matches import match
from tournament.matches.games import MatchGame
from tournament.matches.match import Match, Players

NOT_STOPPED = SimpleNamespace(signal=None)
SMALL = Options(
    game="nogo",
    size=3,
    set=dict(blocks="1", filters="4", perspective="mover"),
    simulations=4,
    games_per_iteration=24,
    games_per_shard=8,
    parallel=8,
    batch_size=16,
    measure_positions=20,
    runtime="onnxruntime",  # which opens a network much faster
)


def small_game() -> Game:
    """The game of SMALL."""
    return Game(SMALL.rules())


def baked(folder: Path, options: Options = SMALL) -> Path:
    """The artefact of an untrained network."""
    path = folder / "net.h5"
    Learner(options).save_network(path)
    return bake_own_network(path, Game(options.rules()))


def play_match(
    players: Players,
    rules: Rules,
    num_games: int,
    seed: int,
    stop: Any = NOT_STOPPED,
    opening_moves: int = 2,
    **how: Any,
) -> list[MatchGame]:
    """A match of pairs that nobody keeps."""
    return Match.of_pairs(rules, num_games, seed, opening_moves).play(lambda: players, stop, **how)


def play_shard(*arguments: Any, **named: Any) -> None:
    """Play a shard to its end."""
    deque(shards.play_shard(*arguments, **named), 0)


def processes(number: int, stop: Any = NOT_STOPPED) -> Shards:
    """What plays on this machine."""
    return Shards(ThisMachine(number), stop, print)


def jobs_into(folder: Path, artefact: Path) -> list[dict]:
    """The shards of the first iteration, as an actor is asked for them."""
    layout = Layout(folder)
    return [
        {
            "artefact": str(artefact),
            "options": asdict(SMALL),
            "first_game": first_game(SMALL, shard),
            "num_games": SMALL.games_per_shard,
            "out": str(layout.games(shard)),
        }
        for shard in shards_of(SMALL, 1)
    ]


def signal_amid_third_game(patch: pytest.MonkeyPatch) -> None:
    """Let a Ctrl-C come when a match has begun its third game."""
    play_out, begun = match.play_out, []

    def play_or_signal(*arguments: Any, **how: Any) -> Outcome:
        begun.append(arguments)
        if len(begun) == 3:
            raise_signal(SIGINT)
        return play_out(*arguments, **how)

    patch.setattr(match, "play_out", play_or_signal)
