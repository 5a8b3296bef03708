"""The games that a run trains on and is measured by: opened, checked, and drawn from."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from golois.constants import TOURNAMENT_KOMI
from golois.data.batch import Batch
from golois.data.dataset import Dataset
from golois.data.mixture import Mixture
from golois.kit.command import UsageError
from golois.records.importing import packed_copy
from golois.records.packed_file import HAS_VALUES, PLAYED_OUT, GameFile, is_packed
from models.training.options import Options
from models.training.quiet import import_keras_quietly
from models.training.targets import AUXILIARY, arrays_for, constant_loss, with_played


def open_games(options: Options) -> Mixture:
    """Open the files of games against their checksums, as bits to be unpacked on the device."""
    fraction, features = options.validation_fraction, _features_of(options)

    def opened(path: str) -> Dataset:
        return Dataset(
            _packed(Path(path)), planes="bits", features=features,
            seed=options.seed, validation_fraction=fraction,
        )  # fmt: skip

    sources = [(opened(path), weight) for path, weight in options.data.items()]
    for dataset, _ in sources:
        dataset.file.verify()
        dataset.file.require_arena_game()
        if dataset.num_positions("train") == 0 or dataset.num_positions("validation") == 0:
            raise UsageError(
                f"{dataset.title} has no games for training or none for validation at "
                f"--validation-fraction {fraction}: change it, or add games"
            )
    _require_targets(options, [dataset.file for dataset, _ in sources])
    return Mixture(sources, seed=options.seed)


def _require_targets(options: Options, files: Sequence[GameFile]) -> None:
    """Refuse an option for which no game has a target."""
    has_end, has_values = (
        any((file.rows["flags"] & of_games).any() for file in files)
        for of_games in (PLAYED_OUT, HAS_VALUES)
    )
    is_labelled = any(file.has_targets for file in files)
    has_owners = has_end or any(file.has_ownership for file in files)
    of_end = "were played to the end"
    known = {
        "end": (has_end, of_end),
        "owners": (has_owners, of_end),
        "labels": (is_labelled, "a teacher has labelled"),
        "values": (is_labelled or has_values, "have a value for each move"),
    }
    needs = {f"--aux {name}": AUXILIARY[name].needs for name in options.aux}
    needs |= {"--played-weight": "labels"} if options.played_weight else {}
    for asked, need in needs.items():
        is_known, words = known.get(need, (True, ""))
        if not is_known:
            raise UsageError(
                f"{asked} needs games that {words}, and --data has none: leave it out, or add "
                "such games"
            )


def warn_of_komi(games: Mixture) -> None:
    """Warn if no game sets the plane of the tournaments' default komi."""
    datasets = [source for source in games.sources if isinstance(source, Dataset)]
    found = {komi for dataset in datasets for komi in dataset.file.komi_histogram()}
    if int(TOURNAMENT_KOMI) not in {int(komi) for komi in found if komi is not None}:
        print(
            f"no game has komi {TOURNAMENT_KOMI}, the komi of tournaments: without such games a "
            "network plays badly there; add games with this komi, such as data/katago_b6.games"
        )


def _features_of(options: Options) -> str:
    if options.features != "preset":
        return options.features
    if options.preset == "budget":
        return "course"
    import_keras_quietly()
    from models.catalogue.registry import find

    return find(options.model).paper_features


def training_sample(options: Options, games: Mixture) -> Callable[[int], Batch]:
    """Return the function that draws the batch of a step."""
    how: dict[str, Any] = {
        "symmetry": options.turning,
        "targets": arrays_for(options.aux, games.has_targets),
    }
    if options.whole_games:
        sample = partial(games.sample_game, **how)
    else:
        sample = partial(games.sample, options.batch_size, **how)
    return with_played(sample, options.played_weight) if options.played_weight else sample


def _packed(path: Path) -> Path:
    """Return the packed file of a file of games; a text file is packed once."""
    if not path.is_file():
        raise UsageError(f"there is no file {path}: give --data a file of games")
    if not is_packed(path):
        print(f"{path} is text: it is packed once, and later runs read the packed copy")
    from golois.kit.console import Console, Progress  # here, so that --help answers at once

    with Progress(Console(), "packing", 1.0) as bar:
        return packed_copy(
            path, on_progress=lambda done: bar.show(done.num_bytes, total=float(done.total_bytes))
        )


def held_out_batches(options: Options, games: Mixture) -> list[Any]:
    """Draw the positions that are measured after each epoch, always the same, by the weights."""
    positions = games.proportional_rows(options.validation_positions)
    positions = positions[: len(positions) - len(positions) % options.devices]
    if not positions.size:
        raise UsageError(
            f"--devices {options.devices} needs a held-out position for each device: add games"
        )
    targets = arrays_for(options.aux, games.has_targets)
    borders = range(options.batch_size, len(positions), options.batch_size)
    batches = [
        games.rows(part, np.zeros_like(part), "validation", targets)
        for part in np.split(positions, borders)
    ]
    for name in options.aux:
        print(f"{name} loss of a constant there: {constant_loss(name, batches):.4f}")
    return batches
