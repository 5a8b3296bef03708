"""Games that a program has played to their end, as a packed file to train on.

See docs/student/data.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from golois.constants import PASS
from golois.errors import DataFormatError
from golois.games.rules import Rules, require_rules
from golois.go.coords import BLACK, EMPTY, WHITE
from golois.kit.files import replaced_file
from golois.records.packed_file import NO_VALUE
from golois.records.packing import Packer
from golois.records.targets import NO_LEAD, WHOLE_SHARE
from golois.records.targets import NO_VALUE as NO_TARGET_VALUE

MOST_MOVES = 32
LEAST_SHARE = 0.001
"""What is left out of a policy says little: the shares of fewer, larger moves are kept."""


@dataclass(frozen=True, eq=False)
class FinishedGame:
    """One game, Black first, and what a search thought of its positions; all lists have one length.

    moves: as `Game.play` takes them: row by row from 0, size² for a pass.
    winner: BLACK, WHITE, or EMPTY after a draw. The game may end early, by resignation.
    policies: what to learn instead of each move: a weight above 0 for each of some moves, of any
        sum. A position whose policy is empty is not a training position.
    values: P(White wins) before each move, from 0 to 1; not read where there is no policy.
    """

    moves: Sequence[int]
    winner: int
    policies: Sequence[Mapping[int, float]]
    values: Sequence[float]


def write_finished_games(path: str | PathLike, rules: Rules, games: Iterable[FinishedGame]) -> None:
    """Write games of one set of rules as a packed file, which appears only when it is complete.

    A policy keeps its 32 largest moves of at least a thousandth. The file holds the game, the size,
    pass, swap and komi in quarters of a point. Games are taken one at a time. Raises
    DataFormatError: a game breaks the rules or is inconsistent; ArgumentTypeError: no rules, such
    as a game's name; OSError: the file cannot be written.
    """
    require_rules(rules)
    with replaced_file(Path(path)) as file:
        packer = Packer(file, rules=rules)
        for index, game in enumerate(games):
            try:
                _add(packer, rules.size**2, game)
            except DataFormatError as error:
                raise DataFormatError(f"game {index}: {error}") from error
        packer.finish({"tool": "golois write_finished_games", "kept": packer.num_games})


def _add(packer: Packer, pass_point: int, game: FinishedGame) -> None:
    lengths = (len(game.moves), len(game.policies), len(game.values))
    if len(set(lengths)) > 1:
        raise DataFormatError(
            f"moves, policies and values must be of one length, not {lengths[0]}, {lengths[1]} and "
            f"{lengths[2]}"
        )
    if game.winner not in (EMPTY, BLACK, WHITE):
        raise DataFormatError(f"the winner must be BLACK, WHITE or EMPTY, not {game.winner!r}")
    hundredths = np.full(lengths[0], NO_VALUE, np.uint8)
    words: list[int] = []
    for i, (policy, value) in enumerate(zip(game.policies, game.values, strict=True)):
        if not policy:
            words += (0, NO_TARGET_VALUE, NO_LEAD & 0xFFFF)
            continue
        if not 0 <= value <= 1:
            raise DataFormatError(f"move {i + 1}: its value must be from 0 to 1, not {value}")
        shares = _largest_shares(policy, pass_point, i)
        hundredths[i] = round(100 * value)
        words += (len(shares), round(value * WHOLE_SHARE), NO_LEAD & 0xFFFF)
        for move, share in shares:
            words += (PASS if move == pass_point else move, round(share * WHOLE_SHARE))
    moves = [_in_range(move, pass_point, i) for i, move in enumerate(game.moves)]
    packer.add_finished(
        np.array(moves, np.int32), hundredths, game.winner, np.array(words, np.uint16)
    )


def _largest_shares(
    policy: Mapping[int, float], pass_point: int, index: int
) -> list[tuple[int, float]]:
    total = sum(policy.values())
    if not (0 < total < float("inf") and min(policy.values()) >= 0):
        raise DataFormatError(
            f"move {index + 1}: the weights of its policy must be numbers from 0, and not all 0"
        )
    shares = [(_in_range(move, pass_point, index), w / total) for move, w in policy.items()]
    shares.sort(key=lambda pair: (-pair[1], pair[0]))
    return [pair for pair in shares[:MOST_MOVES] if pair[1] >= LEAST_SHARE]


def _in_range(move: int, pass_point: int, index: int) -> int:
    if not 0 <= move <= pass_point:
        raise DataFormatError(f"move {index + 1}: {move} is not from 0 to {pass_point}")
    return move
