"""Train a Go network in one file: games, network, training, check, submission.

    python examples/minimal_train.py                          about nine minutes on one core
    python examples/minimal_train.py --epochs 1 --steps 20 --out runs/look.h5    a first look

The first command writes runs/minimal/best.h5. train.py does the same with many options.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from shlex import quote

KIT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(KIT))  # so that the kit is found without an installation

from models.training.quiet import import_keras_quietly  # noqa: E402

import_keras_quietly()  # without the lines that TensorFlow logs

import keras  # noqa: E402
from keras import layers  # noqa: E402

from golois import Dataset  # noqa: E402
from models.contract import check_submittable  # noqa: E402


def block(x, filters):
    """Return an inverted bottleneck: wider, a depthwise convolution, narrow again, and a sum."""
    y = layers.Conv2D(3 * filters, 1, use_bias=False)(x)
    y = layers.ReLU()(layers.BatchNormalization()(y))
    y = layers.DepthwiseConv2D(3, padding="same", use_bias=False)(y)
    y = layers.ReLU()(layers.BatchNormalization()(y))
    y = layers.BatchNormalization()(layers.Conv2D(filters, 1, use_bias=False)(y))
    return layers.Add()([x, y])


def network(blocks=6, filters=40):
    """Return a network with the input and the outputs that the arena expects.

    The input has 31 planes: the stones, their liberties, ladders, the last moves and the komi. The
    policy has a chance for each of the 361 points. The value is the chance that White wins.
    """
    board = keras.Input((19, 19, 31), name="board")
    x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(board)
    x = layers.ReLU()(layers.BatchNormalization()(x))
    for _ in range(blocks):
        x = block(x, filters)
    points = layers.Flatten()(layers.Conv2D(1, 1)(x))
    policy = layers.Activation("softmax", name="policy")(points)
    board_mean = layers.GlobalAveragePooling2D()(x)
    hidden = layers.Dense(32, activation="relu")(board_mean)
    value = layers.Dense(1, activation="sigmoid", name="value")(hidden)
    return keras.Model(board, [policy, value])


def train(model, games, path, epochs, steps):
    """Train on random positions of the games, and keep the weights of the best epoch.

    An epoch shows `steps` batches of 64 positions. Each position is shown under a random symmetry.
    The held-out games are never trained on: they tell how good the network is on new games.
    """
    schedule = keras.optimizers.schedules.CosineDecay(0.004, epochs * steps)
    model.compile(
        optimizer=keras.optimizers.Adam(schedule),
        loss={"policy": "categorical_crossentropy", "value": "binary_crossentropy"},
        metrics={"policy": "accuracy", "value": "mse"},
    )
    model.fit(
        games.as_keras(64, endless=True),
        epochs=epochs,
        steps_per_epoch=steps,
        shuffle=False,  # the games are already drawn at random
        validation_data=games.as_keras(256, split="validation"),
        callbacks=[keras.callbacks.ModelCheckpoint(path, save_best_only=True)],
        verbose=2,
    )


def main():
    """Train, check the file as the arena does, and say how to hand it in."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--steps", type=int, default=100, help="batches of an epoch")
    parser.add_argument("--out", type=Path, default=Path("runs/minimal/best.h5"))
    given = parser.parse_args()
    if given.epochs < 1 or given.steps < 1 or given.out.suffix != ".h5":
        parser.error("--epochs and --steps must be 1 or more, and --out must end in .h5")
    if given.out.exists():
        parser.error(f"{given.out} exists: choose another --out")
    given.out.parent.mkdir(parents=True, exist_ok=True)

    games = Dataset(KIT / "data" / "katago_b6.games", validation_fraction=0.005)
    print(games)
    model = network()
    print(f"{model.count_params():,} parameters; 100,000 are allowed")
    for fault in check_submittable(model):
        sys.exit(f"this network cannot be handed in: {fault}")

    train(model, games, given.out, given.epochs, given.steps)
    subprocess.run([sys.executable, KIT / "submit.py", given.out, "--check-only"], check=True)
    print(f"to hand it in: python submit.py {quote(str(given.out))} --name Your_Name")


if __name__ == "__main__":
    main()
