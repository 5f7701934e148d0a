"""Hand-cleaned text, which is used instead of the PDF's where it exists.

    # Title                    a heading; ## and ### are lower ones
    - an item                  a bullet; two more spaces before the dash make it an item of the item above
    Give all of these:         a line that ends in a colon and is followed by items or cells leads into them
    Drug | Dose | Route        cells of a table; the first row of a table is its header
    Anything else.             a paragraph: one line each

An empty line ends a paragraph, a list and a table.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from tasks.errors import UncleanText
from tasks.records import Kind, Line, Place, Removal, Word
from tasks.validate.repair import plain
from tasks.validate.row import around
from tasks.validate.structure import Draft, lead_ins, number

_HEADING = re.compile(r"(#{1,6})\s+(\S.*)")
_BULLET = re.compile(r"(\s*)[-\u2022*]\s+(\S.*)")
_FORM = "write '# heading', '- item', 'cell | cell', or a paragraph on one line"


def hand_lines(guideline: str, text: str, words: Sequence[Word]) -> list[Line]:
    """The lines of a hand-cleaned text, each with the places where its words stand in the PDF, if they do.

    Raises UncleanText, with the line of the file, for a mark without text, and for a text without any line.
    """
    drafts: list[Draft] = []
    table = 0
    places = _Places(words)
    for at, row in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if not row.strip():
            table += 1
            continue
        kind, said, level, indent = _kind(guideline, at, row.expandtabs(4).rstrip())
        drafts.append(Draft(kind, said, places.find(said), indent, level, table + 1 if kind == "row" else 0))
    if not drafts:
        raise UncleanText(f"{guideline}.txt holds no line: {_FORM}; or delete it, and the PDF's text is used")
    return number(guideline, lead_ins(drafts))


def left_out(words: Sequence[Word], lines: Sequence[Line], removals: Sequence[Removal]) -> Iterator[Removal]:
    """The words of the PDF that are neither in the hand-cleaned lines nor removed by a rule, in runs, as removals."""
    spare = Counter(_key(word) for line in lines for word in line.text.split())
    spare += Counter(_key(word) for removal in removals for word in removal.text.split())
    missing: list[Word] = []
    for word in words:
        key = _key(word.text)
        if spare[key] > 0:
            spare[key] -= 1
        elif key:
            missing.append(word)
    for _, run in groupby(missing, key=lambda word: (word.page, word.block)):
        found = list(run)
        text = " ".join(word.text for word in found)
        rule = "not in the hand-cleaned text"
        yield Removal(guideline=found[0].guideline, page=found[0].page, text=text, rule=rule, box=around(found))


def _kind(guideline: str, at: int, row: str) -> tuple[Kind, str, float, float]:
    heading, bullet = _HEADING.fullmatch(row), _BULLET.fullmatch(row)
    if heading:
        return "heading", _said(heading[2]), 10.0 - len(heading[1]), 0.0
    if bullet:
        return "bullet", _said(bullet[2]), 0.0, 10.0 * len(bullet[1])
    if re.fullmatch(r"\s*(?:#+|[-\u2022*|]+)\s*", row) or row.startswith("#"):
        raise UncleanText(f"{guideline}.txt:{at}: {row!r} is a mark without text: {_FORM}")
    return "row" if "|" in row else "prose", _said(row), 0.0, 0.0


def _said(text: str) -> str:
    """The text with single spaces, and with spaces around the bars between cells."""
    return " ".join(re.sub(r"\|", " | ", text).split())


def _key(word: str) -> str:
    return plain("", word, 0)[0].strip("|").casefold()


class _Places:
    """The words of a PDF in a row, to find texts in, each after the one before if it stands there too."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._words = [word for word in words if _key(word.text)]
        self._keys = [_key(word.text) for word in self._words]
        self._next = 0

    def find(self, text: str) -> tuple[Place, ...]:
        """Where the words of `text` stand, one after the other; nowhere if they do not stand so in the PDF."""
        wanted = [key for key in map(_key, text.split()) if key]
        starts = range(len(self._keys) - len(wanted) + 1)
        for at in [*starts[self._next :], *starts[: self._next]]:
            if wanted and self._keys[at] == wanted[0] and self._keys[at : at + len(wanted)] == wanted:
                self._next = at + len(wanted)
                pages = groupby(self._words[at : self._next], key=lambda word: word.page)
                return tuple(Place(page=page, box=around(list(own))) for page, own in pages)
        return ()
