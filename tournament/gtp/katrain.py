"""KataGo's JSON analysis engine, as far as KaTrain needs one: questions in, searches out.

KaTrain thinks in points. The networks have no score, so that a point is a per cent of P(win) above
one half here: a `scoreLead` of 12 says 62 %. Ownership stays unanswered.
Source: KataGo, docs/Analysis_Engine.md.
"""

import json
import time
from dataclasses import dataclass
from typing import TextIO

import numpy as np

from golois.coords import BLACK, WHITE
from golois.search import Tree
from golois.shapes import NUM_POINTS
from tournament.errors import TournamentError
from tournament.gtp.info import move_infos
from tournament.gtp.katrain_query import Query, QueryError, read_asked, read_queries
from tournament.gtp.lines import Lines
from tournament.gtp.thinking import GtpOptions
from tournament.networks.evaluator import Evaluator
from tournament.players.limits import Limits
from tournament.players.search import Search

POINTS_OF_CERTAINTY = 100  # of a P(win) of 1 against one of 0
COLOUR_LETTERS = {BLACK: "B", WHITE: "W"}


@dataclass
class _Job:
    """A position that waits to be searched, or is.

    tree: None while it waits.
    ends_at, next_report: by time.monotonic, from the search's beginning on.
    """

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

    Between batches it reads: a more urgent question goes first, one that is taken back is answered
    by what is known so far.

    Args:
        name, version: of the network.
        evaluator: the network.
        options: how it searches; KaTrain sets komi and limits itself.
        lines: questions, a JSON object a line.
        output: where answers go, a JSON object a line.
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
        except TournamentError as error:
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
        if job.tree is None:
            job.tree = job.search.begin(job.query.board, job.query.komi)
            job.ends_at = now + job.query.max_seconds
            job.next_report = now + job.query.report_every
        num_playouts = job.search.playouts_left()
        if num_playouts == 0 or now >= job.ends_at:
            self._finish(job)
            return
        try:
            job.search.run(num_playouts)
        except TournamentError as error:
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
    """Return what a search has found, in KataGo's names.

    Args:
        query: what was asked.
        tree: its search.
        is_during_search: whether more is to come.
    """
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
