"""How fast a network plays against itself: moves, simulations and evaluations a second of one core.

Named peers, in the same run on the same core: pgx and mctx, compiled by JAX, as in pgx's AlphaZero
example (64 games in lockstep, Gumbel search with the same simulations); and OpenSpiel's Python
MCTS, which its AlphaZero uses, one position at a time with the same OpenVINO network. A peer that
is not installed is left out with a message: `pip install mctx pgx open_spiel`.

Networks have b residual blocks of f filters, a convolutional policy head and random weights. Time
is processor time of the process, which is kept on one core. `in network` is the evaluator's part of
it. A simulation costs no evaluation where it ends the game, or where the search before had the
position; so there are fewer evaluations than simulations.

    python benchmarks/selfplay.py [--seconds 5] [--networks 2x16 3x32] [--simulations 16 64]
                                  [--games go-5 …] [--parallel 64] [--no-peers]
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

if hasattr(os, "sched_setaffinity"):  # before libraries count the cores
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from rich.console import Console
from rich.table import Table

from golois.games import Game
from golois.rules import Go, Hex, NoGo, Rules
from golois.selfplay import SelfPlay, SelfPlayOptions

GAMES: dict[str, Rules] = {
    **{f"go-{size}": Go(size, max_moves=2 * size**2, planes="zero") for size in (5, 7, 9)},
    "nogo-9": NoGo(9),
    "hex-11": Hex(11),
}
# Of pgx and of OpenSpiel; compiling takes JAX most of a minute, so only the largest boards.
PGX_GAMES = {"go-9": "go_9x9", "hex-11": "hex"}
OPEN_SPIEL_GAMES = {
    "go-9": ("go", {"board_size": 9, "komi": 7.5}),
    "hex-11": ("hex", {"board_size": 11}),
}
NUM_CONSIDERED = 16


@dataclass(frozen=True)
class Shape:
    """Of a network: blocks and filters, and what it reads and answers."""

    blocks: int
    filters: int
    size: int
    planes: int
    policy_size: int


@dataclass
class Figures:
    """What happened in so many seconds of processor time."""

    moves: float
    simulations: float
    evaluations: float
    seconds: float
    network_seconds: float | None = None


def weights(shape: Shape) -> Iterator[np.ndarray]:
    """Kernels [out, in, 3, 3] of the stem and of the blocks, each of about unit gain."""
    rng = np.random.default_rng(0)
    for index in range(1 + 2 * shape.blocks):
        num_in = shape.filters if index else shape.planes
        kernel = rng.normal(0, np.sqrt(1 / (9 * num_in)), (shape.filters, num_in, 3, 3))
        yield kernel.astype(np.float32)


def head_weights(shape: Shape) -> dict[str, np.ndarray]:
    """Of the heads: policy by point, pass by the mean of the board, value by the mean too."""
    rng = np.random.default_rng(1)
    sizes = {
        "point": (1, shape.filters, 1, 1),
        "pass": (shape.filters, 1),
        "hidden": (shape.filters, 32),
        "value": (32, 1),
    }
    return {name: rng.normal(0, 0.1, size).astype(np.float32) for name, size in sizes.items()}


def by_channels_last(kernel: np.ndarray) -> np.ndarray:
    """A kernel [out, in, h, w] as [h, w, in, out]."""
    return np.ascontiguousarray(kernel.transpose(2, 3, 1, 0))


def onnx_network(shape: Shape) -> bytes:
    """The network from planes [B, n, n, p] to policy and value, as ONNX."""
    nodes: list[Any] = []
    constants: dict[str, np.ndarray] = {}

    def add(operation: str, inputs: list[str], name: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(operation, inputs, [name], name, **attributes))
        return name

    def constant(name: str, array: np.ndarray) -> str:
        constants[name] = array
        return name

    x = add("Transpose", ["planes"], "boards", perm=[0, 3, 1, 2])
    skipped = x
    for index, kernel in enumerate(weights(shape)):
        kernel_name = constant(f"kernel{index}", kernel)
        y = add("Conv", [x, kernel_name], f"conv{index}", kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        ends_block = index > 0 and index % 2 == 0
        y = add("Add", [y, skipped], f"sum{index}") if ends_block else y
        x = add("Relu", [y], f"relu{index}")
        skipped = x if index % 2 == 0 else skipped
    heads = {name: constant(f"{name}_head", array) for name, array in head_weights(shape).items()}
    points = add("Conv", [x, heads["point"]], "point_logits", kernel_shape=[1, 1])
    logits = add("Flatten", [points], "flat_logits")
    pooled = add("Flatten", [add("GlobalAveragePool", [x], "pool")], "means")
    if shape.policy_size > shape.size**2:
        pass_logit = add("MatMul", [pooled, heads["pass"]], "pass_logit")
        logits = add("Concat", [logits, pass_logit], "logits", axis=1)
    add("Softmax", [logits], "policy", axis=1)
    hidden = add("Relu", [add("MatMul", [pooled, heads["hidden"]], "hidden")], "hidden_relu")
    add("Sigmoid", [add("MatMul", [hidden, heads["value"]], "value_logit")], "value")
    planes = ["B", shape.size, shape.size, shape.planes]
    graph = helper.make_graph(
        nodes,
        "resnet",
        [helper.make_tensor_value_info("planes", TensorProto.FLOAT, planes)],
        [
            helper.make_tensor_value_info("policy", TensorProto.FLOAT, ["B", shape.policy_size]),
            helper.make_tensor_value_info("value", TensorProto.FLOAT, ["B", 1]),
        ],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    return model.SerializeToString()


class Network:
    """The network on OpenVINO in one thread, for batches of one size; it adds up its time."""

    def __init__(self, shape: Shape, batch_size: int):
        sys.modules.setdefault("openvino.tools.ovc", None)  # not needed, and sends telemetry
        import openvino

        self.planes = np.zeros((batch_size, shape.size, shape.size, shape.planes), np.float32)
        self.seconds = 0.0
        self._policy = np.empty((batch_size, shape.policy_size), np.float32)
        self._value = np.empty((batch_size, 1), np.float32)
        core = openvino.Core()
        model = core.read_model(onnx_network(shape))
        model.reshape({"planes": list(self.planes.shape)})
        settings = {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 0, "INFERENCE_PRECISION_HINT": "f32"}
        self._request = core.compile_model(model, "CPU", settings).create_infer_request()
        arrays = {"planes": self.planes, "policy": self._policy, "value": self._value}
        for name, array in arrays.items():
            self._request.set_tensor(name, openvino.Tensor(array, shared_memory=True))
        self._core = core

    def __call__(self) -> tuple[np.ndarray, np.ndarray]:
        """Policy and value of what `planes` holds, valid until the next call."""
        started = time.process_time()
        self._request.infer()
        self.seconds += time.process_time() - started
        return self._policy, self._value[:, 0]


def timed(step: Callable[[], None], seconds: float) -> float:
    """Repeat a step for so much processor time; the time that it took."""
    started = time.process_time()
    while (passed := time.process_time() - started) < seconds:
        step()
    return passed


def play_here(
    rules: Rules, blocks: int, filters: int, num_simulations: int, options: argparse.Namespace
) -> Figures:
    """The kit's self-play, after a quarter of the time to warm up."""
    game = Game(rules)
    shape = Shape(blocks, filters, game.size, game.planes_shape[-1], game.policy_size)
    network = Network(shape, options.parallel)
    games = SelfPlay(
        rules,
        SelfPlayOptions(num_simulations=num_simulations),
        num_parallel=options.parallel,
        seed=1,
    )
    num_rows = 0

    def step() -> None:
        """Play on until there is a move more for each game; they move at about the same time."""
        nonlocal num_rows
        wanted = games.num_moves + options.parallel
        while games.num_moves < wanted:
            num_rows += games.collect(network.planes)
            games.answer(*network())
        games.finished()

    timed(step, options.seconds / 4)
    moves, num_rows, network.seconds = games.num_moves, 0, 0.0
    seconds = timed(step, options.seconds)
    moves = games.num_moves - moves
    return Figures(moves, moves * num_simulations, num_rows, seconds, network.seconds)


def play_pgx(
    name: str, blocks: int, filters: int, num_simulations: int, options: argparse.Namespace
) -> Figures:
    """The example of pgx with Gumbel search of mctx, without its learner."""
    import jax
    import jax.numpy as jnp
    import mctx
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(PGX_GAMES[name])
    size, _, num_planes = env.observation_shape
    shape = Shape(blocks, filters, size, num_planes, env.num_actions)
    heads = head_weights(shape)
    params = ([by_channels_last(kernel) for kernel in weights(shape)], heads)
    point_kernel = by_channels_last(heads["point"])

    def convolved(x, kernel):  # the layout that JAX computes fastest on a CPU
        layout = ("NHWC", "HWIO", "NHWC")
        return jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=layout)

    def network(params, planes):
        kernels, heads = params
        x = skipped = planes.astype(jnp.float32)
        for index, kernel in enumerate(kernels):
            y = convolved(x, kernel)
            x = jax.nn.relu(y + skipped if index > 0 and index % 2 == 0 else y)
            skipped = x if index % 2 == 0 else skipped
        points = convolved(x, point_kernel).reshape(len(x), -1)
        pooled = x.mean((1, 2))
        num_more = env.num_actions - size * size
        logits = jnp.concatenate([points, (pooled @ heads["pass"]).repeat(num_more, 1)], 1)
        value = jnp.tanh(jax.nn.relu(pooled @ heads["hidden"]) @ heads["value"])[:, 0]
        return logits, value

    def masked(logits, state):
        return jnp.where(state.legal_action_mask, logits, jnp.finfo(logits.dtype).min)

    def simulate(params, key, action, state):
        del key
        mover = state.current_player
        state = jax.vmap(env.step)(state, action)
        logits, value = network(params, state.observation)
        rewards = state.rewards[jnp.arange(len(mover)), mover]
        outcome = mctx.RecurrentFnOutput(
            reward=rewards,
            discount=jnp.where(state.terminated, 0.0, -1.0),
            prior_logits=masked(logits, state),
            value=jnp.where(state.terminated, 0.0, value),
        )
        return outcome, state

    @jax.jit
    def move(params, state, key):
        search_key, reset_key = jax.random.split(key)
        logits, value = network(params, state.observation)
        root = mctx.RootFnOutput(prior_logits=masked(logits, state), value=value, embedding=state)
        found = mctx.gumbel_muzero_policy(
            params,
            search_key,
            root,
            simulate,
            num_simulations,
            invalid_actions=~state.legal_action_mask,
            qtransform=mctx.qtransform_completed_by_mix_value,
            max_num_considered_actions=NUM_CONSIDERED,
        )
        keys = jax.random.split(reset_key, options.parallel)
        return jax.vmap(auto_reset(env.step, env.init))(state, found.action, keys)

    key = jax.random.PRNGKey(0)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, options.parallel))
    num_batches = 0

    def step() -> None:
        nonlocal state, key, num_batches
        key, move_key = jax.random.split(key)
        state = jax.block_until_ready(move(params, state, move_key))
        num_batches += 1

    step()  # compiles
    num_batches = 0
    seconds = timed(step, options.seconds)
    moves = num_batches * options.parallel
    return Figures(moves, moves * num_simulations, moves * (num_simulations + 1), seconds)


def play_open_spiel(
    name: str, blocks: int, filters: int, num_simulations: int, options: argparse.Namespace
) -> Figures:
    """OpenSpiel's MCTSBot with PUCT, as its AlphaZero calls it."""
    import pyspiel
    from open_spiel.python.algorithms import mcts

    short_name, parameters = OPEN_SPIEL_GAMES[name]
    game = pyspiel.load_game(short_name, parameters)
    num_planes, size, _ = game.observation_tensor_shape()
    network = Network(Shape(blocks, filters, size, num_planes, game.num_distinct_actions()), 1)
    num_evaluations = 0
    known: dict[bytes, tuple[np.ndarray, float]] = {}  # as its AlphaZeroEvaluator

    class Evaluator(mcts.Evaluator):
        def _ask(self, state: Any) -> tuple[np.ndarray, float]:
            nonlocal num_evaluations
            observation = np.array(state.observation_tensor(), np.float32)
            key = observation.tobytes()
            if key not in known:
                num_evaluations += 1
                network.planes[0] = observation.reshape(num_planes, size, size).transpose(1, 2, 0)
                policy, value = network()
                known[key] = policy[0].copy(), 2 * float(value[0]) - 1
            return known[key]

        def evaluate(self, state: Any) -> np.ndarray:
            _, value = self._ask(state)
            return np.array([value, -value])

        def prior(self, state: Any) -> list[tuple[int, float]]:
            policy, _ = self._ask(state)
            return [(action, policy[action]) for action in state.legal_actions()]

    bot = mcts.MCTSBot(
        game,
        uct_c=1.4,
        max_simulations=num_simulations,
        evaluator=Evaluator(),
        solve=False,
        child_selection_fn=mcts.SearchNode.puct_value,
    )
    state, num_moves = game.new_initial_state(), 0

    def step() -> None:
        nonlocal state, num_moves
        known.clear()
        state.apply_action(bot.mcts_search(state).best_child().action)
        num_moves += 1
        state = game.new_initial_state() if state.is_terminal() else state

    seconds = timed(step, options.seconds)
    simulations = num_moves * num_simulations
    return Figures(num_moves, simulations, num_evaluations, seconds, network.seconds)


def peers_of(name: str, console: Console) -> dict[str, Callable[..., Figures]]:
    """The peers that know a game and are installed."""
    wanted: dict[str, tuple[str, Callable[..., Figures]]] = {}
    if name in PGX_GAMES:
        wanted["pgx + mctx"] = ("mctx pgx", play_pgx)
    if name in OPEN_SPIEL_GAMES:
        wanted["OpenSpiel"] = ("pyspiel", play_open_spiel)
    found = {}
    for peer, (modules, play) in wanted.items():
        try:
            for module in modules.split():
                __import__(module)
        except ImportError as error:
            console.print(f"{name} without {peer}: {error}")
        else:
            found[peer] = play
    return found


def row(
    name: str, what: str, network: str, num_simulations: int, figures: Figures, first: float
) -> list[str]:
    """Cells of the table; `first` has the kit's moves a second."""
    per_second = figures.moves / figures.seconds
    share = figures.network_seconds
    return [
        name,
        what,
        network,
        str(num_simulations),
        f"{per_second:,.0f}" if per_second >= 10 else f"{per_second:.2g}",
        f"{figures.simulations / figures.seconds:,.0f}",
        f"{figures.evaluations / figures.seconds:,.0f}",
        "" if share is None else f"{share / figures.seconds:.0%}",
        f"{first / per_second:,.1f}×",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--seconds", type=float, default=5.0, help="of processor time, for each row"
    )
    parser.add_argument("--networks", nargs="+", default=["2x16", "3x32"], metavar="BLOCKSxFILTERS")
    parser.add_argument("--simulations", nargs="+", type=int, default=[16, 64])
    parser.add_argument("--games", nargs="+", default=list(GAMES), choices=list(GAMES))
    parser.add_argument("--parallel", type=int, default=64, help="games in lockstep")
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    console = Console()
    table = Table(title=f"{options.parallel} games in lockstep, one core")
    for column in ("game", "what", "network"):
        table.add_column(column)
    for column in (
        "simulations",
        "moves/s",
        "simulations/s",
        "evaluations/s",
        "in network",
        "gain",
    ):
        table.add_column(column, justify="right")
    for name in options.games:
        peers = {} if options.no_peers else peers_of(name, console)
        for network in options.networks:
            blocks, filters = map(int, network.split("x"))
            for count in options.simulations:
                here = play_here(GAMES[name], blocks, filters, count, options)
                first = here.moves / here.seconds
                table.add_row(*row(name, "golois", network, count, here, first))
                for peer, play in peers.items():
                    figures = play(name, blocks, filters, count, options)
                    table.add_row(*row(name, peer, network, count, figures, first))
    console.print(table)


if __name__ == "__main__":
    main()
