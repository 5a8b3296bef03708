"""The console of the kit's commands, by rich."""

from collections.abc import Iterable
from typing import Any

from rich import console
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from typing_extensions import override

from golois.kit.command import visible


class Console(console.Console):
    """A console on which texts are texts: neither markup, nor emoji, nor commands to the terminal.

    Names, values from files and what servers answer go to it as they are. Styles and bars work.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"markup": False, "emoji": False, **options})

    @override
    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render as rich does, with every text visible."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible(text), style, control)
