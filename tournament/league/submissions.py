"""The networks of a league: filed under names, replaced, withdrawn, taken out and reinstated."""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from golois.kit.files import flush_folder, write_whole
from tournament.errors import OptionsError, SubmissionError
from tournament.game.job import Entrant
from tournament.game.record import GameRecord, utc_now
from tournament.league.draws import Draws
from tournament.league.journal import LOSER, Journal, message_by
from tournament.league.names import require_name, skeleton

ACTIVE, SUPERSEDED = "active", "superseded"
WITHDRAWN, SUSPENDED = "withdrawn", "suspended"
# What the journal's header says of a league whose luck goes by names. Of an older one it says
# "artefact" where games follow from artefacts, and nothing where they follow from files.
KNOWN_BY, NAME_AND_ARTEFACT = "networks_known_by", "name and artefact"
COPIED = (
    "this network, or a network that plays nearly the same, {} under another name; hand in a "
    "different network"
)


@dataclass(frozen=True)
class Submission:
    """A network that was handed in, with its intake's manifest.

    status: "active" (plays); "withdrawn" (its games count); "suspended" (it failed in a game, and
        none of its games counts); "superseded" (its name has another network; no game counts).
    note: why it doesn't play, in words; empty when it does.
    anchor_elo: the rating that the scale gives it, or None when it is not an anchor.
    message: what its author wrote about it (`message_of`), or empty.
    """

    name: str
    sha256: str
    manifest: dict[str, Any]
    submitted_at: str
    status: str
    note: str
    anchor_elo: float | None
    message: str

    @property
    def active(self) -> bool:
        """Whether it plays."""
        return self.status == ACTIVE


class Submissions:
    """The networks of a league, by name; the seed's secret is drawn before the first filing."""

    def __init__(self, folder: Path, journal: Journal, draws: Draws):
        self._folder, self._journal, self._draws = folder, journal, draws

    def artefact_path(self, sha256: str) -> Path:
        """Return the path of a submission's baked network."""
        return self._folder / "artefacts" / f"{sha256}.onnx"

    def add(
        self,
        name: str,
        h5_path: str | Path,
        verdict,
        *,
        replace: bool = False,
        allow_alike: bool = False,
        submitted_at: str | None = None,
        message: str = "",
    ) -> Submission:
        """File an accepted network under a name; `h5_path`, the file handed in, is copied.

        Filing the same network again, in whatever bytes, changes only its tuning and its message,
        unless `message` is empty. `replace` lets it
        take the place of the name's network. `allow_alike` files a network that is nearly
        another's, but never the very same. `submitted_at` is ISO 8601, UTC; None means now.

        Raises:
            SubmissionError: not accepted, a changed file, an invalid or similar name, a copy of
                another network or of a failed one, or a name that is withdrawn, or taken without
                `replace`.
        """
        if not verdict.accepted:
            faults = "; ".join(fault.text for fault in verdict.faults)
            raise SubmissionError(f"the network was not accepted: {faults}")
        require_name(name, SubmissionError)
        content = Path(h5_path).read_bytes()
        if hashlib.sha256(content).hexdigest() != verdict.manifest.sha256:
            raise SubmissionError(
                f"{h5_path} has changed since it was checked: check it again"
            )
        artefact = Path(verdict.onnx_path).read_bytes()
        new = asdict(verdict.manifest)
        manifest = self._manifest_of(name, new)
        sha256 = manifest["sha256"]
        if not self._select("sha256 = ?", sha256):
            self._draws.ensure_open()
        with self._journal.transaction():
            self._refuse(name, manifest, replace, allow_alike)
            self._write_files(
                manifest,
                content if new["sha256"] == sha256 else None,
                artefact if new["onnx_sha256"] == manifest["onnx_sha256"] else None,
            )
            self._file(name, manifest, submitted_at)
            self._journal.note_message(sha256, message)
        return self._current(name)

    def check_name(self, name: str, sha256: str | None) -> None:
        """Compare a name with this league before its file is judged; `sha256` None may replace.

        Raises:
            SubmissionError: a new name that looks like another, is withdrawn, or has another file.
        """
        for withdrawn in self._select("name = ? AND status = ?", name, WITHDRAWN):
            raise _no_longer_plays(withdrawn)
        self._refuse_taken(name, sha256 or "", replace=sha256 is None)

    def check(self, name: str, manifest: dict[str, Any]) -> None:
        """Compare an accepted network with this league; raise SubmissionError as `add` would."""
        self._refuse(name, self._manifest_of(name, manifest), replace=True, allow_alike=False)

    def all(self) -> list[Submission]:
        """Return all networks ever filed, sorted by name, including superseded networks."""
        return self._select("1")

    def current(self) -> list[Submission]:
        """Return the networks that have a name now, sorted by name: none that is superseded."""
        return self._select("status != 'superseded'")

    def entrants(self) -> list[Entrant]:
        """Return the networks that play: the active submissions.

        An event knows them by artefact and draws by name. An older event goes on as it began.
        """
        rows = self._journal.execute(
            "SELECT name, sha256, json_extract(manifest, '$.onnx_sha256') FROM submissions"
            " WHERE status != 'superseded' AND status = 'active' ORDER BY name"  # for the index
        )
        known_by = known_by_of(self._journal)
        return [
            Entrant(
                name, sha256, artefact=artefact if known_by else None,
                lucky_by_name=known_by == NAME_AND_ARTEFACT,
            )
            for name, sha256, artefact in rows
        ]

    def withdraw(self, name: str) -> Submission:
        """Withdraw a network: it no longer plays, but its games still count.

        Raises:
            SubmissionError: no network has that name, or the network was taken out.
        """
        filed = self._current(name)
        if filed.status == SUSPENDED:
            raise SubmissionError(f"{name} no longer plays: it was {filed.note}")
        return self._change(name, status=WITHDRAWN, note=f"withdrawn on {utc_now()[:10]}")

    def reinstate(self, name: str) -> Submission:
        """Let a withdrawn or taken-out network play again, and count its games, failures as losses.

        Raises:
            SubmissionError: no network has that name.
        """
        pardoned = num_forfeits(self._journal, self._current(name).sha256)
        return self._change(name, status=ACTIVE, note="", num_pardoned=pardoned)

    def note_message(self, name: str, manifest: dict[str, Any], message: str) -> None:
        """Keep another message with a network that was filed under a name."""
        with self._journal.transaction():
            self._journal.note_message(self._manifest_of(name, manifest)["sha256"], message)

    def set_anchor(self, name: str, elo: float | None) -> Submission:
        """Make a network an anchor with this rating.

        With None neither it nor an earlier network of the name is an anchor any longer.

        Raises:
            SubmissionError: no network has that name.
            OptionsError: a rating that is not finite.
        """
        if elo is not None and not math.isfinite(elo):
            raise OptionsError(f"an anchor's rating must be finite, not {elo}")
        if elo is not None:
            return self._change(name, anchor_elo=elo)
        with self._journal.transaction():
            self._journal.execute(
                "UPDATE submissions SET anchor_elo = NULL WHERE name = ?", (name,)
            )
        return self._current(name)

    def _current(self, name: str) -> Submission:
        found = self._select("status != 'superseded' AND name = ?", name)
        if not found:
            names = ", ".join(current.name for current in self.current())
            raise SubmissionError(
                f"no network in {self._folder} is called {name!r}; "
                f"there are {names or 'none'}"
            )
        return found[0]

    def _select(self, condition: str, *values: Any) -> list[Submission]:
        rows = self._journal.execute(
            "SELECT name, sha256, manifest, submitted_at, status, note, anchor_elo,"
            f" {message_by('sha256')} FROM submissions WHERE {condition} ORDER BY name, rowid",
            values,
        )
        return [Submission(name, sha, json.loads(text), *rest) for name, sha, text, *rest in rows]

    def _change(self, name: str, **columns: Any) -> Submission:
        with self._journal.transaction():
            sha256 = self._current(name).sha256
            self._journal.update("submissions", "sha256", {**columns, "sha256": sha256})
        return self._current(name)

    def _write_files(
        self, manifest: dict[str, Any], content: bytes | None, artefact: bytes | None
    ) -> None:
        sha256 = manifest["sha256"]
        if content is not None:
            write_whole(self._folder / "submissions" / f"{sha256}.h5", content)
        if artefact is not None:
            write_whole(self.artefact_path(sha256), artefact)
        write_whole(self.artefact_path(sha256).with_suffix(".json"), _written(manifest).encode())
        for kind in ("submissions", "artefacts"):
            flush_folder(self._folder / kind)

    def _file(self, name: str, manifest: dict[str, Any], submitted_at: str | None) -> None:
        sha256 = manifest["sha256"]
        self._journal.execute(
            "UPDATE submissions SET status = 'superseded', note = 'replaced on ' || ?"
            " WHERE name = ? AND sha256 != ? AND status != 'superseded'",
            (utc_now()[:10], name, sha256),
        )
        self._journal.execute(
            "INSERT INTO submissions (sha256, name, status, note, num_pardoned, submitted_at,"
            " manifest) VALUES (?, ?, 'active', '', 0, ?, ?) ON CONFLICT (sha256)"
            " DO UPDATE SET status = 'active', note = '', manifest = excluded.manifest",
            (sha256, name, _to_seconds(submitted_at) or utc_now(), _written(manifest)),
        )

    def _manifest_of(self, name: str, new: dict[str, Any]) -> dict[str, Any]:
        """Return the manifest to file: a filed artefact stays, and only its tuning changes."""
        for filed in self._select("name = ?", name):
            if filed.manifest.get("onnx_sha256") == new["onnx_sha256"]:
                return {**new, "sha256": filed.sha256}
            if filed.sha256 == new["sha256"]:
                return {**filed.manifest, "tuning": new["tuning"]}
        return new

    def _refuse(
        self, name: str, manifest: dict[str, Any], replace: bool, allow_alike: bool
    ) -> None:
        self._refuse_copy(name, manifest, allow_alike)
        self._refuse_banned(name, manifest, allow_alike)
        self._refuse_taken(name, manifest["sha256"], replace)

    def _refuse_copy(self, name: str, manifest: dict[str, Any], allow_alike: bool) -> None:
        alike = _likeness(allow_alike)
        others = self._select("name != ?", name)
        if any(alike(other.manifest, manifest) for other in others):
            raise SubmissionError(COPIED.format("is already in the league"))

    def _refuse_banned(self, name: str, manifest: dict[str, Any], allow_alike: bool) -> None:
        """Refuse all networks of a withdrawn name, and networks like one that failed."""
        alike = _likeness(allow_alike)
        for filed in self._select("name = ?", name):
            is_alike = alike(filed.manifest, manifest)
            if filed.status == WITHDRAWN or (filed.status == SUSPENDED and is_alike):
                raise _no_longer_plays(filed)
            if filed.status == SUPERSEDED and is_alike and has_failed(self._journal, filed.sha256):
                raise SubmissionError(
                    "this network, or a network that plays nearly the same, has failed in a "
                    "game of this league; hand in a different network"
                )

    def _refuse_taken(self, name: str, sha256: str, replace: bool) -> None:
        filed = {current.name: current for current in self.current()}
        if name not in filed:
            self._refuse_lookalike(name, filed)
        elif filed[name].sha256 != sha256 and not replace:
            raise SubmissionError(
                f"{name} has had another file since {filed[name].submitted_at[:10]}: choose a new "
                "name, or add --replace; the games of the old file then no longer count"
            )

    def _refuse_lookalike(self, name: str, filed: Iterable[str]) -> None:
        other = next((one for one in filed if skeleton(one) == skeleton(name)), None)
        if other is not None:
            raise SubmissionError(f"{name} looks like {other}, which is filed: choose another name")


def _likeness(allow_alike: bool) -> Callable[[Mapping[str, Any], Mapping[str, Any]], bool]:
    from tournament.league.likeness import are_alike, are_same  # here, as NumPy takes time

    return are_same if allow_alike else are_alike


def _no_longer_plays(filed: Submission) -> SubmissionError:
    return SubmissionError(
        f"{filed.name} no longer plays: it was {filed.note}; "
        f"python -m tournament reinstate {filed.name} lets it play again"
    )


def _to_seconds(moment: str | None) -> str | None:
    """Return a time as the records have it, which the server knows more exactly."""
    return moment and datetime.fromisoformat(moment).isoformat(timespec="seconds")


def _written(manifest: dict[str, Any]) -> str:
    return json.dumps(manifest, indent=2)


def known_by_of(journal: Journal) -> str | None:
    """Return what the games of a league follow from: NAME_AND_ARTEFACT, unless it is older."""
    is_new = journal.header("options") is None
    return NAME_AND_ARTEFACT if is_new else journal.header(KNOWN_BY)


def num_forfeits(journal: Journal, sha256: str) -> int:
    """Return how many games a network has forfeited."""
    return journal.value(
        f"SELECT count(*) FROM games WHERE kind = 'forfeit' AND ? = {LOSER}", sha256
    )


def has_failed(journal: Journal, sha256: str) -> bool:
    """Return whether a network has forfeited a game and was not forgiven."""
    num_pardoned = journal.value(
        "SELECT num_pardoned FROM submissions WHERE sha256 = ?", sha256
    )
    return num_forfeits(journal, sha256) > num_pardoned


def take_out(journal: Journal, forfeit: GameRecord) -> None:
    """Take the network that failed in a game out of the event; call it inside a transaction.

    A replaced network, or a network of a match, stays as it is.
    """
    opponent = forfeit.black if forfeit.winner == "black" else forfeit.white
    journal.execute(
        "UPDATE submissions SET status = 'suspended', note = ?"
        " WHERE sha256 = ? AND status IN ('active', 'withdrawn')",
        (
            f"taken out because it failed in game {forfeit.game_id} against {opponent} ("
            f"{forfeit.reason})",
            forfeit.loser_sha256,
        ),
    )
