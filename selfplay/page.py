"""The curves of a run, and its page, one file with games of Go, NoGo and Hex to replay."""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from itertools import chain, islice
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Template

from golois.games.rules import Go, Hex, NoGo, Rules
from golois.go.coords import BLACK, EMPTY, WHITE, point_to_sgf
from golois.kit.command import UsageError
from golois.kit.files import write_whole
from golois.records.packed_file import GameFile
from golois.sgf.writing import Node, tree_text
from selfplay.journal import Row, playing_now, read_elo, read_journal
from selfplay.layout import Layout, Shard, first_game
from selfplay.options import UNTRAINED, Options
from tournament.matches.games import read_kept
from tournament.matches.match import FIRST
from tournament.matches.round_robin import Elo, read_games
from tournament.players.program import hex_move
from tournament.report.pages import environment_of
from tournament.report.site import ASSETS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HERE = Path(__file__).parent
SCRIPTS = (
    *(ASSETS / name for name in ("replay.js", "board.js")),
    *(HERE / name for name in ("hex.js", "nogo.js", "page.js")),
)
MOST_OF_AN_ITERATION = 60
WINNERS = {"black": BLACK, "white": WHITE, None: EMPTY}
RESULTS = {BLACK: "Black wins", WHITE: "White wins", EMPTY: "a draw"}
SGF_RESULTS = {BLACK: "B+", WHITE: "W+", EMPTY: "0"}

ELO = "Elo over the first network, with 95 %"
MOVES = "moves a game"
PANELS: Mapping[str, Sequence[str]] = {
    "losses": ("policy_loss", "value_loss", "dominion_loss", "score_loss"),
    "squared error of the value": ("value_mse", "value_mse_of_a_constant"),
    "wins kept": ("kept",),
    "shares": ("black_wins", "beaten", "gate_share", "in_network"),
    MOVES: ("moves_a_game",),
}
"""Columns of the journal that are drawn, by the title of their panel."""

PANEL_INCHES = (4.6, 3.2)
"""Of a panel on the page of a run; a screen of 400 pixels shows it at about its own size."""

IN_PERCENT = ("wins kept", "shares")


@dataclass(frozen=True)
class ShownGame:
    """A game on the page, points row by row from 0, size² for a pass; EMPTY wins a draw."""

    black: str
    white: str
    moves: Sequence[int]
    winner: int
    komi: float | None

    @property
    def title(self) -> str:
        """In the list of games."""
        other = "itself" if self.black == self.white else self.white
        return f"{self.black} against {other}, {RESULTS[self.winner]}"


def show_run(layout: Layout, options: Options) -> None:
    """Draw curves.png, and write page.html and games.sgf, as far as the run has come."""
    if rows := read_journal(layout.journal):
        draw_curves(layout.curves, rows, read_elo(layout.league))
    write_page(layout, options)


def write_page(layout: Layout, options: Options) -> None:
    """Write page.html and games.sgf of a run, as far as it has come."""
    rules = options.rules()
    groups = {
        **_of_last_iteration(layout, options),
        **_of_league(layout, rules),
        **_of_matches(layout, options),
    }
    shown = [
        {"title": title, "games": [{**asdict(game), "title": game.title} for game in games]}
        for title, games in groups.items()
    ]
    elo = read_elo(layout.league)
    text = _template().render(
        title=f"{type(rules).__name__} {rules.size}×{rules.size}, {layout.path.name}",
        curves=curve_panels(read_journal(layout.journal), elo),
        elo=sorted(elo.items()),
        board={
            "size": rules.size, "groups": shown,
            "isHex": isinstance(rules, Hex), "isNoGo": isinstance(rules, NoGo),
        },
        style=(ASSETS / "style.css").read_text(),
        scripts=[path.read_text() for path in SCRIPTS],
    )
    write_whole(layout.page, text.encode(), durable=False)
    trees = "".join(tree_text(_sgf(game, rules)) for game in chain(*groups.values()))
    write_whole(layout.sgf, trees.encode(), durable=False)


def _of_last_iteration(layout: Layout, options: Options) -> Mapping[str, Sequence[ShownGame]]:
    newest = layout.newest_shards()
    if not newest:
        return {}
    iteration = newest[0].iteration
    title = f"iteration {iteration}" if iteration else "the earlier run"
    games = chain.from_iterable(_of_shard(layout, options, shard) for shard in newest)
    return {title: list(islice(games, MOST_OF_AN_ITERATION))}


def _of_shard(layout: Layout, options: Options, shard: Shard) -> Iterator[ShownGame]:
    before = shard.iteration - 1
    rows = read_journal(layout.journal)[: shard.iteration]
    player = f"network {playing_now(rows, [before])}" if shard.iteration else "a network"
    has_victim = options.victim and shard.iteration
    file, first = GameFile.open(layout.games(shard)), first_game(options, shard)
    for index in range(len(file)):
        sides = (player, "the victim" if has_victim else player)
        black, white = sides if (first + index) % 2 == 0 else sides[::-1]
        game = file[index]
        yield ShownGame(black, white, game.points.tolist(), int(game.winner), game.komi)


def _of_league(layout: Layout, rules: Rules) -> Mapping[str, Sequence[ShownGame]]:
    komi = rules.komi if isinstance(rules, Go) else None
    rated = [f"{iteration:04}" for iteration in sorted(read_elo(layout.league))]
    names = {name: f"network {int(name)}" for name in rated}
    groups = {
        f"{names[second]} against {names[first]}": [
            ShownGame(names[game.black], names[game.white], game.moves, WINNERS[game.winner], komi)
            for game in games
        ]
        for (first, second), games in read_games(layout.league_games, rules, rated).items()
    }
    return {title: games for title, games in groups.items() if games}


def _of_matches(layout: Layout, options: Options) -> Mapping[str, Sequence[ShownGame]]:
    rules = options.rules()
    komi = rules.komi if isinstance(rules, Go) else None
    groups: dict[str, list[ShownGame]] = {}
    for path in sorted(layout.matches.glob("*.csv")):
        with suppress(UsageError, KeyError):  # KeyError: of an attack
            match, games = read_kept(path, rules)
            network, opponent = f"network {match['network']}", match["opponent"]
            if opponent == UNTRAINED:
                opponent = f"the {options.first_network} network"
            title = f"{network} with {match['simulations']} simulations against {opponent}"
            for game in games:
                names = {game.black: opponent, game.white: opponent, FIRST: network}
                winner = WINNERS[game.winner]
                shown = ShownGame(names[game.black], names[game.white], game.moves, winner, komi)
                groups.setdefault(title, []).append(shown)
    return groups


def _sgf(game: ShownGame, rules: Rules) -> Node:
    """SGF knows Go and Hex; NoGo is written as a game of Go whose rules are NoGo."""
    is_hex, size = isinstance(rules, Hex), rules.size
    kind = dict(FF=4, GM=11 if is_hex else 1, SZ=size, RU=type(rules).__name__)
    known = dict(PB=game.black, PW=game.white, RE=SGF_RESULTS[game.winner])
    komi = {} if game.komi is None else {"KM": game.komi}
    root = last = Node(kind | known | komi)
    for ply, move in enumerate(game.moves):
        text = hex_move(game.moves, ply, size) if is_hex else point_to_sgf(move, size)
        last = last.add({"BW"[ply % 2]: text})
    return root


@cache
def _template() -> Template:
    return environment_of(HERE).get_template("page.html")


def draw_curves(path: Path, rows: Sequence[Row], elo: Mapping[int, Elo]) -> None:
    """Draw what the rows have of the panels, and Elo, by all games so far; perhaps nothing."""
    from matplotlib.figure import Figure

    titles = _titles(rows, elo)
    if not titles:
        return
    places: list[Any] = [titles[first : first + 2] for first in range(0, len(titles), 2)]
    if len(places[-1]) == 1:
        places[-1] *= 2  # the last one is as wide as two
    figure = Figure(figsize=(11, 4 * len(places)), layout="constrained")
    for title, axes in figure.subplot_mosaic(places).items():
        axes.set(title=title)
        _draw_panel(axes, title, rows, elo)
    write_whole(path, figure.savefig, durable=False)


def curve_panels(rows: Sequence[Row], elo: Mapping[int, Elo]) -> dict[str, str]:
    """Draw the panels of `draw_curves` for a page, as SVG by title, in the colour of its text."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    panels = {}
    for title in _titles(rows, elo):
        figure, text = Figure(figsize=PANEL_INCHES, layout="constrained"), io.StringIO()
        with rc_context({"svg.fonttype": "none", "svg.hashsalt": title}):
            _draw_panel(figure.subplots(), title, rows, elo)
            figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
        panels[title] = _inline(text.getvalue())
    return panels


def _inline(svg: str) -> str:
    """Prepare an SVG of matplotlib for a page: without a header, names of groups and a size."""
    head, body = re.sub(r'<g id="[^"]*"', "<g", svg[svg.index("<svg") :]).split(">", 1)
    head = re.sub(r' (width|height)="[^"]*"', "", head).replace("<svg", '<svg aria-hidden="true"')
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = body.replace("#000000", "currentColor").replace("<text", '<text fill="currentColor"')
    return f"{head}>{body}"


def _titles(rows: Sequence[Row], elo: Mapping[int, Elo]) -> list[str]:
    measured = {name for row in rows for name, value in row.items() if isfinite(value)}
    titles = [title for title, names in PANELS.items() if measured & {*names}]
    return titles + ([ELO] if elo and rows else [])


def _draw_panel(axes: "Axes", title: str, rows: Sequence[Row], elo: Mapping[int, Elo]) -> None:
    from matplotlib.ticker import PercentFormatter

    axes.set(xlabel="games")
    if title == ELO:
        _draw_elo(axes, rows, elo)
        return
    for name in PANELS[title]:
        shown = [row for row in rows if isfinite(row.get(name, nan))]
        if shown:
            games, values = [row["games"] for row in shown], [row[name] for row in shown]
            # Unclipped, so that a line at 0 or 100 % is as thick as elsewhere.
            axes.plot(games, values, ".-", label=name.replace("_", " "), clip_on=False)
    if len(axes.lines) > 1:
        axes.legend(framealpha=0)
    if title in IN_PERCENT:
        axes.set_ylim(0, 1)
        axes.yaxis.set_major_formatter(PercentFormatter(1))
    if title == MOVES:
        axes.set_ylim(0, 1.1 * axes.dataLim.ymax)


def _draw_elo(axes: "Axes", rows: Sequence[Row], elo: Mapping[int, Elo]) -> None:
    shown = [row for row in rows if row["iteration"] in elo]
    ratings = [elo[int(row["iteration"])] for row in shown]
    axes.errorbar(
        [row["games"] for row in shown],
        [one.rating for one in ratings],
        [one.halfwidth for one in ratings],
        capsize=3,
    )
