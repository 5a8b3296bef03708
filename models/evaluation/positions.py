"""The held-out positions that a network is measured on, and which they are."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from golois.constants import NUM_POINTS
from golois.data.batch import unpack_planes
from golois.data.dataset import Dataset
from golois.go.coords import EMPTY
from golois.kit.files import sha256_of
from golois.records.importing import packed_copy
from golois.records.packed_file import GameFile, text_indices
from models.catalogue.own import FILES
from models.errors import EvaluationError
from models.training.options import EMBEDDED_GAMES
from models.training.run_folder import digests_of

RESULTS = np.array([0.5, 0.0, 1.0])  # P(White wins) when it is over, by the winner's colour
COURSE = "course"
TARGETS = ("policy", "value_white", "area", "ownership_known", "played")


@dataclass(frozen=True)
class Split:
    """Files, how their games are held out, and what is known of the network's own training."""

    files: tuple[Path, ...]
    seed: int
    fraction: float
    remark: str


def choose_split(
    network: Path, files: Sequence[Path], seed: int | None, fraction: float | None
) -> Split:
    """Take the split of the run that left the network, by its config.json, unless told otherwise.

    Files, seed and fraction (0 … 1) are the run's where they are none or None. A network without a
    run has the kit's games. Raises EvaluationError: the config.json is not that of a run.
    """
    run, config = run_of(network), config_beside(network)
    split = Split(
        files=tuple(files) or tuple(map(Path, run.get("data", [EMBEDDED_GAMES]))),
        seed=run.get("seed", 0) if seed is None else seed,
        fraction=run.get("validation_fraction", 0.05) if fraction is None else fraction,
        remark="",
    )
    known = (run.get("seed"), run.get("validation_fraction"))
    if not run:
        remark = "no config.json beside the network: it may have been trained on these games"
    elif known != (split.seed, split.fraction):
        remark = f"not the split of {config}: the network may have been trained on these games"
    elif changed := _changed_file(run, split.files):
        remark = (
            f"{changed} has changed since the training, see {config}: the network may have been "
            "trained on these games"
        )
    else:
        remark = f"held out from the network's training, see {config}"
        if files:
            remark = f"by the split of {config}; games of its own files are held out from it"
        if source := source_of_another_split(run):
            remark += f"; it learned from {source}, which may have been trained on them"
    return replace(split, remark=remark)


def _changed_file(run: Mapping[str, Any], files: Sequence[Path]) -> Path | None:
    """Return a file of the training whose games are others now, or None."""
    trained = zip(run["data"], run["files"], strict=False)  # the oldest runs have no files
    known = {Path(path).resolve(): file for path, file in trained}
    there = [path for path in files if path.resolve() in known and path.is_file()]
    changed = (path for path in there if not _has_games(packed_copy(path), known[path.resolve()]))
    return next(changed, None)


def _has_games(path: Path, described: Mapping[str, Any]) -> bool:
    """Return whether a file has the games of a config.json; ladders may have been added since."""
    if "checksums" in described:
        return GameFile.open(path).checksums == described["checksums"]
    return sha256_of(path) == described["sha256"]


def source_of_another_split(run: Mapping[str, Any]) -> str:
    """Name a network that learned from games that a run holds out, or whose games are unknown.

    What the sources of a run learned from counts too.
    """
    sources = list(run["sources"])
    for source in sources:  # the list grows on the way
        try:
            its = run_of(Path(source))
        except EvaluationError:
            its = {}
        alike = all(its.get(name) == run[name] for name in ("seed", "validation_fraction"))
        if not its.get("digests") or (not alike and run["digests"] & its["digests"]):
            return source
        sources += [one for one in its["sources"] if one not in sources]
    return ""


def config_beside(network: Path) -> Path:
    """Return where the run that left a network, or what a link leads to, says what it was."""
    file = network.resolve() if network.is_symlink() else network
    return file.parent / "config.json"


def run_of(network: Path) -> dict:
    """Read what is known of the run that left a network; nothing without a config.json.

    See `known_of`. Raises EvaluationError: the config.json is not that of a run.
    """
    config = config_beside(network)
    if not config.is_file():
        return {}
    try:
        return known_of(json.loads(config.read_text()))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise EvaluationError(
            f"{config} is not the config.json of a run ({type(error).__name__})"
        ) from error


def known_of(described: Mapping[str, Any]) -> dict[str, Any]:
    """Take from a config.json what decides on the games that a run holds out, and its "features".

    These are "data", "seed" and "validation_fraction" of its options, its "files" and their
    "digests", and its "sources", the saved networks that it learned from.
    """
    options, files = described["options"], described.get("data", {}).get("files", [])
    kinds = {"data": dict, "seed": int, "validation_fraction": float}
    model = options.get("model", "")
    learned_from = [options.get("init_from"), options.get("distill")]
    return {
        **{name: kind(options[name]) for name, kind in kinds.items()},
        "files": files,
        "digests": {digest for file in files for digest in digests_of(file)},
        "sources": list(filter(None, [*learned_from, model if model.endswith(FILES) else ""])),
        "features": str(described.get("features", COURSE)),
    }


def open_datasets(split: Split) -> list[Dataset]:
    """Open the files against their checksums.

    Raises EvaluationError: a missing file, or no held-out games; DataFormatError: a damaged file,
    or no games of Go on 19×19.
    """
    datasets = []
    for path in split.files:
        if not path.is_file():
            raise EvaluationError(f"there is no file {path}: name a file of games with --data")
        dataset = Dataset(
            packed_copy(path), seed=split.seed, validation_fraction=split.fraction, planes="bits"
        )
        dataset.file.verify()
        dataset.file.require_arena_game()
        dataset.require_positions("validation")
        datasets.append(dataset)
    return datasets


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Positions as arrays; row i of every array belongs to position i.

    bits: uint8 `[N, 1399]`, the planes.
    moves: int `[N]`, what was played.
    teacher_moves: int `[N]`, the largest share of the policy that training aims at.
    is_taught: bool `[N]`, whether the file has such policies; else both moves are the same.
    labels: `[N]`, P(White wins) that training aims at.
    results: `[N]`, how the game ended: 1 White won, 0 Black, 0.5 a draw; NaN if unknown.
    ownership: `[N, 361]`, the final area: 1 the side to move's, -1 the opponent's, 0 nobody's.
    ownership_known: bool `[N]`, whether the game was played out.
    plies: int `[N]`, moves made before. sources: str `[N]`, where the games come from.
    files, games: int `[N]`, which file the game is of, and its number there.
    """

    bits: np.ndarray
    moves: np.ndarray
    teacher_moves: np.ndarray
    is_taught: np.ndarray
    labels: np.ndarray
    results: np.ndarray
    ownership: np.ndarray
    ownership_known: np.ndarray
    plies: np.ndarray
    sources: np.ndarray
    files: np.ndarray
    games: np.ndarray

    @property
    def num_games(self) -> int:
        """Different games that the positions are of."""
        return np.unique(np.stack([self.files, self.games]), axis=1).shape[1]

    def __len__(self) -> int:
        return len(self.bits)

    def planes(self, rows: slice = slice(None)) -> np.ndarray:
        """Return the planes of some rows: uint8 `[n, 19, 19, 31]`."""
        return unpack_planes(self.bits[rows])


def held_out_positions(datasets: Sequence[Dataset], count: int) -> HeldOut:
    """Take `count` of the files' shuffled held-out positions at most, by their number."""
    sizes = np.array([dataset.num_positions("validation") for dataset in datasets])
    shares = np.ceil(sizes * min(1.0, count / sizes.sum())).astype(int)
    parts = [_part(*item) for item in zip(datasets, shares.tolist(), strict=True)]
    for number, part in enumerate(parts):
        part["files"] = np.full(len(part["games"]), number)
    arrays = {name: np.concatenate([part[name] for part in parts])[:count] for name in parts[0]}
    return HeldOut(**arrays)


def _part(dataset: Dataset, count: int) -> dict:
    positions, symmetries = dataset.walked_rows(count, 0, "validation")
    batch = dataset.rows(positions, symmetries, "validation", TARGETS)
    assert batch.played is not None and batch.policy is not None  # they are among TARGETS
    assert batch.area is not None and batch.ownership_known is not None
    games, plies = dataset.origins(positions, "validation")
    rows = dataset.file.rows[games]
    is_unknown = (rows["winner"] == EMPTY) & (rows["margin_halves"] != 0)
    names = np.array([text["source"] for text in dataset.file.provenance["texts"]])
    return dict(
        bits=batch.planes,
        moves=batch.played.argmax(axis=1),
        teacher_moves=batch.policy.argmax(axis=1),
        is_taught=np.full(count, dataset.has_targets),
        labels=batch.value_white,
        results=np.where(is_unknown, np.nan, RESULTS[rows["winner"]]),
        ownership=batch.area.reshape(count, NUM_POINTS),
        ownership_known=batch.ownership_known > 0,
        plies=plies,
        sources=names[text_indices(rows)],
        games=games,
    )
