"""Block strings: which residual (R) and transformer (T) blocks a network has, in order.

`RRTRRT`, `2R1T2R1T` and `2(RRT)` say the same; `R3(RRT)` is `RRRTRRTRRT`.
"""

import re

MAX_BLOCKS = 100
_GROUP = re.compile(r"([1-9]\d?)?\(([RT]+)\)")
_RUN = re.compile(r"([1-9]\d?)([RT])")


def parse_blocks(text: str) -> str:
    """Write a block string out, one letter a block.

    Raises:
        ValueError: not a block string, or more than 100 blocks.
    """
    blocks = _RUN.sub(lambda run: int(run[1]) * run[2], text)
    while len(blocks) <= MAX_BLOCKS and _GROUP.search(blocks):
        blocks = _GROUP.sub(lambda group: int(group[1] or 1) * group[2], blocks, count=1)
        blocks = _RUN.sub(lambda run: int(run[1]) * run[2], blocks)
    if not re.fullmatch("[RT]+", blocks) or len(blocks) > MAX_BLOCKS:
        raise ValueError(
            f"{text!r} must be blocks such as RRTRRT, 2R1T2R1T or R3(RRT), at most {MAX_BLOCKS}"
        )
    return blocks
