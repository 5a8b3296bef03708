"""The budget is one number, though the rooms that use it may not import each other."""

from models.contract import PARAM_BUDGET
from tournament.intake import JudgeOptions


def test_the_intake_has_the_budget_of_the_models():
    assert JudgeOptions().max_params == PARAM_BUDGET
