"""The tables of functions of tensors, one entry each: of tf (Keras 2) and of keras.ops (Keras 3).

To teach the intake a function, add a FunctionKind to the file of its family and its names to the
two tables. What is not here is refused.
"""

from tournament.intake.operations.arithmetic import ARITHMETIC
from tournament.intake.operations.base import FunctionKind
from tournament.intake.operations.names import KERAS_NAMES, TF_NAMES
from tournament.intake.operations.reduction import REDUCTIONS
from tournament.intake.operations.shape import SHAPES

_KINDS: dict[str, FunctionKind] = {**ARITHMETIC, **REDUCTIONS, **SHAPES}

TF_FUNCTIONS: dict[str, FunctionKind] = {name: _KINDS[kind] for name, kind in TF_NAMES.items()}
KERAS_OPERATIONS: dict[str, FunctionKind] = {
    name: _KINDS[kind] for name, kind in KERAS_NAMES.items()
}
