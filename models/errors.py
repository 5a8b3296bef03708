"""The exceptions of models: one root; each subclass also inherits from a matching builtin."""

from golois.kit.command import KitError


class ModelsError(KitError):
    """Root of all errors of the package."""


class UnknownModelError(ModelsError, ValueError):
    """A name that the registry does not hold."""


class ModelOptionError(ModelsError, ValueError):
    """An option that the builder does not have, or a value that it cannot take."""


class SavedNetworkError(ModelsError, ValueError):
    """A file that holds no network, or one that cannot be opened safely."""


class EvaluationError(ModelsError, ValueError):
    """A network, a position or games that cannot be evaluated."""
