"""What a packed file says of where its games come from: JSON that anybody may have written."""

import json
from collections.abc import Mapping
from typing import Any

_TEXT_FIELDS = {"rules": str, "source": str}
_SOURCE_FIELDS = {"name": str, "bytes": int, "sha256": str, "games": int}


def read_provenance(data: bytes) -> Mapping[str, Any]:
    """Read the section, with the types of data/README.md; ValueError if it is something else."""
    try:
        found = json.loads(data)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("it is not an object")
    for name, fields in (("texts", _TEXT_FIELDS), ("sources", _SOURCE_FIELDS)):
        entries = found.get(name, [])
        if not isinstance(entries, list) or not all(_has(entry, fields) for entry in entries):
            raise ValueError(f"its {name} are not objects with {', '.join(fields)}")
    for name, by in (("dropped", "reason"), ("assumed", "text")):
        counts = found.get(name, {})
        if not isinstance(counts, dict) or not all(type(n) is int for n in counts.values()):
            raise ValueError(f"its {name} games are not counted by {by}")
    return found


def _has(entry: Any, fields: Mapping[str, type]) -> bool:
    is_object = isinstance(entry, dict)
    return is_object and all(isinstance(entry.get(name), kind) for name, kind in fields.items())
