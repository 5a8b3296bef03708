"""The games of two networks with each other: where they are shown, and the file that holds them.

`game.html` shows every game, by its address `game.html#MEETING/GAME/PLY`. It loads the script
`games/ME/MEETING.js`, since a page opened from the disk may load scripts but not read JSON.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from urllib.parse import quote

from tournament.league.games import GameRow
from tournament.report.formats import moment, network_page, outcome, seconds, sgf_name_of, thousands
from tournament.report.turns import Judged, Turn

KEY_LENGTH = 12
# Where the front page lists the networks that were taken out; they have no page of their own.
TAKEN_OUT = "taken-out"
JUDGED = "// judged "
# What encodeURIComponent leaves as it is besides letters and digits.
AS_IN_JS = "-_.!~*'()"


@dataclass(frozen=True)
class Meeting:
    """All games of two networks, in the order in which they came.

    key: names the meeting in addresses; hexadecimal digits.
    taken_out: which of the two failed and was taken out, so that these games don't count.
    unlisted: which of the two have no page, such as a withdrawn network without counting games.
    """

    key: str
    games: tuple[GameRow, ...]
    taken_out: tuple[str, ...] = ()
    written: Mapping[str, str] = field(default_factory=dict)
    unlisted: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """Where its file lies, from the site's root."""
        return f"games/{self.key[:2]}/{self.key}.js"

    def head(self, stamp: str) -> str:
        """Return the file's first line, which tells whether the file is up to date."""
        without = f" without {json.dumps(self.taken_out)}" if self.taken_out else ""
        of = f" of {json.dumps(self.written)}" if self.written else ""
        no_page = f" no page {json.dumps(self.unlisted)}" if self.unlisted else ""
        ids = json.dumps([game.game_id for game in self.games])
        return f"// {stamp} {ids}{without}{of}{no_page}\n"

    def shown(self, sgf: Mapping[str, str]) -> list[dict]:
        """Return what viewer.js shows of each game, given its SGF by its id."""
        return [_shown(game, sgf[game.game_id], self) for game in self.games]

    def script(self, stamp: str, sgf: Mapping[str, str], judged: Judged) -> str:
        """Return the file, given each game's SGF by its id, and what its values say.

        Its second line keeps what they say, so that no later build reads these games again.
        """
        turns = {game_id: list(vars(turn).values()) for game_id, turn in judged.turns.items()}
        kept = json.dumps([turns, judged.losses, judged.errors], separators=(",", ":"))
        return (
            f"{self.head(stamp)}{JUDGED}{kept}\n"
            f"showMeeting({json.dumps(self.shown(sgf), separators=(',', ':'))});\n"
        )


def kept_judged(line: str) -> Judged:
    """Return what the second line of a meeting's file keeps.

    Raises:
        ValueError: it keeps nothing.
    """
    if not line.startswith(JUDGED):
        raise ValueError("this line keeps nothing")
    turns, losses, errors = json.loads(line.removeprefix(JUDGED))
    return Judged({game_id: Turn(*kept) for game_id, kept in turns.items()}, losses, errors)


def meetings_of(
    games: Iterable[GameRow],
    taken_out: Collection[str] = (),
    written: Mapping[str, str] = {},
    with_page: Collection[str] | None = None,
) -> list[Meeting]:
    """Group the games by the two networks; `with_page` None means all except those taken out."""
    shown = None if with_page is None else {*with_page, *taken_out}
    met: dict[tuple[str, ...], list[GameRow]] = defaultdict(list)
    for game in games:
        met[tuple(sorted((game.black, game.white)))].append(game)
    return [
        Meeting(
            meeting_key(*names),
            tuple(listed),
            tuple(n for n in names if n in taken_out),
            {n: written[n] for n in names if n in written},
            () if shown is None else tuple(n for n in names if n not in shown),
        )
        for names, listed in met.items()
    ]


@cache  # a site asks for each key in many places
def meeting_key(name: str, opponent: str) -> str:
    """Return the key of two networks' meeting, in either order."""
    names = json.dumps(sorted((name, opponent)))
    return hashlib.sha256(names.encode("ascii")).hexdigest()[:KEY_LENGTH]


def meeting_address(name: str, opponent: str) -> str:
    """Return the page of two networks' games, from the site's root."""
    return f"game.html#{meeting_key(name, opponent)}"


def game_address(game: GameRow) -> str:
    """Return the page of a game, from the site's root."""
    return f"{meeting_address(game.black, game.white)}/{quote(game.game_id, AS_IN_JS)}"


def _shown(game: GameRow, sgf: str, meeting: Meeting) -> dict:
    """Return what viewer.js shows of a game besides its moves: words and numbers."""
    written = meeting.written
    failed = [written.get(name, name) for name in meeting.taken_out]
    black, white = (written.get(name, name) for name in (game.black, game.white))
    said = outcome(replace(game, black=black, white=white))
    why = f". It doesn't count: {' and '.join(failed)} failed in a game"
    return {
        "id": game.game_id,
        "file": sgf_name_of(game),
        "result": game.result,
        "outcome": said + why if failed else said,
        "black": _player(game, game.black, meeting),
        "white": _player(game, game.white, meeting),
        "about": [
            ("Result", game.result),
            ("Komi", f"{game.komi:g}"),
            ("Moves", str(game.num_plies)),
            ("Played", f"{moment(game.started_at)} UTC"),
            ("Machine", game.host),
            ("Processor", game.cpu_model),
            ("Game", game.game_id),
            ("Pair", game.pair_id),
        ],
        "sgf": sgf,
    }


def _player(game: GameRow, name: str, meeting: Meeting) -> dict:
    effort = game.effort(name)
    page = "index.html" if name in meeting.unlisted else network_page(name)
    return {
        "name": meeting.written.get(name, name),
        "page": f"index.html#{TAKEN_OUT}" if name in meeting.taken_out else page,
        "visits": thousands(effort.visits_per_move),
        "cpu": seconds(effort.cpu_seconds_per_move),
    }
