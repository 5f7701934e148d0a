"""What a person changed in a text, and whether it still applies to the text of a new version of the PDF."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from typing import Literal

from tasks.validate.hand import UNRESOLVED

State = Literal["applies", "done", "conflicts"]


@dataclass(frozen=True)
class Edit:
    """Rows of the original that a person replaced: `old` by `new`, from line `at` (from 1) of the edited file on.

    `state`: it "applies" to the new version; the new version has it "done" already; or it "conflicts", since what it
    changed, or the line before or behind it, is another one now.
    """

    at: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    state: State


@dataclass(frozen=True)
class _Hunk:
    """An edit with its place: rows `i1` to `i2` of the original, `j1` to `j2` of the edited text."""

    i1: int
    i2: int
    j1: int
    j2: int


def edits(original: str, edited: str, new: str) -> list[Edit]:
    """The edits between `original` and `edited`, each with whether it applies to `new`, the original's successor."""
    before, mine, after = _rows(original), _rows(edited), _rows(new)
    moved = _moved(before, after)
    return [
        Edit(
            hunk.j1 + 1,
            tuple(before[hunk.i1 : hunk.i2]),
            tuple(mine[hunk.j1 : hunk.j2]),
            _state(hunk, before, mine, after, moved)[0],
        )
        for hunk in _hunks(before, mine)
    ]


def taken_over(original: str, edited: str, new: str) -> str:
    """The new text with the edits that apply; each of the others stands at the top, as a line to be resolved."""
    before, mine, after = _rows(original), _rows(edited), _rows(new)
    moved = _moved(before, after)
    result = list(after)
    unresolved: list[str] = []
    for hunk in reversed(_hunks(before, mine)):
        state, start, end = _state(hunk, before, mine, after, moved)
        if state == "applies":
            result[start:end] = mine[hunk.j1 : hunk.j2]
        elif state == "conflicts":
            unresolved = [*_unresolved(before[hunk.i1 : hunk.i2], mine[hunk.j1 : hunk.j2]), *unresolved]
    head = 1 if result and result[0].startswith("% made from") else 0
    return "\n".join([*result[:head], *unresolved, *result[head:]]) + "\n"


def line_diff(original: str, new: str) -> list[str]:
    """What changed from one text to the other, row by row: "- old", "+ new", "  same" around them, "@@" between."""
    found = unified_diff(_text(original), _text(new), lineterm="", n=1)
    return [f"{row[0]} {row[1:]}" if row[0] in "+- " else row for row in list(found)[2:]]


def _rows(text: str) -> list[str]:
    return [row.rstrip() for row in text.removeprefix("\ufeff").splitlines()]


def _text(text: str) -> list[str]:
    """The rows but for comments and empty ones."""
    return [row for row in _rows(text) if row and not row.startswith("%")]


def _same(row: str) -> str:
    """What is compared of a row: the hash of the PDF differs, and is no edit."""
    return "% made from" if row.startswith("% made from") else row


def _matcher(one: Sequence[str], other: Sequence[str]) -> SequenceMatcher[str]:
    return SequenceMatcher(None, [_same(row) for row in one], [_same(row) for row in other], autojunk=False)


def _hunks(before: Sequence[str], mine: Sequence[str]) -> list[_Hunk]:
    return [_Hunk(i1, i2, j1, j2) for tag, i1, i2, j1, j2 in _matcher(before, mine).get_opcodes() if tag != "equal"]


def _moved(before: Sequence[str], after: Sequence[str]) -> dict[int, int]:
    """Where each row of the original stands in the new text, if it does; -1 and the end stand for the edges."""
    moved = {-1: -1, len(before): len(after)}
    for block in _matcher(before, after).get_matching_blocks():
        moved.update({block.a + k: block.b + k for k in range(block.size)})
    return moved


def _state(
    hunk: _Hunk, before: Sequence[str], mine: Sequence[str], after: Sequence[str], moved: dict[int, int]
) -> tuple[State, int, int]:
    """Whether an edit applies, and the rows of the new text that it replaces."""
    first, last = hunk.i1 - 1, hunk.i2
    while first >= 0 and not before[first]:
        first -= 1
    while last < len(before) and not before[last]:
        last += 1
    if first not in moved or last not in moved:
        return "conflicts", 0, 0
    start, end = moved[first] + hunk.i1 - first, moved[last] - (last - hunk.i2)
    same = [_same(row) for row in after[start:end]] == [_same(row) for row in before[hunk.i1 : hunk.i2]]
    if same and all(moved.get(i) == moved[first] + i - first for i in range(first, last)):
        return "applies", start, end
    done = start <= end and list(after[start:end]) == list(mine[hunk.j1 : hunk.j2])
    return ("done" if done else "conflicts"), start, end


def _unresolved(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    yield from (f"{UNRESOLVED} - {row}" for row in old if row)
    yield from (f"{UNRESOLVED} + {row}" for row in new if row)
