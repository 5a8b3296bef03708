"""A network of KataGo as a player: what the search asks it, its moves, and its name."""

from pathlib import Path

import numpy as np
import pytest

from golois.constants import PASS
from golois.errors import ArgumentError, DataFormatError
from golois.games.game import Game
from golois.games.rules import Go, Hex
from golois.go.board import Board
from golois.go.coords import BLACK, WHITE
from golois.katago.answers import answers_of
from golois.katago.inputs import Inputs, KatagoRules, game_inputs
from golois.kit.command import UsageError
from golois.search.options import SearchOptions
from golois.search.tree import Tree, arena_game
from golois.sgf.reading import SgfGame
from tests.katago_files import write_network
from tournament.board.asked import Asked
from tournament.board.networks import SharedNetwork
from tournament.errors import NetworkError, OptionsError
from tournament.matches.opponents import file_digest, opened_opponent
from tournament.networks.evaluator import KatagoEvaluator, SymmetricEvaluator
from tournament.players.limits import Limits
from tournament.players.puct import PuctPlayer
from tournament.players.registry import file_of_katago, find_player, names_player
from tournament.players.search import Search

MOVES = (72, 288, PASS, 300, 60, 41, 59, 40)
KOMI = 6.5
UNTURNED = SearchOptions(random_symmetry=False)


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> Path:
    return write_network(tmp_path_factory.mktemp("katago") / "tiny.bin.gz", 14)


@pytest.fixture(scope="module")
def network(path) -> KatagoEvaluator:
    return KatagoEvaluator(path, 4)


def test_a_batch_is_limited(path):
    with pytest.raises(OptionsError, match="at most 10,000 positions, not 1000000000"):
        KatagoEvaluator(path, 10**9)


def inputs_of(board: Board) -> Inputs:
    """Those of a game that begins where one colour last moved twice."""
    colours, points = zip(*board.moves, strict=True) if board.moves else ((BLACK,), ())
    begin = max((i for i in range(1, len(points)) if colours[i] == colours[i - 1]), default=0)
    return game_inputs(
        points[begin:],
        [len(points) - begin],
        KatagoRules(KOMI),
        setup=board.moves[:begin],
        first=colours[begin],
    )


def boards() -> list[Board]:
    played = [Board() for _ in range(len(MOVES) + 1)]
    for number, board in enumerate(played):
        for point in MOVES[:number]:
            board.play(point)
    return played


def answers_to(network: KatagoEvaluator, board: Board, size: int):
    """The policy over so many moves and the value, from the inputs of the board."""
    inputs = inputs_of(board)
    inputs.legal[:] = np.arange(PASS + 1) < size
    raw = network._predict(inputs.planes, inputs.globals)
    answers = answers_of(network._network, raw, inputs)
    return answers.policy[:, :size], answers.white_wins


@pytest.mark.parametrize(("passes", "size"), [("arena", 361), ("free", 362)])
def test_it_answers_what_the_network_says_of_the_board(network, passes, size):
    for board in boards():
        own, seen = network.of_game(Game(Go(19, KOMI, passes=passes), board))
        found = own.evaluate(seen.planes()[np.newaxis])
        expected = answers_to(network, board, size)
        for numbers, wanted in zip(found, expected, strict=True):
            np.testing.assert_allclose(numbers, wanted, atol=1e-6)
        assert found[0].sum() == pytest.approx(1, abs=1e-5)
    assert seen.moves == board.moves and seen.key == board.key


def test_every_leaf_of_a_search_is_asked_as_its_board(network, monkeypatch):
    asked = []
    real = network._predict
    own, seen = network.of_game(arena_game(boards()[4], KOMI))
    monkeypatch.setattr(own, "_predict", lambda *inputs: asked.append(inputs) or real(*inputs))
    tree = Tree(seen, options=UNTURNED)
    tree.search(own.evaluate, 1)
    for point in tree.root_moves().points[:20].tolist():
        assert tree.select(planes := np.empty((1, 19, 19, 28), np.float32), point) == 1
        tree.apply(*own.evaluate(planes))
        leaf = boards()[4]
        leaf.play(point)
        for ours, theirs in zip(asked[-1], inputs_of(leaf)[:2], strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_one_network_serves_games_of_several_komi(network):
    searches = [Search(network, UNTURNED, Limits(visits=6), 0, lambda: 0.0) for _ in range(3)]
    trees = [
        search.begin(Board(), komi) for search, komi in zip(searches, (0.5, 60.5, 0.5), strict=True)
    ]
    for _ in range(6):
        for search in searches:
            search.run(1)
    first, other, same = (tree.root_moves() for tree in trees)
    assert first.priors.tolist() == same.priors.tolist() != other.priors.tolist()
    np.testing.assert_array_equal(first.visits, same.visits)


def test_the_mean_of_eight_views_turns_with_the_board(network):
    mean = SymmetricEvaluator(network)
    board, turned = Board(), Board()
    for point in (72, 288, 300):
        row, column = divmod(point, 19)
        board.play(point)
        turned.play(19 * column + row)
    answers = []
    for each in (board, turned):
        own, seen = mean.of_game(arena_game(each, KOMI))
        answers.append(own.evaluate(seen.planes()[np.newaxis]))
    (policy, value), (policy_turned, value_turned) = answers
    assert value == pytest.approx(value_turned, abs=1e-5)
    across = policy_turned.reshape(19, 19).T.reshape(-1)
    np.testing.assert_allclose(policy[0], across, atol=1e-6)
    assert np.abs(answers_to(network, board, 361)[0] - policy).max() > 1e-5


def test_with_one_visit_it_plays_the_likeliest_candidate(network):
    for board in boards():
        game = arena_game(board, KOMI)
        choice = PuctPlayer(network, UNTURNED, Limits(visits=1)).choose(game)
        policy, value = answers_to(network, board, 361)
        points = [point for point in game.candidates() if point != PASS]
        assert choice.point == max(points, key=policy[0].__getitem__, default=PASS)
        assert choice.value_white == pytest.approx(value[0], abs=1e-5)


@pytest.mark.parametrize("options", ["", ",player=gumbel,visits=3", ",visits=3"])
def test_by_its_name_it_plays_a_game_that_is_the_same_again(path, options):
    rules = Go(19, KOMI, passes="arena", max_moves=14)
    played = []
    for _ in range(2):
        game = Game(rules)
        with opened_opponent(f"katago:{path}{options}", rules, SearchOptions(), 2, "") as new:
            player = new(5)
            while not game.is_over:
                game.play(player.choose(game).point)
        played.append(game.moves)
    assert played[0] == played[1] and len(played[0]) == 14
    assert file_digest(f"katago:{path}{options}") == file_digest(f"net:{path}")


def test_the_page_shows_what_it_sees(network):
    setup = ((BLACK, 60), (BLACK, 300))
    game = SgfGame(KOMI, setup, ((WHITE, 288), (BLACK, 72)), "", "", "", "", "")
    shown = SharedNetwork("tiny", network).look(Asked(game, KOMI, 2, {}), 0, lambda: None)
    expected = [answers_to(network, board, 361) for board in game.boards()]
    np.testing.assert_allclose(shown[0], expected[-1][0][0], atol=1e-6)
    np.testing.assert_allclose(shown[1], [value[0] for _, value in expected], atol=1e-6)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("katago:net.bin.gz", "net.bin.gz"),
        ("katago:nets/a.txt.gz,visits=3", "nets/a.txt.gz,visits=3"),
        ("katago", ""),
        ("katago:50", ""),
        ("katago:", ""),
        ("gnugo:10", ""),
    ],
)
def test_the_program_keeps_its_names(name, file):
    assert file_of_katago(name) == file and names_player(name) == (not file)


@pytest.mark.parametrize(
    ("name", "rules", "error", "words"),
    [
        ("katago:{tiny}", Go(9), NetworkError, "plays Go on 19×19, not Go 9×9, komi 7.5"),
        ("katago:{tiny}", Hex(5), NetworkError, "plays Go on 19×19, not Hex 5×5"),
        ("katago:{tiny}", Go(19, 7.25), ArgumentError, "komi must be a whole or half number"),
        ("katago:{tiny},visits=no", Go(19), OptionsError, "visits= must have a whole number"),
        ("katago:{tiny},tta=true", Go(19), UsageError, "has tta or a precision"),
        ("katago:{alive}", Go(19), NetworkError, "counts pass-alive areas"),
        ("katago:{text}", Go(19), DataFormatError, "not a KataGo network"),
        ("katago:none.bin.gz", Go(19), UsageError, "there is no file none.bin.gz"),
        ("katago:net.bin", Go(19), OptionsError, r"or a file \.bin\.gz or \.txt\.gz, after a"),
    ],
)
def test_what_it_cannot_play_is_refused(name, rules, error, words, path, tmp_path):
    alive = write_network(tmp_path / "alive.bin.gz", 15)
    text = tmp_path / "text.bin.gz"
    text.write_text("no network")
    name = name.format(tiny=path, alive=alive, text=text)
    with (
        pytest.raises(error, match=words),
        opened_opponent(name, rules, SearchOptions(), 2, ""),
    ):
        pass


def test_planes_of_others_are_refused(network):
    with pytest.raises(NetworkError, match="the network reads planes of KataGo, not"):
        network.evaluate(np.zeros((1, 19, 19, 31), np.float32))
    with pytest.raises(OptionsError, match="katago takes a number of visits"):
        find_player("katago:none", Go(19))
