"""Pages from the templates of `templates/`: Jinja2, which escapes every value."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tournament.report.charts import shade
from tournament.report.meetings import TAKEN_OUT, game_address, meeting_address
from tournament.report.standings import percent
from tournament.report.words import moment, network_page, result_of, seconds, signed, thousands

TEMPLATES = Path(__file__).parent / "templates"
FILTERS = (moment, percent, result_of, seconds, shade, signed, thousands)
# What leads from the site's root to a page.
ADDRESSES = (game_address, meeting_address, network_page)


def render(template: str, **values: object) -> str:
    """Return a page as HTML.

    Args:
        template: the name of a file of `templates/`.
        values: what the template names. One that it names and that is not given is an error.
    """
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update({function.__name__: function for function in FILTERS})
    environment.globals.update({function.__name__: function for function in ADDRESSES})
    environment.globals["TAKEN_OUT"] = TAKEN_OUT
    return environment
