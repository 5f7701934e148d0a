"""What surrounds a guideline: watermarks, copyright lines, and the lines of a cover that say who made it and when."""

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from statistics import median

from tasks.records import Removal, Word
from tasks.validate.row import Row
from tasks.vital import AMOUNT

_LARGE = 1.8  # times the usual height of the document's words
_SAME = 4.0  # points
_RIGHTS = re.compile(r"(?:\u00a9|\(c\)|copyright)\s", re.IGNORECASE)
_CLAIM = re.compile(r"\b(?:19|20)\d\d\b|\brights? reserved\b|\bcopyright (?:holder|owner)", re.IGNORECASE)
_DATE = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b")
_NAMED = re.compile(
    r"(?:lead |main )?authors?(?: and reviewers?)?|(?:document |policy |guideline )?owner|"
    r"(?:approved|ratified|authori[sz]ed|prepared|written|published|issued) by|"
    r"(?:document|policy|guideline) (?:number|no\.?|id|reference|status|type|control)|target audience|keywords",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"date (?:of )?(?:issue|approval|ratification|publication|review)|(?:issue|approval|publication) date|"
    r"(?:next |date of next )?review(?: date| due| by)?|expiry(?: date)?|effective(?: date| from)?|published|issued|"
    r"(?:last )?(?:updated|revised|reviewed)",
    re.IGNORECASE,
)
_VERSION = re.compile(r"(?:version|issue|revision|edition)\s*:?\s*v?\d+(?:\.\d+)*(?:\W+\w+){0,4}\W*", re.IGNORECASE)


def without_watermarks(words: Sequence[Word]) -> tuple[list[Word], list[Removal]]:
    """The words of one or more documents without those that are watermarks, and the removals.

    A watermark is drawn large over other words (their middles lie in it), or stands as such a word does on another page
    of its document, or is very large and touches one: pdftotext tears what is set aslant into letters. A word with a
    digit is none: it might be a dose.
    """
    usual = median(word.box[3] - word.box[1] for word in words) if words else 0.0
    large: list[Word] = []
    small: dict[tuple[str, int], list[Word]] = defaultdict(list)
    for word in words:
        if word.page and word.box[3] - word.box[1] > _LARGE * usual and not any(map(str.isdigit, word.text)):
            large.append(word)
        else:
            small[word.guideline, word.page].append(word)
    over = [word for word in large if any(_covers(word, other) for other in small[word.guideline, word.page])]
    marks = [word for word in large if any(_at_same_place(word, other) for other in over)]
    tallest = max((word.box[3] - word.box[1] for word in marks), default=0.0)
    rest = [word for word in large if word not in marks and word.box[3] - word.box[1] > max(2.5 * usual, 0.4 * tallest)]
    while touching := [word for word in rest if any(_touches(word, other) for other in marks)]:
        marks += touching
        rest = [word for word in rest if word not in touching]
    removals = [
        Removal(guideline=word.guideline, page=word.page, text=word.text, rule="watermark", box=word.box)
        for word in marks
    ]
    gone = {id(word) for word in marks}
    return [word for word in words if id(word) not in gone], removals


def _covers(word: Word, other: Word) -> bool:
    x, y = (other.box[0] + other.box[2]) / 2, (other.box[1] + other.box[3]) / 2
    return word.box[0] < x < word.box[2] and word.box[1] < y < word.box[3]


def _at_same_place(word: Word, other: Word) -> bool:
    near = all(abs(mine - its) < _SAME for mine, its in zip(word.box, other.box, strict=True))
    return (word.guideline, word.text) == (other.guideline, other.text) and near


def _touches(word: Word, other: Word) -> bool:
    if (word.guideline, word.page) != (other.guideline, other.page):
        return False
    one, two = word.box, other.box
    return one[0] < two[2] + 2 and two[0] < one[2] + 2 and one[1] < two[3] + 2 and two[1] < one[3] + 2


def copyright_lines(rows: Sequence[Row]) -> set[int]:
    """The rows (by `id`) of a claim of rights: from its sign to the end of pdftotext's block.

    Not where the block is long or holds an amount.
    """
    found: set[int] = set()
    for _, group in groupby(rows, key=lambda row: (row.page, row.column, row.words[0].block)):
        block = list(group)
        first = next((i for i, row in enumerate(block) if _RIGHTS.match(row.text)), None)
        text = "" if first is None else " ".join(row.text for row in block[first:])
        if _CLAIM.search(text) and len(text.split()) <= 80 and not AMOUNT.search(text):
            found.update(id(row) for row in block[first:])
    return found


def cover_matter(rows: Sequence[Row]) -> set[int]:
    """The rows (by `id`) of the first and the last page that say who made the document and when.

    They are a label with a colon or a cell of its own ("Author: ...", "Review date | May 2027"), or a version alone. A
    label that could be an instruction ("Review: ...") needs a date; a row with an amount is never one.
    """
    pages = {row.page for row in rows}
    ends = {min(pages), max(pages)} if len(pages) > 1 else set()
    return {id(row) for row in rows if row.page in ends and not AMOUNT.search(row.text) and _is_label(row)}


def _is_label(row: Row) -> bool:
    if _VERSION.fullmatch(row.text):
        return True
    cell = " ".join(word.text for word in row.cells[0])
    label, colon, value = row.text.partition(":")
    if not colon:
        label, value = cell, row.text[len(cell) :]
    if not value.strip() or len(value.split()) > 12:
        return False
    return bool(_NAMED.fullmatch(label.strip()) or (_DATED.fullmatch(label.strip()) and _DATE.search(value)))
