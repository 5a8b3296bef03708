"""Files of a run that are read again; one that a power cut has damaged is named in a sentence."""

import json
from pathlib import Path
from typing import Any

from models.errors import CheckpointError

MADE_AGAIN = "remove it, and --resume makes it again"


def damaged(path: Path, remedy: str = MADE_AGAIN) -> CheckpointError:
    """What a file is that cannot be read, and what helps."""
    return CheckpointError(f"{path} is damaged: {remedy}")


def read_json(path: Path, remedy: str = MADE_AGAIN) -> Any:
    """Read a file that this run has written.

    Args:
        path: of the file.
        remedy: what helps where it is damaged.

    Raises:
        CheckpointError: it is no JSON.
    """
    try:
        return json.loads(path.read_text())
    except ValueError as error:
        raise damaged(path, remedy) from error
