"""Races that mctx ran on bandits, for tests/golden/data/races.json and for live comparison.

    python -m tests.mctx_races        writes the file; needs mctx and jax

A case is a root of NoGo on 5×5 after some moves. Each move has a value of its own, which every
position below it has too, so that a simulation of mctx at depth 1 sees what a playout of any depth
sees.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

GOLDEN = Path(__file__).parent / "golden" / "data" / "races.json"
SCHEDULES = [(64, 16), (24, 8), (16, 16), (32, 16), (63, 16), (5, 16), (50, 2), (100, 25)]
NUM_POINTS = 25
OPENINGS = [[], [12], [6, 18, 8], [6, 8, 16, 18]]
# Simulations, moves considered, c_visit, c_scale.
SETTINGS = [(64, 16, 50, 1), (24, 8, 50, 1), (16, 16, 50, 2), (32, 16, 50, 0.2), (40, 32, 20, 0.5)]


def bandits() -> list[dict[str, Any]]:
    """The cases without their results; numbers that float32 holds exactly."""
    rng = np.random.default_rng(21)
    cases = []
    for number, (num_simulations, num_considered, c_visit, c_scale) in enumerate(4 * SETTINGS):
        logits = rng.normal(0, 1.5, NUM_POINTS)
        policy = np.exp(logits) / np.exp(logits).sum()
        cases.append(
            {
                "opening": OPENINGS[number // len(SETTINGS)],
                "num_simulations": num_simulations,
                "num_considered": num_considered,
                "c_visit": c_visit,
                "c_scale": c_scale,
                "policy": policy.astype(np.float32).tolist(),
                "value_white": float(rng.integers(0, 257)) / 256,
                "values_white": (rng.integers(0, 257, NUM_POINTS) / 256).tolist(),
            }
        )
    return cases


def solve(case: dict[str, Any], seed: int) -> dict[str, Any]:
    """What mctx makes of a case: the noise that it drew, visits, move and improved policy."""
    import jax
    import jax.numpy as jnp
    import mctx

    with jax.enable_x64(True):
        sign = 1 if len(case["opening"]) % 2 else -1  # White is to move after an odd number
        values = sign * (2 * np.array(case["values_white"]) - 1)
        invalid = np.isin(np.arange(NUM_POINTS), case["opening"])
        root = mctx.RootFnOutput(
            prior_logits=jnp.log(jnp.array(case["policy"], jnp.float64))[None],
            value=jnp.array([sign * (2 * case["value_white"] - 1)], jnp.float64),
            embedding=jnp.zeros(1),
        )

        def step(params, key, action, embedding):
            del params, key
            outcome = mctx.RecurrentFnOutput(
                reward=jnp.zeros(1, jnp.float64),
                discount=jnp.ones(1, jnp.float64),
                prior_logits=jnp.zeros((1, NUM_POINTS), jnp.float64),
                value=jnp.array(values, jnp.float64)[action],
            )
            return outcome, embedding

        key = jax.random.PRNGKey(seed)
        drawn = mctx.gumbel_muzero_policy(
            params=None,
            rng_key=key,
            root=root,
            recurrent_fn=step,
            num_simulations=case["num_simulations"],
            max_num_considered_actions=case["num_considered"],
            invalid_actions=jnp.array(invalid)[None],
            max_depth=1,
            qtransform=lambda tree, node: mctx.qtransform_completed_by_mix_value(
                tree,
                node,
                value_scale=case["c_scale"] / 2,
                maxvisit_init=case["c_visit"],
                rescale_values=False,
            ),
        )
        noise = jax.random.gumbel(jax.random.split(key)[1], (1, NUM_POINTS), jnp.float64)
        return {
            "noise": np.array(noise)[0].tolist(),
            "visits": np.array(drawn.search_tree.summary().visit_counts)[0].astype(int).tolist(),
            "move": int(drawn.action[0]),
            "improved_policy": np.array(drawn.action_weights)[0].tolist(),
        }


def races() -> dict[str, Any]:
    """What the file holds."""
    from mctx._src.seq_halving import get_sequence_of_considered_visits

    return {
        "schedules": [
            {
                "num_simulations": num_simulations,
                "num_considered": num_considered,
                "visits": get_sequence_of_considered_visits(num_considered, num_simulations),
            }
            for num_simulations, num_considered in SCHEDULES
        ],
        "bandits": [case | solve(case, seed) for seed, case in enumerate(bandits())],
    }


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(races()).replace("}, {", "},\n{") + "\n")
