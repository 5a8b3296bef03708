"""Writes the .h5 files that the intake's tests read, with Keras' own answers beside them.

The names are plain data, so that tests can be named without Keras.
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

# Arrays that the file hides in options or constants: Keras doesn't count them, the budget does.
HIDDEN = {
    "layers_3": 18, "layer3_Normalization": 12, "layer2_Normalization": 12,
    "layer3_Rescaling": 6, "layer2_Rescaling": 6, "ops_operators": 6, "tf_operators": 6,
    "layers_2": 18,
}
# Parameters of layers that only further outputs need.
LEFT_OUT = {"auxiliary": 699}
# Whole networks of Keras 2; the last has a layer of every class.
NETWORKS_2 = (
    "mobilenet_2", "split_blocks", "nested_2", "several_ends_2", "attention_2", "names_of_tf",
    "layers_2",
)
# Random ones, for slow tests.
RANDOM = tuple(f"random_{number}" for number in range(10))
# Whole networks, the last with a layer of every class, and networks with something wrong.
NETWORKS = (
    "resnet", "mobilenet", "mixed_ranks", "tokens", "shared_layer", "unnamed_outputs",
    "dict_outputs", "third_output", "compiled", "operators", "attention", "attention_wide",
    "nested", "nested_twice", "several_ends", "auxiliary", "equivariant", "layers_3",
)
# Those that are saved as .keras too.
ARCHIVED = (
    "resnet", "auxiliary", "compiled", "shared_layer", "operators", "attention", "nested",
    "nested_twice", "several_ends", "equivariant", "layers_3", "split_blocks",
    "nested_2", "several_ends_2", "attention_2", "layers_2",
)
DEAR = ("dear",)
WRONG = (
    "unknown_operator", "lambda_layer", "planes_21", "no_value", "over_budget", "logits",
    "value_negative", "sequential", "with_pass", "late_bomb",
)


HAS_KERAS_2 = find_spec("tf_keras") is not None


def write(folder: Path, keras_version: str, part: str) -> None:
    """Write NAME.h5 for every network of a part, and NAME.npz with what Keras answers.

    Keras 2 writes its own. The part `more` is what only slow tests read.
    """
    if keras_version == "3":
        import networks
    else:
        import networks_2 as networks
    import small_networks

    rng = np.random.default_rng(7)
    planes = (rng.random((3, 19, 19, 31)) < 0.4).astype(np.float32)
    for name, model in getattr(networks, f"build_{part}")():
        if name not in (*WRONG, *DEAR):
            small_networks.randomise(model, rng)
            policy, value = small_networks.answers(model, planes)
            np.savez(folder / f"{name}.npz", planes=planes, policy=policy, value=value,
                     parameters=model.count_params())
        model.save(folder / f"{name}.h5")
        if name in ARCHIVED:
            model.save(folder / f"{name}.keras")

