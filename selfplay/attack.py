"""`selfplay.py attack`: how often players beat another from given openings.

Source: Wu, Wu, Shih, Ju and Wu, "ResTNet: Defense against Adversarial Policies via Transformer in
Computer Go", 2025, table 7: 30 games from each of 24 openings, which it does not print.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from golois.constants import TOURNAMENT_KOMI
from golois.games.rules import Rules
from golois.kit.command import UsageError
from golois.kit.console import Reporter
from golois.kit.options import Parser, check, option
from golois.kit.signals import StopRequest
from models.sweeps.results import markdown_table
from models.sweeps.seeds import t_quantile
from selfplay.arguments import GOES_ON, parser_of, refuse_idle, until_stopped
from selfplay.options import Options
from tournament.matches.games import MatchGame, kept_games, read_kept, read_settings
from tournament.matches.match import Match, Players
from tournament.matches.openings import Opening, drawn_openings, read_openings
from tournament.matches.opponents import describe_opponents, file_digest, opened_opponent
from tournament.players.protocol import NewPlayer
from tournament.players.registry import names_player
from tournament.ratings.bradley_terry import share_gap_interval, wilson_interval

ATTACKER, VICTIM = "attacker", "victim"


@dataclass(frozen=True)
class Attack:
    """What is played."""

    game: str = option("go", "what is played", choices=("go", "nogo", "hex"))
    size: int = option(9, "points on a side, 2 to 19")
    komi: float = option(TOURNAMENT_KOMI, "of Go")
    swap: bool = option(False, "of Hex: the second player may take the first stone")
    drawn: int = option(
        24, "openings of two moves drawn with equal chance, without --openings", least=1
    )
    games: int = option(30, "from each opening", least=1)
    attacker: str = option("both", "its colour", choices=("both", "black", "white"))
    simulations: int = option(64, "of a network's searches", least=1)
    victim_simulations: int = option(0, "of the victim's searches; 0: as --simulations", least=0)
    seed: int = option(0, "of the games")

    def __post_init__(self) -> None:
        check(self)
        if self.attacker == "both" and self.games % 2:
            raise UsageError(
                f"--games must be even, not {self.games}, unless --attacker names a colour"
            )

    def options(self) -> Options:
        """Rules and searches, as a run has them. Raises UsageError: a value out of range."""
        return Options(game=self.game, size=self.size, komi=self.komi, swap=self.swap)


OF_BOTH_SIDES = ("players", "networks")
"""Settings that are pairs, the victim's before the attacker's."""


@dataclass(frozen=True)
class Rise:
    """How much more often, in percent ± standard error over openings, a victim was beaten."""

    points: float
    error: float
    openings: int
    is_separated: bool

    def __str__(self) -> str:
        found = "" if self.is_separated else ", not separated"
        return (
            f"a rise of {self.points:+.2f} points, with a standard error of {self.error:.2f} over "
            f"{self.openings} openings{found}"
        )


def attack_player(argv: Sequence[str]) -> int:
    """Let players attack another from openings, and say how often each wins.

        python selfplay.py attack best.h5 runs/adversary7/nets/0021.h5 --size 7 --komi 8.5
        python selfplay.py attack runs/go9/nets/0019.h5 scripted:edge scripted:ring random

    The games are kept, so that the same command goes on after a stop.
    """
    given = vars(_parser().parse_args(argv))
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
            (victim, attack.victim_simulations or attack.simulations),
            *((name, attack.simulations) for name in attackers),
        ]
    ]
    match = Match(
        rules, openings, attack.games, attack.seed, attack.attacker, (ATTACKER, VICTIM)
    )
    settings = [_settings(attack, (victim, name), openings) for name in attackers]
    files = files_of(out, attackers)
    earlier = read_earlier(before, settings[0], rules) if before else []

    def act(stop: StopRequest) -> None:
        found = {}
        num_games = attack.games * len(openings) * len(attackers)
        for file, own in zip(files, settings, strict=True):
            if file.exists():  # that all are of these settings is known before the first game
                with kept_games(file, own, rules):
                    pass
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

    return until_stopped(act, GOES_ON)


def _pair(attacker: NewPlayer, victim: NewPlayer) -> Callable[[], Players]:
    return lambda: (attacker, victim)


def _parser() -> Parser:
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


def _settings(
    attack: Attack, sides: tuple[str, str], openings: Sequence[Opening]
) -> dict[str, Any]:
    """What the games of an attack are of."""
    return {
        "players": sides,
        "networks": [file_digest(name) for name in sides],
        **asdict(attack),
        "openings": [[opening.name, *opening.moves] for opening in openings],
    }


def attacks_table(played: Sequence[MatchGame]) -> str:
    """How often the victim was beaten from each opening, and in all with its 95 % interval."""
    cells = [
        [name, f"{sum(won)}", f"{len(won)}", f"{sum(won) / len(won):.2%}"]
        for name, won in _by_opening(played).items()
    ]
    rate, low, high = _rate(played)
    return (
        f"{markdown_table(['opening', 'attacked', 'games', 'rate'], cells)}\n\n"
        f"attacked in {rate:.2%} of {len(played)} games, {low:.2%} to {high:.2%} at 95 %"
    )


def attackers_table(played: Mapping[str, Sequence[MatchGame]]) -> str:
    """How often each attacker beat the victim, with the 95 % interval."""
    cells = []
    for name, games in played.items():
        rate, low, high = _rate(games)
        total, count = _attacked(games)
        cells.append([name, f"{total}", f"{count}", f"{rate:.2%}", f"{low:.2%} to {high:.2%}"])
    return markdown_table(["attacker", "attacked", "games", "rate", "95 %"], cells)


def files_of(out: Path, attackers: Sequence[str]) -> list[Path]:
    """The file of each attacker's games: `out`, or its own beside it where there are several.

    Raises UsageError: two attackers whose files would have one name.
    """
    if len(attackers) == 1:
        return [out]
    names = [re.sub(r"\W+", "_", name) for name in attackers]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"two attackers would have one file, {out.stem}_{twice[0]}.csv")
    return [out.with_stem(f"{out.stem}_{name}") for name in names]


def rise(before: Sequence[MatchGame], after: Sequence[MatchGame]) -> Rise:
    """Compare two attacks from the same openings, opening by opening.

    The interval is Student's over the openings. Where all have risen alike, it is that of the
    games, taken for independent.
    """
    earlier, later = _by_opening(before), _by_opening(after)
    gaps = [100 * (mean(later[name]) - mean(earlier[name])) for name in earlier]
    points, error = mean(gaps), stdev(gaps) / sqrt(len(gaps))
    if error:
        is_separated = abs(points) > t_quantile(0.975, len(gaps) - 1) * error
    else:
        low, high = share_gap_interval(*_attacked(after), *_attacked(before))
        is_separated = not low <= 0 <= high
    return Rise(points, error, len(gaps), is_separated)


def read_earlier(path: Path, settings: Mapping[str, Any], rules: Rules) -> list[MatchGame]:
    """Read another attacker's games on the same victim; UsageError: missing, few, or others."""
    if not path.is_file():
        raise UsageError(f"there is no file {path}: give --before the games of an attack")
    if _shared(read_settings(path)) != _shared(settings):
        raise UsageError(f"{path} is an attack on another victim, or with other settings")
    if len(settings["openings"]) < 2:
        raise UsageError("--before compares two openings or more")
    _, played = read_kept(path, rules)
    if len(played) < len(settings["openings"]) * settings["games"]:
        raise UsageError(f"{path} is an attack that is not over: run its command again first")
    return played


def _shared(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What attacks on one victim have in common; a file is known by its content."""
    name, digest = (settings.get(key, [None])[0] for key in OF_BOTH_SIDES)
    kind = name.partition(":")[0] if digest and names_player(name) else None
    victim = (digest, kind, _options_of(name)) if digest else name
    others = {key: value for key, value in settings.items() if key not in OF_BOTH_SIDES}
    return {**others, "victim": victim}


def _options_of(name: str) -> dict[str, str]:
    """A player's options, in whatever order they are written."""
    return dict(option.partition("=")[::2] for option in name.split(",")[1:] if "=" in option)


def _is_attacked(game: MatchGame) -> bool:
    return game.points(ATTACKER) == 1


def _attacked(played: Sequence[MatchGame]) -> tuple[int, int]:
    return sum(map(_is_attacked, played)), len(played)


def _rate(played: Sequence[MatchGame]) -> tuple[float, float, float]:
    """How often the victim was beaten, and the 95 % interval."""
    total, count = _attacked(played)
    return total / count, *wilson_interval(total, count)


def _by_opening(played: Sequence[MatchGame]) -> dict[str, list[bool]]:
    found: dict[str, list[bool]] = {}
    for one in played:
        found.setdefault(one.opening, []).append(_is_attacked(one))
    return found
