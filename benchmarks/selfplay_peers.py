"""Other systems that play against themselves, as benchmarks/selfplay.py asks them to."""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from selfplay_networks import Network, Shape, by_channels_last, head_weights, weights

# Of pgx and of OpenSpiel; compiling takes JAX most of a minute, so only the largest boards.
PGX_GAMES = {"go-9": "go_9x9", "hex-11": "hex"}
OPEN_SPIEL_GAMES = {
    "go-9": ("go", {"board_size": 9, "komi": 7.5}),
    "hex-11": ("hex", {"board_size": 11}),
}
NUM_CONSIDERED = 16


@dataclass
class Figures:
    """What happened in so many seconds of processor time."""

    moves: float
    simulations: float
    evaluations: float
    seconds: float
    network_seconds: float | None = None


def timed(step: Callable[[], None], seconds: float) -> float:
    """Repeat a step for so much processor time; the time that it took."""
    started = time.process_time()
    while (passed := time.process_time() - started) < seconds:
        step()
    return passed


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
