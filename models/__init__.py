"""Keras builders of the kit: a model is a function, one file a family.

`REGISTRY`, `ModelSpec`, `build` and `resolve_options` come from `models.catalogue.registry`, which
imports Keras; they are looked up on first use so that `models.contract` can be read without it.
"""

from golois.kit.run_folder import CheckpointError
from models.errors import EvaluationError, ModelOptionError, ModelsError, UnknownModelError

_NEEDS_KERAS = ("REGISTRY", "ModelSpec", "build", "resolve_options")

__all__ = [
    "CheckpointError",
    "EvaluationError",
    "ModelOptionError",
    "ModelsError",
    "UnknownModelError",
    *_NEEDS_KERAS,
]


def __getattr__(name: str):
    if name not in _NEEDS_KERAS:
        raise AttributeError(f"module 'models' has no attribute {name!r}")
    from models.catalogue import registry

    return getattr(registry, name)
