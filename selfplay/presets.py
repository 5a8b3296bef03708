"""Named runs: small runs that end within an evening, and those of the papers."""

from collections.abc import Mapping
from dataclasses import replace

from golois.kit.run_folder import Preset
from selfplay.options import Options

_SMALL_NETWORK = dict(blocks="2", filters="16", perspective="mover")

# Boards that are solved, so that what they learn is measured: small batches of many short games.
_SOLVED = Options(
    game="nogo",
    size=4,
    set=_SMALL_NETWORK,
    simulations=32,
    early_moves=0,
    parallel=128,
    games_per_iteration=512,
    games_per_shard=128,
    optimizer="adam",
    lr=0.005,
    reuse=8,
    batch_size=256,
    l2=1e-5,
    result_share=0.5,
)

# Gao and Wu 2021. Theirs: the features, the first network and its heads, c_puct, the noise and
# its temperature, the weights of the losses, L2, rate and momentum. KataGo's, which they follow:
# no penalty for unvisited moves at a root with noise. Open there: simulations, temperature of
# moves, games an iteration, window, batch, reuse, games of the gate. With batches of 64, their
# rate learned no value from the games of an iteration.
_NOGOZERO = Options(
    game="nogo",
    size=9,
    model="nogozero",
    set=dict(blocks="5", filters="32", perspective="mover", multitask="true"),
    simulations=100,
    root="puct",
    c_puct=1.1,
    c_puct_log=0.0,
    root_fpu_reduction=0.0,
    root_noise=0.25,
    root_noise_concentration=0.03 * 81,
    root_policy_temperature=1.03,
    early_moves=12,
    late_temperature=0.15,
    games_per_iteration=150,
    games_per_shard=75,
    parallel=75,
    window_games=600,
    window_growth=0.5,
    reuse=4,
    batch_size=16,
    lr=0.001,
    momentum=0.8,
    l2=1e-5,
    value_weight=1.5,
    gate_games=100,
    iterations=20,
)

# ResTNet. Theirs: the network, 64 simulations with a race of 16 moves, a million games, 100,000
# batches of 1,024, the rates by batch. MiniZero's code: 500 iterations, the window, komi,
# planes, c_visit, c_scale (1 on −1 … 1), the choice of moves, resignation, momentum and decay.
# Its decay of 1e-4 within the gradient is an L2 of half that, and its squared error on −1 … 1
# is four times that on 0 … 1. Its first-play urgency has no counterpart here.
_RESTNET = Options(
    game="go",
    size=9,
    planes="zero",
    komi=7.5,
    model="restnet",
    set=dict(blocks="RRTRRT", filters="256", heads="4", perspective="mover"),
    simulations=64,
    considered=16,
    c_visit=50.0,
    c_scale=2.0,
    c_puct=1.25,
    c_puct_log=1.0,
    c_puct_base=19652.0,
    early_moves=162,
    late_temperature=1.0,
    max_value_loss=0.2,
    resign_value=-0.9,
    games_per_iteration=2000,
    games_per_shard=100,
    window_games=40_000,
    reuse=100,
    steps_per_iteration=200,
    batch_size=1024,
    lr=0.02,
    lr_drops="70000:0.01,90000:0.005",
    momentum=0.9,
    weight_decay=0.0,
    l2=0.5e-4,
    value_loss="mse",
    value_weight=4.0,
    iterations=500,
)

PRESETS: Mapping[str, Preset[Options]] = {
    "nogo3": Preset(
        replace(
            _SOLVED,
            size=3,
            random_moves=7,
            early_moves=9,
            games_per_iteration=256,
            window_games=1024,
            lr=0.003,
            lr_drops="800:0.001,1400:0.0003",
            reuse=6,
            batch_size=128,
            iterations=40,
        ),
        "NoGo 3×3 from nothing to all wins, in about a minute",
    ),
    "nogo4": Preset(
        replace(
            _SOLVED,
            model="restnet",
            set=dict(blocks="RT", filters="32", perspective="mover"),
            simulations=64,
            random_moves=14,
            window_games=6144,
            lr_drops="1300:0.002,1700:0.0007,2000:0.0002",
            iterations=22,
        ),
        "NoGo 4×4, more than halfway from chance to all wins in up to six minutes",
    ),
    "hex4": Preset(
        replace(
            _SOLVED,
            game="hex",
            random_moves=10,
            window_games=4096,
            lr_drops="700:0.002,1000:0.0005",
            iterations=12,
        ),
        "Hex 4×4 from nothing to nearly all wins, in about two minutes",
    ),
    "go5": Preset(
        Options(
            game="go",
            size=5,
            planes="zero",
            komi=22.5,
            set=dict(blocks="3", filters="32", perspective="mover"),
            simulations=32,
            early_moves=12,
            games_per_iteration=256,
            games_per_shard=64,
            window_games=4096,
            optimizer="adam",
            lr=0.002,
            l2=1e-5,
            minutes=30,
        ),
        "Go 5×5 at a komi that Black can just beat",
    ),
    "nogozero9": Preset(_NOGOZERO, "NoGoZero+'s first stage, 3,000 games of NoGo 9×9"),
    "nogozero9_10x64": Preset(
        replace(
            _NOGOZERO,
            set={**_NOGOZERO.set, "blocks": "10", "filters": "64"},
            games_from="runs/nogozero9",
            iterations=47,
        ),
        "its second stage: 7,000 games more, after those of runs/nogozero9",
    ),
    "nogozero9_20x128": Preset(
        replace(
            _NOGOZERO,
            set={**_NOGOZERO.set, "blocks": "20", "filters": "128"},
            games_from="runs/nogozero9_10x64",
            iterations=67,
        ),
        "its third stage: 10,000 games more, after those of runs/nogozero9_10x64",
    ),
    "restnet_go9": Preset(_RESTNET, "ResTNet on Go 9×9; a million games, which takes a cluster"),
    # Half of the simulations and of the batch, and one rate.
    "restnet_hex19": Preset(
        replace(
            _RESTNET,
            game="hex",
            size=19,
            planes="",
            komi=Options.komi,
            swap=True,
            simulations=32,
            early_moves=361,
            batch_size=512,
            lr_drops="",
        ),
        "ResTNet on Hex 19×19 with swap; a million games as well",
    ),
}
