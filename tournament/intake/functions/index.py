"""Python's x[...] on a tensor: parts of its axes, single ones, and new axes."""

from types import EllipsisType

import numpy as np

from tournament.intake.arguments import Slice
from tournament.intake.functions.base import TENSOR, FunctionKind, reshaped
from tournament.intake.functions.place import take
from tournament.intake.layers.base import Builder
from tournament.intake.ops import Cut
from tournament.intake.schema import Option, OptionError, integer, integers

Item = Slice | int | EllipsisType | None
_ALL = (Slice(None, None, None), Slice(None, None, 1))


def cut(builder: Builder, x: int, axis: int, start: int, stop: int) -> int:
    """Append the part from `start` to before `stop` of one axis."""
    shape = builder.shape(x)
    starts = tuple(start if at == axis else 0 for at in range(len(shape)))
    stops = tuple(stop if at == axis else size for at, size in enumerate(shape))
    return builder.add(Cut(starts, stops, (1,) * len(shape)), x)


def _get_item(builder: Builder, arguments: dict) -> int:
    return _select(builder, arguments["x"].index, arguments["index"])


def _select(builder: Builder, x: int, index: list[Item]) -> int:
    """Append what slices, numbers, new axes and at most one ellipsis leave of a result."""
    shape = builder.shape(x)
    used = sum(item is not None and item is not ... for item in index)
    fill = [Slice(None, None, None)] * (len(shape) + 1 - used)
    at = index.index(...) if ... in index else len(index)
    full = [*index[:at], *fill, *index[at + 1 :]]
    if used > len(shape) + 1 or index.count(...) > 1 or full[0] not in _ALL:
        builder.refuse("the slice does not keep the whole batch", "slice axes of a position only")
    ranges, result, axis = [], [], 0
    for item in full[1:]:
        assert not isinstance(item, EllipsisType)  # `fill` stands for it
        if item is None:
            result.append(1)
            continue
        kept = _kept(builder, item, shape[axis])
        if kept.step < 0:
            x, kept = take(builder, x, axis, np.array(kept)), range(len(kept))
        ranges.append(kept)
        result.extend([len(kept)] if isinstance(item, Slice) else [])
        axis += 1
    columns = zip(*((r.start, r.stop, r.step) for r in ranges), strict=True)
    return reshaped(builder, builder.add(Cut(*columns), x), tuple(result))


def _kept(builder: Builder, item: Slice | int, size: int) -> range:
    if isinstance(item, Slice):
        if item.step == 0:
            builder.refuse("the slice has the step 0", "use another step")
        return range(*slice(item.start, item.stop, item.step).indices(size))
    if not -size <= item < size:
        builder.refuse(f"the index {item} is not one of {size}", "use one that is there")
    return range(item % size, item % size + 1)


def _strided_slice(builder: Builder, arguments: dict) -> int:
    """Read TensorFlow's form of a slice: numbers for each item, and bits for their meaning."""
    begin, end, strides = (arguments[name] for name in ("begin", "end", "strides"))
    if not len(begin) == len(end) == len(strides):
        builder.refuse("the ends of the slice do not fit together", "slice with x[...]")

    def said(mask: str, place: int) -> bool:
        return bool(arguments[mask] >> place & 1)

    index: list[Item] = []
    for place, ends in enumerate(zip(begin, end, strides, strict=True)):
        if said("ellipsis_mask", place):
            index.append(...)
        elif said("new_axis_mask", place):
            index.append(None)
        elif said("shrink_axis_mask", place):
            index.append(ends[0])
        else:
            start = None if said("begin_mask", place) else ends[0]
            stop = None if said("end_mask", place) else ends[1]
            index.append(Slice(start, stop, ends[2]))
    return _select(builder, arguments["x"].index, index)


def _read_index(value: object) -> list[object]:
    items = value if isinstance(value, list) else [value]
    plain = all(item is None or item is ... or type(item) in (int, Slice) for item in items)
    if not plain or len(items) > 8 or items.count(...) > 1:
        raise OptionError("slices and whole numbers")
    return items


_PLACES = integers(-(2**31), 2**31)
_MASK = integer(0, 255, 0)

INDEXING: dict[str, FunctionKind] = {
    "get_item": FunctionKind(
        {"x": TENSOR, "index": Option(_read_index)}, _get_item,
        {"slice_spec": "index", "key": "index"},
    ),
    "strided_slice": FunctionKind(
        {
            "x": TENSOR, "begin": _PLACES, "end": _PLACES, "strides": _PLACES,
            "begin_mask": _MASK, "end_mask": _MASK, "ellipsis_mask": _MASK,
            "new_axis_mask": _MASK, "shrink_axis_mask": _MASK,
        },
        _strided_slice,
    ),
}
