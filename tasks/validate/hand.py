"""Hand-cleaned text, which is used instead of the PDF's where it exists.

# Title                    a heading; ## and ### are lower ones
- an item                  a bullet
Give all of these:         a line that ends in a colon and is followed by items or cells leads into them
Drug | Dose | Route        cells of a table; the first row of a table is its header
Anything else.             a paragraph: one line each
"""

import re
from collections.abc import Sequence

from tasks.records import Box, Kind, Line, Word
from tasks.validate.layout import around
from tasks.validate.structure import Draft, lead_ins, number

_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_BULLET = re.compile(r"(\s*)[-\u2022*]\s+(.*)")


def hand_lines(guideline: str, text: str, words: Sequence[Word]) -> list[Line]:
    """The lines of a hand-cleaned text, each with the page and box where its words stand in the PDF, if they do."""
    rows = [row.rstrip() for row in text.splitlines() if row.strip()]
    return number(guideline, lead_ins([_draft(row, words) for row in rows]))


def _draft(row: str, words: Sequence[Word]) -> Draft:
    kind, text, level, indent = _kind(row)
    page, box = _place(text, words)
    return Draft(kind, text, page, box, indent, level)


def _kind(row: str) -> tuple[Kind, str, float, float]:
    heading, bullet = _HEADING.fullmatch(row), _BULLET.fullmatch(row)
    if heading:
        return "heading", heading[2].strip(), 10.0 - len(heading[1]), 0.0
    if bullet:
        return "bullet", bullet[2].strip(), 0.0, 10.0 * len(bullet[1])
    if " | " in row:
        return "row", row.strip(), 0.0, 0.0
    return "prose", row.strip(), 0.0, 0.0


def _place(text: str, words: Sequence[Word]) -> tuple[int, Box]:
    """Page and box of the words of `text`, one after the other in the PDF; page 0 if they do not stand there."""
    wanted = [word for word in text.split() if word != "|"]
    texts = [word.text for word in words]
    for at in range(len(texts) - len(wanted) + 1):
        if texts[at] == wanted[0] and texts[at : at + len(wanted)] == wanted:
            found = [word for word in words[at : at + len(wanted)] if word.page == words[at].page]
            return words[at].page, around(found)
    return 0, (0.0, 0.0, 0.0, 0.0)
