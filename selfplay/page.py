"""The page of a run, one file: curves, ratings, and games to replay, of Go, NoGo and Hex.

The games are those of the last iteration and of the league; `games.sgf` beside it has them too.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import islice
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from golois.coords import BLACK, EMPTY, WHITE, point_to_sgf
from golois.files import write_whole
from golois.records import GameFile
from golois.rules import Go, Hex, Rules
from golois.sgf_writing import Node, tree_text
from selfplay.journal import read_elo
from selfplay.layout import Layout
from selfplay.options import Options
from selfplay.programs import hex_vertex
from selfplay.round_robin import LeagueGame, read_games
from tournament.report.site import ASSETS

SCRIPTS = ((ASSETS, "replay.js"), (ASSETS, "board.js"), (Path(__file__).parent, "page.js"))
MOST_OF_AN_ITERATION = 60
RESULTS = {BLACK: "Black wins", WHITE: "White wins", EMPTY: "a draw"}
SGF_RESULTS = {BLACK: "B+", WHITE: "W+", EMPTY: "0"}


@dataclass(frozen=True)
class ShownGame:
    """A game on the page.

    Attributes:
        black, white: who played.
        moves: points row by row from 0, size² for a pass.
        winner: BLACK, WHITE or EMPTY.
        komi: of Go.
    """

    black: str
    white: str
    moves: Sequence[int]
    winner: int
    komi: float | None

    @property
    def title(self) -> str:
        """In the list of games."""
        return f"{self.black} against {self.white}, {RESULTS[self.winner]}"


def write_page(layout: Layout, options: Options) -> None:
    """Write page.html and games.sgf of a run, as far as it has come."""
    rules = options.rules()
    games = [*_of_last_iteration(layout), *_of_league(layout, rules)]
    shown = [{**asdict(game), "title": game.title} for game in games]
    text = _template().render(
        title=f"{type(rules).__name__} {rules.size}×{rules.size}, {layout.path.name}",
        has_curves=layout.run.curves.exists(),
        elo=sorted(read_elo(layout.league).items()),
        board={"size": rules.size, "isHex": isinstance(rules, Hex), "games": shown},
        style=(ASSETS / "style.css").read_text(),
        scripts=[(folder / name).read_text() for folder, name in SCRIPTS],
    )
    write_whole(layout.page, text.encode(), durable=False)
    trees = "".join(tree_text(_sgf(game, rules)) for game in games)
    write_whole(layout.sgf, trees.encode(), durable=False)


def _of_last_iteration(layout: Layout) -> Iterator[ShownGame]:
    shards = layout.shards()
    last = [shard for shard in shards if shard.iteration == shards[-1].iteration]
    files = (GameFile.open(layout.games(shard)) for shard in last)
    games = (file[index] for file in files for index in range(len(file)))
    for game in islice(games, MOST_OF_AN_ITERATION):
        name = f"iteration {last[0].iteration}"
        yield ShownGame(name, "itself", game.points.tolist(), int(game.winner), game.komi)


def _of_league(layout: Layout, rules: Rules) -> Iterator[ShownGame]:
    komi = rules.komi if isinstance(rules, Go) else None
    winners = {"black": BLACK, "white": WHITE, None: EMPTY}
    for game in _played(read_games(layout.league_games)):
        black, white = (f"network {int(name)}" for name in (game.black, game.white))
        yield ShownGame(black, white, game.moves, winners[game.winner], komi)


def _played(games: Iterable[LeagueGame]) -> Iterator[LeagueGame]:
    """Those whose moves are known; leagues of before kept none."""
    return (game for game in games if game.moves)


def _sgf(game: ShownGame, rules: Rules) -> Node:
    """SGF knows Go and Hex; NoGo is written as a game of Go whose rules are NoGo."""
    name, komi = type(rules).__name__, "" if game.komi is None else f"{game.komi:g}"
    texts = dict(PB=game.black, PW=game.white, RE=SGF_RESULTS[game.winner], KM=komi)
    kind = dict(FF="4", GM="11" if isinstance(rules, Hex) else "1", SZ=str(rules.size), RU=name)
    root = last = Node({name: [text] for name, text in (kind | texts).items() if text})
    for ply, move in enumerate(game.moves):
        node = Node({"BW"[ply % 2]: [_sgf_move(ply, move, game.moves, rules)]})
        last.children.append(node)
        last = node
    return root


def _sgf_move(ply: int, move: int, moves: Sequence[int], rules: Rules) -> str:
    if not isinstance(rules, Hex):
        return point_to_sgf(move, rules.size)
    if ply == 1 and move == moves[0]:
        return "swap-pieces"
    return hex_vertex(move, rules.size)


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html")
