"""Trains twice with jax, by the steps of train.py and by Keras's, and prints what they came to.

Run in a process of its own, whose environment tells the backend; the arguments are train.py's.
"""

import json
import sys

import numpy as np

from models.training.arguments import new_run, parse_arguments
from models.training.games import held_out_batches, open_games, training_sample
from models.training.jax_steps import Steps, steps_of
from models.training.steps import build_variables
from train import built, compiled_model

RATES = (0.01, 0.002, 0.005)


def trained(options, make_steps):
    games = open_games(options)
    model = compiled_model(options, built(options, options.set), games)
    build_variables(model, held_out_batches(options, games)[0])
    sample, steps, told = training_sample(options, games), make_steps(model), []
    for number, rate in enumerate(RATES):
        model.optimizer.learning_rate.assign(rate)
        told.append(steps.take(sample(number)))
    steps.settle()
    variables = [*model.variables, *model.optimizer.variables]
    values = [np.array(variable.value, np.float64).ravel() for variable in variables]
    return type(steps).__name__, told, np.concatenate(values)


def main(arguments: list[str]) -> None:
    options, _ = new_run(parse_arguments(arguments, ""))
    kind, told, values = trained(options, lambda model: steps_of(model, 1))
    _, expected, theirs = trained(options, Steps)
    furthest = float(np.abs(values - theirs).max())
    print(json.dumps({"kind": kind, "told": told, "expected": expected, "furthest": furthest}))


if __name__ == "__main__":
    main(sys.argv[1:])
