"""The columns of the ranking, for ranking.csv, league.json, the page and the terminal."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter as of
from typing import Any

from rich.console import JustifyMethod

from tournament.report.formats import seconds, thousands
from tournament.report.standings import Standing, percent

Form = Callable[[Any], str]


@dataclass(frozen=True)
class Column:
    """A column of the ranking; a view whose title is empty leaves the column out.

    csv: the field in files (docs/teacher/table.md), with floats rounded to `digits`.
    of_games: whether a network without games has `without_games` instead of a value.
    title, css: the head on the page, and the classes that `style.css` knows.
    page: writes a value on the page; without it `index.html` draws the cell itself.
    text: the head in the terminal, where `line` writes a value.
    """

    csv: str
    value: Callable[[Standing], Any]
    digits: int | None = None
    of_games: bool = False
    without_games: str = ""
    title: str = ""
    css: str = ""
    page: Form | None = None
    text: str = ""
    line: Form = str
    justify: JustifyMethod = "right"

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
        "rank", of("rank"), of_games=True, without_games="–",
        title="Rank", css="rank number", text="#",
    ),
    Column("rank_low", of("rank_low"), of_games=True),
    Column("rank_high", of("rank_high"), of_games=True),
    Column(
        "", of("rank_low", "rank_high"), of_games=True,
        text="ranks", line=lambda ranks: "{}–{}".format(*ranks),
    ),
    Column("name", of("name"), title="Network", css="network"),
    Column(
        "", lambda row: row.written if row.has_played else f"{row.written}, no games yet",
        text="network", justify="left",
    ),
    Column("", of("elo"), title="95 % interval", css="bars"),
    Column(
        "elo", of("elo"), digits=1, of_games=True,
        title="Elo", css="elo number", text="Elo", line=lambda elo: f"{round(elo):+}",
    ),
    Column(
        "elo_halfwidth", of("elo_halfwidth"), digits=1, of_games=True,
        text="±", line="{:.0f}".format,
    ),
    Column(
        "beats_next", of("beats_next"), digits=4, of_games=True,
        title="Better than next", css="better number minor", page=percent,
        text="> next", line=percent,
    ),
    Column("elo_by_update", of("elo_by_update"), digits=1, of_games=True),
    Column("", of("score"), title="W–L", css="score number", page=str, text="W–L"),
    Column("wins", of("score.num_wins")),
    Column("games", of("score.num_games")),
    Column(
        "winrate", of("score.winrate"), digits=4, of_games=True,
        title="Winrate", css="winrate number minor", page="{:.3f}".format,
        text="won", line="{:.3f}".format,
    ),
    Column("sigma", of("score.sigma"), digits=4, of_games=True),
    Column("wins_as_black", of("as_black.num_wins")),
    Column("games_as_black", of("as_black.num_games")),
    Column("wins_as_white", of("as_white.num_wins")),
    Column("games_as_white", of("as_white.num_games")),
    Column("forfeits", of("num_forfeits")),
    Column(
        "", of("network.parameters"),
        title="Parameters", css="parameters number minor", page=thousands, text="params",
    ),
    Column(
        "visits_per_move", of("effort.visits_per_move"), digits=1,
        title="Visits a move", css="visits number minor", page=thousands,
        text="visits", line="{:.0f}".format,
    ),
    Column(
        "cpu_seconds_per_move", of("effort.cpu_seconds_per_move"), digits=4,
        title="CPU a move", css="cpu number minor", page=seconds,
        text="CPU s", line="{:.2f}".format,
    ),
    Column(
        "", of("num_forfeits"),
        title="Forfeits", css="forfeits number minor", page=lambda number: str(number or ""),
        text="forf",
    ),
    Column("parameters_total", of("network.parameters_total")),
    Column("parameters_trainable", of("network.parameters_trainable")),
    Column("ms_per_evaluation", of("network.ms_per_evaluation")),
    Column("memory_bytes", of("network.memory_bytes")),
    Column("sha256", of("network.sha256")),
    Column("artefact", of("network.artefact")),
    Column("lucky_by_name", of("network.lucky_by_name")),
    Column("winrate_low", lambda row: row.score.interval[0], digits=4, of_games=True),
    Column("winrate_high", lambda row: row.score.interval[1], digits=4, of_games=True),
    Column("written_name", of("written")),
)
FIELDS = tuple(column for column in COLUMNS if column.csv)
ON_PAGE = tuple(column for column in COLUMNS if column.title)
IN_TEXT = tuple(column for column in COLUMNS if column.text)


def fields_of(row: Standing) -> dict[str, Any]:
    """Return a row of the ranking by the names in `ranking.csv`."""
    return {column.csv: column.field(row) for column in FIELDS}
