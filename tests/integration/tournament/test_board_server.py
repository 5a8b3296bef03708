"""The page of a network over HTTP, and the command that serves it."""

import json
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from urllib.request import urlopen

import numpy as np
import pytest

from golois.constants import PASS
from golois.go.coords import BLACK, WHITE, gtp_to_point
from golois.sgf.reading import read_sgf
from tests.boards import asked, board_server
from tests.fake_arena import FakeEvaluator, tiny_network
from tests.fake_network import hashed
from tests.runs import tournament
from tests.serving import Answer, Client
from tournament.board import server as server_module
from tournament.board.networks import SharedNetwork, open_networks, open_players
from tournament.errors import NetworkError

Q16, D4, PASSES = gtp_to_point("Q16"), gtp_to_point("D4"), [(BLACK, PASS), (WHITE, PASS)]
HANDICAP = b"(;SZ[19]PB[Ada]PW[Grace]HA[2]KM[0.5]DT[2026-01-02]RE[W+R]AB[pd][dp];W[dd];B[pp])"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Two tiny networks."""
    folder = tmp_path_factory.mktemp("networks")
    paths = [folder / "ada.onnx", folder / "grace.onnx"]
    for seed, path in enumerate(paths):
        path.write_bytes(tiny_network(seed, 0.1))
    with board_server(open_networks(paths, 4)) as running:
        yield running


def post(server, what: str, body: object, **headers: str) -> Answer:
    content = body if isinstance(body, bytes) else json.dumps(body)
    return Client(server.server_port).ask("POST", f"/api/{what}", content, **headers)


def answered(server, what: str, body: object) -> dict:
    answer = post(server, what, body)
    assert answer.status == 200, answer.body
    return answer.data


def refused(server, what: str, body: object) -> str:
    answer = post(server, what, body)
    assert answer.status == 400
    problem = answer.data["problem"]
    assert len(problem.splitlines()) == 1
    return problem


def test_the_page_and_all_that_it_loads_are_there(server):
    page = Client(server.server_port).get("/")
    assert page.status == 200 and page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    for path in server_module.FILES:
        if path != "/":
            assert path[1:].encode() in page.body
            assert Client(server.server_port).get(path).status == 200, path
    assert answered(server, "networks", {}) == {"networks": ["ada", "grace"], "players": []}


def test_a_position_has_stones_score_and_turn_even_where_a_colour_moves_twice(server):
    # White takes the stone in the corner.
    moves = [(BLACK, 0), (WHITE, 1), (BLACK, Q16), (WHITE, 19)]
    position = answered(server, "position", asked(moves))
    stones = position["stones"]
    assert (stones[0], stones[1], stones[19], stones[Q16], sum(stones)) == (0, 2, 2, 1, 5)
    assert (position["to_play"], position["captured"]) == (BLACK, {"1": 0, "2": 1})
    assert position["lead_black"] == 1 - 3 - 7.5 and position["area"][0] == WHITE
    earlier = answered(server, "position", asked(moves, ply=3))
    assert earlier["stones"][0] == BLACK and earlier["to_play"] == WHITE
    assert not position["is_over"]
    assert answered(server, "position", asked(PASSES))["is_over"]
    assert not answered(server, "position", asked(PASSES, ply=1))["is_over"]
    twice = [(BLACK, Q16), (BLACK, D4), (WHITE, 60)]
    turns = [answered(server, "position", asked(twice, ply=ply))["to_play"] for ply in range(4)]
    assert turns == [BLACK, BLACK, WHITE, BLACK]
    handicap = asked([], game={"set_up": [[BLACK, Q16], [BLACK, D4]]})
    assert answered(server, "position", handicap)["to_play"] == WHITE


@pytest.mark.parametrize(
    ("moves", "why"),
    [
        ([(BLACK, Q16), (WHITE, Q16)], "White cannot play Q16 as move 2: occupied"),
        ([(WHITE, 1), (WHITE, 19), (BLACK, 0)], "Black cannot play A19 as move 3: suicide"),
    ],
)
def test_an_illegal_move_is_refused_with_the_rule(server, moves, why):
    for what in ("position", "look", "search"):
        body = asked(moves, network=0, since=0, visits=2)
        assert refused(server, what, body) == why


def test_a_network_looks_and_searches(server):
    moves = [(BLACK, Q16), (WHITE, D4)]
    looks = [
        answered(server, "look", asked(moves, network=network, since=0)) for network in (0, 1)
    ]
    assert looks[0] != looks[1]
    assert sum(looks[0]["policy"]) == pytest.approx(1, abs=0.01)
    assert len(looks[0]["policy"]) == 361 and len(looks[0]["values_white"]) == 3
    last = answered(server, "look", asked(moves, network=0, since=2))
    assert last["values_white"] == looks[0]["values_white"][2:]
    found = answered(server, "search", asked(moves, network=1, visits=12))
    assert found["num_visits"] == 12 and 0 <= found["value_white"] <= 1
    best = found["candidates"][0]
    assert best["point"] == best["line"][0] == found["point"]
    again = answered(server, "search", asked(moves, network=1, visits=12))
    assert again["candidates"] == found["candidates"]


RESIGNS = """
import sys
for line in sys.stdin:
    print("=", "resign" if line.startswith("genmove") else "", end="\\n\\n", flush=True)
"""


def test_a_player_by_name_has_a_seat_and_nothing_to_show(tmp_path):
    (tmp_path / "resigns.py").write_text(RESIGNS)
    (tmp_path / "ada.onnx").write_bytes(tiny_network(0))
    names = ["random", f"gtp:{sys.executable} {tmp_path}/resigns.py"]
    networks = open_networks([tmp_path / "ada.onnx"], 4)
    with board_server(networks) as running, open_players(names) as players:
        running.offer(networks, players)
        assert answered(running, "networks", {}) == {"networks": ["ada"], "players": names}
        moves = [(BLACK, Q16), (WHITE, D4)]
        found = answered(running, "search", asked(moves, network=1, visits=1))
        assert found["point"] not in (Q16, D4) and found["candidates"] == []
        assert "resigns" in refused(running, "search", asked(moves, network=2, visits=1))
        assert "from 0 to 0" in refused(running, "look", asked(moves, network=1, since=0))


def test_tabs_that_ask_at_once_get_what_each_would_get_alone(server):
    games = [[(BLACK, point), (WHITE, 360 - point)] for point in range(0, 160, 8)]
    bodies = [asked(game, network=1, since=0, visits=30) for game in games]

    def answers_to(body: dict) -> tuple:
        look, found = answered(server, "look", body), answered(server, "search", body)
        return look, found["point"], found["candidates"]

    alone = [answers_to(body) for body in bodies]
    with ThreadPoolExecutor(8) as tabs:
        assert list(tabs.map(answers_to, bodies)) == alone


@pytest.mark.parametrize(
    ("what", "body", "why"),
    [
        ("look", asked(network=2, since=0), "network must be a whole number from 0 to 1"),
        ("look", asked(network=0, since=1), "since must be a whole number from 0 to 0"),
        ("search", asked(network=0), "a search needs either seconds or visits"),
        ("search", b"{", "the request is not JSON"),
        ("search", asked(PASSES, network=0, visits=3), "both have passed: the game is over"),
        ("search", asked([(BLACK, Q16), *PASSES], network=0, seconds=0.01), "the game is over"),
        ("load", b"(;SZ[9];B[dd])", "the board must have 19×19 points"),
        ("load", b"(;PB[Ada])", "the game has no moves"),
        ("load", b"(;B[dd];W[dd])", "cannot play D16 as move 2: occupied"),
        ("load", b"<html>", "there is no game tree of SGF"),
        ("save", asked(game={"black": None}), "black must be text"),
        ("position", asked(game={"to_play": 3}), "a colour must be a whole number from 0 to 2"),
        ("position", asked(game={"to_play": 0}), "a colour must be 1 (Black) or 2 (White)"),
    ],
)
def test_what_cannot_be_answered_is_one_sentence(server, what, body, why):
    assert why in refused(server, what, body)


def test_a_game_comes_from_sgf_and_goes_back_and_names_keep_their_characters(server):
    game = answered(server, "load", HANDICAP)["game"]
    assert game["set_up"] == [[1, Q16], [1, D4]] and game["komi"] == 0.5
    assert [game[name] for name in ("black", "white", "result")] == ["Ada", "Grace", "W+R"]
    saved = answered(server, "save", asked(game=game))
    assert saved["name"] == "2026-01-02_ada_vs_grace_W+R.sgf"
    assert read_sgf(saved["sgf"].encode()) == read_sgf(HANDICAP)
    assert answered(server, "load", b"(;B[dd])")["game"]["komi"] == 7.5
    text = "(;CA[Shift_JIS]PB[表千家]PW[本因坊秀策]C[能力表];B[dd]C[予構];W[pp])".encode("cp932")
    game = answered(server, "load", text)["game"]
    assert (game["black"], game["white"], len(game["moves"])) == ("表千家", "本因坊秀策", 2)


@pytest.mark.parametrize("text", ["(;AB[pd]AW[dp]PL[W])", "(;AB[dp];W[dd];PL[W])"])
def test_a_file_may_say_whose_turn_it_is(server, text):
    game = answered(server, "load", text.encode())["game"]
    at_the_end = asked(game=game, ply=len(game["moves"]))
    assert answered(server, "position", at_the_end)["to_play"] == WHITE
    again = read_sgf(answered(server, "save", at_the_end)["sgf"].encode())
    assert again.replay().to_play == WHITE


def test_a_finished_game_is_saved_with_its_result(server):
    names = {"black": "A]da \\", "white": "Ἀθήνη", "date": "2026-11-22"}
    game = {"moves": [[BLACK, Q16], *map(list, PASSES[::-1])], "komi": 7, **names}
    saved = answered(server, "save", asked(game=game))
    assert saved["name"] == "2026-11-22_a-da_vs_ἀθήνη_B+354.sgf"
    again = read_sgf(saved["sgf"].encode())
    assert (again.black, again.white, again.result) == ("A]da \\", "Ἀθήνη", "B+354")
    agreed = answered(server, "save", asked(game={**game, "result": "W+5.5"}))
    assert read_sgf(agreed["sgf"].encode()).result == "W+5.5", "the players count dead stones"
    even = answered(server, "save", asked(game={"moves": [*map(list, PASSES)], "komi": 0}))
    assert read_sgf(even["sgf"].encode()).result == "0"


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1"},
        {"Host": "evil.example:{port}"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://localhost:{port}"},  # not the page that this address served
    ],
)
def test_another_page_is_refused(server, headers):
    sent = {name: value.format(port=server.server_port) for name, value in headers.items()}
    assert post(server, "networks", {}, **sent).status == 403
    if "Host" in headers:
        assert Client(server.server_port).ask("GET", "/", **sent).status == 403


def test_the_page_is_for_this_machine_under_either_name(server):
    for name in ("127.0.0.1", "localhost"):
        host = f"{name}:{server.server_port}"
        assert post(server, "networks", {}, Host=host, Origin=f"http://{host}").status == 200
    assert server.server_address[0] == "127.0.0.1"
    client = Client(server.server_port)
    assert client.get("/nothing").status == 404
    assert client.get("/../server.py").status == 404
    assert post(server, "nothing", {}).status == 404


def test_a_browser_leaves_out_the_usual_port(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setattr(server_module, "HTTP_PORT", port)
    with server_module.BoardServer(port) as server:
        assert {"127.0.0.1", "localhost"} <= server.hosts


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ("Transfer-Encoding: chunked", 411),
        ("Content-Length: ten", 411),
        ("Content-Length: -1", 411),
        (f"Content-Length: {server_module.MAX_BYTES + 1}", 413),
        (f"Content-Length: {'9' * 5000}", 413),
    ],
)
def test_a_body_has_a_length_within_reason(server, header, status):
    """It is refused before it is sent."""
    head = f"POST /api/networks HTTP/1.0\r\nHost: 127.0.0.1:{server.server_port}\r\n{header}"
    with socket.create_connection(("127.0.0.1", server.server_port)) as connection:
        connection.sendall(f"{head}\r\n\r\n".encode())
        assert connection.makefile("rb").readline().split()[1] == str(status).encode()


def fail(planes):
    raise NetworkError("the network\nfailed")


def diverged(planes):
    policies, values = hashed(planes)
    return policies, np.full_like(values, np.nan)


@pytest.mark.parametrize(
    ("answer", "why"), [(fail, "the network failed"), (diverged, "not finite")]
)
def test_a_network_that_fails_is_the_servers_fault(answer, why):
    with board_server([SharedNetwork("net", FakeEvaluator(answer))]) as server:
        answered = post(server, "look", asked(network=0, since=0))
        assert answered.status == 500 and why in answered.data["problem"]
        assert "\n" not in answered.data["problem"]


def test_a_long_search_blocks_nothing_and_ends_when_its_tab_leaves():
    began = threading.Event()

    def answer(planes):
        began.set()
        return FakeEvaluator().evaluate(planes)

    networks = [SharedNetwork("slow", FakeEvaluator(answer)), SharedNetwork("b", FakeEvaluator())]
    with board_server(networks) as server:
        body = json.dumps(asked(network=0, seconds=600)).encode()
        head = f"POST /api/search HTTP/1.0\r\nHost: 127.0.0.1:{server.server_port}\r\n"
        with socket.create_connection(("127.0.0.1", server.server_port)) as leaving:
            leaving.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            assert began.wait(60)
            assert answered(server, "position", asked())["to_play"] == BLACK
            assert answered(server, "look", asked(network=1, since=0))
        # It had ten minutes; the network answers others as soon as the connection is closed.
        assert answered(server, "look", asked(network=0, since=0))


def test_the_command_prints_the_address_and_opens_the_browser(tmp_path, monkeypatch):
    (tmp_path / "tiny.onnx").write_bytes(tiny_network(1))
    opened = SimpleQueue()

    def stop(self, *arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("webbrowser.open", opened.put)
    monkeypatch.setattr(server_module.BoardServer, "serve_forever", stop)
    arguments = ("board", tmp_path / "tiny.onnx", "random", "--port", 0)
    said = tournament(*arguments)
    address = opened.get(timeout=30)
    assert said.code == 130 and address.startswith("http://127.0.0.1:")
    assert f"{address} plays tiny, random\n" in said.out
    assert tournament(*arguments, "--no-browser").code == 130
    assert opened.empty()


def test_the_page_is_there_for_a_browser_that_returns_only_when_it_is_closed(tmp_path, monkeypatch):
    (tmp_path / "tiny.onnx").write_bytes(tiny_network(1))
    servers, seen = [], []
    serve = server_module.BoardServer.serve_forever

    def noted(self):
        servers.append(self)
        serve(self, 0.01)

    def browse(address):
        seen.append(urlopen(address, timeout=10).status)
        servers[0].shutdown()

    monkeypatch.setattr("webbrowser.open", browse)
    monkeypatch.setattr(server_module.BoardServer, "serve_forever", noted)
    assert tournament("board", tmp_path / "tiny.onnx", "--port", 0).code == 0
    assert seen == [200]


def test_bad_arguments_are_one_sentence(tmp_path, server):
    path = tmp_path / "tiny.onnx"
    path.write_bytes(tiny_network(1))
    (tmp_path / "bad.onnx").write_bytes(b"no network")
    for arguments, why in (
        ([tmp_path / "gone.h5"], "gone.h5"),
        ([tmp_path / "bad.onnx"], "cannot open the network"),
        ([path, path], "is given twice"),
        (["random"], "name a network"),
        ([path, "rollouts"], "rollouts does not play Go"),
        ([path, "--port", "70000"], "cannot listen on port 70000"),
        # The networks, which take seconds, are not opened for it.
        ([tmp_path / "gone.h5", "--port", server.server_port], "another program uses this port"),
    ):
        code, _, errors = tournament("board", "--no-browser", *arguments)
        assert (code, errors.count("\n")) == (2, 1) and why in errors, arguments
