"""Requests for challenges on a student's page: only the student's own matches and their games."""

from pathlib import Path
from typing import Any

from fastapi import APIRouter
from fastapi.responses import FileResponse

from tournament.errors import LeagueError
from tournament.league.submissions import Submission
from tournament.server.access import Parts, Problem, Student
from tournament.server.challenges import (
    FAILED,
    PLAYED,
    RUNNING,
    WAITING,
    Challenge,
    TooManyChallengesError,
)
from tournament.server.service import Service

SAID = {
    WAITING: "It waits for its turn.",
    RUNNING: "Its games are played while the server has nothing else to do.",
}
DECIDED = {
    "H1": "Your network is stronger.",
    "H0": "Your network is weaker.",
    None: "The networks are too close to tell.",
}
router = APIRouter(prefix="/api/challenges")


@router.get("")
async def overview(asking: Student, parts: Parts) -> dict[str, Any]:
    """Return whom the student may challenge, and the student's challenges, latest first."""
    keys = _opponents(parts, asking.name, await _public(parts))
    written = await parts.for_league(parts.league.written_names.all)
    challenges = await parts.writing(parts.challenges.of, asking.name)
    return {
        "opponents": {key: _label(key, written) for key in keys},
        "challenges": [_described(one, written) for one in challenges],
    }


@router.post("/{opponent:path}", status_code=202)
async def challenge(opponent: str, asking: Student, parts: Parts) -> dict[str, Any]:
    """Store a challenge of a network of the league or of the kit."""
    networks = await _public(parts)
    own = await _own_artefact(parts, asking.name, networks)
    if opponent not in _opponents(parts, asking.name, networks):
        raise Problem(404, "there is no such network to challenge")
    kind, _, name = opponent.partition("/")
    other = _artefact(parts, networks[name]) if kind == "league" else None
    try:
        added = await parts.writing(parts.challenges.add, asking.name, own, opponent, other)
    except TooManyChallengesError as error:
        raise Problem(429, str(error)) from error
    except LeagueError as error:
        if isinstance(error.__cause__, FileNotFoundError):  # a new network has just replaced it
            raise Problem(503, "the challenge was not stored: try again", 10) from error
        raise Problem(
            507, "the server's disk is full or fails: the challenge was not stored; try again "
            "later, and tell your teacher",
        ) from error
    return _described(added, await parts.for_league(parts.league.written_names.all))


@router.get("/{challenge_id}")
async def games(challenge_id: str, asking: Student, parts: Parts) -> FileResponse:
    """Return the games of a challenge that is played, with their SGF."""
    path = await parts.writing(parts.challenges.games_file, asking.name, challenge_id)
    if path is None:
        raise Problem(404, "there are no such games of yours")
    return FileResponse(path)


async def _public(parts: Service) -> dict[str, Submission]:
    """Return the networks that play, as everybody may see them, by name."""
    published = await parts.for_league(parts.league.published)
    return {one.name: one for one in published if one.active}


async def _own_artefact(parts: Service, owner: str, networks: dict[str, Submission]) -> Path:
    """Return the student's latest network: an accepted file, also if it does not play yet."""
    upload = await parts.writing(parts.inbox.last_accepted, owner)
    if upload is not None and upload.filed_at is None:
        return parts.inbox.artefacts_of(upload) / f"{upload.sha256}.onnx"
    if owner not in networks:
        raise Problem(409, "no network of yours plays: hand in a network first")
    return _artefact(parts, networks[owner])


def _artefact(parts: Service, network: Submission) -> Path:
    return parts.league.submissions.artefact_path(network.sha256)


def _opponents(parts: Service, owner: str, networks: dict[str, Submission]) -> list[str]:
    others = [f"league/{name}" for name in networks if name != owner]
    return [*others, *(f"kit/{name}" for name in parts.challenges.rungs)]


def _label(opponent: str, written: dict[str, str]) -> str:
    kind, _, name = opponent.partition("/")
    return written.get(name, name) if kind == "league" else f"{name} (kit)"


def _described(challenge: Challenge, written: dict[str, str]) -> dict[str, Any]:
    return {
        "id": challenge.id,
        "opponent": _label(challenge.opponent, written),
        "asked_at": challenge.asked_at[:19] + "Z",
        "state": challenge.state,
        "result": challenge.result,
        "words": _words(challenge),
    }


def _words(challenge: Challenge) -> str:
    result = challenge.result
    if challenge.state == FAILED:
        return f"It could not be played: {challenge.problem}."
    if challenge.state != PLAYED or result is None:
        return SAID[challenge.state]
    return (
        f"You won {result['sides'][0]['wins']} of {result['games']} games: {result['elo']:+.0f} ± "
        f"{result['elo_halfwidth']:.0f} Elo. {DECIDED[result['sprt']['accepted']]}"
    )
