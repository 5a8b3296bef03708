"""What gradebooks of course systems have beside people: rows of nobody, columns of assignments.

Sources: Canvas's `lib/gradebook_exporter.rb` and `lib/gradebook_importer.rb`; exports of Moodle,
Blackboard and Brightspace.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

POINTS_POSSIBLE = "points possible"
_OF_NOBODY = {POINTS_POSSIBLE, "student, test"}  # cells of Canvas
_POSTING = re.compile(r"muted|manual posting.*", re.IGNORECASE)
_OF_CANVAS = {"student", "section", "sis user id", "sis login id"}
_PREVIEW = "_previewuser"  # Blackboard's test student
_CANVAS_ASSIGNMENT = re.compile(r".+ \(\d+\)")
# Titles of assignments elsewhere, with what a grade may be at most where the title says so.
_ASSIGNMENTS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:assignment|quiz|workshop|devoir|test|atelier|aufgabe)\s?: .+",  # Moodle
        r"(?!.*\btotal \().+ \(real\)",  # Moodle, of an item without an activity
        r"(?!(?:weighted )?total \[).+ \[total pts: (?P<most>[\d.,]+)[^\]]*\] ?\|\d+",  # Blackboard
        r".+ points grade <(?:numeric )?(?:maxpoints:(?P<most>[\d.,]+))?.*>",  # Brightspace
    )
)
# Columns that look like one and hold no grade in points, or a computed one.
_COMPUTED = re.compile(
    r"(?:.* )?(?:unposted )?(?:current|final|override) (?:score|points|grade|status)(?: \(.*\))?|"
    r".*\((?:feedback|percentage|letter|commentaires|pourcentage|lettre|prozentsatz)\)",
    re.IGNORECASE,
)
_GRADE, _MAXIMUM = "grade", "maximum grade"  # of Moodle's worksheet of one assignment
# What Canvas writes for a student who is excused, or has not been given the assignment.
UNGRADED = {"ex", "n/a"}


@dataclass(frozen=True)
class Assignment:
    """A gradebook's column for grades; `points` is the highest grade, None if not in the file."""

    index: int
    title: str
    points: float | None = None


def is_nobody(titles: Sequence[str], cells: Sequence[str], name: str) -> bool:
    """Return whether a row is of no student: about the assignments, or of the test student."""
    said = [cell.lower() for cell in cells if cell]
    if not _OF_NOBODY.isdisjoint(said) or all(map(_POSTING.fullmatch, said)):
        return True
    if any(cell.endswith(_PREVIEW) for cell in said):
        return True
    is_test_student = sorted(re.findall(r"\w+", name.lower())) == ["student", "test"]
    return is_test_student and _is_of_canvas(titles)


def assignments_of(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[Assignment]:
    """Return the columns of a gradebook that take grades; none where a file has no such columns."""
    points = next((row for row in rows if POINTS_POSSIBLE in _lower(row)), [""] * len(titles))
    return [
        Assignment(index, title, most)
        for index, title, most in _candidates(titles, points, rows)
        if not _COMPUTED.fullmatch(title)
    ]


def _candidates(
    titles: Sequence[str], points: Sequence[str], rows: Sequence[Sequence[str]]
) -> Iterator[tuple[int, str, float | None]]:
    lower = _lower(titles)
    patterns = (*_ASSIGNMENTS, _CANVAS_ASSIGNMENT) if _is_of_canvas(titles) else _ASSIGNMENTS
    for index, title in enumerate(titles):
        matches = (pattern.fullmatch(title) for pattern in patterns)
        found = next((match for match in matches if match), None)
        most = _number(points[index])
        if lower[index] == _GRADE and lower.count(_GRADE) == 1:
            worksheet = dict(zip(lower, rows[0], strict=True)) if rows else {}
            yield index, title, _number(worksheet.get(_MAXIMUM, ""))
        elif found or most is not None:
            named: Mapping[str, str | None] = found.groupdict() if found else {}
            yield index, title, _number(named.get("most") or "") if most is None else most


def _is_of_canvas(titles: Sequence[str]) -> bool:
    return not _OF_CANVAS.isdisjoint(_lower(titles))


def _lower(cells: Sequence[str]) -> list[str]:
    return [cell.strip().lower() for cell in cells]


def _number(text: str) -> float | None:
    """Return a number that is written with a decimal point or comma; None for anything else."""
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None
