"""Everything that evaluate.py says of a network's predictions, as one dictionary."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np

from golois.constants import NUM_POINTS
from golois.records.phases import MAX_SOURCES, OTHER_SOURCES, PHASE_STARTS
from models.evaluation.equivalence import (
    OTHER_PLANE,
    OWN_PLANE,
    collapsed_ranks,
    extended_ranks,
    input_images,
    rule_images,
    stabilisers,
)
from models.evaluation.metrics import (
    calibration,
    calibration_error,
    constant_errors,
    mean_squared_error,
    ranks,
    sign_accuracy,
    value_errors,
)
from models.evaluation.positions import HeldOut
from models.evaluation.symmetric import Outputs, Predict, all_views, average

TOP = (1, 5)
BATCH_SIZE = 64
BLOCK_SIZE = 4096


def predictions(
    predict: Predict, positions: HeldOut, on_batch: Callable[[int], None]
) -> dict[str, Outputs]:
    """Ask a network about all positions: "one_view" as they are, "eight_views" averaged."""
    one, eight = [], []
    for start in range(0, len(positions), BATCH_SIZE):
        rows = slice(start, start + BATCH_SIZE)
        views = all_views(predict, positions.planes(rows).astype(np.float32))
        one.append(views[0])
        eight.append(average(views))
        on_batch(min(start + BATCH_SIZE, len(positions)))
    return {"one_view": Outputs.joined(one), "eight_views": Outputs.joined(eight)}


def measure(answers: dict[str, Outputs], positions: HeldOut) -> dict[str, Any]:
    """Compare answers with what happened: policy, value, calibration, ownership; in groups."""
    stones, by_rules, by_input = _what_stays(positions)
    symmetric = by_rules.sum(axis=1) > 1
    places = {
        views: policy_places(outputs.policy, positions.moves, by_rules, by_input)
        for views, outputs in answers.items()
    }
    if positions.is_taught.all():
        for views, outputs in answers.items():
            places[views]["teacher_top"] = ranks(outputs.policy, positions.teacher_moves)
    everything = np.ones(len(positions), bool)
    report = {
        "num_symmetric_positions": int(symmetric.sum()),
        **_group(everything, answers, places, positions),
        "calibration": {
            views: _calibration(outputs.value, positions.results)
            for views, outputs in answers.items()
        },
    }
    if answers["one_view"].ownership is not None:
        report["ownership"] = ownership_errors(answers, stones, positions)
    for name, groups in (("by_phase", phases(positions)), ("by_source", sources(positions))):
        report[name] = {title: _group(mask, answers, places, positions) for title, mask in groups}
    return report


def policy_places(
    policy: np.ndarray, moves: np.ndarray, by_rules: np.ndarray, by_input: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the label's rank, int `[N]`, under each reading of top-k.

    The policy is `[N, 361]`, the moves int `[N]`; `by_rules` and `by_input` are the stabilisers,
    bool `[N, 8]`, of what the rules and the network see.
    """
    return {
        "top": ranks(policy, moves),
        "extended_top": extended_ranks(policy, moves, by_rules),
        "strict_extended_top": extended_ranks(policy, moves, by_input),
        "collapsed_top": collapsed_ranks(policy, moves, by_rules),
    }


def _what_stays(positions: HeldOut) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The stones, 1 own and -1 opponent's, `[N, 361]`; the stabilisers by rules and by input."""
    parts = []
    for start in range(0, len(positions), BLOCK_SIZE):
        planes = positions.planes(slice(start, start + BLOCK_SIZE))
        stones = planes[..., OWN_PLANE].astype(np.int8) - planes[..., OTHER_PLANE]
        by_rules = stabilisers(rule_images(planes))
        by_input = np.zeros_like(by_rules)
        by_input[:, 0] = True
        rows = np.flatnonzero(by_rules.sum(axis=1) > 1)
        by_input[rows] = stabilisers(input_images(planes[rows]))
        parts.append((stones.reshape(-1, NUM_POINTS), by_rules, by_input))
    stones, by_rules, by_input = map(np.concatenate, zip(*parts, strict=True))
    return stones, by_rules, by_input


def _group(
    mask: np.ndarray,
    answers: dict[str, Outputs],
    places: dict[str, dict[str, np.ndarray]],
    positions: HeldOut,
) -> dict[str, Any]:
    labels, results = positions.labels[mask], positions.results[mask]
    return {
        "num_positions": int(mask.sum()),
        "policy": {
            views: {
                f"{name}{k}": float(np.mean(rank[mask] < k))
                for name, rank in of_views.items()
                for k in TOP
            }
            for views, of_views in places.items()
        },
        "value": {
            **{
                views: asdict(value_errors(outputs.value[mask], labels, results))
                for views, outputs in answers.items()
            },
            "constant": asdict(constant_errors(labels, results)),
        },
    }


def _calibration(values: np.ndarray, results: np.ndarray) -> dict[str, Any]:
    bins = calibration(values, results)
    return {"error": calibration_error(bins), "bins": [asdict(item) for item in bins]}


def ownership_errors(
    answers: dict[str, Outputs], stones: np.ndarray, positions: HeldOut
) -> dict[str, Any]:
    """Measure MSE, 0 to 4, and the share of owned points given right, of played-out games."""
    known = positions.ownership_known
    target = positions.ownership[known]
    owned = target != 0
    predicted = {
        views: outputs.ownership[known]
        for views, outputs in answers.items()
        if outputs.ownership is not None
    }
    return {
        "num_positions": int(known.sum()),
        **{
            name: {
                "mse": mean_squared_error(values, target),
                "sign_accuracy": sign_accuracy(values[owned], target[owned]),
            }
            for name, values in {**predicted, "present_stones": stones[known]}.items()
            if owned.any()
        },
    }


def phases(positions: HeldOut) -> Iterator[tuple[str, np.ndarray]]:
    """Return each phase of the game that has positions: its moves, and which rows are of it."""
    for first, end in pairwise((*PHASE_STARTS, None)):
        mask = positions.plies >= first
        if end is not None:
            mask &= positions.plies < end
        if mask.any():
            yield (f"{first}+" if end is None else f"{first}–{end - 1}"), mask


def sources(positions: HeldOut) -> Iterator[tuple[str, np.ndarray]]:
    """Return the largest sources and all others together: the name, and which rows are of it."""
    names, counts = np.unique(positions.sources, return_counts=True)
    largest = names[np.argsort(-counts, kind="stable")]
    if len(largest) > MAX_SOURCES:
        largest = largest[: MAX_SOURCES - 1]
    for name in largest:
        yield str(name), positions.sources == name
    if len(largest) < len(names):
        yield OTHER_SOURCES, ~np.isin(positions.sources, largest)
