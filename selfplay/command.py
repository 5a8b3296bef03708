"""The command line of selfplay.py: a new run, one that goes on, or a further command."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from golois.games.game import Game
from golois.kit.cluster import open_engine
from golois.kit.command import UsageError, run_in_words
from golois.kit.console import Reporter
from golois.kit.files import write_whole
from golois.kit.signals import StopRequest
from models.training.quiet import import_keras_quietly
from selfplay.arguments import going_on, new_run, old_run, parse_arguments, until_stopped
from selfplay.layout import Layout
from selfplay.networks import require_gpu
from selfplay.options import Options
from selfplay.shards import players_of_shards
from tournament.intake.own_network import bake_own_network
from tournament.networks.runtimes import require_precision

FURTHER_COMMANDS = {
    "measure": "selfplay.measuring:measure_run",
    "league": "selfplay.league:rate_run",
    "ablation": "selfplay.ablation:ablate",
    "curriculum": "selfplay.ablation:teach_in_stages",
    "attack": "selfplay.attack:attack_player",
    "td": "papers.fishnet.command:run",
}
"""Functions of modules that are imported for these commands only."""

FIRST_COMMAND = "python selfplay.py --preset nogo4 --minutes 3"


def versions(runtime: str) -> dict[str, str]:
    """What plays and trains here."""
    import keras

    return {
        "python": platform.python_version(),
        "keras": keras.__version__,
        runtime: import_module(runtime).__version__,
    }


def changed_versions(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """What to say of a run that was begun with other versions; empty if it was not."""
    changes = [
        f"{name} {before[name]}, now {version}"
        for name, version in now.items()
        if before.get(name, version) != version
    ]
    if not changes:
        return ""
    return f"begun with {', '.join(changes)}: the games may differ from those of one version"


def take_victim(layout: Layout, options: Options) -> None:
    """Make the victim, if there is one, the run's own file, so that it stays what it is.

    Raises:
        NetworkError: it reads other planes than the run has.
    """
    if options.victim:
        bake_own_network(options.victim, Game(options.rules()), artefact=layout.victim)
        copy = layout.victim.with_suffix(".h5")
        write_whole(copy, Path(options.victim).read_bytes(), durable=False)


def write_beginning(layout: Layout, options: Options) -> None:
    """Write what a new run has before its first network."""
    layout.require_new()
    take_victim(layout, options)
    layout.write_config({"options": asdict(options), "versions": versions(options.runtime)})


def run(argv: Sequence[str], text: str) -> int:
    """Play and train; return the exit code."""
    given = parse_arguments(argv, text)
    if not given:
        raise UsageError(f"nothing was trained; to begin: {FIRST_COMMAND} (--help lists presets)")
    is_resumed, address = "resume" in given, given.pop("address", None)
    options, layout = old_run(given) if is_resumed else new_run(given)
    not_kept = given if is_resumed else {}
    if address is not None:
        not_kept = {**not_kept, "address": address}
    if options.device == "cuda" and address is not None:
        raise UsageError("--device cuda plays in this process: leave out --address")
    if address is None or options.gate_games:  # the gate plays here
        require_precision(options.precision)
    cluster = None if address is None else open_engine("ray", address)
    import_keras_quietly()  # takes seconds, so only after the quick checks
    from selfplay.learner import Learner
    from selfplay.loop import Loop

    if options.device == "cuda":
        require_gpu()
    learner, reporter = Learner(options), Reporter()
    if options.init_from and not layout.network(0).exists():
        reporter.say(f"weights to begin with: {learner.begin_with(options.init_from)}")

    def act(stop: StopRequest) -> None:
        if is_resumed:
            before = layout.read_config().get("versions", {})
            if changes := changed_versions(before, versions(options.runtime)):
                reporter.warn({"versions": changes})
        else:
            write_beginning(layout, options)
        reporter.say(
            f"{options.rules()} with a {options.model} of {learner.network.count_params():,} "
            f"parameters, into {layout.path}"
        )
        actors = players_of_shards(options, cluster, stop, reporter.say)
        loop = Loop(layout, options, learner, reporter, actors, stop)
        loop.run()
        player = loop.player_after(len(loop.rows) - 1)
        reporter.say(f"finished; the network that plays is {layout.network(player)}")

    with layout.held():
        return until_stopped(act, going_on("selfplay.py", layout.path, not_kept))


def main(argv: Sequence[str], text: str) -> int:
    """Run a command, and turn errors into one sentence and an exit code.

    Args:
        argv: the arguments, without the program's name.
        text: of --help, but for the further commands, which have their own.
    """
    return run_in_words("selfplay.py", lambda: _run(argv, text))


def _run(argv: Sequence[str], text: str) -> int:
    if not argv or argv[0] not in FURTHER_COMMANDS:
        return run(argv, text)
    module, _, function = FURTHER_COMMANDS[argv[0]].partition(":")
    return getattr(import_module(module), function)(argv[1:])
