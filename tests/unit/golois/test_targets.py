"""What the heads are trained on, by hand: targets, rows that count, constants to beat."""

from math import isnan, log

import numpy as np
import pytest

from golois.data.batch import Batch
from golois.kit.command import UsageError
from golois.kit.options import weighted_names
from models.training.targets import (
    AUXILIARY,
    arrays_for,
    constant_loss,
    final_score,
    labels,
    row_weights,
    soft_policy,
)


def batch(num_black: tuple[int, ...], known: tuple[int, ...], replies: tuple[int, ...]) -> Batch:
    """A row each: so many points of the side to move, known or not, and a reply, 361 for none."""
    rows = len(known)
    made = Batch.empty(rows, "bits")
    for array in made:
        array[:] = 0
    for row in range(rows):
        made.area[row].flat[: num_black[row]] = known[row]
        made.ownership_known[row] = known[row]
        if replies[row] < 361:
            made.reply[row, replies[row]] = 1
    made.policy[:, 5] = 1
    made.later_values[np.array(known) == 0] = made.surprise[np.array(known) == 0] = np.nan
    made.surprise[np.array(known) == 1] = 99
    made.owners[:], made.owners_known[:] = made.area, made.ownership_known
    return made


def test_a_batch_needs_only_what_is_trained():
    assert arrays_for(()) == ("policy", "value_white")
    more = ("owners", "owners_known", "area", "ownership_known")
    assert arrays_for(("ownership", "score")) == ("policy", "value_white", *more)
    assert arrays_for(("reply",)) == ("policy", "value_white", "reply")


def test_a_score_is_in_tens_of_points_and_ends_at_five():
    made = batch((25, 7, 361, 40), (1, -1, -1, 0), (0, 0, 0, 0))
    np.testing.assert_allclose(final_score(made)[:, 0], [2.5, -0.7, -5, 0], rtol=1e-6)


def test_rows_without_a_target_weigh_nothing():
    made = batch((25, 7), (1, 0), (361, 5))
    made.owners_known[1] = 1  # by a teacher
    weights = row_weights(made, AUXILIARY)
    found = {name: rows.tolist() for name, rows in weights.items()}
    assert found == {
        **dict.fromkeys(("policy", "value", "moves", "teacher", "ownership"), [1, 1]),
        "score": [1, 0],
        "reply": [0, 1],
        **dict.fromkeys(("short_term_values", "optimistic_policy"), [1, 0]),
        "soft_policy": [0, 0],
    }
    targets = labels(made, AUXILIARY)
    assert {name: target.shape for name, target in targets.items()} == {
        **dict.fromkeys(("value", "score"), (2, 1)),
        **dict.fromkeys(("policy", "ownership", "reply", "moves"), (2, 361)),
        **dict.fromkeys(("teacher", "soft_policy", "optimistic_policy"), (2, 361)),
        "short_term_values": (2, 3),
    }


def test_a_soft_policy_is_the_fourth_root_of_the_shares_of_several_moves():
    made = batch((0, 0, 0), (1, 1, 1), (361, 361, 361))
    made.policy[1, [5, 7]] = 0.9375, 0.0625
    made.policy[2] = np.random.default_rng(0).dirichlet(np.ones(361))
    for found, shares in zip(soft_policy(made), made.policy, strict=True):
        roots = [float(share) ** 0.25 for share in shares]
        np.testing.assert_allclose(found, [root / sum(roots) for root in roots], rtol=1e-5)
    assert AUXILIARY["soft_policy"].weights(made).tolist() == [0, 1, 1]
    made.policy[0] = 0  # the teacher passes
    assert not soft_policy(made)[0].any()


def test_what_no_later_move_tells_is_no_number_of_a_loss():
    made = batch((0, 0), (1, 0), (361, 361))
    made.later_values[0] = 0.2, 0.3, 0.4
    found = AUXILIARY["short_term_values"].label(made)
    np.testing.assert_array_equal(found, np.float32([[0.2, 0.3, 0.4], [0, 0, 0]]))


def test_the_best_constant_is_of_the_known_rows():
    batches = [batch((20, 40), (1, 1), (0, 361)), batch((300,), (0,), (1,))]
    assert constant_loss("score", batches) == pytest.approx(1)  # 2 and 4, by 3
    share = 30 / 361
    assert constant_loss("ownership", batches) == pytest.approx(share * (1 - share), rel=1e-5)
    assert constant_loss("reply", batches) == pytest.approx(log(2))
    assert isnan(constant_loss("score", batches[1:]))


def test_heads_are_named_with_or_without_weights():
    usual = {"ownership": 1.0, "score": 0.25}
    assert weighted_names("score,ownership=2", usual) == {"score": 0.25, "ownership": 2.0}
    for text, words in (
        ("dominion", "--aux must be one of ownership, score, not 'dominion'"),
        ("score=much", "the weight in --aux 'score=much' must be a finite number from 0"),
        ("score=-1", "the weight in --aux 'score=-1'"),
        ("", "not ''"),
        ("ownership=2,ownership", "--aux names ownership twice"),
    ):
        with pytest.raises(UsageError, match=words):
            weighted_names(text, usual)
