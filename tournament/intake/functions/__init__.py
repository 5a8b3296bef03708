"""The tables of functions of tensors, one entry each: of tf (Keras 2) and of keras.ops (Keras 3).

To teach the intake a function, add a FunctionKind to the file of its family and its names to the
tables in names.py and nodes.py. What is not here is refused.
"""

from tournament.intake.functions.arithmetic import ARITHMETIC
from tournament.intake.functions.base import FunctionKind
from tournament.intake.functions.index import INDEXING
from tournament.intake.functions.names import KERAS_NAMES, TF_NAMES
from tournament.intake.functions.nodes import NODES
from tournament.intake.functions.place import PLACES
from tournament.intake.functions.product import PRODUCTS
from tournament.intake.functions.reduction import REDUCTIONS
from tournament.intake.functions.shape import SHAPES
from tournament.intake.functions.window import WINDOWS

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
