"""Numbers that all packages share: board, planes, budget of parameters, komi and seconds a move."""

BOARD_SIZE = 19
NUM_POINTS = BOARD_SIZE * BOARD_SIZE
PASS = NUM_POINTS
TOURNAMENT_KOMI = 7.5  # points for White, of a tournament unless it says otherwise
TOURNAMENT_SECONDS = 2.0  # CPU seconds a move, likewise
NUM_PLANES = 31
PLANES_SHAPE = (BOARD_SIZE, BOARD_SIZE, NUM_PLANES)
PARAM_BUDGET = 100_000  # parameters of a network that can be handed in
KOMI_UNKNOWN = -(2**15)  # in quarters of a point, where a game doesn't say
MAX_INT32 = 2**31 - 1  # what an int32_t of the core holds


def packed_size(num_planes: int, size: int = BOARD_SIZE) -> int:
    """Bytes of a position's planes as bits."""
    return (size * size * num_planes + 7) // 8
