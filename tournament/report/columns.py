"""The columns of the ranking: a row here is a column of ranking.csv, of the page, or of both.

`ranking.csv`, `league.json`, data frames, the front page, the terminal and the table in
docs/report.md all read `COLUMNS`, in this order.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rich.console import JustifyMethod

from tournament.report.formats import seconds, thousands
from tournament.report.standings import Standing, percent

Form = Callable[[Any], str]


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of the ranking; a view whose title is empty leaves the column out.

    value: what a row has, or None.
    csv: the field in files, with floats rounded to `digits`; `help` explains the field.
    title, css: the head on the page, and the classes that `style.css` knows.
    page: writes a value on the page; without it `index.html` draws the cell itself.
    text: the head in the terminal, where `line` writes a value.
    of_games: whether a network without games has no value; it has `without_games` instead.
    """

    value: Callable[[Standing], Any]
    csv: str = ""
    digits: int | None = None
    help: str = ""
    title: str = ""
    css: str = ""
    page: Form | None = None
    text: str = ""
    line: Form = str
    justify: JustifyMethod = "right"
    of_games: bool = False
    without_games: str = ""

    def field(self, row: Standing) -> Any:
        """Return the value of a row as files have it."""
        value = None if self._is_missing(row) else self.value(row)
        return value if value is None or self.digits is None else round(value, self.digits)

    def cell(self, row: Standing) -> str:
        """Return a row's cell on the page."""
        assert self.page is not None
        return self._shown(row, self.page)

    def cell_of_text(self, row: Standing) -> str:
        """Return a row's cell in the terminal."""
        return self._shown(row, self.line)

    def _shown(self, row: Standing, form: Form) -> str:
        if self._is_missing(row):
            return self.without_games
        value = self.value(row)
        return "" if value is None else form(value)

    def _is_missing(self, row: Standing) -> bool:
        return self.of_games and not row.has_played


COLUMNS = (
    Column(
        csv="rank", help="1 is best", value=lambda row: row.rank, of_games=True,
        title="Rank", css="rank number", text="#", without_games="–",
    ),
    Column(
        csv="rank_low", help="the best rank that is possible at 95 %", of_games=True,
        value=lambda row: row.rank_low,
    ),
    Column(
        csv="rank_high", help="the worst rank that is possible at 95 %", of_games=True,
        value=lambda row: row.rank_high,
    ),
    Column(
        value=lambda row: (row.rank_low, row.rank_high), of_games=True,
        text="ranks", line=lambda ranks: "{}–{}".format(*ranks),
    ),
    Column(
        csv="name", help="the name in the league", value=lambda row: row.name,
        title="Network", css="network",
    ),
    Column(
        value=lambda row: row.written if row.has_played else f"{row.written}, no games yet",
        text="network", justify="left",
    ),
    Column(value=lambda row: row.elo, title="95 % interval", css="bars"),
    Column(
        csv="elo", help="the rating", value=lambda row: row.elo, digits=1, of_games=True,
        title="Elo", css="elo number", text="Elo", line=lambda elo: f"{round(elo):+}",
    ),
    Column(
        csv="elo_halfwidth", help="half of the rating's 95 % interval", digits=1, of_games=True,
        value=lambda row: row.elo_halfwidth, text="±", line="{:.0f}".format,
    ),
    Column(
        csv="beats_next", help="probability of being stronger than the next network", digits=4,
        value=lambda row: row.beats_next, of_games=True,
        title="Better than next", css="better number minor", page=percent,
        text="> next", line=percent,
    ),
    Column(
        csv="elo_by_update", digits=1, of_games=True, value=lambda row: row.elo_by_update,
        help="the rating updated game by game, as NoGoZero+ does",
    ),
    Column(
        value=lambda row: row.score, title="W–L", css="score number", page=str, text="W–L"
    ),
    Column(csv="wins", help="games won", value=lambda row: row.score.num_wins),
    Column(csv="games", help="games played", value=lambda row: row.score.num_games),
    Column(
        csv="winrate", help="the share of games won", value=lambda row: row.score.winrate,
        digits=4, of_games=True, title="Winrate", css="winrate number minor", page="{:.3f}".format,
        text="won", line="{:.3f}".format,
    ),
    Column(
        csv="sigma", help="the course's standard error of the winrate, √(p(1−p)/n)", digits=4,
        value=lambda row: row.score.sigma, of_games=True,
    ),
    Column(
        csv="wins_as_black", help="games won as Black", value=lambda row: row.as_black.num_wins
    ),
    Column(csv="games_as_black", help="games as Black", value=lambda row: row.as_black.num_games),
    Column(
        csv="wins_as_white", help="games won as White", value=lambda row: row.as_white.num_wins
    ),
    Column(csv="games_as_white", help="games as White", value=lambda row: row.as_white.num_games),
    Column(
        csv="forfeits", help="games lost by the network's own failure",
        value=lambda row: row.num_forfeits,
    ),
    Column(
        value=lambda row: row.network.parameters,
        title="Parameters", css="parameters number minor", page=thousands, text="params",
    ),
    Column(
        csv="visits_per_move", help="mean visits of the moves that the network chose", digits=1,
        value=lambda row: row.effort.visits_per_move,
        title="Visits a move", css="visits number minor", page=thousands,
        text="visits", line="{:.0f}".format,
    ),
    Column(
        csv="cpu_seconds_per_move", help="mean CPU time of these moves, in seconds", digits=4,
        value=lambda row: row.effort.cpu_seconds_per_move,
        title="CPU a move", css="cpu number minor", page=seconds,
        text="CPU s", line="{:.2f}".format,
    ),
    Column(
        value=lambda row: row.num_forfeits,
        title="Forfeits", css="forfeits number minor", page=lambda number: str(number or ""),
        text="forf",
    ),
    Column(
        csv="parameters_total", help="all parameters",
        value=lambda row: row.network.parameters_total,
    ),
    Column(
        csv="parameters_trainable", help="the trainable parameters",
        value=lambda row: row.network.parameters_trainable,
    ),
    Column(
        csv="ms_per_evaluation", help="time of an evaluation at the intake, in milliseconds",
        value=lambda row: row.network.ms_per_evaluation,
    ),
    Column(
        csv="memory_bytes", help="memory for evaluating, in bytes",
        value=lambda row: row.network.memory_bytes,
    ),
    Column(csv="sha256", help="digest of the file", value=lambda row: row.network.sha256),
    Column(
        csv="artefact", help="digest of what the network computes, if the league compares these",
        value=lambda row: row.network.artefact,
    ),
    Column(
        csv="lucky_by_name", help="whether the draw of colours and openings goes by the name too",
        value=lambda row: row.network.lucky_by_name,
    ),
    Column(
        csv="winrate_low", help="the low end of the winrate's 95 % interval (Wilson)", digits=4,
        value=lambda row: row.score.interval[0], of_games=True,
    ),
    Column(
        csv="winrate_high", help="the high end of that interval", digits=4,
        value=lambda row: row.score.interval[1], of_games=True,
    ),
    Column(
        csv="written_name", help="the name as people write it", value=lambda row: row.written
    ),
)
FIELDS = tuple(column for column in COLUMNS if column.csv)
ON_PAGE = tuple(column for column in COLUMNS if column.title)
IN_TEXT = tuple(column for column in COLUMNS if column.text)


def fields_of(row: Standing) -> dict[str, Any]:
    """Return a row of the ranking by the names in `ranking.csv`."""
    return {column.csv: column.field(row) for column in FIELDS}
