"""Where a line stands in its guideline: the headings and the lead-in that it must never be shown without."""

from collections.abc import Iterable

from tasks.records import Line


def heading_path(line: Line, lines: Iterable[Line]) -> list[Line]:
    """The lines that `line` hangs under, outermost heading first, its own parent last; empty at the top.

    `lines` may hold other guidelines too: only those of the line's own guideline count. A parent that is missing, or
    that was already passed, ends the path.
    """
    known = {item.number: item for item in lines if item.guideline == line.guideline}
    path: list[Line] = []
    passed = {line.number}
    parent = line.parent
    while parent is not None and parent in known and parent not in passed:
        passed.add(parent)
        path.append(known[parent])
        parent = known[parent].parent
    return path[::-1]


def place_of(line: Line, lines: Iterable[Line]) -> str:
    """Where a reader finds a line: "p. 3", or its headings where the source has no pages; and whether OCR read it."""
    place = f"p. {line.page}" if line.page else " > ".join(above.text for above in heading_path(line, lines))
    return ", ".join(part for part in (place, "OCR" if line.ocr else "") if part)
