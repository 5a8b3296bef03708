"""The arena's commands.

The module of a command NAME is imported only when the command is called. `add_NAME_arguments` says
what it takes; `NAME_command` runs it.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """Where a command is, and what it does, in a few words."""

    module: str
    help: str


COMMANDS = {
    "run": Command("run", "play the missing games, and write the report"),
    "play": Command("play", "play a match between two networks"),
    "ladder": Command("ladder", "rate a network in three minutes (docs/student/evaluate.md)"),
    "board": Command("board", "play against a network in the browser (docs/student/play.md)"),
    "gtp": Command(
        "gtp", "play with a network in Sabaki, GoGui and other Go programs (docs/student/play.md)"
    ),
    "analyze": Command(
        "analyze", "annotate a game: values, mistakes, better moves (docs/student/play.md)"
    ),
    "report": Command("report", "write the table, the CSV files and the page"),
    "withdraw": Command("manage", "stop a network from playing; its games count"),
    "reinstate": Command("manage", "let a network that was withdrawn or taken out play again"),
    "anchor": Command("manage", "fix the scale of the ratings by a network"),
    "reveal": Command("manage", "publish the secret of the seed, and games that are hidden"),
    "season": Command("season", "points, ratings and grades over the weeks"),
    "export": Command("manage", "write leagues into one file"),
    "import": Command("manage", "restore leagues from a file that export wrote"),
    "check": Command("check", "check networks as the intake does"),
    "serve": Command("serve", "let students hand in over the network"),
    "work": Command("work", "play games for a league on a server"),
    "tokens": Command("tokens", "create the tokens for handing in over the network"),
}
