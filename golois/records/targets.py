"""What a teacher or a search thinks of the training positions of a game (data/README.md)."""

from dataclasses import dataclass, replace

import numpy as np

from golois.constants import BOARD_SIZE, PASS
from golois.errors import DataFormatError

WHOLE_SHARE = 65534
NO_VALUE = 65535
NO_LEAD = -(2**15)
MAX_TENTHS = 2**15 - 1  # of a lead
HEAD_WORDS = 3
WHOLE_OWNERSHIP = 127
NO_OWNERSHIP = -128


@dataclass(frozen=True, eq=False)
class Targets:
    """Policies, values, leads and ownership of the P training positions of a game, in their order.

    policies: float32 [P, size² + 1], shares of the moves row by row and of the pass, 0 … 1; zeros
        for none. They may sum to less than 1, since small shares are not kept.
    values: float32 [P], P(White wins); NaN for none.
    leads: float32 [P], White's lead in points, to a tenth; NaN for none.
    ownership: float32 [P, size²], White's of each point in 127ths, from -1 to 1; a row of NaN for
        none. None if no position has it.
    """

    policies: np.ndarray
    values: np.ndarray
    leads: np.ndarray
    ownership: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.values)

    @classmethod
    def from_words(cls, words: np.ndarray, size: int = BOARD_SIZE) -> "Targets":
        """Read checked words, uint16; DataFormatError: a point outside of a board of this size."""
        starts, at = [], 0
        while at < len(words):
            starts.append(at)
            at += HEAD_WORDS + 2 * int(words[at])
        policies = np.zeros((len(starts), size * size + 1), np.float32)
        for policy, start in zip(policies, starts, strict=True):
            moves = words[start + HEAD_WORDS : start + HEAD_WORDS + 2 * int(words[start])]
            points = np.where(moves[0::2] == PASS, size * size, moves[0::2])
            if points.max(initial=0) > size * size:
                raise DataFormatError(f"a target has the point {points.max()}")
            policy[points] = moves[1::2] / np.float32(WHOLE_SHARE)
        values = words[np.array(starts, int) + 1].astype(np.float32)
        leads = words[np.array(starts, int) + 2].view(np.int16).astype(np.float32)
        return cls(
            policies,
            np.where(values == NO_VALUE, np.float32(np.nan), values / np.float32(WHOLE_SHARE)),
            np.where(leads == NO_LEAD, np.float32(np.nan), leads / np.float32(10)),
        )

    def to_words(self) -> np.ndarray:
        """The words of a packed file, uint16; DataFormatError for another shape or number."""
        self._require_valid()
        shares = np.rint(self.policies * WHOLE_SHARE).astype(np.uint16)
        values = np.where(np.isnan(self.values), NO_VALUE, np.rint(self.values * WHOLE_SHARE))
        leads = np.where(np.isnan(self.leads), NO_LEAD, np.rint(self.leads * 10)).astype(np.int16)
        words: list[int] = []
        for row, value, lead in zip(shares, values, leads.view(np.uint16), strict=True):
            moves = np.flatnonzero(row)
            moves = moves[np.argsort(-row[moves].astype(int), kind="stable")]
            words += [len(moves), int(value), int(lead)]
            words += np.stack([moves, row[moves]], axis=1).ravel().tolist()
        return np.array(words, np.uint16)

    def with_ownership(self, numbers: np.ndarray) -> "Targets":
        """The same with the ownership of a packed file, int8 [P, size²]."""
        shares = numbers.astype(np.float32) / np.float32(WHOLE_OWNERSHIP)
        shares[numbers == NO_OWNERSHIP] = np.nan
        return replace(self, ownership=shares)

    def ownership_numbers(self) -> np.ndarray | None:
        """The ownership as a packed file has it; DataFormatError: another shape or number."""
        if self.ownership is None:
            return None
        is_none = np.isnan(self.ownership)
        if not (
            self.ownership.shape == (len(self), PASS)
            and (is_none | (np.abs(self.ownership) <= 1)).all()
            and (is_none == is_none[:, :1]).all()
        ):
            raise DataFormatError(
                f"ownership must be [P, {PASS}] from −1 to 1, or NaN at all points of a position"
            )
        shares = np.rint(self.ownership * WHOLE_OWNERSHIP)
        return np.where(is_none, NO_OWNERSHIP, shares).astype(np.int8)

    def _require_valid(self) -> None:
        num_positions = len(self.values)
        shapes = (self.policies.shape, self.values.shape, self.leads.shape)
        if shapes != ((num_positions, PASS + 1), (num_positions,), (num_positions,)):
            raise DataFormatError(
                f"expected policies [P, {PASS + 1}], values [P] and leads [P]: got {shapes}"
            )
        values = self.values[~np.isnan(self.values)]
        for name, numbers in (("policies", self.policies), ("values", values)):
            if not ((numbers >= 0) & (numbers <= 1)).all():
                raise DataFormatError(f"{name} must be from 0 to 1")
        tenths = np.rint(10 * self.leads[~np.isnan(self.leads)])
        if not (np.abs(tenths) <= MAX_TENTHS).all():
            most = MAX_TENTHS / 10
            raise DataFormatError(f"leads must be from −{most} to {most} points")
