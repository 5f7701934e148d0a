"""Raised and lowered digits: what a PDF draws small and high ("10" and a 9 above) is written 10⁹, and recorded.

The places of the words alone decide: a small word that touches a taller one, higher or lower than it.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median
from typing import Literal

from tasks.records import Repair, Word
from tasks.validate.row import around

MERGED_POWER = (  # a power of ten whose exponent looks like digits of the number: must not pass
    r"[×xX]\s?10\s?[-–−]?\s?(?:[3-9]|1[0-2])(?![\d.,]*\d)|"
    r"(?<![\d.,])10\s?(?:[3-9]|1[0-2])\s?(?:/\s?(?:[µμu]?[Ll]|mm|m[Ll])|CFU|cfu|copies|cells)\b"
)
_SMALL = 0.9  # of the height of the word beside it
_TOUCHES = 0.1  # of that height: the widest gap to it
_JOINS = 0.02  # the same for a word with a letter first, behind it: "10⁷ to" may be set with a narrow space
_OFF = 0.1  # of that height: how far its middle is above or below
_DIGITS = re.compile(r"[-+–−]?\d+(?:[,–-]\d+)*[,;.]?")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)[,;.]?")
_RAISED = str.maketrans("0123456789+-–−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻")
_LOWERED = str.maketrans("0123456789+-–−", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋")
_Script = Literal["raised", "lowered"]


@dataclass
class _Joined:
    """Words that are one word, from left to right, and its text."""

    parts: list[Word]
    text: str


def with_scripts(words: Sequence[Word]) -> tuple[list[Word], list[Repair]]:
    """The words, raised and lowered digits joined to what they stand at, and each join as a repair."""
    found: list[Word] = []
    repairs: list[Repair] = []
    for _, page in groupby(words, key=lambda word: word.page):
        own = list(page)
        joined = _joined(own)
        seen: set[int] = set()
        for i, word in enumerate(own):
            whole = joined.get(i)
            if whole is None:
                found.append(word)
            elif id(whole) not in seen:
                seen.add(id(whole))
                found.append(_written(whole))
                repairs.append(_repair(whole))
    return found, repairs


def _joined(page: Sequence[Word]) -> dict[int, _Joined]:
    """The joined words of one page, by the index of each of their parts."""
    joined: dict[int, _Joined] = {}
    candidates = [i for i, word in enumerate(page) if _DIGITS.fullmatch(word.text) or _ORDINAL.fullmatch(word.text)]
    if not candidates:
        return joined
    by_height = _by_height(page)
    for i in candidates:
        small = page[i]
        before = _beside(small, page, by_height, -1)
        after = _beside(small, page, by_height, 1, loose=before is None)
        main = before if before is not None else after
        script = None if main is None else _script(small, page[main])
        if (
            main is None
            or script is None
            or (before is None and not (_DIGITS.fullmatch(small.text) and script == "raised"))
        ):
            continue
        text = _translated(small.text, page[main], script)
        if before is None:
            joined[i] = _Joined([small], text)
            continue
        whole = joined.setdefault(before, _Joined([page[before]], page[before].text))
        whole.parts.append(small)
        whole.text += text
        joined[i] = whole
        if after is not None and after not in joined and not text.endswith((",", ";")):
            whole.parts.append(page[after])
            whole.text += page[after].text
            joined[after] = whole
    return joined


def _by_height(page: Sequence[Word]) -> dict[int, list[int]]:
    """The words by where they stand, in steps of 8 points from the top."""
    found: dict[int, list[int]] = defaultdict(list)
    for i, word in enumerate(page):
        for step in range(int(word.box[1] / 8), int(word.box[3] / 8) + 1):
            found[step].append(i)
    return found


def _beside(
    small: Word, page: Sequence[Word], by_height: dict[int, list[int]], side: int, loose: bool = True
) -> int | None:
    """The taller word that the small one touches on its left (-1) or right (1)."""
    x0, top, x1, bottom = small.box
    height = bottom - top
    for i in _near(by_height, top, bottom):
        box = page[i].box
        tall = box[3] - box[1]
        if height > _SMALL * tall or min(bottom, box[3]) - max(top, box[1]) < 0.3 * height:
            continue
        gap = x0 - box[2] if side < 0 else box[0] - x1
        most = _TOUCHES if loose or not page[i].text[0].isalnum() else _JOINS
        if -0.15 * tall < gap < most * tall:
            return i
    return None


def _near(by_height: dict[int, list[int]], top: float, bottom: float) -> Iterator[int]:
    for step in range(int(top / 8), int(bottom / 8) + 1):
        yield from by_height.get(step, ())


def _script(small: Word, main: Word) -> _Script | None:
    middle, usual = median((small.box[1], small.box[3])), median((main.box[1], main.box[3]))
    off = (middle - usual) / (main.box[3] - main.box[1])
    if abs(off) < _OFF:
        return None
    return "raised" if off < 0 else "lowered"


def _translated(text: str, main: Word, script: _Script) -> str:
    """The digits of Unicode; "1st" keeps its letters."""
    if _ORDINAL.fullmatch(text):
        return text if main.text[-1:].isdigit() else f" {text}"
    return text.translate(_RAISED if script == "raised" else _LOWERED)


def _written(whole: _Joined) -> Word:
    return whole.parts[0].model_copy(update={"text": whole.text, "box": around(whole.parts)})


def _repair(whole: _Joined) -> Repair:
    first = whole.parts[0]
    before = " ".join(part.text for part in whole.parts)
    return Repair(
        guideline=first.guideline, page=first.page, before=before, after=whole.text, rule="raised or lowered digits"
    )
