"""The pages of the site, each a function of the standings, from the templates of `templates/`.

Jinja2 escapes every value. A missing value that a template names is an error.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from golois.constants import BOARD_SIZE
from tournament.league.games import GameRow
from tournament.league.weeks import Placing
from tournament.ratings.ranking import Score
from tournament.report.boards import Boards
from tournament.report.columns import ON_PAGE
from tournament.report.formats import (
    moment,
    network_page,
    result_of,
    seconds,
    signed,
    thousands,
)
from tournament.report.meetings import TAKEN_OUT, game_address, meeting_address
from tournament.report.snapshot import DISTRIBUTION, Snapshot
from tournament.report.standings import Standing, Standings, percent
from tournament.report.turns import LEAST_FALL, Phase, Turn, lost_by, phases_of, shown_turns

TEMPLATES = Path(__file__).parent / "templates"
# With more networks than this the crosstable has a page of its own.
MAX_CROSSTABLE_ON_INDEX = 40
# With more than this there is none: its cells grow with the square, and few pairs have met.
MAX_CROSSTABLE = 300
NUM_LATEST = 10
# An opening with fewer games says nothing.
LEAST_GAMES = 5
# From all games lost to all won; style.css has a class for each.
SHADES = ("lost", "lost-2", "lost-1", "even", "won-1", "won-2", "won")

Named = tuple[str, Score]


@dataclass(frozen=True)
class Scale:
    """A range of Elo that is drawn, with a tick every `step`."""

    low: float
    high: float
    step: int

    @classmethod
    def of(cls, rated: Iterable[Standing | Placing]) -> "Scale":
        """Return the smallest scale that holds every interval, ends rounded to half a tick."""
        ends = [row.elo + sign * row.elo_halfwidth for row in rated for sign in (-1, 1)] or [0.0]
        step = _step(max(ends) - min(ends))
        half = step / 2
        low, high = math.floor(min(ends) / half) * half, math.ceil(max(ends) / half) * half
        return cls(low - half / 2, high + half / 2, step)

    def position(self, elo: float) -> str:
        """Return where a rating lies, such as `37.50%`."""
        return f"{100 * (elo - self.low) / (self.high - self.low):.2f}%"

    def ticks(self) -> list[int]:
        """Return the multiples of `step` on the scale."""
        first, last = math.ceil(self.low / self.step), math.floor(self.high / self.step)
        return [self.step * i for i in range(first, last + 1)]


@dataclass(frozen=True)
class Opponent:
    """Another network as one network met it; `better_with` is P(the network is better)."""

    name: str
    rank: int
    score: Score
    better_with: float
    games: Sequence[GameRow]


def index(standings: Standings, of_week: str | None = None) -> str:
    """Return the front page, or with a week's label the page that is kept of this week."""
    snapshot = standings.snapshot
    kept = [week.label for week in snapshot.weeks if week.kept_at and of_week is None]
    return _page(
        "index.html",
        snapshot,
        standings=standings,
        columns=ON_PAGE,
        facts=_facts(snapshot),
        scale=Scale.of(standings.played),
        crosstable_is_apart=len(standings.rows) > MAX_CROSSTABLE_ON_INDEX,
        has_crosstable=len(standings.rows) <= MAX_CROSSTABLE,
        latest=snapshot.games[: -NUM_LATEST - 1 : -1],
        of_week=of_week,
        kept_weeks=kept,
    )


def crosstable_page(standings: Standings) -> str:
    """Return the crosstable of a league too large for the front page."""
    return _page("crosstable.html", standings.snapshot, standings=standings)


def network(
    standings: Standings,
    row: Standing,
    games: Sequence[GameRow],
    weeks: Sequence[Placing],
    turns: Mapping[str, Turn],
    phases: Sequence[tuple[Phase, Phase]] = (),
    boards: Boards | None = None,
) -> str:
    """Return the page of one network, with its games and weeks in chronological order.

    `turns` has where games turned, by their ids; `phases` has the phases of the network's games,
    each with that of all networks. `boards` may keep what an earlier build has drawn.
    """
    colours = [("Black", row.as_black), ("White", row.as_white)]
    openings = by_opening(row.name, games)
    lost = lost_by(row.name, games, turns)
    return _page(
        "network.html",
        standings.snapshot,
        root="../",
        standings=standings,
        row=row,
        network=row.network,
        scale=Scale.of(standings.played),
        weeks=weeks,
        week_scale=Scale.of(weeks),
        colours=colours,
        openings=openings,
        unsure=[*not_separated(colours), *not_separated(openings)],
        turned=shown_turns(lost, turns, boards or Boards(standings.snapshot.sgf)),
        num_turned=len(lost),
        phases=[(own, of_all) for own, of_all in phases if own.num_moves],
        turned_in=phases_of([turns[game.game_id].ply for game in lost]),
        forfeits=[one for one in games if one.kind == "forfeit" and one.winner_name != row.name],
        opponents=_opponents_of(standings, row, games),
    )


def game(snapshot: Snapshot) -> str:
    """Return the page of all games; its address says which game to load."""
    return _page("game.html", snapshot)


def challenge(title: str) -> str:
    """Return the page of a challenge's games, which lies beside the scripts of SHOWS_GAMES."""
    page = _environment().get_template("challenge.html")
    return page.render(snapshot={"title": title}, root="", kit=DISTRIBUTION)


def _page(template: str, snapshot: Snapshot, *, root: str = "", **values: object) -> str:
    kit = f"{DISTRIBUTION} {dict(snapshot.rules).get('Kit', '')}"
    page = _environment().get_template(template)
    return page.render(snapshot=snapshot, root=root, kit=kit, **values)


def _facts(snapshot: Snapshot) -> list[str]:
    rules = dict(snapshot.rules)
    facts = [_counted(len(snapshot.networks), "network"), _counted(len(snapshot.games), "game")]
    facts += [f"{rules['A move']} a move"] if "A move" in rules else []
    facts += [f"komi {rules['Komi']}"] if "Komi" in rules else []
    return [*facts, f"as of {moment(snapshot.created_at)} UTC"]


def _counted(number: int, what: str) -> str:
    return f"{thousands(number)} {what}{'' if number == 1 else 's'}"


def _opponents_of(standings: Standings, row: Standing, games: Iterable[GameRow]) -> list[Opponent]:
    met: dict[str, list[GameRow]] = defaultdict(list)
    for game in games:
        met[game.white if game.black == row.name else game.black].append(game)
    return [
        Opponent(
            name=other.name,
            rank=other.rank,
            score=standings.between(row.name, other.name),
            better_with=standings.superiority[row.rank - 1, other.rank - 1],
            games=met[other.name],
        )
        for other in standings.rows
        if other.name in met
    ]


def by_opening(name: str, games: Iterable[GameRow]) -> list[Named]:
    """Return a network's score with each opening that it has often played, most games first.

    An opening is named by Black's first stone, as `opening_name` does.
    """
    played = Counter(
        (opening_name(game.opening[0]), game.winner_name == name)
        for game in games
        if game.opening and game.winner
    )
    scores = [
        (opening, Score(played[opening, True], played[opening, False]))
        for opening in sorted({opening for opening, _ in played})
    ]
    often = [(opening, score) for opening, score in scores if score.num_games >= LEAST_GAMES]
    return sorted(often, key=lambda named: -named[1].num_games)


def opening_name(point: int) -> str:
    """Return the lines of a point from the nearest edges, such as `3-4`; `pass` for a pass."""
    if point == BOARD_SIZE**2:
        return "pass"
    row, column = (min(place, BOARD_SIZE - 1 - place) + 1 for place in divmod(point, BOARD_SIZE))
    return f"{min(row, column)}-{max(row, column)}"


def not_separated(scores: Sequence[Named]) -> list[str]:
    """Return the pairs of scores whose 95 % intervals overlap, such as `Black and White`."""
    return [
        f"{one} and {other}"
        for (one, first), (other, second) in combinations(scores, 2)
        if first.num_games and second.num_games and _overlap(first.interval, second.interval)
    ]


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def shade(score: Score) -> str:
    """Return the class of a score's shade."""
    return SHADES[round(score.winrate * (len(SHADES) - 1))]


def _step(span: float) -> int:
    # More ticks on the narrow axis would write −1000 into −500.
    return next((step for step in (50, 100, 200, 500, 1000) if span / step <= 3), 2000)


def environment_of(folder: Path) -> Environment:
    """Return what renders the templates of a folder; every text is escaped."""
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _environment() -> Environment:
    environment = environment_of(TEMPLATES)
    filters = (moment, percent, result_of, seconds, shade, signed, thousands)
    environment.filters.update({function.__name__: function for function in filters})
    addresses = (game_address, meeting_address, network_page)
    environment.globals.update({function.__name__: function for function in addresses})
    environment.globals |= {"TAKEN_OUT": TAKEN_OUT, "LEAST_FALL": LEAST_FALL}
    return environment
