"""KataGo's JSON analysis engine, as far as KaTrain needs one: questions in, searches out.

KaTrain thinks in points; here a point is a per cent of P(win) above one half, so 12 says 62 %.
Source: KataGo, docs/Analysis_Engine.md.
"""

import json
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TextIO

import numpy as np

from golois.constants import BOARD_SIZE, NUM_POINTS
from golois.errors import ArgumentError, GoloisError, IllegalMoveError
from golois.go.board import Board
from golois.go.coords import BLACK, COLOUR_LETTERS, WHITE, gtp_to_point, opponent
from golois.search.tree import Tree
from tournament.errors import TournamentError
from tournament.gtp.info import move_infos
from tournament.gtp.protocol import COLOURS, Lines
from tournament.gtp.thinking import GtpOptions
from tournament.networks.evaluator import Evaluator
from tournament.players.limits import MAX_VISITS, Limits
from tournament.players.search import Search

REPORTED = "reportAnalysisWinratesAs"
REPORTED_AS = {"BLACK": BLACK, "WHITE": WHITE, "SIDETOMOVE": None}
MOST_SHOWN = 60  # letters of a wrong value
POINTS_OF_CERTAINTY = 100  # of a P(win) of 1 against one of 0


class QueryError(TournamentError):
    """A question that cannot be answered; the asker gets the text."""


@dataclass(frozen=True)
class Query:
    """One position to search, under the asker's id.

    turn: moves before the position; `board` is the position.
    max_visits: of the search, at most MAX_VISITS.
    max_seconds, report_every: wall seconds of the search, and between its answers; may be infinite.
    priority: the larger goes first.
    reported_as: whose chances are told, None for the side to move's.
    """

    id: str
    turn: int
    board: Board
    komi: float
    max_visits: int
    max_seconds: float
    report_every: float
    priority: int
    reported_as: int | None
    includes_policy: bool


def read_asked(line: str) -> dict[str, Any]:
    """Return the JSON object in a line; raise QueryError if there is none."""
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise QueryError(f"expected JSON: {error}") from error
    if not isinstance(asked, dict) or "id" not in asked:
        raise QueryError("expected a JSON object with an id")
    return asked


def read_queries(asked: dict[str, Any]) -> Iterator[Query]:
    """Return the positions that a query asks about, in its order, always by docs/teacher/rules.md.

    Raises:
        QueryError: a field, which the text names, is missing, wrong or not supported.
    """
    sizes = [_field(asked, name) for name in ("boardXSize", "boardYSize")]
    is_whole = sizes == [BOARD_SIZE, BOARD_SIZE]
    _expect(f"a board of {BOARD_SIZE}×{BOARD_SIZE} points", "×".join(map(_shown, sizes)), is_whole)
    if asked.get("avoidMoves") or asked.get("allowMoves"):
        raise QueryError("avoidMoves and allowMoves are not supported")
    _expect("text as id", asked["id"], isinstance(asked["id"], str))
    set_up = _moves(asked, "initialStones", [])
    moves = _moves(asked, "moves")
    first = _colour(asked.get("initialPlayer") or "b", "initialPlayer")
    settings = asked.get("overrideSettings", {})
    _expect("overrideSettings as a JSON object", settings, isinstance(settings, dict))
    told = _field(settings, REPORTED, "BLACK")
    _expect(
        f"{', '.join(REPORTED_AS)} as {REPORTED}", told,
        isinstance(told, str) and told.upper() in REPORTED_AS,
    )
    policy = _field(asked, "includePolicy", False)
    _expect("true or false as includePolicy", policy, isinstance(policy, bool))
    for turn in _turns(asked, len(moves)):
        yield Query(
            id=asked["id"],
            turn=turn,
            board=_board(set_up, moves, first, turn),
            komi=_komi(asked),
            max_visits=min(MAX_VISITS, max(1, _whole(asked, "maxVisits", 500))),
            max_seconds=_number(settings, "maxTime", math.inf),
            report_every=_number(asked, "reportDuringSearchEvery", math.inf),
            priority=_whole(asked, "priority", 0),
            reported_as=REPORTED_AS[told.upper()],
            includes_policy=policy,
        )


def _field(fields: dict[str, Any], name: str, default: object = None) -> Any:
    if name not in fields and default is None:
        raise QueryError(f"{name} is missing")
    return fields.get(name, default)


def _shown(value: object) -> str:
    is_json = not isinstance(value, str | float)
    text = json.dumps(value, ensure_ascii=False) if is_json else str(value)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


def _expect(expected: str, value: object, is_right: bool) -> None:
    if not is_right:
        raise QueryError(f"expected {expected}: got {_shown(value)}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


def _number(fields: dict[str, Any], name: str, default: float | None = None) -> float:
    """Return a number, which may be infinite: JSON has whole numbers that no float holds."""
    value = _field(fields, name, default)
    _expect(f"a number as {name}", value, _is_number(value))
    return float(value) if abs(value) <= sys.float_info.max else math.copysign(math.inf, value)


def _komi(asked: dict[str, Any]) -> float:
    value = _field(asked, "komi")
    _expect("a finite komi", value, _is_number(value) and abs(value) <= sys.float_info.max)
    return float(value)


def _whole(fields: dict[str, Any], name: str, default: int) -> int:
    value = _field(fields, name, default)
    _expect(f"a whole number as {name}", value, _is_number(value) and value % 1 == 0)
    return int(value)


def _colour(value: object, name: str) -> int:
    colour = COLOURS.get(value.lower()) if isinstance(value, str) else None
    _expect(f"B or W as a colour in {name}", value, colour is not None)
    assert colour is not None
    return colour


def _moves(
    asked: dict[str, Any], name: str, default: list[Any] | None = None
) -> list[tuple[int, int]]:
    listed = _field(asked, name, default)
    _expect(f'{name} as a list such as [["B", "Q16"]]', listed, isinstance(listed, list))
    for move in listed:
        is_move = isinstance(move, list) and len(move) == 2 and isinstance(move[1], str)
        _expect(f'moves such as ["B", "Q16"] in {name}', move, is_move)
    try:
        return [(_colour(colour, name), gtp_to_point(vertex)) for colour, vertex in listed]
    except ArgumentError as error:
        raise QueryError(f"Illegal move: {error}") from error


def _turns(asked: dict[str, Any], num_moves: int) -> list[int]:
    turns = _field(asked, "analyzeTurns", [num_moves])
    _expect("analyzeTurns as a list of whole numbers", turns, isinstance(turns, list))
    for turn in turns:
        is_whole = isinstance(turn, int) and not isinstance(turn, bool)
        _expect("whole numbers in analyzeTurns", turn, is_whole)
        _expect(f"a turn from 0 to {num_moves}", turn, 0 <= turn <= num_moves)
    return turns


def _board(
    set_up: list[tuple[int, int]], moves: list[tuple[int, int]], first: int, turn: int
) -> Board:
    board = Board()
    try:
        for colour, point in set_up + moves[:turn]:
            board.play(point, colour)
    except IllegalMoveError as error:
        raise QueryError(f"Illegal move: {error}") from error
    if turn < len(moves):
        board.to_play = moves[turn][0]
    else:
        board.to_play = opponent(moves[-1][0]) if moves else first
    return board


@dataclass
class _Job:
    """A position to search; times are by time.monotonic, and a waiting job has no tree."""

    query: Query
    number: int
    search: Search
    tree: Tree | None = None
    ends_at: float = 0.0
    next_report: float = 0.0

    @property
    def urgency(self) -> tuple[int, int, int]:
        """The least goes first: the larger priority, the smaller search, the earlier question."""
        return -self.query.priority, self.query.max_visits, self.number


class KaTrainEngine:
    """Searches what it is asked about, the most urgent position first, a batch at a time.

    Between batches it reads `lines`, a JSON object each: a more urgent question goes first, and a
    question that is taken back is answered by what is known so far.
    """

    def __init__(
        self,
        name: str,
        version: str,
        evaluator: Evaluator,
        options: GtpOptions,
        lines: Lines,
        output: TextIO,
    ):
        self._version = {"version": version, "git_hash": name}
        self._evaluator = evaluator
        self._options = options
        self._lines = lines
        self._output = output
        self._jobs: list[_Job] = []
        self._num_asked = 0

    def run(self) -> None:
        """Answer until the input has ended and every question is answered."""
        is_open = True
        while is_open or self._jobs:
            while is_open and (not self._jobs or self._lines.wait(0)):
                line = self._lines.next()
                is_open = line is not None
                if line and line.strip():
                    self._take(line)
            if self._jobs:
                self._advance(min(self._jobs, key=lambda job: job.urgency))

    def _take(self, line: str) -> None:
        known = {}
        try:
            asked = read_asked(line)
            known = {"id": asked["id"]}
            if "action" in asked:
                self._act(asked)
            else:
                self._jobs += [self._job(query) for query in read_queries(asked)]
        except (TournamentError, GoloisError) as error:
            self._answer({"error": str(error), **known})

    def _act(self, asked: dict) -> None:
        if asked["action"] == "query_version":
            self._answer({**asked, **self._version})
            return
        if asked["action"] not in ("terminate", "terminate_all", "clear_cache"):
            raise QueryError(f"action {asked['action']} is not supported")
        for job in list(self._jobs):
            is_meant = job.query.id == asked.get("terminateId")
            if asked["action"] == "terminate_all" or (asked["action"] == "terminate" and is_meant):
                self._finish(job)
        self._answer(asked)

    def _job(self, query: Query) -> _Job:
        self._num_asked += 1
        limits = Limits(visits=query.max_visits)
        options = self._options
        search = Search(self._evaluator, options.search, limits, options.seed, time.process_time)
        return _Job(query, self._num_asked, search)

    def _advance(self, job: _Job) -> None:
        """Search a batch of a position, and answer when it is done or its time has come."""
        now = time.monotonic()
        try:
            if job.tree is None:
                job.tree = job.search.begin(job.query.board, job.query.komi)
                job.ends_at = now + job.query.max_seconds
                job.next_report = now + job.query.report_every
            num_playouts = job.search.playouts_left()
            if num_playouts == 0 or now >= job.ends_at:
                self._finish(job)
                return
            job.search.run(num_playouts)
        except (TournamentError, GoloisError) as error:  # as of a komi that the network lacks
            self._jobs.remove(job)
            self._answer({"error": str(error), "id": job.query.id})
            return
        if time.monotonic() >= job.next_report:
            job.next_report = time.monotonic() + job.query.report_every
            self._answer(answer_of(job.query, job.tree, is_during_search=True))

    def _finish(self, job: _Job) -> None:
        self._jobs.remove(job)
        if job.tree is None:
            head = {"id": job.query.id, "turnNumber": job.query.turn}
            self._answer({**head, "isDuringSearch": False, "noResults": True})
        else:
            self._answer(answer_of(job.query, job.tree, is_during_search=False))

    def _answer(self, answer: dict) -> None:
        self._output.write(json.dumps(answer) + "\n")
        self._output.flush()


def answer_of(query: Query, tree: Tree, *, is_during_search: bool) -> dict:
    """Return what a search has found, in KataGo's names; during the search, more is to come."""
    root = {
        **_values(tree.root_value_to_play, query),
        "visits": tree.num_visits,
        "currentPlayer": COLOUR_LETTERS[query.board.to_play],
    }
    infos = [
        {
            "move": info.vertex,
            "order": info.order,
            "visits": info.num_visits,
            "prior": round(info.prior, 6),
            "pv": info.line,
            **_values(info.value_to_play, query),
        }
        for info in move_infos(tree)
    ]
    answer = {
        "id": query.id,
        "isDuringSearch": is_during_search,
        "turnNumber": query.turn,
        "moveInfos": infos,
        "rootInfo": root,
    }
    if query.includes_policy:
        moves = tree.root_moves()
        policy = np.full(NUM_POINTS + 1, -1.0)
        policy[moves.points] = moves.priors
        answer["policy"] = [round(share, 6) for share in policy.tolist()]
    return answer


def _values(value_to_play: float, query: Query) -> dict[str, float]:
    """Return P(win) and the substitute for a score, for the side that the query asks about."""
    is_turned = query.reported_as not in (None, query.board.to_play)
    value = -value_to_play if is_turned else value_to_play
    return {
        "winrate": round((1 + value) / 2, 6),
        "scoreLead": round(POINTS_OF_CERTAINTY * value / 2, 4),
    }
