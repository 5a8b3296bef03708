"""All networks of a run measured again: by what is known of a solved game, and by a match."""

import csv
import io

from rich.console import Console
from rich.table import Table

from golois.files import write_whole
from models.training.command_line import UsageError
from models.training.steps import StopRequest
from selfplay.layout import Layout
from selfplay.match import play_match
from selfplay.options import Options
from selfplay.oracles import Kept, is_solvable, kept_at_random, kept_wins, read_or_sample
from selfplay.shards import open_network


def measure(layout: Layout, options: Options, num_games: int, stop: StopRequest) -> None:
    """Print what the networks of a run keep of won positions, and how the last plays the first.

    Writes measured.csv where the game can be solved.

    Args:
        layout: of the run.
        options: of the run.
        num_games: of the match, even; 0 for none.
        stop: a request to stop.

    Raises:
        UsageError: no network has been baked yet.
        Stopped: by a signal.
    """
    console = Console(highlight=False, markup=False, soft_wrap=True)
    iterations = sorted(int(path.stem) for path in (layout.path / "nets").glob("*.onnx"))
    if not iterations:
        raise UsageError(f"{layout.path} has no network to measure yet: let it run on")
    if is_solvable(options.rules()):
        _measure_kept(layout, options, iterations, console)
    else:
        console.print(f"{options.rules()} is too large to be solved here")
    if num_games and len(iterations) > 1:
        first, last = iterations[0], iterations[-1]
        score = play_match(
            (
                open_network(layout.artefact(last), options),
                open_network(layout.artefact(first), options),
            ),
            options.rules(),
            options.of_matches(),
            options.simulations,
            num_games,
            options.seed,
            stop,
        )
        low, high = score.interval()
        console.print(
            f"the network of iteration {last} against the untrained one, {options.simulations} "
            f"simulations each: {score.share:.0%} of {score.games} games, "
            f"{low:.0%} to {high:.0%} at 95 %"
        )


def _measure_kept(
    layout: Layout, options: Options, iterations: list[int], console: Console
) -> None:
    rules = options.rules()
    won = read_or_sample(layout.oracle, rules, options.measure_positions)
    kept = {
        number: kept_wins(rules, won, open_network(layout.artefact(number), options))
        for number in iterations
    }
    _write(layout, kept)
    best = max(kept, key=lambda number: (kept[number].share, -number))
    table = Table("network", "wins kept", "where another move loses")
    for number in dict.fromkeys((iterations[0], best, iterations[-1])):
        name = f"{number}, untrained" if number == 0 else str(number)
        name += ", the best" if number == best else ""
        table.add_row(name, f"{kept[number].share:.1%}", f"{kept[number].of_decisive:.1%}")
    console.print(table)
    console.print(
        f"{len(won)} won positions of {rules}; random legal moves keep {kept_at_random(won):.1%}; "
        f"all networks are in {layout.measured}"
    )


def _write(layout: Layout, kept: dict[int, Kept]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("iteration", "kept", "kept_of_decisive", "kept_positions"))
    for number, one in kept.items():
        writer.writerow((number, f"{one.share:.6g}", f"{one.of_decisive:.6g}", one.positions))
    write_whole(layout.measured, text.getvalue().encode(), durable=False)
