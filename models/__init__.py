"""Keras builders of the kit; a name is imported when it is first used, so that Keras can wait."""

from importlib import import_module

_MODULE_OF = {
    "ModelsError": "models.errors",
    "REGISTRY": "models.catalogue.registry",
    "build": "models.catalogue.registry",
    "resolve_options": "models.catalogue.registry",
}

__all__ = list(_MODULE_OF)


def __getattr__(name: str):
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'models' has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)
