"""Which games the network learns from, and how long: the newest ones, a number that may grow."""

from collections.abc import Mapping, Sequence

from selfplay.layout import Shard, shards_of
from selfplay.options import Options


def games_in_window(options: Options, num_games: int) -> int:
    """How many of all games played so far are trained on.

    window_games · (num_games / window_games)^window_growth once there are more games than
    window_games, so that 0 keeps it fixed and 0.5 lets it grow like the root. KataGo's grows like
    the power 0.75.

    Source: Wu, "Accelerating Self-Play Learning in Go", 2019, appendix C.
    """
    first = options.window_games
    if num_games <= first:
        return num_games
    return min(num_games, round(first * (num_games / first) ** options.window_growth))


def window(
    options: Options, iteration: int, inherited: Mapping[Shard, int] | None = None
) -> list[Shard]:
    """The shards that an iteration trains on, oldest first.

    They are whole, and as many as hold the games of the window; those of the iteration itself are
    always among them.

    Args:
        options: of the run.
        iteration: counted from 1; 0 for what is trained on before the first game.
        inherited: shards of an earlier run, oldest first, and their games.
    """
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


def steps_allowed(options: Options, num_positions: int, step: int) -> int:
    """How many batches an iteration may train on.

    So that all batches together show at most `reuse` times as many positions as were played, and
    no more than `steps_per_iteration`.

    Args:
        options: of the run.
        num_positions: played so far, in all iterations.
        step: batches that the network has learned from, see `batches_behind`.
    """
    allowed = max(0, int(options.reuse * num_positions) // options.batch_size - step)
    return min(allowed, options.steps_per_iteration or allowed)


def batches_behind(rows: Sequence[Mapping[str, float]], player: int) -> int:
    """How many batches a network has learned from, those of the networks before it included.

    What the gate discarded is not among them.

    Args:
        rows: the journal, one of each iteration from 0 on.
        player: the iteration that the network is of.
    """
    batches = 0
    while player:
        batches += int(rows[player]["steps"])
        player = int(rows[player - 1]["player"])
    return batches
