"""`selfplay.py measure`: solved positions, the beginning of a game, and a match."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import starmap
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from golois.errors import ArgumentError, IllegalMoveError
from golois.games.game import Game, after_moves
from golois.games.rules import Go, NoGo, Rules
from golois.go.coords import BLACK, gtp_to_point, point_to_gtp
from golois.kit.command import UsageError
from golois.kit.console import Reporter
from golois.kit.files import sha256_of
from golois.kit.run_folder import write_table
from golois.kit.signals import StopRequest, raise_if_stopped
from golois.records.packed_file import GameFile
from golois.search.options import SearchOptions
from golois.search.tree import Tree
from models.sweeps.seeds import t_quantile
from selfplay.arguments import (
    GOES_ON,
    Matches,
    matches_of_run,
    parser_of,
    refuse_idle,
    required_number,
    until_stopped,
)
from selfplay.journal import playing_now, read_journal
from selfplay.layout import Layout
from selfplay.networks import open_network, opened_player
from selfplay.nogo_display import LEGEND, display, prediction
from selfplay.options import UNTRAINED, Options
from selfplay.oracles import Kept, kept_at_random, kept_wins, read_or_sample
from selfplay.page import write_page
from tournament.matches.games import COLUMNS, MatchGame, kept_games
from tournament.matches.match import FIRST, Match, score_of
from tournament.matches.openings import OPENING_MOVES, drawn_openings
from tournament.matches.opponents import describe_opponents, file_digest, opened_opponent
from tournament.networks.evaluator import Evaluator
from tournament.players.fresh_search import BATCH_SIZE
from tournament.players.protocol import NewPlayer
from tournament.players.simple import is_solvable

SEARCHES = 20


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
        help=f"an opponent other than the first network: {describe_opponents()}",
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
    matches, given = matches_of_run(parser, argv, "games of the match [40]", games=40, least=0)
    after = _played_moves(given["after"], matches.options.rules())
    opening_moves = required_number(given, "opening_moves", OPENING_MOVES, least=0)
    refuse_idle(given, [(("against", "opening_moves"), "--games above 0", matches.games > 0)])
    return until_stopped(
        lambda stop: measure(matches, given.get("against"), opening_moves, after, stop),
        GOES_ON,
    )


def _played_moves(names: Sequence[str], rules: Rules) -> list[int]:
    """Moves by GTP names that can begin a game; UsageError: unplayable, or the game is over."""
    game = Game(rules)
    try:
        for name in names:
            game.play(gtp_to_point(name, rules.size))
    except (IllegalMoveError, ArgumentError) as error:
        raise UsageError(f"--after: {error}") from error
    if game.is_over:
        raise UsageError("--after is a whole game: give fewer moves")
    return [move for _, move in game.moves]


def measure(
    matches: Matches,
    against: str | None,
    opening_moves: int,
    after: Sequence[int],
    stop: StopRequest,
) -> None:
    """Print what networks of a run keep of won positions, and how the one that plays scores.

    It writes measured.csv where the game can be solved, keeps each game of the match, and renews
    the run's page. `against` is None for the first network. `opening_moves` are drawn before
    each pair of games. `after` are moves before the first search. Raises UsageError: no network has
    been baked yet, there is no such opponent, or an opening is a whole game; Stopped: by a signal;
    the same command goes on with the match.
    """
    layout, options = matches.layout, matches.options
    reporter = Reporter()
    iterations = layout.baked()
    if not iterations:
        raise UsageError(f"{layout.path} has no network to measure yet: let it run on")
    number = playing_now(read_journal(layout.journal), iterations)
    match = KeptMatch(matches, number, against, iterations[0], opening_moves)
    if against:  # an unknown one is refused before anything is measured
        match.find_opponent()
    drawn_openings(options.rules(), matches.games // 2, options.seed, opening_moves)  # likewise
    if is_solvable(options.rules()):
        _measure_kept(layout, options, iterations, stop, reporter)
    else:
        reporter.say(f"{options.rules()} is too large to be solved here")
    _show_beginning(matches, number, after, reporter)
    if matches.games:
        _show_match(match, stop, reporter)
        write_page(layout, options)
        reporter.say(f"all matches are in {layout.page}")


def _measure_kept(
    layout: Layout, options: Options, iterations: list[int], stop: StopRequest, reporter: Reporter
) -> None:
    rules = options.rules()
    count = options.measure_positions or Options.measure_positions
    won = read_or_sample(layout.oracle, rules, count, partial(raise_if_stopped, stop))
    kept = {
        number: kept_wins(rules, won, open_network(layout.artefact(number), options))
        for number in iterations
    }
    _write(layout, kept)
    best = max(kept, key=lambda number: (kept[number].share, -number))
    table = Table("network", "wins kept", "where another move loses")
    for number in dict.fromkeys((iterations[0], best, iterations[-1])):
        name = f"{number}, {options.first_network}" if number == 0 else str(number)
        name += ", the best" if number == best else ""
        table.add_row(name, f"{kept[number].share:.1%}", f"{kept[number].of_decisive:.1%}")
    reporter.say(table)
    reporter.say(
        f"{len(won)} won positions of {rules}; random legal moves keep {kept_at_random(won):.1%}; "
        f"all networks are in {layout.measured}"
    )


def _write(layout: Layout, kept: dict[int, Kept]) -> None:
    write_table(
        layout.measured,
        ("iteration", "kept", "kept_of_decisive", "kept_positions"),
        [
            (number, f"{one.share:.6g}", f"{one.of_decisive:.6g}", one.positions)
            for number, one in kept.items()
        ],
    )


def _show_beginning(
    matches: Matches, number: int, after: Sequence[int], reporter: Reporter
) -> None:
    """Print how the network that plays begins, and by how much the last games of Go were won."""
    layout, options = matches.layout, matches.options
    rules = options.rules()
    evaluator = open_network(layout.artefact(number), options, BATCH_SIZE)

    def found(rules: Rules) -> Beginning:
        return beginning(rules, evaluator, options.of_matches(), matches.simulations, after)

    place = " after " + " ".join(point_to_gtp(move, rules.size) for move in after) if after else ""
    one = found(rules)
    reporter.say(f"the network of iteration {number}{place}: {one.in_words(rules.size)}")
    if after and isinstance(rules, NoGo):
        game = after_moves(rules, after)
        reporter.say(f"{display(game)}\n{prediction(game, one.line)}\n{LEGEND}")
    if not isinstance(rules, Go):
        return
    if options.komis:
        values = [found(replace(rules, komi=komi)).value_black for komi in options.all_komis()]
        shown = zip(values, options.all_komis(), strict=True)
        words = ", ".join(f"{value:.1%} at komi {komi:g}" for value, komi in shown)
        reporter.say(f"Black wins{place} with {words}")
    if newest := layout.newest_shards():
        leads = leads_black(stored_games(map(layout.games, newest), rules.max_moves))
        _show_leads(leads, f"of iteration {newest[0].iteration}", reporter)


@dataclass(frozen=True)
class Beginning:
    """First moves of searches under different symmetries, and their mean P(Black wins).

    line: the moves that the first search expects.
    """

    moves: Counter[int]
    value_black: float
    line: Sequence[int] = ()

    def in_words(self, size: int) -> str:
        """The moves by their names, the most frequent first."""
        names = (f"{point_to_gtp(move, size)} {count}" for move, count in self.moves.most_common())
        return (
            f"first moves of {self.moves.total()} searches: {', '.join(names)}; Black wins with "
            f"{self.value_black:.1%}"
        )


def beginning(
    rules: Rules,
    evaluator: Evaluator,
    search: SearchOptions,
    simulations: int,
    after: Sequence[int] = (),
) -> Beginning:
    """Search the position after some moves, each time with other symmetries."""
    game = after_moves(rules, after)
    moves, values, lines = Counter[int](), [], []
    for seed in range(SEARCHES):
        tree = Tree(game, options=search, seed=seed)
        batch_size = min(BATCH_SIZE, evaluator.batch_size)
        tree.search(evaluator.evaluate, simulations + 1, batch_size)
        moves[tree.best_move()] += 1
        lines.append(tree.principal_variation())
        values.append((1 + tree.root_value_to_play) / 2)
    value = float(np.mean(values))
    return Beginning(moves, value if game.to_play == BLACK else 1 - value, lines[0])


def _show_leads(leads: Sequence[int], of_games: str, reporter: Reporter) -> None:
    if leads:
        reporter.say(
            f"{len(leads)} games {of_games} were played out: on average Black has "
            f"{mean_lead(leads)}, without komi"
        )


def mean_lead(leads: Sequence[int]) -> str:
    """Return the mean of leads in points, from two games on with half of its 95 % interval."""
    words = f"{np.mean(leads):+.1f}"
    if len(leads) > 1:
        error = float(np.std(leads, ddof=1)) / sqrt(len(leads))
        words += f" ± {t_quantile(0.975, len(leads) - 1) * error:.1f}"
    return f"{words} points"


def leads_black(games: Iterable[tuple[Rules, Sequence[int]]]) -> list[int]:
    """Black's area less White's, without komi, of each game of Go that was played out."""
    return [game.board().score_black() for game in starmap(after_moves, games) if game.is_over]


def stored_games(
    shards: Iterable[Path], max_moves: int | None
) -> Iterable[tuple[Rules, Sequence[int]]]:
    """The rules and moves of all games of Go of some shards, which end at `max_moves` or later."""
    for games in map(GameFile.open, shards):
        for index in range(len(games)):
            rules = games.rules_of(index)
            assert isinstance(rules, Go)
            moves = games[index].points.tolist()
            is_longer = max_moves is not None and len(moves) > max_moves  # of a run before
            yield replace(rules, max_moves=None if is_longer else max_moves), moves


def _show_match(match: "KeptMatch", stop: StopRequest, reporter: Reporter) -> None:
    games, rules = match.play(stop), match.matches.options.rules()
    first = match.matches.options.first_network
    reporter.say(
        f"the network of iteration {match.number} against "
        f"{match.against or f'the {first} network'}, {match.matches.simulations} simulations "
        f"a move: {_in_words(games)}"
    )
    if isinstance(rules, Go):
        _show_leads(leads_black((rules, game.moves) for game in games), "of the match", reporter)


def _in_words(games: list[MatchGame]) -> str:
    score = score_of(games)
    low, high = score.interval
    colours = [
        score_of(game for game in games if getattr(game, colour) == FIRST)
        for colour in ("black", "white")
    ]
    as_black, as_white = (f"{one.num_wins} won and {one.num_losses} lost" for one in colours)
    return (
        f"{score.winrate:.1%} of {score.num_games} games, {low:.1%} to {high:.1%} at 95 %; "
        f"as Black {as_black}, as White {as_white}"
    )


@dataclass(frozen=True)
class KeptMatch:
    """A match of a run's network against a named opponent; None for the first network."""

    matches: Matches
    number: int
    against: str | None
    untrained: int
    opening_moves: int

    @property
    def path(self) -> Path:
        """The file of the games: one for all settings except the number of games."""
        named = (self.against or UNTRAINED).partition(":")[0].rpartition("/")[2]
        kind = re.sub(r"[^\w.]+", "-", named)
        digest = sha256(json.dumps(self._settings()).encode()).hexdigest()[:12]
        return self.matches.layout.matches / f"{self.number:04}-{kind}-{digest}.csv"

    def play(self, stop: StopRequest) -> list[MatchGame]:
        """Play what is missing, with a bar: the network attacks from drawn openings.

        Raises UsageError: no such opponent, an opening that is a whole game, or a file that is
        damaged or in use; NetworkError: a network cannot be opened; Stopped: by a signal; the same
        call goes on.
        """
        options, num_games = self.matches.options, self.matches.games
        rules = options.rules()
        match = Match.of_pairs(rules, num_games, options.seed, self.opening_moves)
        with (
            self.find_opponent() as opponent,
            kept_games(self.path, self._settings(), rules) as kept,
            Reporter().bar("games", num_games) as advance,
        ):
            return match.play(
                lambda: (self._opened(self.number), opponent), stop, kept=kept, on_game=advance
            )

    def find_opponent(self) -> AbstractContextManager[NewPlayer]:
        """The opponent, to be opened as a context. Raises UsageError: there is none."""
        if self.against is None:
            return nullcontext(self._opened(self.untrained))
        options, simulations = self.matches.options, self.matches.simulations
        search, rules = options.of_matches(), options.rules()
        return opened_opponent(self.against, rules, search, simulations, options.runtime)

    def _opened(self, number: int) -> NewPlayer:
        matches = self.matches
        return opened_player(matches.layout.artefact(number), matches.options, matches.simulations)

    def _settings(self) -> dict[str, Any]:
        artefact, options = self.matches.layout.artefact, self.matches.options
        theirs = file_digest(self.against) if self.against else sha256_of(artefact(self.untrained))
        return {
            "columns": COLUMNS,
            "network": self.number,
            "opponent": self.against or UNTRAINED,
            "digests": [sha256_of(artefact(self.number)), theirs],
            "rules": str(options.rules()),
            "search": vars(options.of_matches()),
            "simulations": self.matches.simulations,
            "seed": options.seed,
            "opening_moves": self.opening_moves,
        }
