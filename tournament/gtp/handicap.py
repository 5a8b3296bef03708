"""Where handicap stones stand on 19×19: the fixed places of GTP 2, section 4.1.1."""

from golois.coords import gtp_to_point
from tournament.gtp.protocol import GtpError

MIN_STONES, MAX_FIXED_STONES = 2, 9
CORNERS = ("D4", "Q16", "D16", "Q4")
SIDES = ("D10", "Q10", "K4", "K16")
CENTRE = "K10"


def fixed_points(num_stones: int) -> list[int]:
    """Return the points of 2 … 9 stones; odd numbers from five on have one in the centre.

    Raises:
        GtpError: another number.
    """
    if not MIN_STONES <= num_stones <= MAX_FIXED_STONES:
        raise GtpError("invalid number of stones")
    if num_stones < 5:
        return [gtp_to_point(vertex) for vertex in CORNERS[:num_stones]]
    has_centre = num_stones % 2 == 1
    vertices = (*CORNERS, *SIDES)[: num_stones - has_centre]
    return [gtp_to_point(vertex) for vertex in (*vertices, *([CENTRE] * has_centre))]
