"""The description of a network: its builder, its presets, and what tests and docs need of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from models.parts.diagram import Column

if TYPE_CHECKING:
    import keras


@dataclass(frozen=True, kw_only=True)
class ModelSpec:
    """One network of the registry.

    `build` makes an uncompiled Keras model of keyword-only options, each annotated int, float,
    bool, str or Literal, with defaults. `budget` are options within `contract.PARAM_BUDGET`;
    `paper` those of the published network, of any size, or None. `paper_features` is a name of
    `golois.planes.derived.FEATURE_SETS`; a network of other planes than the course's can't be
    handed in. `scales` is the option that makes the network larger (`models.catalogue.fit`). For
    tests, `small` has every kind of layer and `learns` learns within minutes of a core. `picture`
    are columns for docs/pictures/draw.py.
    """

    name: str
    build: Callable[..., "keras.Model"]
    idea: str
    source: str
    budget: Mapping[str, Any]
    paper: Mapping[str, Any] | None = None
    paper_features: str = "course"
    scales: str
    small: Mapping[str, Any]
    learns: Mapping[str, Any]
    picture: tuple[Column, ...]

    @property
    def family(self) -> str:
        """The module that it stands in; several networks may share one, and its picture."""
        return self.build.__module__.rpartition(".")[2]
