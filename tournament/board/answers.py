"""What each request is answered: numbers and words, for the page to show."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import date
from typing import Any

from golois.constants import PASS, TOURNAMENT_KOMI
from golois.errors import DataFormatError
from golois.go.board import Board
from golois.go.coords import BLACK, COLOUR_LETTERS, WHITE, opponent
from golois.sgf.reading import SgfGame, read_sgf
from golois.sgf.writing import game_root, result_of_lead, tree_text
from tournament.board.asked import read_asked
from tournament.board.networks import SharedNetwork, SharedPlayer, Stay
from tournament.errors import RequestError
from tournament.game.sgf import sgf_name

NUM_DIGITS = 5  # of shares and chances: a hundred thousandth
Answer = dict[str, Any]


class Answers:
    """Answers the page's requests about networks and players; keeps nothing between requests."""

    def __init__(
        self, networks: Sequence[SharedNetwork], players: Sequence[SharedPlayer] = ()
    ):
        self._networks, self._players = networks, players
        self.by_path: Mapping[str, Callable[[bytes, Stay], Answer]] = {
            "/api/networks": self._list,
            "/api/position": _position,
            "/api/look": self._look,
            "/api/search": self._search,
            "/api/load": _load,
            "/api/save": _save,
        }

    def _list(self, body: bytes, stay: Stay) -> Answer:
        return {
            "networks": [network.name for network in self._networks],
            "players": [player.name for player in self._players],
        }

    def _look(self, body: bytes, stay: Stay) -> Answer:
        """The policy of a position, and the values from the ply `since` up to it."""
        asked = read_asked(body)
        network = self._networks[asked.number("network", len(self._networks))]
        policy, values = network.look(asked, asked.number("since", asked.ply + 1), stay)
        return {"policy": _rounded(policy.tolist()), "values_white": _rounded(values)}

    def _search(self, body: bytes, stay: Stay) -> Answer:
        asked = read_asked(body)
        if _is_over(asked.game, asked.ply):
            raise RequestError("both have passed: the game is over, and there is nothing to search")
        seats: list[SharedNetwork | SharedPlayer] = [*self._networks, *self._players]
        seat = seats[asked.number("network", len(seats))]
        choice, review = seat.search(asked, asked.limits(), stay)
        return {
            "point": choice.point,
            "num_visits": choice.num_visits,
            "cpu_seconds": choice.cpu_seconds,
            "value_white": choice.value_white,
            "candidates": [asdict(candidate) for candidate in review.candidates] if review else [],
        }


def _rounded(numbers: Sequence[float]) -> list[float]:
    return [round(number, NUM_DIGITS) for number in numbers]


def _position(body: bytes, stay: Stay) -> Answer:
    asked = read_asked(body)
    board = asked.game.replay(asked.ply)
    lead_black = board.score_black() - asked.komi
    return {
        "stones": board.stones().ravel().tolist(),
        "area": board.area().ravel().tolist(),
        "to_play": board.to_play,
        "captured": {colour: _captured_by(colour, board) for colour in (BLACK, WHITE)},
        "lead_black": lead_black,
        "is_over": _is_over(asked.game, asked.ply),
    }


def _captured_by(colour: int, board: Board) -> int:
    other = opponent(colour)
    num_played = sum(mover == other and point != PASS for mover, point in board.moves)
    return num_played - int((board.stones() == other).sum())


def _is_over(game: SgfGame, ply: int) -> bool:
    last = game.moves[ply - 2 : ply] if ply > 1 else []
    return [point for _, point in last] == [PASS] * 2 and last[0][0] != last[1][0]


def _load(body: bytes, stay: Stay) -> Answer:
    """The first game of an SGF file, once all its moves are known to be legal."""
    game = read_sgf(body)
    if not game.moves and not game.set_up:
        raise DataFormatError("the game has no moves")
    game.replay()
    return {"game": asdict(replace(game, komi=TOURNAMENT_KOMI if game.komi is None else game.komi))}


def _save(body: bytes, stay: Stay) -> Answer:
    asked = read_asked(body)
    game = asked.game
    if not game.result and _is_over(game, len(game.moves)):
        game = replace(game, result=result_of_lead(game.replay().score_black() - asked.komi))
    game = replace(game, date=game.date or date.today().isoformat())
    root = last = game_root(game, asked.komi)
    for colour, point in game.moves:
        last = last.add({COLOUR_LETTERS[colour]: point})
    if game.moves and game.to_play is not None:
        last.add({"PL": game.to_play})
    name = sgf_name(game.date, game.black, game.white, game.result)
    return {"name": name, "sgf": tree_text(root)}
