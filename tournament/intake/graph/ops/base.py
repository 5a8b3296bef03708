"""What most operations share."""

from typing import Any

from typing_extensions import override

from tournament.intake.graph.nodes import Op, Shape


class NoCost(Op):
    """Counts no floating-point operation: the numbers are only moved."""

    @override
    def flops(self, *shapes: Any) -> int:
        return 0


def windows(size: int, kernel: int, stride: int, dilation: int = 1) -> int:
    """Return how many places a kernel has along an axis that is already padded."""
    count = (size - (kernel - 1) * dilation - 1) // stride + 1
    if count < 1:
        raise ValueError(f"a kernel of {kernel} does not fit in {size} points")
    return count


def with_batch(shape: Shape) -> tuple[int, ...]:
    """Return the shape with -1 for the batch in front."""
    return (-1, *shape)


def first_axis(axis: int, rank: int) -> int:
    """Return where ONNX has an axis (from 0, without the batch) of a channels-first result."""
    return {0: 2, 1: 3, 2: 1}[axis] if rank == 3 else axis + 1
