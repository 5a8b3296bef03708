"""Label games with a network, in processes, so that a kill at any moment costs seconds.

Positions are labelled in batches. Each batch goes into a journal beside the output as soon as it is
done; the packed file is written from the journal at the end. The same games, teacher and options
give the same bytes, whatever the number of processes and however often the work was stopped.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from golois.constants import PASS
from golois.errors import ArgumentError, DataFormatError
from golois.katago.answers import Answers, Predict, answer
from golois.katago.inputs import Inputs
from golois.katago.network import Network
from golois.katago.reading import read_network
from golois.kit.cluster import Ended, Here, Job
from golois.kit.files import place_of, replaced_file, sha256_of
from golois.kit.signals import StopRequest, raise_if_stopped
from golois.kit.this_machine import ThisMachine
from golois.labels.journal import Journal, remove_journal
from golois.labels.positions import LabelOptions, Sample, labelled, searched, targets_of
from golois.records.importing import packed_copy
from golois.records.packed_file import GameFile, Record, provenance_of
from golois.records.packing import Packer
from golois.records.targets import Targets

TOOL = "golois label 3"  # one more when the same work packs into other bytes
UNFINISHED = ".unfinished"
INT8, FLOAT32 = "int8", "float32"
NUM_EXAMPLES = 200  # positions for the ranges of int8, and as many others for its error


@dataclass(frozen=True)
class Teacher:
    """A network's file, and how a process opens it.

    `opens(network, batch_size, precision, examples)` returns the network as a function. It is a
    class or a function of a module, so that processes can be told of it. `examples()` are positions
    of the games, for the ranges of int8.
    """

    path: Path
    opens: Callable[[Network, int, str, Callable[[], Inputs]], Predict]
    precision: str = FLOAT32


@dataclass(frozen=True)
class Labelled:
    """The packed file that was written, or was there already, and what is in it."""

    path: Path
    num_games: int
    num_positions: int
    is_new: bool


@dataclass(frozen=True)
class Labelling:
    """A packed file, a teacher and how it labels: all that a process needs to know."""

    games: Path
    teacher: Teacher
    options: LabelOptions


def label_games(
    games: str | Path,
    output: str | Path,
    teacher: Teacher,
    options: LabelOptions = LabelOptions(),  # noqa: B008  it is immutable
    *,
    processes: int = 1,
    stop: StopRequest | None = None,
    on_progress: Callable[[int, int, int], None] | None = None,
) -> Labelled:
    """Write games with a teacher's labels of their positions as a packed file.

    `games` is any file that `packed_copy` takes. `on_progress` gets the positions labelled now, all
    labelled so far, and their total. A later call goes on where this one ended.

    Raises:
        ArgumentError: the output is a source, `processes` is below 1, `output`.unfinished is of
            another work or in use, or int8 or a search is not for this network.
        DataFormatError: no games, no position, others than Go on 19×19, or no network.
        Stopped: by the signal of `stop`; ClusterError: a process failed.
        OSError: a file cannot be read or written.
    """
    require_processes(processes)
    packed, output = packed_copy(games), Path(output)
    require_place(output, (Path(games), packed, teacher.path))
    source = GameFile.open(packed)
    source.require_arena_game()
    sample = Sample(source, options.every)
    if not len(sample):
        raise DataFormatError(f"{games} has no position to label: give games with moves")
    work = Labelling(packed, teacher, options)
    about = about_labels(work, source)
    num_games = int(np.count_nonzero(source.rows["num_positions"]))
    journal = open_journal(output, about)
    if journal is None:
        return Labelled(output, num_games, len(sample), is_new=False)
    with journal:
        _fill(journal, work, len(sample), ThisMachine(processes), stop, on_progress)
        labels = _labelled_games(source, sample, journal, options)
        raise_if_stopped(stop)
        error = {INT8: int8_error(work)} if teacher.precision == INT8 else {}
        write_labelled(output, packed, labels, about, error, stop=stop)
        journal.remove()
    return Labelled(output, num_games, len(sample), is_new=True)


def require_processes(number: int) -> None:
    """Refuse to work with no process."""
    if number < 1:
        raise ArgumentError(f"processes must be 1 or more, not {number}")


def require_place(output: Path, sources: Iterable[Path]) -> None:
    """Refuse an output that could not be written after hours of work; see `label_games`."""
    place_of(output)
    if output.exists() and any(output.samefile(source) for source in sources):
        raise ArgumentError(f"the output would overwrite the source {output}: choose another")


def about_labels(work: Labelling, games: GameFile) -> dict[str, Any]:
    """Return all that decides on the labels, of JSON; `games` is the opened file of the work.

    Raises DataFormatError: no network; ArgumentError: one that int8 or a search is not for.
    """
    teacher, network = work.teacher, read_network(work.teacher.path)
    how = {**asdict(work.options), "precision": teacher.precision, "by": teacher.opens.__name__}
    if not work.options.ownership:  # the header stays that of labels without it
        del how["ownership"]
    if teacher.precision == INT8 and network.is_transformer:
        raise ArgumentError(
            f"{teacher.path}: int8 is for networks of convolutions, and this one is a transformer: "
            "label with another precision"
        )
    if work.options.visits == 1:  # without a search the header stays the same
        del how["visits"]
    elif network.pass_alive:
        raise ArgumentError(
            f"{teacher.path}: the network counts pass-alive areas, which a search does not show: "
            "label without visits"
        )
    return {
        "games": games.checksums,
        "teacher": {"name": network.name, "sha256": sha256_of(teacher.path)},
        "with": how,
    }


def open_journal(output: Path, about: dict[str, Any]) -> Journal | None:
    """Open the journal beside an output; None, and it is removed, where the output is done."""
    unfinished = output.with_name(output.name + UNFINISHED)
    if output.exists() and provenance_of(output).get("labelled") == about:
        remove_journal(unfinished, about)
        return None
    return Journal(unfinished, about)


def _fill(
    journal: Journal,
    work: Labelling,
    total: int,
    machine: ThisMachine,
    stop: StopRequest | None,
    on_progress: Callable[[int, int, int], None] | None,
) -> None:
    size = work.options.batch_size
    starts = [start for start in range(0, total, size) if start not in journal.pieces]
    before = total - sum(min(size, total - start) for start in starts)
    now = 0
    if on_progress is not None:
        on_progress(now, before, total)
    jobs = (Job(start, partial(_label, work, start)) for start in starts)
    with machine:
        for event in machine.do(jobs, stop):
            if not isinstance(event, Ended):
                continue
            journal.add(event.job.about, event.result)
            now += min(size, total - event.job.about)
            if on_progress is not None:
                on_progress(now, before + now, total)


def _label(work: Labelling, start: int, _here: Here) -> Generator[None, None, bytes]:
    """Return the labels of the batch from a position on: ownership if wanted, and words."""
    yield from ()
    labels = opened(work).labels(start)
    ownership = labels.ownership_numbers()
    return (b"" if ownership is None else ownership.tobytes()) + labels.to_words().tobytes()


@lru_cache(maxsize=1)
def opened(work: Labelling) -> "Labeller":
    """Return a teacher with its games, opened once in a process."""
    return Labeller(work)


class Labeller:
    """A teacher with its games, opened; DataFormatError: one of the two cannot be read."""

    def __init__(self, work: Labelling) -> None:
        self.games = GameFile.open(work.games)
        self._options = work.options
        self._sample = Sample(self.games, work.options.every)
        self._network = read_network(work.teacher.path)
        self.pass_alive = self._network.pass_alive
        size, precision = work.options.batch_size, work.teacher.precision
        self._predict = work.teacher.opens(self._network, size, precision, self.examples)

    def examples(self, shift: float = 0) -> Inputs:
        """Return positions from all games, see `Sample.spread`."""
        return self._sample.spread(NUM_EXAMPLES, shift, self.pass_alive)

    def ask(self, positions: Inputs) -> Answers:
        """Return what the network says, by the mean of as many views as the options want."""
        views = range(self._options.symmetries)
        return answer(self._predict, self._network, positions, views)

    def labels(self, start: int) -> Targets:
        """Return the labels of a batch of positions, of which the first has this number."""
        stop = min(start + self._options.batch_size, len(self._sample))
        positions = self._sample.inputs(start, stop, self.pass_alive)
        answers = self.ask(positions)
        if self._options.visits > 1:
            games = self._sample.games(start, stop)
            answers = searched(self.ask, games, answers, self._options.visits)
        return targets_of(answers, self._options.least_share, self._options.ownership)


def int8_error(work: Labelling) -> dict[str, float]:
    """Return how far a teacher in int8 is from float32, on positions other than its examples."""
    precisions = (replace(work.teacher, precision=precision) for precision in (INT8, FLOAT32))
    found, exact = (Labeller(replace(work, teacher=teacher)) for teacher in precisions)
    positions = found.examples(shift=0.5)
    return error_of(found.ask(positions), exact.ask(positions))


def error_of(found: Answers, exact: Answers) -> dict[str, float]:
    """Return how far answers are from exact ones, in six digits.

    positions: how many. cross_entropy: mean of the policy to the exact one, in nats; entropy: the
    least that it could be. same_first_move: share of positions. value_rmse: of P(White wins).
    """
    shares = exact.policy.astype(np.float64)

    def cross_entropy(policy: np.ndarray) -> np.floating:
        logs = np.log(np.maximum(policy, np.finfo(np.float32).tiny))
        return -np.mean(np.sum(shares * logs, axis=1))

    same = found.policy.argmax(axis=1) == exact.policy.argmax(axis=1)
    rmse = np.sqrt(np.mean((found.white_wins - exact.white_wins) ** 2, dtype=np.float64))
    numbers = {
        "cross_entropy": cross_entropy(found.policy),
        "entropy": cross_entropy(exact.policy),
        "same_first_move": same.mean(),
        "value_rmse": rmse,
    }
    return {"positions": len(same), **{name: float(f"{x:.6g}") for name, x in numbers.items()}}


def _labelled_games(
    source: GameFile, sample: Sample, journal: Journal, options: LabelOptions
) -> Iterator[Record]:
    rows = _rows(journal, options, len(sample))
    for number, record in enumerate(source):
        turns = sample.turns(number, record)
        if not len(turns):
            continue
        columns = zip(*islice(rows, len(turns)), strict=True)
        yield labelled(record, turns, Targets(*map(np.stack, columns)))


def write_labelled(
    output: Path,
    source: Path,
    records: Iterable[Record],
    about: dict[str, Any],
    error: Mapping[str, Any] = MappingProxyType({}),
    *,
    stop: StopRequest | None,
) -> None:
    """Write games as a packed file that says where they and their labels come from.

    Raises Stopped by the signal of `stop`, and writes nothing then.
    """
    with replaced_file(output) as file:
        packer = Packer(file)
        for record in records:
            raise_if_stopped(stop)
            packer.add(record)
        origin = {
            "name": source.name,
            "bytes": source.stat().st_size,
            "sha256": sha256_of(source),
            "games": packer.num_games,
        }
        counts = {"tool": TOOL, "sources": [origin], "kept": packer.num_games}
        packer.finish({**counts, "labelled": about, **error})


def _rows(
    journal: Journal, options: LabelOptions, total: int
) -> Iterator[tuple[np.ndarray | np.floating, ...]]:
    """Yield policy, value and lead of every position in its order, and ownership if wanted."""
    for start in sorted(journal.pieces):
        piece = journal.pieces[start]
        num_points = PASS * min(options.batch_size, total - start) if options.ownership else 0
        targets = Targets.from_words(np.frombuffer(piece[num_points:], np.uint16))
        if options.ownership:
            numbers = np.frombuffer(piece, np.int8, num_points)
            targets = targets.with_ownership(numbers.reshape(-1, PASS))
        yield from zip(*(x for x in vars(targets).values() if x is not None), strict=True)
