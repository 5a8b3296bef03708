"""New games that a teacher plays, each from a position of a given game, for `label` to label.

The teacher draws each move from its policy. Games are played in groups, a move of each at a time,
and every step goes into a journal. The same games, teacher and options give the same new games.
"""

from collections.abc import Callable, Generator
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from golois.constants import PASS
from golois.errors import ArgumentError, require_range
from golois.go.coords import BLACK, WHITE
from golois.katago.answers import Answers
from golois.katago.inputs import Inputs, joined
from golois.kit.cluster import Ended, Here, Job, Told
from golois.kit.signals import StopRequest
from golois.kit.this_machine import ThisMachine
from golois.labels.journal import Journal
from golois.labels.positions import game_positions
from golois.labels.run import (
    Labeller,
    Labelling,
    about_labels,
    open_journal,
    opened,
    require_processes,
    write_labelled,
)
from golois.records.packed_file import UNKNOWN, GameFile, Record

MOST_MOVES = 450
STEP = np.dtype([("point", "<u2"), ("hundredths", "u1")])
_OVER = PASS + 1
_GROUP_SHIFT = 16  # a piece of the journal is a group and a step


@dataclass(frozen=True)
class PlayOptions:
    """How new games are played; ArgumentError: a number out of its range.

    games: how many. temperature: 1 for the policy as it is, less for likelier moves. perturbed: the
    share of moves that are drawn from all legal ones. seed: of the new games.
    """

    games: int
    temperature: float = 1.0
    perturbed: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.games < 1:
            raise ArgumentError(f"play must be 1 or more, not {self.games}")
        if not 0 < self.temperature <= 10:
            raise ArgumentError(f"temperature must be above 0, up to 10, not {self.temperature}")
        require_range("perturbed", self.perturbed, 0, 1)
        if self.seed < 0:
            raise ArgumentError(f"seed must be 0 or more, not {self.seed}")


def play_games(
    work: Labelling,
    output: Path,
    options: PlayOptions,
    *,
    processes: int = 1,
    stop: StopRequest | None = None,
    on_progress: Callable[[int, int, int], None] | None = None,
) -> None:
    """Write new games, whose training positions are those of the moves that the teacher chose.

    `on_progress` gets the moves played now, the games that are over and all. Goes on and raises as
    `golois.labels.run.label_games`.
    """
    require_processes(processes)
    source = GameFile.open(work.games)
    source.require_arena_game()
    if not len(source):
        raise ArgumentError(f"{work.games} has no game to begin from")
    about = {**about_labels(work, source), "play": asdict(options)}
    journal = open_journal(output, about)
    if journal is None:
        return
    with journal:
        _fill(journal, work, options, ThisMachine(processes), stop, on_progress)
        groups = (_Group(work, options, number, source) for number in _groups(work, options))
        played = (game for group in groups for game in group.replayed(journal).records())
        write_labelled(output, work.games, played, about, stop=stop)
        journal.remove()


def _fill(
    journal: Journal,
    work: Labelling,
    options: PlayOptions,
    machine: ThisMachine,
    stop: StopRequest | None,
    on_progress: Callable[[int, int, int], None] | None,
) -> None:
    source, over, now = GameFile.open(work.games), 0, 0
    jobs = []
    for number in _groups(work, options):
        group = _Group(work, options, number, source).replayed(journal)
        over += group.num_over
        if not group.is_over:
            steps = [journal.pieces[number << _GROUP_SHIFT | i] for i in range(group.num_steps)]
            jobs.append(Job(number, partial(_play, work, options, number, steps)))
    with machine:
        for event in machine.do(jobs, stop):
            if isinstance(event, Told):
                step, content = event.event
                journal.add(event.job.about << _GROUP_SHIFT | step, content)
                points = np.frombuffer(content, STEP)["point"]
                now += int(np.count_nonzero(points != _OVER))
            elif isinstance(event, Ended):
                over += event.result
            if on_progress is not None:
                on_progress(now, over, options.games)


def _groups(work: Labelling, options: PlayOptions) -> range:
    return range(-(-options.games // work.options.batch_size))


def _play(
    work: Labelling, options: PlayOptions, number: int, steps: list[bytes], _here: Here
) -> Generator[tuple[int, bytes], None, int]:
    """Play a group to its end; yield each step, and return how many games have ended here."""
    teacher = opened(work)
    group = _Group(work, options, number, teacher.games)
    for content in steps:
        group.take(content)
    before = group.num_over
    while not group.is_over:
        content = group.step(teacher)
        yield group.num_steps, content
        group.take(content)
    return group.num_over - before


class _Group:
    """Some games that are played side by side."""

    def __init__(
        self, work: Labelling, options: PlayOptions, number: int, source: GameFile
    ) -> None:
        size = work.options.batch_size
        self._options = options
        self._numbers = range(number * size, min((number + 1) * size, options.games))
        self._games = [self._beginning(source, number) for number in self._numbers]
        self._first_piece = number << _GROUP_SHIFT
        self.num_steps = 0

    def replayed(self, journal: Journal) -> "_Group":
        while (content := journal.pieces.get(self._first_piece | self.num_steps)) is not None:
            self.take(content)
        return self

    def _beginning(self, source: GameFile, number: int) -> Record:
        rng = np.random.default_rng((self._options.seed, number))
        record = source[int(rng.integers(len(source)))]
        moves = slice(int(rng.integers(max(1, record.num_moves))))
        return replace(
            record,
            points=record.points[moves],
            colours=record.colours[moves],
            values=np.full(moves.stop, np.nan, np.float32),
            result=UNKNOWN,
            played_out=False,
            targets=None,
        )

    @property
    def num_over(self) -> int:
        return sum(map(_is_over, self._games))

    @property
    def is_over(self) -> bool:
        return self.num_over == len(self._games)

    def take(self, content: bytes) -> None:
        self.num_steps += 1
        for i, (point, hundredths) in enumerate(np.frombuffer(content, STEP).tolist()):
            if point != _OVER:
                self._games[i] = _with_move(self._games[i], point, hundredths / 100)

    def records(self) -> list[Record]:
        """The games in which the teacher chose a move on the board."""
        is_new = [~np.isnan(game.values) & (game.points < PASS) for game in self._games]
        return [game for game, moves in zip(self._games, is_new, strict=True) if moves.any()]

    def step(self, teacher: Labeller) -> bytes:
        """Choose a move in each game that is not over."""
        step = np.zeros(len(self._games), STEP)
        step["point"] = _OVER
        going = [i for i, game in enumerate(self._games) if not _is_over(game)]
        inputs = joined(_last_position(self._games[i], teacher.pass_alive) for i in going)
        answers = teacher.ask(inputs)
        for row, i in enumerate(going):
            step[i] = self._chosen(i, answers, row, inputs.legal[row])
        return step.tobytes()

    def _chosen(self, i: int, answers: Answers, row: int, legal: np.ndarray) -> tuple[int, int]:
        key = (self._options.seed, self._numbers[i], self._games[i].num_moves + 1)
        rng = np.random.default_rng(key)
        if rng.random() < self._options.perturbed and legal[:PASS].any():
            shares = legal[:PASS] / np.count_nonzero(legal[:PASS])
        else:
            policy = answers.policy[row].astype(np.float64)
            shares = (policy / policy.max()) ** (1 / self._options.temperature)
            shares /= shares.sum()
        hundredths = round(100 * float(answers.white_wins[row]))
        return int(rng.choice(len(shares), p=shares)), hundredths


def _with_move(game: Record, point: int, value: float) -> Record:
    mover = WHITE if game.num_moves and game.colours[-1] == BLACK else BLACK
    return replace(
        game,
        points=np.append(game.points, np.uint16(point)),
        colours=np.append(game.colours, np.uint8(mover)),
        values=np.append(game.values, np.float32(value)),
    )


def _is_over(game: Record) -> bool:
    return game.num_moves >= MOST_MOVES or game.points[-2:].tolist() == [PASS, PASS]


def _last_position(game: Record, pass_alive: bool) -> Inputs:
    asked = _with_move(game, PASS, 0.5)  # whoever moves next is asked
    return game_positions(asked, np.array([game.num_moves]), pass_alive, hide_end=False)
