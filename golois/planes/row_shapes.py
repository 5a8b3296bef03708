"""What a network sees of a position and what it answers, by game, size and set of planes."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from golois.constants import BOARD_SIZE, NUM_PLANES, packed_size
from golois.errors import ArgumentError
from golois.go.symmetry import HALF_TURN, NUM_SYMMETRIES
from golois.planes.derived import FEATURE_SETS, num_planes

GO, NOGO, HEX = "go", "nogo", "hex"
GAMES = {GO: "Go", NOGO: "NoGo", HEX: "Hex"}


class PlaneSet(NamedTuple):
    """Planes that the core writes: its number for them, how many they are, whose they are."""

    code: int
    num_planes: int
    games: tuple[str, ...]


PLANE_SETS = {
    "course": PlaneSet(0, NUM_PLANES, (GO,)),
    "zero": PlaneSet(1, 18, (GO, NOGO)),
    "nogo": PlaneSet(2, 21, (NOGO,)),
    "hex": PlaneSet(3, 4, (HEX,)),
}
"""The sets of docs/student/selfplay.md."""

OWN_PLANES = {GO: "course", NOGO: "nogo", HEX: "hex"}


@dataclass(frozen=True)
class RowShape:
    """The shapes of a batch's arrays, without their rows; policy_size is size², + 1 for a pass."""

    game: str = GO
    size: int = BOARD_SIZE
    num_planes: int = NUM_PLANES
    policy_size: int = BOARD_SIZE * BOARD_SIZE

    def __str__(self) -> str:
        return f"{GAMES[self.game]} on {self.size}×{self.size} with {self.policy_size} moves"

    @property
    def planes(self) -> tuple[int, int, int]:
        """The shape of a position's planes."""
        return (self.size, self.size, self.num_planes)

    @property
    def packed_size(self) -> int:
        """Bytes of a position's planes as bits."""
        return packed_size(self.num_planes, self.size)

    @cached_property
    def targets(self) -> dict[str, tuple[int, ...]]:
        """The shape of each target that the game has, by the name of a Batch's field."""
        board, policy = (self.size, self.size), (self.policy_size,)
        shapes: dict[str, tuple[int, ...]] = {
            "policy": policy,
            "value_white": (),
            "ownership": (*board, 2),
            "groups": (*board, 1),
            "ownership_known": (),
            "area": board,
            "reply": policy,
            "played": policy,
            "owners": board,
            "owners_known": (),
            "later_values": (3,),
            "surprise": (2,),
        }
        if self.game != HEX:
            return shapes
        of_hex = ("policy", "value_white", "reply", "played", "later_values", "surprise")
        return {name: shapes[name] for name in of_hex}

    @property
    def symmetries(self) -> tuple[int, ...]:
        """The symmetries that keep the rules; see golois.go.symmetry."""
        return (0, HALF_TURN) if self.game == HEX else tuple(range(NUM_SYMMETRIES))


COURSE_SHAPE = RowShape()
"""Go on 19×19 with the course's planes, and no pass in the policy."""


def checked_features(features: str | None, game: str, size: int) -> str:
    """The set of planes of this name, or the game's own for None; ArgumentError at another size."""
    if features is None:
        return OWN_PLANES[game]
    known = [name for name, planes in PLANE_SETS.items() if game in planes.games]
    if (game, size) == (GO, BOARD_SIZE):
        known += [name for name in FEATURE_SETS if name not in known]
    if features not in known:
        raise ArgumentError(
            f"features of {GAMES[game]} on {size}×{size} must be one of {', '.join(known)}, "
            f"not {features!r}"
        )
    return features


def planes_of(features: str) -> int:
    """How many planes a set has, of PLANE_SETS or of FEATURE_SETS."""
    return PLANE_SETS[features].num_planes if features in PLANE_SETS else num_planes(features)
