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

    Attributes:
        name: what `train.py --model` takes.
        build: keyword-only options, each annotated int, float, bool, str or Literal, all with
            defaults, to an uncompiled Keras model.
        idea: what is special about it, in a line of docs/models.md.
        source: where the published network is described.
        budget: options that keep within `contract.PARAM_BUDGET`.
        paper: options of the published network, whatever its size, with the contract's outputs;
            None where this kit follows an idea and not a network.
        paper_features: the planes that `paper` reads, a name of
            `golois.planes.derived.FEATURE_SETS`; with others than the course's a network can be
            trained, and not handed in.
        scales: the option that makes the network larger; see `models.catalogue.fit`.
        small: options of a tiny network, with every kind of layer, for tests.
        learns: options of a small network that learns within minutes of a core, for tests.
        picture: of the budget preset, in columns; see docs/pictures/draw.py.
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
