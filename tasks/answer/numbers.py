"""Reading line numbers strictly: only the lines-only part at the very end of a reply counts (Listing 3)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.errors import UnreadableReply

_DASH = r"\s*[-\u2010-\u2015\u2212]\s*"
_ITEM = rf"[0-9]{{1,6}}(?:{_DASH}[0-9]{{1,6}})?"
_LABEL = r"(?:(?:final |relevant |selected )?lines?(?: numbers?)?\s*:)?"
_LINES_ONLY = re.compile(
    rf"[*_`\s]*{_LABEL}[*_`\[(\s]*({_ITEM}(?:\s*[,;\s]\s*{_ITEM})*)\s*,?[*_`\])\s]*\.?[*_`\s]*", re.I
)
_RANGE = re.compile(rf"([0-9]+)(?:{_DASH}([0-9]+))?")
_NONE = re.compile(r"[*_`\s]*none[*_`\s]*\.?\s*", re.I)
_LONGEST = 10_000


@dataclass(frozen=True)
class Named:
    """The existing numbers, and those that do not exist in the order they were named, each once."""

    valid: frozenset[int]
    invalid: tuple[int, ...]


def parse_line_numbers(reply: str, numbers: Sequence[int]) -> Named:
    """The numbers named in the last lines of `reply` that hold nothing but numbers and ranges.

    `numbers` are the lines the model was shown, ascending. A range may run either way and may pass over lines that
    were not shown; a number outside of the document, or named by itself and not shown, is invalid: never clamped,
    never wrapped. The single word "none" selects nothing. Raises UnreadableReply if the reply does not end in numbers.
    """
    rows = [row for row in reply.splitlines() if row.strip()]
    if rows and _NONE.fullmatch(rows[-1]):
        return Named(frozenset(), ())
    items: list[tuple[int, int]] = []
    for row in reversed(rows):
        match = _LINES_ONLY.fullmatch(row)
        if match is None:
            break
        items = [_ends(found) for found in _RANGE.finditer(match[1])] + items
    if not items:
        raise UnreadableReply(f"the reply does not end in line numbers: {reply[-200:]!r}")
    return _sort_out(items, numbers)


def _ends(found: re.Match[str]) -> tuple[int, int]:
    first = int(found[1])
    return first, int(found[2]) if found[2] else first


def _sort_out(items: list[tuple[int, int]], numbers: Sequence[int]) -> Named:
    shown, valid, invalid = set(numbers), set[int](), dict[int, None]()
    low, high = (numbers[0], numbers[-1]) if numbers else (1, 0)
    for ends in items:
        first, last = sorted(ends)
        if last - first > _LONGEST:
            raise UnreadableReply(f"{ends[0]}-{ends[1]} is not a selection of lines")
        for number in range(first, last + 1):
            if number in shown:
                valid.add(number)
            elif number in ends or not low <= number <= high:
                invalid[number] = None
    return Named(frozenset(valid), tuple(invalid))
