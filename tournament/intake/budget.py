"""How large a file may be, and which one is over the budget whatever else is wrong with it."""

from tournament.intake.faults import Fault

MIN_BYTES = 4_000_000
BYTES_PER_PARAMETER = 16  # four for the weight, eight for Adam's numbers, and room for the rest


def file_limit(max_params: int) -> int:
    """Return the bytes that a file may have under a budget of so many parameters."""
    return max(MIN_BYTES, BYTES_PER_PARAMETER * max_params)


def over_budget(num_stored: int, max_params: int, count: str) -> tuple[Fault, ...]:
    """Return the fault of a file whose layers hold too many numbers for the budget, or none.

    Args:
        num_stored: the numbers in the file's layers, moving statistics included.
        max_params: the budget.
        count: what the budget counts, "total" or "trainable".
    """
    # A BatchNormalization with renorm has two trainable numbers of seven; no layer has fewer.
    at_least = num_stored if count == "total" else num_stored // 4
    if at_least <= max_params:
        return ()
    kind = "parameters" if count == "total" else "trainable parameters"
    text = f"the layers in the file have {num_stored:,} parameters: the budget is {max_params:,}"
    return (Fault(f"{text} {kind}", "use fewer filters or blocks"),)
