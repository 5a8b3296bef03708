"""The further commands of selfplay.py, which measure what a run has learned."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from golois.kit.command import UsageError
from golois.kit.console import Reporter
from golois.kit.options import Parser
from golois.kit.signals import Stopped, StopRequest
from models.training.quiet import import_keras_quietly
from selfplay.arguments import (
    Matches,
    parser_of,
    played_moves,
    refuse_idle,
    required_pairs,
    until_stopped,
)
from selfplay.attack import (
    ATTACKER,
    VICTIM,
    Attack,
    attackers_table,
    attacks_table,
    files_of,
    read_earlier,
    rise,
)
from selfplay.layout import Layout
from tournament.errors import EngineError
from tournament.matches.games import kept_games
from tournament.matches.match import Match, Players
from tournament.matches.openings import OPENING_MOVES, Opening, drawn_openings, read_openings
from tournament.matches.opponents import describe_opponents, file_digest, opened_opponent
from tournament.players.protocol import NewPlayer

if TYPE_CHECKING:
    from models.sweeps.runs import Children
    from selfplay.ablation import Meeting, Run


def measure_run(argv: Sequence[str]) -> int:
    """Ask a run's networks about solved positions, and let the one that plays meet an opponent.

        python selfplay.py measure runs/nogo4 --against perfect
        python selfplay.py measure runs/go9 --against gnugo:1 --simulations 200 --games 100

    The games are kept: a match that was stopped goes on, and the page of the run shows them.
    """
    parser = parser_of(measure_run, "measure")
    parser.add_argument(
        "--against",
        metavar="NAME",
        help=f"an opponent other than the untrained network: {describe_opponents()}",
    )
    parser.add_argument(
        "--opening-moves",
        type=int,
        help=f"random moves before each pair of games [{OPENING_MOVES}]; 0: none",
    )
    parser.add_argument(
        "--after",
        nargs="+",
        default=[],
        metavar="MOVE",
        help="show the network's next moves after these, such as C2, not its first moves",
    )
    matches, given = _matches_of_run(parser, argv, "games of the match [40]", games=40, least=0)
    after = played_moves(given["after"], matches.options.rules())
    if (opening_moves := given.get("opening_moves", OPENING_MOVES)) < 0:
        raise UsageError(f"--opening-moves must be 0 or more, not {opening_moves}")
    refuse_idle(given, [(("against", "opening_moves"), "--games above 0", matches.games > 0)])
    from selfplay.measuring import measure

    return until_stopped(
        lambda stop: measure(matches, given.get("against"), opening_moves, after, stop),
        goes_on=True,
    )


def rate_run(argv: Sequence[str]) -> int:
    """Rate the networks of a run by games among them.

        python selfplay.py league runs/nogo4 --every 5 --games 40

    The Elo of iteration 0 is 0. The ratings are in league.csv, and curves.png and page.html show
    them; a league that was stopped goes on.
    """
    parser = parser_of(rate_run, "league")
    parser.add_argument("--every", type=int, help="rate every Nth network [an eighth of all]")
    matches, given = _matches_of_run(parser, argv, "for every two networks [20]", games=20, least=2)
    if (every := given.get("every", 0)) < 1 and "every" in given:
        raise UsageError(f"--every must be 1 or more, not {every}")
    from selfplay.league import rate_networks

    return until_stopped(lambda stop: rate_networks(matches, every, stop), goes_on=True)


def ablate(argv: Sequence[str]) -> int:
    """Run what a TOML file lists, and compare the last networks of the runs.

        python selfplay.py ablation papers/nogozero/table2.toml

    The table is printed and written to table.md; the same command goes on after a stop.
    """
    parser = parser_of(ablate, "ablation")
    parser.add_argument(
        "--at-once", type=int, help="runs at a time, which share the cores and write logs [1]"
    )
    given = _given_of_file(parser, argv)
    if (at_once := given.get("at_once", 1)) < 1:
        raise UsageError(f"--at-once must be 1 or more, not {at_once}")
    import_keras_quietly()  # which builds every row's network, to check it
    from selfplay.ablation import play_all, read_ablation

    runs, meeting = read_ablation(given["config"], given["out"])

    def play(children: "Children", reporter: Reporter) -> list["Run"]:
        return play_all(runs, children, reporter, at_once)

    return _played(runs, meeting, given["out"], play, has_logs=at_once > 1)


def teach_in_stages(argv: Sequence[str]) -> int:
    """Run the stages that a TOML file lists, each from the games of the one before.

        python selfplay.py curriculum papers/nogozero/curriculum.toml

    The last networks of the stages meet. The table with their Elo is printed and written to
    table.md; the same command goes on after a stop.
    """
    given = _given_of_file(parser_of(teach_in_stages, "curriculum"), argv)
    import_keras_quietly()
    from selfplay.ablation import play_stages, read_curriculum

    stages, meeting = read_curriculum(given["config"], given["out"])

    def play(children: "Children", reporter: Reporter) -> list["Run"]:
        return play_stages(stages, children, reporter)

    return _played(stages, meeting, given["out"], play)


def _given_of_file(parser: Parser, argv: Sequence[str]) -> dict[str, Any]:
    """Read a command line that names a TOML file of runs, and where they lie."""
    parser.add_argument("config", type=Path, metavar="FILE.toml", help="what to run and compare")
    parser.add_argument("--out", type=Path, help="folder of the runs [runs/FILE]")
    given = vars(parser.parse_args(argv))
    return {"out": Path("runs") / given["config"].stem, **given}


def _played(
    runs: Sequence["Run"],
    meeting: "Meeting",
    out: Path,
    play: Callable[["Children", Reporter], list["Run"]],
    has_logs: bool = False,
) -> int:
    """Let runs be played, then compared; the exit code."""
    from models.sweeps.runs import Children, only_sweep_of
    from selfplay.ablation import compare

    for run in runs:
        run.require_same_options()
    reporter = Reporter()

    def act(stop: StopRequest) -> None:
        with only_sweep_of(out, reporter.say) as lock:
            children = Children(lock, stop)
            finished = play(children, reporter)
            if stop.signal:
                raise Stopped
            if len(finished) < len(runs):
                failed = [run for run in runs if run not in finished]
                names = ", ".join(str(run.log) if has_logs else run.name for run in failed)
                raise EngineError(f"these runs failed: {names}; the same command tries again")
            reporter.say(compare(runs, meeting, out, children))
            reporter.say(f"written: {out}/table.md")

    return until_stopped(act, goes_on=True)


def attack_player(argv: Sequence[str]) -> int:
    """Let players attack another from openings, and say how often each wins.

        python selfplay.py attack best.h5 runs/adversary7/nets/0021.h5 --size 7 --komi 8.5
        python selfplay.py attack runs/go9 scripted:edge scripted:ring random

    The games are kept, so that the same command goes on after a stop.
    """
    given = vars(_attack_parser().parse_args(argv))
    victim, attackers = given.pop("victim"), given.pop("attackers")
    paths, out = given.pop("openings", []), given.pop("out", Path("runs") / "attack.csv")
    before = given.pop("before", None)
    if out.suffix != ".csv":
        raise UsageError(f"--out must end in .csv, not be {out}")
    attack = Attack(**given)
    refuse_idle(given, (
        (("komi",), "--game go", attack.game == "go"),
        (("swap",), "--game hex", attack.game == "hex"),
    ))  # fmt: skip
    if paths and "drawn" in given:
        raise UsageError("--drawn has no effect with --openings: leave it out")
    if before and len(attackers) > 1:
        raise UsageError("--before compares with one attacker: name one")
    options, reporter = attack.options(), Reporter()
    rules = options.rules()
    openings = (
        read_openings(paths, rules) if paths else drawn_openings(rules, attack.drawn, attack.seed)
    )
    opened = [
        opened_opponent(name, rules, options.of_matches(), simulations, options.runtime)
        for name, simulations in [
            (victim, attack.simulations_of_victim()),
            *((name, attack.simulations) for name in attackers),
        ]
    ]
    match = Match(
        rules, openings, attack.games, attack.seed, attack.attacker, (ATTACKER, VICTIM)
    )
    settings = [_attack_settings(attack, (victim, name), openings) for name in attackers]
    files = files_of(out, attackers)
    earlier = read_earlier(before, settings[0], rules) if before else []

    def act(stop: StopRequest) -> None:
        found = {}
        num_games = attack.games * len(openings) * len(attackers)
        with opened[0] as first, reporter.bar("games", num_games) as advance:
            for name, file, own, opener in zip(
                attackers, files, settings, opened[1:], strict=True
            ):
                with opener as second, kept_games(file, own, rules) as kept:
                    both = _pair(second, first)
                    found[name] = match.play(both, stop, kept=kept, on_game=advance)
        played = found[attackers[0]]
        reporter.say(attacks_table(played) if len(attackers) == 1 else attackers_table(found))
        if earlier:
            reporter.say(f"compared with {before}: {rise(earlier, played)}")
        reporter.say(f"all games are in {', '.join(map(str, files))}")

    return until_stopped(act, goes_on=True)


def _pair(attacker: NewPlayer, victim: NewPlayer) -> Callable[[], Players]:
    return lambda: (attacker, victim)


def _attack_parser() -> Parser:
    parser = parser_of(attack_player, "attack")
    parser.add_argument(
        "victim", metavar="VICTIM", help=f"who is attacked: {describe_opponents()}"
    )
    parser.add_argument(
        "attackers", nargs="+", metavar="ATTACKER", help="who attacks, named in the same way"
    )
    parser.add_argument(
        "--openings",
        nargs="+",
        type=Path,
        metavar="FILE",
        help=".sgf, or a text file with an opening in each line",
    )
    parser.add_argument(
        "--out",
        type=Path,
        help="file of the games, .csv [runs/attack.csv]; of several attackers, each has its own, "
        "FILE_ATTACKER.csv",
    )
    parser.add_argument(
        "--before",
        type=Path,
        metavar="FILE.csv",
        help="games of another attacker on this victim, to compare the rates",
    )
    parser.add_fields(Attack)
    return parser


def _attack_settings(
    attack: Attack, sides: tuple[str, str], openings: Sequence[Opening]
) -> dict[str, Any]:
    """What the games of an attack are of."""
    return {
        "players": sides,
        "networks": [file_digest(name) for name in sides],
        **asdict(attack),
        "openings": [[opening.name, *opening.moves] for opening in openings],
    }


def _matches_of_run(
    parser: Parser, argv: Sequence[str], of_games: str, games: int, least: int
) -> tuple[Matches, dict[str, Any]]:
    """Read a command line that names a run; return its matches, and the command's own options.

    Args:
        parser: that has the command's own options.
        argv: the arguments.
        of_games: which games are counted.
        games: how many without `--games`.
        least: how many at least; they are even, since each opening is played with both colours.
    """
    parser.add_argument("run", type=Path, metavar="DIR", help="folder of a run")
    parser.add_argument("--games", type=int, help=of_games)
    parser.add_argument("--simulations", type=int, help="of a network's searches [the run's]")
    given = vars(parser.parse_args(argv))
    layout = Layout(given.pop("run"))
    options = layout.options()
    games = required_pairs(given.pop("games", games), least)
    simulations = given.pop("simulations", options.simulations)
    if simulations < 1:
        raise UsageError(f"--simulations must be 1 or more, not {simulations}")
    return Matches(layout, options, games, simulations), given
