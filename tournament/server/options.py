"""The options of `python -m tournament serve`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tournament.intake import MAX_TUNE_SECONDS, JudgeOptions
from tournament.league.deadline import Deadline
from tournament.league.term import Term
from tournament.server.ledger import exact_now


@dataclass(frozen=True)
class ServerOptions:
    """How a league is served.

    league: its folder.
    judge: how uploads are judged; no larger file than its `file_limit` is taken.
    rules: the word that the league keeps for its rules, if any.
    deadline: until when files count; None for ever, and in a term.
    term: the deadlines of the weeks, or None.
    run_arguments: of `python -m tournament run`, besides the league.
    num_judges: uploads that are judged at a time.
    refresh_seconds: at least this long between two builds of the site.
    now: returns the time as the ledger writes it; tests move it.
    """

    league: Path
    judge: JudgeOptions = field(
        default_factory=lambda: JudgeOptions(tune_seconds=MAX_TUNE_SECONDS)
    )
    rules: str | None = None
    deadline: Deadline | None = None
    term: Term | None = None
    run_arguments: tuple[str, ...] = ()
    num_judges: int = 2
    refresh_seconds: float = 10.0
    now: Callable[[], str] = exact_now
