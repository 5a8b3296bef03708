"""Which games the network learns from, and how long: the newest ones, a number that may grow.

Games of an earlier run may come first, as shards of iteration 0. Source: Gao and Wu, "Efficiently
Mastering the Game of NoGo with Deep Reinforcement Learning Supported by Domain Knowledge", 2021,
network curriculum learning.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path

from golois.data.dataset import Dataset
from golois.data.mixture import Mixture
from golois.games.rules import Go, NoGo, Rules
from golois.kit.command import UsageError
from golois.kit.files import write_whole
from golois.kit.run_folder import read_json
from selfplay.layout import Layout, Shard, shards_of
from selfplay.options import Options
from selfplay.shards import Counts


def games_in_window(options: Options, num_games: int) -> int:
    """How many of all games played so far are trained on.

    window_games · (num_games / window_games)^window_growth once there are more games than
    window_games; KataGo's grows like the power 0.75. Source: Wu, "Accelerating Self-Play Learning
    in Go", 2019, appendix C.
    """
    first = options.window_games
    if num_games <= first:
        return num_games
    return min(num_games, round(first * (num_games / first) ** options.window_growth))


def window(
    options: Options, iteration: int, inherited: Mapping[Shard, int] | None = None
) -> list[Shard]:
    """The whole shards of an iteration's window, oldest first, always with its own shards."""
    sizes = dict(inherited or {})
    for number in range(1, iteration + 1):
        sizes |= dict.fromkeys(shards_of(options, number), options.games_per_shard)
    wanted = games_in_window(options, sum(sizes.values()))
    chosen: list[Shard] = []
    for shard in reversed(sizes):
        if wanted <= 0 and shard.iteration < iteration:
            break
        chosen.append(shard)
        wanted -= sizes[shard]
    return chosen[::-1]


def open_window(options: Options, shards: Sequence[Path]) -> Mixture:
    """The positions of shards; DataFormatError: a damaged shard; UsageError: no targets."""
    sources = [
        Dataset(
            path,
            seed=options.seed,
            validation_fraction=0,
            threads=1,
            features=options.planes or None,
            result_share=options.result_share,
        )
        for path in shards
    ]
    weighted = [(source, count) for source in sources if (count := source.num_positions("train"))]
    if not weighted:
        raise UsageError(
            "no game of the window has a target: start a new run with a higher --full-share, "
            "fewer --random-moves or more games"
        )
    return Mixture(weighted, seed=options.seed)


def steps_allowed(options: Options, num_positions: int, step: int) -> int:
    """How many batches an iteration may train on.

    All batches together show at most `reuse` times the positions played, and an iteration at most
    `steps_per_iteration`. `step` is from `batches_behind`.
    """
    allowed = max(0, int(options.reuse * num_positions) // options.batch_size - step)
    return min(allowed, options.steps_per_iteration or allowed)


def batches_behind(rows: Sequence[Mapping[str, float]], player: int) -> int:
    """How many batches a network, and those before it that were kept, have learned from."""
    batches = 0
    while player:
        batches += int(rows[player]["steps"])
        player = int(rows[player - 1]["player"])
    return batches


def newest_shards(options: Options) -> list[Path]:
    """The newest games of the run that `games_from` names, as files, oldest first.

    Raises CheckpointError: there is no such run; UsageError: it plays something else, or has no
    games.
    """
    earlier = Layout(Path(options.games_from))
    ours = options.rules()
    for theirs in _all_rules(earlier.options()):
        if as_seen_by(ours, theirs) != ours:
            raise UsageError(f"--games-from {earlier.path} has games of {theirs}, not of {ours}")
    shards = {shard: Counts.read(earlier.games(shard)).games for shard in earlier.shards()}
    if not shards:
        raise UsageError(f"--games-from {earlier.path} has no games yet: let it run on")
    wanted, newest = games_in_window(options, sum(shards.values())), []
    while wanted > 0:
        shard, games = shards.popitem()
        newest.append(earlier.games(shard))
        wanted -= games
    return newest[::-1]


def as_seen_by(ours: Rules, theirs: Rules) -> Rules:
    """Other rules, with our planes, end, and komi if our planes show it, to learn from."""
    if isinstance(ours, Go) and isinstance(theirs, Go):
        komi = ours.komi if ours.planes == "course" else theirs.komi
        return replace(theirs, planes=ours.planes, max_moves=ours.max_moves, komi=komi)
    if isinstance(ours, NoGo) and isinstance(theirs, NoGo):
        return replace(theirs, planes=ours.planes)
    return theirs


def _all_rules(options: Options) -> list[Rules]:
    rules = options.rules()
    if not isinstance(rules, Go):
        return [rules]
    return [replace(rules, komi=komi) for komi in options.all_komis()]


def inherit(layout: Layout, options: Options) -> None:
    """Make these games the run's own; the choice is written down, since that run may go on.

    Raises CheckpointError, UsageError: see `newest_shards`; or a damaged note; OSError: files that
    are still to be taken were removed.
    """
    if not layout.inherited.exists():
        sources = [str(path.absolute()) for path in newest_shards(options)]
        write_whole(layout.inherited, json.dumps(sources, indent=2).encode(), durable=False)
    for number, source in enumerate(read_json(layout.inherited)):
        target = layout.games(Shard(0, number))
        for suffix in (".json", ".games"):  # the counts first, as in play_games
            _take(Path(source).with_suffix(suffix), target.with_suffix(suffix))


def inherited(layout: Layout) -> dict[Shard, int]:
    """The shards that a run has inherited, oldest first, and their games."""
    shards = [shard for shard in layout.shards() if shard.iteration == 0]
    return {shard: Counts.read(layout.games(shard)).games for shard in shards}


def steps_before(options: Options, num_games: int, num_positions: int) -> int:
    """How many batches inherited games are trained on: as many as if the run had played them."""
    steps = steps_allowed(replace(options, steps_per_iteration=0), num_positions, 0)
    iterations = ceil(num_games / options.games_per_iteration)
    return min(steps, options.steps_per_iteration * iterations or steps)


def _take(source: Path, target: Path) -> None:
    """Link a file that never changes, or copy it where that can't be."""
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:  # another file system, or one without links
        write_whole(target, source.read_bytes(), durable=False)
