"""Networks of a run against opponents, and against each other as in the paper's Fig. 4."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from time import process_time
from typing import cast

from rich.table import Table

import selfplay.options
from golois.games.game import Game
from golois.games.rules import Go
from golois.kit.command import UsageError
from golois.kit.console import Reporter
from golois.kit.files import sha256_of, write_whole
from golois.kit.run_folder import write_table
from golois.kit.signals import StopRequest
from papers.fishnet.player import fishnet_players
from papers.fishnet.td_options import Layout, Options
from tournament.matches.games import KeptGames, kept_games
from tournament.matches.match import Match, score_of
from tournament.matches.opponents import file_digest, opened_opponent
from tournament.matches.round_robin import Rival, RoundRobin
from tournament.players.fresh_search import FreshSearch
from tournament.players.protocol import Choice, NewPlayer, Player
from tournament.ratings.ranking import Score

KOMI = 3.5
"""That of the paper's round robin."""


def match_rules(size: int) -> Go:
    """Area scoring, on a size of board."""
    return Go(size, KOMI, max_moves=3 * size**2)


def chosen_networks(layout: Layout, every: int) -> list[int]:
    """The networks after each so many games, the first and the last; UsageError if none is kept."""
    kept = layout.networks()
    if not kept:
        raise UsageError(f"{layout.path} has no network yet: let it run on")
    chosen = {number for number in kept if every and number % every == 0}
    return sorted(chosen | {kept[0], kept[-1]})


@dataclass(frozen=True)
class Measure:
    """What networks are measured by.

    `depth` is plies of FishNet's searches. `games` of each network are even, and are kept in
    `folder`, if there is one. With `equal_time` the opponent is a network that searches as long as
    FishNet has taken.
    """

    size: int
    against: str
    depth: int
    games: int
    equal_time: bool = False
    folder: Path | None = None

    def kept(self, network: Path) -> AbstractContextManager[KeptGames | None]:
        """The games of a network in the folder, in a file for each setting."""
        if self.folder is None:
            return nullcontext()
        theirs = [self.against, file_digest(self.against)]
        settings = {"network": sha256_of(network), "against": theirs, "depth": self.depth}
        rules = match_rules(self.size)
        digest = sha256(f"{settings} {rules}".encode()).hexdigest()[:12]
        return kept_games(self.folder / f"{network.stem}-{digest}.csv", settings, rules)


def measure(networks: Mapping[str, Path], match: Measure, stop: StopRequest) -> None:
    """Print what networks score; UsageError: no such opponent; Stopped: by a signal."""
    rules, times, reporter = match_rules(match.size), [], Reporter()
    search = selfplay.options.Options()
    pairs = Match.of_pairs(rules, match.games, seed=0)

    def score(path: Path, opponent: NewPlayer) -> Score:
        players = (fishnet_players(path, match.size, match.depth), opponent)
        if match.equal_time:
            times.append(EqualTime(*players))
            players = times[-1].players
        with match.kept(path) as kept, reporter.bar(f"games of {path.name}", match.games) as done:
            return score_of(pairs.play(lambda: players, stop, kept=kept, on_game=done))

    with opened_opponent(
        match.against, rules, search.of_matches(), search.simulations, search.runtime
    ) as opponent:
        scores = {name: score(path, opponent) for name, path in networks.items()}
    reporter.say(_table("network", scores))
    plies = f"{match.depth} plies" if match.depth > 1 else "no search"
    reporter.say(f"{match.games} games each against {match.against}, {plies}, {rules}")
    for time in times:
        reporter.say(time.line())


def round_robin(
    layout: Layout, options: Options, every: int, num_games: int, stop: StopRequest
) -> None:
    """Play networks of a run against each other; write league.csv and the curve of Fig. 4.

    `every` so many games a network is played; 0 for the first and the last. `num_games` of each two
    is even. Raises UsageError: fewer than two networks were kept; Stopped: by a signal; the same
    call goes on from here.
    """
    numbers = chosen_networks(layout, every)
    if len(numbers) < 2:
        raise UsageError(f"{layout.path} has fewer than two networks: let it run on")
    rivals = []
    for number in numbers:
        network = layout.network(number)
        opened = partial(fishnet_players, network, options.size)
        rivals.append(Rival(str(number), opened, partial(sha256_of, network)))
    rules = match_rules(options.size)
    meeting = RoundRobin(layout.league_games, rules, num_games, options.seed)
    games = meeting.play(rivals, stop)
    scores = {number: score_of(games, str(number)) for number in numbers}
    _write(layout.league, scores)
    _draw(layout.curve, scores)
    best = max(scores, key=lambda number: scores[number].winrate)
    reporter = Reporter()
    named = {f"{number:,}": score for number, score in scores.items()}
    reporter.say(_table("games learned from", named))
    reporter.say(f"{rules}; the best is {layout.network(best)}; the curve is {layout.curve}")


def _table(title: str, scores: Mapping[str, Score]) -> Table:
    table = Table(title, "games won", "95 %")
    for name, score in scores.items():
        low, high = score.interval
        table.add_row(name, f"{score.winrate:.1%}", f"{low:.1%} to {high:.1%}")
    return table


def _write(path: Path, scores: dict[int, Score]) -> None:
    rows = [
        (number, score.num_wins, score.num_draws, score.num_losses)
        for number, score in scores.items()
    ]
    write_table(path, ("games", "wins", "draws", "losses"), rows)


def _draw(path: Path, scores: dict[int, Score]) -> None:
    from matplotlib.figure import Figure

    shares = [100 * score.winrate for score in scores.values()]
    bounds: Sequence[tuple[float, float]] = [score.interval for score in scores.values()]
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    axes.errorbar(
        list(scores),
        shares,
        [
            [share - 100 * low for share, (low, _) in zip(shares, bounds, strict=True)],
            [100 * high - share for share, (_, high) in zip(shares, bounds, strict=True)],
        ],
        capsize=3,
    )
    axes.set(xlabel="games learned from", ylabel="games won in the round robin, %", ylim=(0, 100))
    write_whole(path, figure.savefig, durable=False)


class EqualTime:
    """FishNet and a network that searches, in one process and in turn, with equal CPU time.

    The time is that of all games, so the network makes up for a long or short move. Raises
    UsageError: the other player is no network that searches each position afresh.
    """

    def __init__(self, fishnet: NewPlayer, other: NewPlayer) -> None:
        if not isinstance(other(0), FreshSearch):
            raise UsageError("--equal-time needs a network as the opponent: give its file alone")

        def follow(seed: int) -> Player:
            return _Timed(self, "opponent", partial(self._follow, cast(FreshSearch, other(seed))))

        self.seconds = {"FishNet": 0.0, "opponent": 0.0}
        self.moves = {"FishNet": 0, "opponent": 0}
        self.players = (
            lambda seed: _Timed(self, "FishNet", fishnet(seed).choose),
            follow,
        )

    def line(self) -> str:
        """CPU time a move of both."""
        means = {name: self.seconds[name] / max(1, self.moves[name]) for name in self.seconds}
        return ", ".join(f"{name} {mean:.4f} CPU seconds a move" for name, mean in means.items())

    def _follow(self, other: FreshSearch, game: Game) -> Choice:
        return other.choose_within(game, self.seconds["FishNet"] - self.seconds["opponent"])


class _Timed(Player):
    def __init__(self, times: EqualTime, name: str, choose) -> None:
        self._times, self._name, self._choose = times, name, choose

    def choose(self, game: Game) -> Choice:
        started = process_time()
        choice = self._choose(game)
        self._times.seconds[self._name] += process_time() - started
        self._times.moves[self._name] += 1
        return choice
