"""An iteration's shards of games, and who plays them: processes, a cluster or a GPU.

A shard depends on the network, the options, the seed and its numbers alone. So it is the same on
any core of this machine or of a cluster's machines.
"""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from golois.go.coords import BLACK, EMPTY, WHITE
from golois.kit.cluster import Cluster, ClusterError, Ended, Here, Job, Lost, Machines, Told, Wanted
from golois.kit.command import KitError, in_one_sentence
from golois.kit.files import write_whole
from golois.kit.run_folder import read_json, write_json
from golois.kit.signals import StopRequest, raise_if_stopped
from golois.kit.this_machine import ThisMachine
from golois.records.finished_games import FinishedGame, write_finished_games
from golois.search.selfplay import PlayedGame, SelfPlay
from selfplay.networks import CompiledNetwork, open_network
from selfplay.options import Options
from tournament.networks.evaluator import Evaluator, NetworkEvaluator
from tournament.networks.runtimes import require_precision

WANTED = Wanted(rooms=("golois", "tournament", "models", "selfplay"), is_whole=False)
SECONDS_BETWEEN = 0.5


@dataclass(frozen=True)
class Counts:
    """What is counted of a shard's games besides the games themselves.

    `positions` are trained on; `evaluations` were asked of the network. `could_resign` are held-out
    games in which a player would have resigned, and in `wrong_resignations` did not lose. `seconds`
    and `network_seconds` are processor time, without opening the network; only these differ between
    machines. `beaten`: won against a victim.
    """

    games: int
    moves: int
    positions: int
    black_wins: int
    draws: int
    resigned: int
    could_resign: int
    wrong_resignations: int
    evaluations: int
    network_seconds: float
    seconds: float
    beaten: int = 0

    @classmethod
    def read(cls, shard: Path) -> "Counts":
        """Read those of a shard's file. Raises CheckpointError: they are damaged."""
        remedy = "put a copy of it back, or start a new run"
        return cls(**read_json(shard.with_suffix(".json"), remedy))

    @classmethod
    def total(cls, counts: Iterable["Counts"]) -> "Counts":
        """Sum them up."""
        columns = zip(*(asdict(one).values() for one in counts), strict=True)
        return cls(*map(sum, columns))


class TimedNetwork:
    """A network that plays, perhaps against a victim; it counts positions and `clock` seconds."""

    def __init__(
        self,
        evaluator: Evaluator,
        victim: Evaluator | None = None,
        clock: Callable[[], float] = time.process_time,
    ) -> None:
        self._evaluator = evaluator
        self._victim = victim
        self.clock = clock
        self.seconds = 0.0
        self.evaluations = 0

    @property
    def has_victim(self) -> bool:
        """Whether it plays against another network."""
        return self._victim is not None

    def play(self, games: SelfPlay) -> Iterator[tuple[int, list[PlayedGame]]]:
        """Yield before each batch how many positions it has, and the games that are over since."""
        planes = self._evaluator.planes
        while num_rows := games.collect(planes):
            yield num_rows, games.finished()
            started = self.clock()
            answers = self._evaluate(planes[:num_rows], games)
            self.seconds += self.clock() - started
            self.evaluations += num_rows
            games.answer(*answers)
        yield 0, games.finished()

    def _evaluate(self, planes: np.ndarray, games: SelfPlay) -> tuple[np.ndarray, np.ndarray]:
        if self._victim is None:
            return self._evaluator.evaluate(planes)
        is_victim_s = games.asks_victim(len(planes))
        # Copies of both before either is asked: the planes lie in the first one's own buffer.
        sides = (
            (self._evaluator, ~is_victim_s, planes[~is_victim_s]),
            (self._victim, is_victim_s, planes[is_victim_s]),
        )
        policy = np.empty((len(planes), games.policy_size), np.float32)
        value = np.empty(len(planes), np.float32)
        for network, rows, shown in sides:
            if len(shown):
                policy[rows], value[rows] = network.evaluate(shown)
        return policy, value


def num_parallel(options: Options, num_games: int) -> int:
    """How many of a shard's games are played in lockstep, which is the size of a batch."""
    return min(options.parallel, num_games)


def play_shard(
    artefact: Path,
    options: Options,
    first_game: int,
    num_games: int,
    out: Path,
    victim: Path | None = None,
) -> Iterator[int]:
    """Play a shard and write its file, and before it the counts beside it; see `play_games`.

    Raises NetworkError: an artefact cannot be opened, or is for another game; OptionsError: this
    machine does not compute in the options' precision.
    """
    require_precision(options.precision)

    def opened(path: Path) -> NetworkEvaluator:
        return open_network(path, options, num_parallel(options, num_games), options.precision)

    network = TimedNetwork(opened(artefact), opened(victim) if victim else None)
    yield from play_games(network, options, first_game, num_games, out)


def play_games(
    network: TimedNetwork,
    options: Options,
    first_game: int,
    num_games: int,
    out: Path,
    threads: int = 1,
) -> Iterator[int]:
    """Have a network play a shard, and write the files; yield each batch's size before it.

    `first_game` and the seed decide the noise; threads change no game. `out` is the packed file,
    the same wherever it is played. To leave the generator ends the games.
    """
    started = network.clock()
    rules = options.rules_of(first_game)
    games = SelfPlay(
        rules,
        options.of_games(),
        num_games,
        seed=options.seed,
        first_game=first_game,
        num_parallel=num_parallel(options, num_games),
        threads=threads,
    )
    played: list[PlayedGame] = []
    for num_rows, finished in network.play(games):
        played += finished
        yield num_rows
    played.sort(key=lambda game: game.number)
    counts = _counts(played, network, network.clock() - started)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_json(out.with_suffix(".json"), asdict(counts))
    write_finished_games(out, rules, map(_finished, played))


def _finished(game: PlayedGame) -> FinishedGame:
    policies = [game.policy(index) for index in range(len(game.moves))]
    return FinishedGame(
        moves=game.moves.tolist(),
        winner=game.winner,
        policies=[
            dict(zip(moves.tolist(), shares.tolist(), strict=True)) for moves, shares in policies
        ],
        values=game.values_white.tolist(),
    )


def _counts(played: list[PlayedGame], network: TimedNetwork, seconds: float) -> Counts:
    held_out = [game for game in played if game.is_held_out and game.resignable_from is not None]
    return Counts(
        games=len(played),
        moves=sum(len(game.moves) for game in played),
        positions=sum(_num_targets(game) for game in played),
        black_wins=sum(game.winner == BLACK for game in played),
        draws=sum(game.winner == EMPTY for game in played),
        resigned=sum(game.has_resigned for game in played),
        could_resign=len(held_out),
        wrong_resignations=sum(_did_not_lose(game) for game in held_out),
        evaluations=network.evaluations,
        network_seconds=round(network.seconds, 3),
        seconds=round(seconds, 3),
        beaten=sum(_beats_victim(game) for game in played) if network.has_victim else 0,
    )


def _beats_victim(game: PlayedGame) -> bool:
    return game.winner == (BLACK if game.number % 2 == 0 else WHITE)


def _num_targets(game: PlayedGame) -> int:
    return int(np.count_nonzero(np.diff(game.policy_ends, prepend=0)))


def _did_not_lose(game: PlayedGame) -> bool:
    """Whether the player who would have resigned first did not lose; Black moves at even counts."""
    is_black = (game.resignable_from or 0) % 2 == 0
    return game.winner == EMPTY or (game.winner == BLACK) == is_black


def play_here(job: dict[str, Any], here: Here) -> Generator[int, None, tuple[bytes, bytes]]:
    """Play a shard here, yield the positions evaluated since; return its file, and its counts.

    `job` has the paths of the artefact, perhaps of a victim, and of the file to write; the options;
    the number of the first game, and of all games.
    """
    out = here.folder / "shard.games"
    artefact, *victim = (here.folder / path.name for path in _networks(job))
    numbers = job["first_game"], job["num_games"]
    untold, told_at = 0, time.monotonic()
    for count in play_shard(artefact, Options(**job["options"]), *numbers, out, *victim):
        untold += count
        if time.monotonic() - told_at > SECONDS_BETWEEN:
            yield untold
            untold, told_at = 0, time.monotonic()
    yield untold
    return out.read_bytes(), out.with_suffix(".json").read_bytes()


class Shards:
    """Shards that processes play, of this machine or of a cluster, opened here."""

    def __init__(
        self, machines: ThisMachine | Machines, stop: StopRequest, say: Callable[[str], None]
    ) -> None:
        self._machines = machines
        self._stop = stop
        self._say = say

    def __enter__(self) -> "Shards":
        self._machines.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._machines.__exit__(*error)

    def play(self, jobs: Sequence[dict[str, Any]], on_evaluated: Callable[[int], None]) -> None:
        """Have shards of one network played, and return when all of their files are there.

        `on_evaluated` gets the number of positions evaluated since. Raises Stopped: by a signal;
        ClusterError: a shard was lost too often, or a machine raised an error, which it says.
        """
        for happened in self._machines.do(map(_job, jobs), self._stop):
            match happened:
                case Told(_, count):
                    on_evaluated(count)
                case Ended(job, (games, counts)):
                    out = Path(job.about["out"])
                    # The counts first, as in play_games.
                    write_whole(out.with_suffix(".json"), counts, durable=False)
                    write_whole(out, games, durable=False)
                case Lost():
                    self._require_lost(happened)

    def _require_lost(self, lost: Lost) -> None:
        """Refuse to play a shard again that was not lost, or was too often."""
        for job in (*lost.again, *lost.given_up):
            name = Path(job.about["out"]).name
            if isinstance(lost.cause, KitError | OSError):
                raise ClusterError(in_one_sentence(lost.cause))
            if lost.cause is not None:
                raise ClusterError(
                    f"{name} cannot be played on a machine of the cluster: "
                    f"{type(lost.cause).__name__}: {lost.cause}"
                )
            if job in lost.given_up:
                raise ClusterError(
                    f"{name} was lost with its machine {job.losses} times; the same command goes on"
                )
            self._say(f"{name} was lost with its machine and is played again")


class Gpu:
    """The GPU of this machine; a request to stop is looked at before each batch."""

    def __init__(self, options: Options, stop: StopRequest) -> None:
        self._options = options
        self._stop = stop
        self._networks: dict[str, CompiledNetwork] = {}

    def __enter__(self) -> "Gpu":
        return self

    def __exit__(self, *_error: Any) -> None:
        self._networks.clear()

    def play(self, jobs: Sequence[dict[str, Any]], on_evaluated: Callable[[int], None]) -> None:
        """See Shards; the .h5 files lie beside the artefacts."""
        network = self._opened("artefact", jobs[0])
        victim = self._opened("victim", jobs[0]) if jobs[0].get("victim") else None
        clock = time.monotonic  # the processor waits for the GPU
        for job in jobs:
            timed = TimedNetwork(network, victim, clock)
            place = (job["first_game"], job["num_games"], Path(job["out"]))
            for count in play_games(timed, self._options, *place, threads=self._options.workers):
                raise_if_stopped(self._stop)
                on_evaluated(count)

    def _opened(self, role: str, job: dict[str, Any]) -> CompiledNetwork:
        path = Path(job[role]).with_suffix(".h5")
        if role in self._networks:
            self._networks[role].take(path)
        else:
            size = num_parallel(self._options, self._options.games_per_shard)
            self._networks[role] = CompiledNetwork(path, size)
        return self._networks[role]


def players_of_shards(
    options: Options, cluster: Cluster | None, stop: StopRequest, say: Callable[[str], None]
) -> Shards | Gpu:
    """Who plays: a GPU, the machines of a cluster, or processes of this machine."""
    if options.device == "cuda":
        return Gpu(options, stop)
    return Shards(cluster(WANTED) if cluster else ThisMachine(options.workers), stop, say)


def _job(job: dict[str, Any]) -> Job:
    return Job(job, partial(play_here, job), lambda: _networks(job))


def _networks(job: dict[str, Any]) -> list[Path]:
    return [Path(job[role]) for role in ("artefact", "victim") if job.get(role)]
