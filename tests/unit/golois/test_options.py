"""Options of commands: ranges, choices, changes, and how they are read."""

from dataclasses import dataclass, field
from math import inf, nan

import pytest

from golois.kit.command import UsageError
from golois.kit.options import (
    Parser,
    Range,
    changed,
    check,
    markdown_table,
    option,
    script_parser,
)


@dataclass(frozen=True)
class Search:
    c_puct: float = option(1.5, "exploration", least=0)


@dataclass(frozen=True)
class Options:
    visits: int | None = option(None, "visits a move [none]", least=1)
    seconds: float = option(2.0, "seconds a move", above=0)
    share: float = option(0.5, "of all", least=0, most=1)
    decay: float = option(0.9, "of an average", least=0, below=1)
    player: str = option("puct", "who plays", choices=("puct", "gumbel"))
    tta: bool = option(False, "average over symmetries")
    c_puct: float = option(2.0, "exploration", least=0)
    search: Search = field(default_factory=Search)

    def __post_init__(self) -> None:
        check(self)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (dict(visits=0), "--visits must be a finite number from 1, not 0"),
        (dict(seconds=0.0), "--seconds must be a finite number above 0, not 0.0"),
        (dict(seconds=inf), "--seconds must be a finite number above 0, not inf"),
        (dict(seconds=nan), "--seconds must be a finite number above 0, not nan"),
        (dict(share=1.5), "--share must be from 0 to 1, not 1.5"),
        (dict(share=-0.5), "--share must be from 0 to 1, not -0.5"),
        (dict(decay=1.0), "--decay must be from 0, below 1, not 1.0"),
        (dict(player="pukt"), "must be one of puct, gumbel, not 'pukt' (did you mean puct?)"),
        (dict(c_puct=-1.0), "--c-puct must be a finite number from 0, not -1.0"),
    ],
)
def test_a_value_out_of_range_is_refused(given, said):
    with pytest.raises(UsageError) as error:
        Options(**given)
    assert said in str(error.value)


def test_the_ends_of_a_range_belong_to_it_or_not():
    assert Range(least=0, most=1).has(0) and Range(least=0, most=1).has(1)
    assert not Range(above=0).has(0) and not Range(below=1).has(1)


def test_a_change_reaches_the_options_within():
    options = changed(Options(), {"c_puct": 3.0, "tta": True})
    assert (options.c_puct, options.search, options.tta) == (3.0, Search(3.0), True)
    assert changed(options, {}) == options


def test_only_what_was_given_is_read():
    parser = script_parser("play.py", "Plays.\nMore of it.")
    parser.add_fields(Options)
    given = ["--visits", "5", "--no-tta", "--player", "gumbel"]
    assert vars(parser.parse_args(given)) == dict(visits=5, tta=False, player="gumbel")
    shown = parser.format_help()
    assert "seconds a move [2.0]" in shown and "[--no-tta]" in shown and "More of it." in shown
    assert "visits a move [none]\n" in shown


def test_of_exclusive_options_one_is_read():
    parser = Parser(prog="play.py")
    parser.add_fields(Options, exclusive=("visits", "seconds"))
    with pytest.raises(UsageError, match="not allowed with argument --visits; see play.py --help"):
        parser.parse_args(["--visits", "5", "--seconds", "1"])


def test_a_table_has_the_other_values_and_leaves_out_what_another_table_has():
    rows = markdown_table(Options, Search).splitlines()[2:]
    assert rows == [
        "| `--visits` |  | visits a move [none] |",
        "| `--seconds` | 2.0 | seconds a move |",
        "| `--share` | 0.5 (≤ 1) | of all |",
        "| `--decay` | 0.9 (< 1) | of an average |",
        "| `--player` | puct (gumbel) | who plays |",
        "| `--tta` |  | average over symmetries |",
        "| `--c-puct` | 2.0 | exploration |",
    ]
    assert markdown_table(Search, Search).count("\n") == 1
    assert Range(least=2, below=9).formula() == "≥ 2, < 9"
