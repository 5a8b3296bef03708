"""The tables of functions of tensors, one entry each: of tf (Keras 2) and of keras.ops (Keras 3).

To teach the intake a function, add a FunctionKind to the file of its family and its names to the
tables in names.py and nodes.py. What is not here is refused.
"""

from tournament.intake.operations.arithmetic import ARITHMETIC
from tournament.intake.operations.base import FunctionKind
from tournament.intake.operations.index import INDEXING
from tournament.intake.operations.names import KERAS_NAMES, TF_NAMES
from tournament.intake.operations.nodes import NODES
from tournament.intake.operations.place import PLACES
from tournament.intake.operations.product import PRODUCTS
from tournament.intake.operations.reduction import REDUCTIONS
from tournament.intake.operations.shape import SHAPES
from tournament.intake.operations.window import WINDOWS

_KINDS: dict[str, FunctionKind] = {
    **ARITHMETIC, **INDEXING, **PLACES, **PRODUCTS, **REDUCTIONS, **SHAPES, **WINDOWS,
}

TF_FUNCTIONS: dict[str, FunctionKind] = {name: _KINDS[kind] for name, kind in TF_NAMES.items()}
NODE_FUNCTIONS: dict[str, FunctionKind] = {
    name: _KINDS[kind.function] for name, kind in NODES.items()
}
KERAS_OPERATIONS: dict[str, FunctionKind] = {
    name: _KINDS[kind] for name, kind in KERAS_NAMES.items()
}
