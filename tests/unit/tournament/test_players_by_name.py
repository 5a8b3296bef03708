"""The players that networks are measured against: by hand, by brute force and by solved games."""

import json
import shutil
import sys
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from golois.errors import ArgumentError
from golois.games.game import Game, after_moves
from golois.games.rules import Go, Hex, NoGo
from golois.go.coords import BLACK, opponent, point_to_gtp
from golois.kit.command import UsageError
from selfplay.options import Options
from selfplay.oracles import won_positions
from tests.fake_arena import FakeEvaluator
from tests.fake_network import hashed
from tournament.errors import EngineError, NetworkError, OptionsError
from tournament.matches import opponents as selfplay_opponents
from tournament.matches.opponents import opened_opponent
from tournament.players.fresh_search import FreshSearch
from tournament.players.program import hex_move
from tournament.players.protocol import NewPlayer, Resignation
from tournament.players.registry import kinds
from tournament.players.simple import AtRandom, AverageLib, Perfect, Rollouts

GNUGO = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")


def network_of(batch_size: int, planes_shape, policy_size: int) -> FakeEvaluator:
    """An evaluator without a network, of any game."""
    answer = partial(hashed, policy_size=policy_size)
    return FakeEvaluator(answer, batch_size, planes_shape=planes_shape)


def opened(name: str, rules) -> AbstractContextManager[NewPlayer]:
    """A player by its name, whose network, if it has one, searches a little."""
    return opened_opponent(name, rules, Options().of_matches(), 4, "onnxruntime")


RULES = (Go(5, max_moves=50), NoGo(4), Hex(4), Hex(3, swap=True))


def liberties_a_chain(stones: np.ndarray, colour: int) -> int:
    """Ten times the liberties over the chains, by merging neighbours until nothing changes."""
    points = [tuple(point) for point in np.argwhere(stones == colour)]
    chains = [{point} for point in points]
    merged = True
    while merged:
        merged = False
        for first in chains:
            for second in chains:
                if first is not second and any(_touch(a, b) for a in first for b in second):
                    first |= second
                    chains.remove(second)
                    merged = True
                    break
            if merged:
                break
    empty = [tuple(point) for point in np.argwhere(stones == 0)]
    count = sum(any(_touch(point, stone) for stone in chain) for chain in chains for point in empty)
    return 10 * count // max(1, len(chains))


def _touch(a, b) -> bool:
    return abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        pytest.param(
            name, rules, marks=pytest.mark.slow if name == "perfect" and rules.size > 3 else []
        )
        for name in ("random", "averagelib", "rollouts:20", "perfect")
        for rules in RULES
        if kinds()[name.partition(":")[0]].plays(rules)
    ],
    ids=str,
)
def test_players_play_a_whole_game_and_leave_each_position_alone(name, rules):
    game = Game(rules)
    with opened(name, rules) as new_player:
        player = new_player(7)
        while not game.is_over:
            before = (game.key, game.num_moves)
            choice = player.choose(game)
            assert choice == new_player(7).choose(game) and (game.key, game.num_moves) == before
            game.play(choice.point)


def test_a_player_at_random_gives_every_point_its_chance_and_averagelib_counts_liberties():
    moves = [AtRandom(seed).choose(Game(NoGo(2))).point for seed in range(200)]
    assert all(moves.count(point) > 25 for point in range(4))
    assert AtRandom().choose(after_moves(Go(2), [0, 1, 3])).point in (2, 4)  # passes last
    # The centre has four liberties, an edge three, a corner two.
    assert AverageLib().choose(Game(Go(3))).point == 4
    # A chain of two beside the corner has six liberties; taking one of the corner's gives less.
    assert AverageLib().choose(after_moves(NoGo(4), [5, 0])).point in (6, 9)


@pytest.mark.parametrize("rules", [Go(4, max_moves=20), NoGo(4)], ids=str)
def test_averagelib_is_brute_force(rules):
    for seed in range(6):
        game = Game(rules)
        while not game.is_over:
            mover, stones = game.to_play, game.stones()
            move = AverageLib(seed).choose(game).point
            scores = {}
            for point in game.candidates():
                row, column = divmod(point, 4)
                around = [(row + r, column + c) for r, c in ((0, 1), (1, 0), (0, -1), (-1, 0))]
                on_board = [place for place in around if min(place) >= 0 and max(place) < 4]
                is_own = all(stones[place] == mover for place in on_board)
                if point == game.pass_point or (isinstance(rules, Go) and is_own):
                    continue
                game.play(point)
                scores[point] = liberties_a_chain(game.stones(), mover) - liberties_a_chain(
                    game.stones(), opponent(mover)
                )
                game.take_back()
            best = [point for point, score in scores.items() if score == max(scores.values())]
            assert move in (best or [game.pass_point])
            game.play(AtRandom(seed).choose(game).point)


@pytest.mark.parametrize("rules", [NoGo(3), Hex(3)], ids=str)
def test_perfect_play_keeps_every_win_and_rollouts_most(rules):
    won = [one for one in won_positions(rules, 60) if len(one.wins) < one.choices]
    assert all(Perfect().choose(after_moves(rules, one.moves)).point in one.wins for one in won)
    kept = [Rollouts(1000).choose(after_moves(rules, one.moves)).point in one.wins for one in won]
    assert np.mean(kept) > 0.9
    at_random = [AtRandom().choose(after_moves(rules, one.moves)).point in one.wins for one in won]
    assert np.mean(at_random) < 0.8


def test_rollouts_need_a_game_that_ends_by_itself():
    with pytest.raises(ArgumentError, match="eyes"):
        Game(Go(5)).rollout_move(10)
    with pytest.raises(ArgumentError, match="num_playouts"):
        Game(NoGo(3)).rollout_move(0)


@pytest.mark.parametrize(
    ("name", "rules", "words"),
    [
        ("alphago", NoGo(3), "a player must be one of random, .*, not 'alphago'"),
        ("isn:net.npz", NoGo(3), "isn does not play NoGo"),
        ("alphabeta:net.npz,depth=1", Go(5), "a depth must be from 2 to 32, not '1'"),
        ("net.h5,player=chess", NoGo(5), "there is no file net.h5"),
        ("nowhere.toml:pachi", Go(5), "nowhere.toml is not a file of programs"),
        ("averagelib", Hex(5), "averagelib does not play Hex"),
        ("rollouts", Go(5), "rollouts does not play Go"),
        ("perfect", NoGo(5), "perfect does not play NoGo"),
        ("gnugo", NoGo(5), "gnugo does not play NoGo"),
        ("mohex", Hex(5, swap=True), "mohex does not play Hex"),
        ("rollouts:0", NoGo(5), "a number of playouts from 1 to .* after a colon, not '0'"),
        ("rollouts:2147483648", NoGo(5), "a number of playouts from 1 to 2147483647 after a colon"),
        ("random:3", NoGo(5), "takes nothing after a colon, not '3'"),
        ("net:", NoGo(5), "net takes a file after a colon"),
        ("net:nowhere.h5", NoGo(5), "there is no file nowhere.h5"),
        (str(Path(__file__).parent), NoGo(5), "there is no file .*/best.h5: name a network"),
        ("gtp:", NoGo(5), "gtp takes a command after a colon"),
        ("gtp:no-such-program --x", NoGo(5), "gtp:no-such-program --x cannot be started"),
    ],
)
def test_no_such_opponent(name, rules, words):
    with pytest.raises((UsageError, OptionsError), match=words), opened(name, rules):
        pass


def test_a_network_that_is_refused_is_called_by_its_own_name(tmp_path):
    path = tmp_path / "net.h5"
    path.write_bytes(b"no network")
    with pytest.raises(NetworkError, match=f"^{path}: "), opened(f"net:{path}", NoGo(3)):
        pass
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize(
    ("rules", "network_rules"),
    [
        (NoGo(3), NoGo(3, planes="zero")),
        (Go(3, planes="zero"), Go(3)),
        (Go(3), Go(3, passes="arena")),
        (Hex(3), Hex(3)),
    ],
    ids=str,
)
def test_a_network_sees_the_planes_that_it_reads(rules, network_rules, tmp_path, monkeypatch):
    """A network of an ablation meets those that see other planes, or have no pass."""
    shape, moves = Game(network_rules).planes_shape, Game(network_rules).policy_size
    runtimes = set()

    def fake(_model, batch_size, runtime, planes_shape, policy_size):
        runtimes.add(runtime)
        if (planes_shape, policy_size) != (shape, moves):
            raise NetworkError(f"reads {shape}, not {planes_shape}")
        return network_of(batch_size, planes_shape, policy_size)

    monkeypatch.setattr(selfplay_opponents, "NetworkEvaluator", fake)
    (tmp_path / "net.onnx").write_bytes(b"")
    game = after_moves(rules, [0, 4])
    with opened(f"{tmp_path}/net.onnx", rules) as new_player:
        move = new_player(0).choose(game).point
    assert game.is_legal(move) and game.num_moves == 2
    assert runtimes == {"onnxruntime"}, "which is not the default one of a run"
    own = FreshSearch(network_of(8, shape, moves), Options().of_matches(), 4)
    assert move == own.choose(after_moves(network_rules, [0, 4])).point


# Programs of others

PROGRAM = """
import sys
asked = open(sys.argv[1], "a")
for line in sys.stdin:
    print(line.strip(), file=asked, flush=True)
    print("=", sys.argv[2] if line.startswith("genmove") else "", end="\\n\\n", flush=True)
"""


def gtp(folder: Path, answer: str) -> str:
    """The name of a program that always answers with the same move, and keeps what it is asked."""
    (folder / "program.py").write_text(PROGRAM)
    return f"gtp:{sys.executable} {folder}/program.py {folder}/asked {answer}"


def vertex(game: Game, move: int) -> str:
    """A point as a program is told it."""
    moves = [*(one for _, one in game.moves), move]
    if isinstance(game.rules, Hex):
        return hex_move(moves, len(moves) - 1, game.size)
    return point_to_gtp(move, game.size)


@pytest.mark.parametrize(
    ("rules", "moves", "answer", "asked", "found"),
    [
        (Go(5, komi=2.5), [12, 25], "A1", ["komi 2.5", "play b C3", "play w pass"], 20),
        (NoGo(4), [0], "b1", ["play b A4"], 13),
        (Hex(4), [1], "d2", ["play b a2"], 13),  # reflected: row d, second column
        (Hex(4, True), [1, 1], "d2", ["play b a2", "play w swap-pieces"], 13),
        (Hex(4, True), [1], "swap-pieces", ["play b a2"], 1),
        (Go(5), [], "resign", ["komi 7.5"], None),
    ],
    ids=str,
)
def test_a_program_is_shown_the_game(rules, moves, answer, asked, found, tmp_path):
    game = after_moves(rules, moves)
    to_play = "w" if len(moves) % 2 else "b"
    lines = [f"boardsize {game.size}", "clear_board", *asked, f"genmove {to_play}"]
    with opened(gtp(tmp_path, answer), rules) as new_player:
        player = new_player(0)
        if found is None:
            with pytest.raises(Resignation):
                player.choose(game)
        else:
            own = vertex(game, found)
            game.play(player.choose(game).point)
            reply = game.candidates()[0]
            game.play(reply)
            player.show(game)
            lines.append(f"play {'bw'[to_play == 'b']} {vertex(game, reply)}")
            game.take_back()
            player.show(game)  # goes back by beginning anew
            lines += [*lines[:-2], f"play {to_play} {own}"]
    assert (tmp_path / "asked").read_text().splitlines() == lines


@pytest.mark.parametrize(
    ("rules", "answer"), [(Go(5), "Z9"), (Hex(4), "a9"), (Hex(4), "swap-pieces"), (NoGo(4), "A4")]
)
def test_a_move_that_cannot_be_is_an_error(rules, answer, tmp_path):
    with opened(gtp(tmp_path, answer), rules) as new_player, pytest.raises(EngineError):
        new_player(0).choose(after_moves(rules, [0]))


@pytest.mark.skipif(GNUGO is None, reason="needs GNU Go: apt install gnugo")
def test_gnugo_plays_legal_moves_that_its_seed_decides():
    rules = Go(5, komi=22.5, max_moves=50)
    game = Game(rules)
    with opened("gnugo:1", rules) as gnugo:
        first = gnugo(0).choose(game).point
        assert first == 12  # the centre
        game.play(first)
        answers = {gnugo(3).choose(game).point for _ in range(3)}
        assert len(answers) == 1 and game.is_legal(answers.pop())
    assert game.moves == [(BLACK, 12)]


@pytest.mark.parametrize(
    ("name", "rules", "words"),
    [
        ("gnugo", Go(5), "GNU Go is not installed: apt install gnugo"),
        ("katago:50", Go(5), "KataGo is not installed: put katago on the PATH"),
        ("mohex", Hex(5), "MoHex is not installed: build Benzene"),
    ],
)
def test_without_a_program_it_says_how_to_get_it(name, rules, words, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda *_args, **_options: None)
    with pytest.raises(OptionsError, match=words), opened(name, rules):
        pass


@pytest.mark.parametrize(
    ("name", "program", "rules", "asked"),
    [
        ("katago:50", "katago", Go(5), 'kata-set-rules {"ko":"POSITIONAL"'),
        ("mohex:500", "mohex", Hex(5), "param_mohex max_games 500"),
    ],
)
def test_a_known_program_is_told_how_to_play(name, program, rules, asked, tmp_path, monkeypatch):
    (tmp_path / "program.py").write_text(PROGRAM)
    script = tmp_path / program
    start = f"{sys.executable} {tmp_path}/program.py {tmp_path}/asked a1"
    script.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/arguments\nexec {start}\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with opened(name, rules) as player:
        assert rules.size**2 > player(0).choose(Game(rules)).point >= 0
    lines = (tmp_path / "asked").read_text().splitlines()
    assert any(line.startswith(asked) for line in lines) and lines[-1] == "genmove b"
    assert ("maxVisits=50" in (tmp_path / "arguments").read_text()) == (program == "katago")


# Programs of one's own


def programs(folder: Path, text: str) -> str:
    (folder / "mine.toml").write_text(text)
    return f"{folder}/mine.toml"


def test_a_file_names_programs_of_one_s_own(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, f"{tmp_path}/program.py", f"{tmp_path}/asked", "{number}"]
    file = programs(
        tmp_path,
        f'[mine]\ntitle = "Mine"\ngames = ["nogo"]\nsmallest = 4\ncommand = {json.dumps(command)}\n'
        'number = "move"\nfirst_commands = ["seed {seed}"]\nremedy = "write it"\n',
    )
    with opened(f"{file}:mine:2", NoGo(4)) as new_player, pytest.raises(EngineError):
        new_player(2**31 + 5).choose(Game(NoGo(4)))  # 2 is no point
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked == ["boardsize 4", "clear_board", "seed 5", "genmove b"]
    for name, rules, words in (
        ("mine", NoGo(3), "mine does not play NoGo 3×3"),
        ("mine", Hex(4), "mine does not play Hex"),
        ("mine:x", NoGo(4), "a number of move from 1 to"),
        ("other", NoGo(4), "must name one of mine, not 'other'"),
    ):
        with pytest.raises(OptionsError, match=words):
            opened(f"{file}:{name}", rules)


@pytest.mark.parametrize(
    "text",
    [
        "mine = 1",
        "[mine",
        '[mine]\ntitle = "Mine"',
        '[mine]\ntitle = "Mine"\ngames = "go"\ncommand = ["a"]\nremedy = ""',
        '[mine]\ntitle = "Mine"\ngames = ["go"]\ncommand = ["a"]\nremedy = ""\nlevel = 1',
        '[mine]\ntitle = "Mine"\ngames = ["go"]\nsmallest = "9"\ncommand = ["a"]\nremedy = ""',
        '[mine]\ntitle = "Mine"\ngames = ["go"]\ncommand = []\nremedy = ""',
        '[mine]\ntitle = "Mine"\ngames = ["go"]\ncommand = ["a", 1]\nremedy = ""',
    ],
)
def test_a_file_of_another_form_is_refused(text, tmp_path):
    file = programs(tmp_path, text)
    with pytest.raises(OptionsError, match="is not a file of programs"):
        opened(f"{file}:mine", Go(9))


def test_a_network_with_options_plays_as_in_the_arena(tmp_path, monkeypatch):
    rules = Go(3)
    shapes = (Game(rules).planes_shape, Game(rules).policy_size)
    monkeypatch.setattr(
        selfplay_opponents, "NetworkEvaluator", lambda *given: network_of(given[1], *shapes)
    )
    network = tmp_path / "net.onnx"
    network.touch()
    with opened(f"{network},player=gumbel,visits=9", rules) as new_player:
        choice = new_player(1).choose(Game(rules))
    assert Game(rules).is_legal(choice.point) and choice.num_visits == 9
    refused = {"tta=true": "only python -m tournament", "komi=3.5": "an option of a side must be"}
    for option, words in refused.items():
        with pytest.raises((UsageError, OptionsError), match=words):
            opened(f"{network},{option}", rules)
