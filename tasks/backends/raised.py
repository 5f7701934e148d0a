"""Words cut where pdfium's outlines show raised or lowered digits that poppler merged into them.

Cleaning joins the parts again, by their places, with the digits of Unicode, and records it.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.errors import Unavailable, UnreadablePdf
from tasks.records import Word

if TYPE_CHECKING:
    from tasks.backends.glyphs import Part  # the program itself is not imported: it loads pdfium

PROGRAM = Path(__file__).with_name("glyphs.py")
_SUSPECT = re.compile(r"(?:^|[^\d.,])10(?:[3-9]|1[0-2])/|[A-Za-z][.,;:)]*\d{1,2}[.,;:)]*$|^\d{1,2}[A-Z][a-z]")
_POWER = re.compile(r"[×xX*]?10[-–−]?\d{1,2}[.,;:)]*")
_TIMES = frozenset("×xX*")


def suspect(words: Sequence[Word]) -> bool:
    """Whether a word of the document may hold merged digits: "109/L", "× 109", "m2", "text.1"."""
    texts = [word.text for word in words]
    if any(_SUSPECT.search(text) for text in texts):
        return True
    return any(_POWER.fullmatch(text) and (before in _TIMES or text[0] in _TIMES) for before, text in pairwise(texts))


def cut(words: Sequence[Word], read: Callable[[], bytes]) -> list[Word]:
    """The words, those with raised or lowered digits in parts. `read` runs the program.

    Where it cannot read the PDF, the words stay as they are: a power of ten then does not pass the gate.
    """
    if not suspect(words):
        return list(words)
    try:
        found = json.loads(read())
    except (UnreadablePdf, Unavailable, ValueError):
        return list(words)
    by_page: dict[int, list[list[Part]]] = defaultdict(list)
    for page, parts in found:
        by_page[page].append([_part(part) for part in parts])
    return [part for word in words for part in _cut(word, by_page.get(word.page, ()))]


def _part(part: Sequence[Any]) -> "Part":
    text, x0, y0, x1, y1 = part
    return str(text), float(x0), float(y0), float(x1), float(y1)


def _cut(word: Word, found: "Sequence[Sequence[Part]]") -> list[Word]:
    for parts in found:
        if "".join(part[0] for part in parts) == word.text and _same_place(word, parts):
            return [_piece(word, part, parts) for part in parts]
    return [word]


def _same_place(word: Word, parts: "Sequence[Part]") -> bool:
    x0, y0, x1, y1 = word.box
    middle = (parts[0][2] + parts[0][4]) / 2
    return abs(parts[0][1] - x0) < 2 and abs(parts[-1][3] - x1) < 2 and y0 - 1 < middle < y1 + 1


def _piece(word: Word, part: "Part", parts: "Sequence[Part]") -> Word:
    """A part as a word: what stands on the base line keeps the height of the whole."""
    text, x0, y0, x1, y1 = part
    tall = max(item[4] - item[2] for item in parts)
    top, bottom = (y0, y1) if y1 - y0 < 0.75 * max(tall, word.box[3] - word.box[1]) else (word.box[1], word.box[3])
    return word.model_copy(update={"text": text, "box": (round(x0, 2), round(top, 2), round(x1, 2), round(bottom, 2))})
