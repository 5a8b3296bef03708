"""A match: two sides, any number of game pairs, and their results."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from golois.kit.command import escaped
from golois.kit.files import sha256_of
from tournament.errors import OptionsError
from tournament.game.job import Entrant, GameJob
from tournament.game.record import GameRecord
from tournament.intake import MAX_TUNE_SECONDS
from tournament.intake.artefact import place_artefact
from tournament.league.games import Effort, GameRow, row_of
from tournament.league.league import League
from tournament.players.registry import file_digest
from tournament.ratings.bradley_terry import Z95, rate, wilson_interval
from tournament.ratings.ranking import Ranked, ranked
from tournament.running.sides import Side

Game = TypeVar("Game", GameRecord, GameRow)


@dataclass(frozen=True)
class SideResult:
    """One side's results in a match; moves of the opening cost nothing."""

    name: str
    wins: int
    losses: int
    wins_as_black: int
    losses_as_black: int
    wins_as_white: int
    losses_as_white: int
    forfeits: int
    visits_per_move: float | None
    cpu_seconds_per_move: float | None


@dataclass(frozen=True)
class MatchResult:
    """A match as its first side sees it, with 95 % intervals: Wilson's for the win rate.

    The Elo difference is by a league's ratings: they know game pairs and colours, and stay finite.
    """

    sides: tuple[SideResult, SideResult]
    games: int
    win_rate: float
    win_rate_low: float
    win_rate_high: float
    elo: float
    elo_halfwidth: float


def entrants_of(
    sides: Sequence[Side], artefacts: Path, tune_seconds: float = MAX_TUNE_SECONDS
) -> list[Entrant]:
    """Return the sides as entrants, and put their artefacts into a folder (see place_artefact).

    Raises:
        OptionsError: two sides that do not differ.
        NetworkError, IntakeError, OSError: a file that is not a network.
    """
    have_one_name = len({side.name for side in sides}) == 1
    for side in sides:
        if side.path is not None:
            place_artefact(side.path, artefacts, tune_seconds)
    entrants = [entrant_of(side, side.text if have_one_name else side.name) for side in sides]
    if len({entrant.identity for entrant in entrants}) == 1:
        if sides[0].path is None:
            raise OptionsError(f"both sides are the same player, {sides[0].text}")
        raise OptionsError(
            "both sides are the same network with the same options; give one of them an option, "
            f"as in {sides[0].path},player=gumbel"
        )
    return entrants


def entrant_of(side: Side, name: str) -> Entrant:
    """Return a side as an entrant; raise OSError if its network's file cannot be read."""
    if side.path is not None:
        sha256 = sha256_of(side.path)
    else:
        sha256 = file_digest(side.text) or hashlib.sha256(side.text.encode()).hexdigest()
    return Entrant(escaped(name), sha256, side.options)


def check_games(league: League, jobs: Sequence[GameJob]) -> None:
    """Raise OptionsError if the folder holds a league, or games other than this match's jobs."""
    openings = {job.game_id: job.opening for job in jobs}
    if league.submissions.all() or any(
        openings.get(game.game_id) != game.opening for game in league.games.all()
    ):
        raise OptionsError(
            f"{league.folder} holds games of another match, with other networks, options, openings "
            "or more games: choose a new folder"
        )


def result_of(
    entrants: Sequence[Entrant], jobs: Sequence[GameJob], games: Sequence[GameRecord]
) -> MatchResult:
    """Add up a match's results, of one or more games without void games, for its first entrant."""
    games = renamed(games, jobs)
    names = [entrant.name for entrant in entrants]
    ratings = rate(names, games)
    rows = {row.name: row for row in ranked(ratings, games)}
    first, second = (_side_result(rows[name], games) for name in names)
    num_games = first.wins + first.losses
    low, high = wilson_interval(first.wins, num_games)
    contrast = [1 if name == names[0] else -1 for name in ratings.names]
    return MatchResult(
        sides=(first, second),
        games=num_games,
        win_rate=first.wins / num_games,
        win_rate_low=low,
        win_rate_high=high,
        elo=float(ratings.elo @ contrast),
        elo_halfwidth=Z95 * math.sqrt(contrast @ ratings.covariance @ contrast),
    )


def renamed(games: Sequence[Game], jobs: Sequence[GameJob]) -> list[Game]:
    """Return the games under the current names: a match may be resumed from another folder."""
    of_job = {job.game_id: job for job in jobs}
    jobs = [of_job[game.game_id] for game in games]
    return [
        replace(game, black=job.black, white=job.white)
        for game, job in zip(games, jobs, strict=True)
    ]


def _side_result(row: Ranked, games: Sequence[GameRecord]) -> SideResult:
    """Return a side's wins and losses by colour, and the mean cost of a move."""
    effort = Effort.total([row_of(game).effort(row.name) for game in games])
    return SideResult(
        name=row.name,
        wins=row.score.num_wins,
        losses=row.score.num_losses,
        wins_as_black=row.as_black.num_wins,
        losses_as_black=row.as_black.num_losses,
        wins_as_white=row.as_white.num_wins,
        losses_as_white=row.as_white.num_losses,
        forfeits=row.num_forfeits,
        visits_per_move=effort.visits_per_move,
        cpu_seconds_per_move=effort.cpu_seconds_per_move,
    )
