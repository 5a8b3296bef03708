"""What attention learns of the displacement of a key from its query, from stock layers."""

from typing import Literal, NamedTuple

from keras import layers

from models.parts.blocks import learned_array

Axis = Literal["row", "column"]

DEVIATION = 0.02
_ORDERS = {"row": ((1, 3, 2), (1, 3, 2)), "column": ((2, 3, 1), (3, 1, 2))}


def relative_bias(one, rows: int, columns: int):
    """Return a learned number for each displacement: `[B, points, points]`, query then key.

    Source: the released code of ResTNet; its paper cites Shaw et al. 2018, whose bias depends on
    the token as well and does not give the paper's parameter counts.
    """
    table = learned_array(one, (2 * rows - 1, 2 * columns - 1))
    by_row = _windows(table, rows)
    by_row = layers.Reshape((rows * rows, 2 * columns - 1))(by_row)
    by_column = _windows(layers.Permute((2, 1))(by_row), columns)
    points = layers.Reshape((columns, columns, rows, rows))(by_column)
    points = layers.Permute((3, 1, 4, 2))(points)
    return layers.Reshape((rows * columns, rows * columns))(points)


class ShawVectors(NamedTuple):
    """Learned vectors `[B, 2 size - 1, depth]`, a displacement's the sum of its row's and column's.

    A vector for each of 1,369 displacements would be over the budget. Source: Shaw et al.,
    "Self-Attention with Relative Position Representations", 2018; the sum as in Ramachandran et
    al., "Stand-Alone Self-Attention in Vision Models", 2019.
    """

    row: object
    column: object

    @classmethod
    def learned(cls, one, rows: int, columns: int, depth: int) -> "ShawVectors":
        """Return vectors of so many numbers, from what `constant_one` returned."""
        return cls(
            *(learned_array(one, (2 * size - 1, depth), DEVIATION) for size in (rows, columns))
        )

    def products(self, query, rows: int, columns: int):
        """Multiply queries `[B, points, depth]` by keys' vectors: `[B, points, points]`."""
        num_points = rows * columns
        by_row = layers.Dot(axes=2)([query, self.row])
        by_row = layers.Reshape((num_points, rows, 1))(_of_keys(by_row, rows, columns, "row"))
        by_column = layers.Dot(axes=2)([query, self.column])
        by_column = _of_keys(by_column, rows, columns, "column")
        by_column = layers.Reshape((num_points, 1, columns))(by_column)
        return layers.Reshape((num_points, num_points))(layers.Add()([by_row, by_column]))

    def means(self, weights, rows: int, columns: int):
        """Weigh keys' vectors by `[B, points, points]`, query first: `[B, points, depth]`."""
        spread = layers.Reshape((rows * columns * rows, columns, 1))(weights)
        by_row = layers.Rescaling(float(columns))(layers.AveragePooling2D((1, columns))(spread))
        by_column = layers.Rescaling(float(rows))(layers.AveragePooling2D((rows, 1))(spread))
        by_row = _of_displacements(by_row, rows, columns, "row")
        by_row = layers.Dot(axes=(2, 1))([by_row, self.row])
        by_column = _of_displacements(by_column, rows, columns, "column")
        by_column = layers.Dot(axes=(2, 1))([by_column, self.column])
        return layers.Add()([by_row, by_column])


def _of_keys(x, rows: int, columns: int, axis: Axis):
    """A number for each displacement, `[B, points, 2 size - 1]`, as one for each of `size` keys."""
    size = rows if axis == "row" else columns
    there, back = _ORDERS[axis]
    x = layers.Permute(there)(layers.Reshape((rows, columns, 2 * size - 1))(x))
    x = layers.Permute(back)(_skewed(x, size))
    return layers.Reshape((rows * columns, size))(x)


def _of_displacements(x, rows: int, columns: int, axis: Axis):
    """Undo `_of_keys`; a displacement that leads off the board has 0."""
    size = rows if axis == "row" else columns
    there, back = _ORDERS[axis]
    x = layers.Permute(there)(layers.Reshape((rows, columns, size))(x))
    x = layers.Permute(back)(_unskewed(x, size))
    return layers.Reshape((rows * columns, 2 * size - 1))(x)


def _skewed(x, size: int):
    """Keep for query i the numbers from size - 1 - i on, of `[B, size, 2 size - 1, C]`."""
    width = x.shape[-1]
    x = layers.Reshape((size * (2 * size - 1), 1, width))(x)
    # in one sequence of all queries, rows of 2 size - 2 numbers begin one number earlier each
    x = layers.Cropping2D(((size - 1, 1), (0, 0)))(x)
    x = layers.Reshape((size, 2 * size - 2, width))(x)
    return layers.Cropping2D(((0, 0), (0, size - 2)))(x)


def _unskewed(x, size: int):
    """Undo `_skewed`, with zeros for what it dropped."""
    width = x.shape[-1]
    x = layers.ZeroPadding2D(((0, 0), (0, size - 2)))(x)
    x = layers.Reshape((size * (2 * size - 2), 1, width))(x)
    x = layers.ZeroPadding2D(((size - 1, 1), (0, 0)))(x)
    return layers.Reshape((size, 2 * size - 1, width))(x)


def _windows(x, size: int):
    """Show one sequence `[B, 2 size - 1, C]` to all of `size` queries, as `_skewed` does."""
    length, width = x.shape[1:]
    x = layers.Reshape((length, 1, width))(x)
    first = layers.Cropping2D(((size - 1, 0), (0, 0)))(x)
    last = layers.Cropping2D(((0, 1), (0, 0)))(x)
    repeated = layers.Concatenate(axis=1)([first, *[x] * (size - 2), last])
    rows = layers.Reshape((size, length - 1, width))(repeated)
    return layers.Cropping2D(((0, 0), (0, length - 1 - size)))(rows)
