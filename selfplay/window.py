"""Which games the network learns from: the newest ones, a number that may grow."""

from math import ceil

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


def window(options: Options, iteration: int) -> list[Shard]:
    """The shards that an iteration trains on, oldest first.

    They are whole, and as many as hold the games of the window; those of the iteration itself are
    always among them.
    """
    shards = [shard for i in range(1, iteration + 1) for shard in shards_of(options, i)]
    wanted = games_in_window(options, iteration * options.games_per_iteration)
    count = max(ceil(wanted / options.games_per_shard), len(shards_of(options, iteration)))
    return shards[-count:]


def steps_allowed(options: Options, num_positions: int, step: int) -> int:
    """How many batches an iteration may train on.

    So that all batches together show at most `reuse` times as many positions as were played, and
    no more than `steps_per_iteration`.

    Args:
        options: of the run.
        num_positions: played so far, in all iterations.
        step: batches so far.
    """
    allowed = max(0, int(options.reuse * num_positions) // options.batch_size - step)
    return min(allowed, options.steps_per_iteration or allowed)
