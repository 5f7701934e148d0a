"""Whether a row begins a list item: a glyph that is stripped, or a label ("2.", "(b)") that is kept."""

import re
from collections.abc import Sequence

from tasks.records import Kind
from tasks.validate.row import Row

GLYPHS = (
    "\u2022\u2023\u2043\u204c\u204d\u2219\u25a0\u25a1\u25aa\u25ab\u25b8\u25ba\u25cb\u25cf\u25e6\u2756\u27a2\u2713\u2714"
    "\u25c6\u25c7\u2666\u27a4"
)
PRIVATE = "\uf0b7\uf0a7\uf0d8\uf0fc\uf076\uf0a8\uf0a1\uf06f"  # what Word's symbol fonts leave of their bullets
_DOT = "\u00b7"  # a bullet too, but before a number a sign of multiplication
_MAYBE = "-\u2013\u2014*o" + _DOT  # these also stand for minus, "to", and so on
_LABEL = re.compile(r"\(?(?:(\d{1,2})|([a-z])|([ivx]{2,5}))[.)]")
_ROMAN = {numeral: i for i, numeral in enumerate(("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"), 1)}

Mark = tuple[Kind, str, str, float, float]  # a line before: kind, text, first word of its last row, indent, hang


def is_mark(word: str) -> bool:
    """Whether a word is nothing but the glyph or label of a list item."""
    return word in GLYPHS or word in PRIVATE or word == _DOT or bool(label_of(word))


def may_begin_item(word: str) -> bool:
    """Whether a row that begins with this word may begin an item."""
    return is_mark(word) or (len(word) == 1 and word in _MAYBE)


def label_of(word: str) -> list[int]:
    """The numbers that a label may stand for: "(b)" is 2, "i." is 1 (roman) or 9; none if it is no label."""
    match = _LABEL.fullmatch(word)
    if match is None:
        return []
    if match[1]:
        return [int(match[1])]
    letters = match[2] or match[3]
    return [*([_ROMAN[letters]] if letters in _ROMAN else []), *([ord(letters) - 96] if len(letters) == 1 else [])]


def begins_item(row: Row, before: Sequence[Mark], indent: float, room: bool) -> str:
    """The glyph or label with which the row begins an item of a list; empty if it begins none.

    A dash, an "o" and the like begin one only below a lead-in or heading, or where an item with the same mark stands
    before: "5.5 -" may have wrapped just before its "- 6.0". A label must be the next after one before, or the first
    where the line before has ended, or left `room` for the label.
    """
    word = row.words[0].text
    if word in GLYPHS or word in PRIVATE or (word == _DOT and row.words[1:] and row.words[1].text[0].isalpha()):
        return word
    if label_of(word):
        return word if _in_sequence(word, before, indent, room) else ""
    if len(word) == 1 and word in _MAYBE and _expected(row, before, indent):
        return word
    return ""


def _expected(row: Row, before: Sequence[Mark], indent: float) -> bool:
    if not before:
        return False
    kind, text, _, last_indent, hang = before[-1]
    if kind == "heading" or text.endswith(":"):
        return True
    if kind != "bullet":
        return False
    wrapped = abs(indent - hang) < 2
    digit = row.words[1].text[0].isdigit()
    return not (wrapped and digit) and (abs(indent - last_indent) < 3 or not digit)


def _in_sequence(word: str, before: Sequence[Mark], indent: float, room: bool) -> bool:
    numbers = label_of(word)
    if not before:
        return 1 in numbers
    earlier = [label_of(text.split(" ", 1)[0]) for kind, text, *_ in before if kind == "bullet"]
    if any(number - 1 in labels for number in numbers for labels in earlier if number > 1):
        return True
    kind, text, _, _, hang = before[-1]
    ended = room or kind in ("heading", "row") or text.endswith((":", ".", ";", "?", "!"))
    return 1 in numbers and (ended or (kind == "bullet" and indent > hang - 2))
