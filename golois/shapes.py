"""The shapes that every room of the kit agrees on."""

BOARD_SIZE = 19
NUM_POINTS = BOARD_SIZE * BOARD_SIZE
PASS = NUM_POINTS
NUM_PLANES = 31
PLANES_SHAPE = (BOARD_SIZE, BOARD_SIZE, NUM_PLANES)
# Bytes of a position's planes as bits.
PACKED_PLANES_SIZE = (NUM_POINTS * NUM_PLANES + 7) // 8
