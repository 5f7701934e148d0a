"""The words of a PDF as a reader's eye may go through them: which word may follow which, by order and by place."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tasks.records import Word
from tasks.validate.bullets import GLYPHS
from tasks.validate.repair import plain
from tasks.validate.row import Row, around
from tasks.vital import must_stay

_JOINTS = "-\u2010\u2011\u2013/"  # after these, the next row goes on without a space
_HYPHENS = "-\u2010\u2011"
_BELOW = 3.0  # heights of a row: how far below its next one may stand


@dataclass(frozen=True)
class Piece:
    """A word of the PDF made plain, or a part of one that an odd space parts. `soft`: a soft hyphen broke it here."""

    text: str
    word: Word
    glyph: bool
    soft: bool

    @property
    def segment(self) -> tuple[int, int, int]:
        """The row of pdftotext that it stands in."""
        return self.word.page, self.word.block, self.word.line


@dataclass(frozen=True)
class Unit:
    """What one written word may be in the PDF: a piece, or the pieces of a word broken at the ends of rows."""

    text: str
    pieces: tuple[int, ...]


class Stream:
    """The pieces of one document, numbered in pdftotext's order, and what may follow each in a line of text.

    That is what follows it in pdftotext's order, in the order of the cleaned rows, or in the row below in its column.
    Pieces that are `gone` (removed, by a rule or by hand) and glyphs of list items are passed over.
    """

    def __init__(self, words: Sequence[Word], rows: Sequence[Row]) -> None:
        self.pieces = [piece for word in words for piece in _pieces(word)]
        self.gone: set[int] = set()
        self.column: dict[int, int] = {}
        self._of_word: dict[int, list[int]] = defaultdict(list)
        for i, piece in enumerate(self.pieces):
            self._of_word[id(piece.word)].append(i)
        self._follows: list[set[int]] = [{i + 1} for i in range(len(self.pieces))]
        if self._follows:
            self._follows[-1] = set()
        self._add_rows(rows)
        self._units: dict[int, list[Unit]] = {}
        self._by_text: dict[str, list[Unit]] = defaultdict(list)
        for i in range(len(self.pieces)):
            self._units[i] = list(self._spelled((i,), self.pieces[i].text))
            for unit in self._units[i]:
                self._by_text[unit.text].append(unit)

    def indices(self, word: Word) -> list[int]:
        """The numbers of the pieces of a word."""
        return self._of_word[id(word)]

    def units(self, text: str) -> list[Unit]:
        """All places where one written word stands."""
        return self._by_text.get(text, [])

    def after(self, i: int) -> Iterator[Unit]:
        """What may follow piece `i`."""
        for j in self._next(i):
            yield from self._units[j]

    def leaps(self, i: int, text: str) -> Iterator[Unit]:
        """Where a written word may stand behind piece `i`, with whole rows of something else between.

        In the next column or on the next page; or further on, where no number, unit, comparator or negation is
        skipped.
        """
        if not self.ends_row(i):
            return
        for unit in self.units(text):
            j = unit.pieces[0]
            if self.begins_row(j) and (self._moves_on(i, j) or (i < j and not any(map(self._kept, range(i + 1, j))))):
                yield unit

    def begins_row(self, i: int) -> bool:
        """Whether a piece is the first of pdftotext's row, but for the glyph of a list item."""
        before = i - 1
        while before >= 0 and self.pieces[before].glyph:
            before -= 1
        return before < 0 or self.pieces[before].segment != self.pieces[i].segment

    def ends_row(self, i: int) -> bool:
        """Whether a piece is the last of pdftotext's row."""
        return i + 1 == len(self.pieces) or self.pieces[i + 1].segment != self.pieces[i].segment

    def _moves_on(self, i: int, j: int) -> bool:
        one, other = self.pieces[i].word, self.pieces[j].word
        up = other.box[1] < one.box[1] and other.box[0] > one.box[2]
        return other.page == one.page + 1 or (other.page == one.page and up)

    def _kept(self, i: int) -> bool:
        return i not in self.gone and must_stay(self.pieces[i].text)

    def _next(self, i: int) -> set[int]:
        found: set[int] = set()
        passed: set[int] = set()
        open_ = [i]
        while open_:
            for j in self._follows[open_.pop()] - found - passed:
                found.add(j)
                if j in self.gone or self.pieces[j].glyph:
                    passed.add(j)
                    open_.append(j)
        return found

    def _spelled(self, pieces: tuple[int, ...], text: str) -> Iterator[Unit]:
        yield Unit(text, pieces)
        last = self.pieces[pieces[-1]]
        if len(pieces) > 3 or not (last.soft or text[-1:] in _JOINTS):
            return
        for j in self._next(pieces[-1]):
            piece = self.pieces[j]
            if piece.segment == last.segment or not piece.text[0].isalnum():
                continue
            more = (*pieces, j)
            if not last.soft:
                yield from self._spelled(more, text + piece.text)
            hyphen = last.soft or (text[-1] in _HYPHENS and piece.text[0].islower())
            stem = text if last.soft else text[:-1]
            between = piece.text[0].isalpha() and (stem[-1:].isalpha() or (last.soft and not stem[-1:].isspace()))
            if hyphen and between:
                yield from self._spelled(more, stem + piece.text)

    def _add_rows(self, rows: Sequence[Row]) -> None:
        """What follows in the order of the rows, and what stands below in the column."""
        before: int | None = None
        runs: dict[int, list[list[int]]] = defaultdict(list)
        for row in rows:
            for cell in row.cells:
                run = [i for word in cell for i in self._of_word[id(word)]]
                for i in run:
                    self.column[i] = row.column
                    if before is not None:
                        self._follows[before].add(i)
                    before = i
                if run:
                    runs[row.page].append(run)
        for page in runs.values():
            self._add_below(page)

    def _add_below(self, runs: Sequence[list[int]]) -> None:
        boxes = [around([self.pieces[i].word for i in run]) for run in runs]
        for run, (x0, y0, x1, y1) in zip(runs, boxes, strict=True):
            under = [
                (box[1], other[0])
                for other, box in zip(runs, boxes, strict=True)
                if box[1] > (y0 + y1) / 2 and box[0] < x1 and box[2] > x0 and box[1] - y1 < _BELOW * (y1 - y0)
            ]
            top = min(under, default=(0.0, 0))[0]
            self._follows[run[-1]].update(first for y, first in under if y < top + 2)


def _pieces(word: Word) -> Iterator[Piece]:
    texts = plain(word.guideline, word.text, word.page)[0].split()
    for at, text in enumerate(texts, 1):
        bare = text.lstrip(GLYPHS)
        soft = at == len(texts) and word.text.endswith("\u00ad")
        yield Piece(bare or text, word, not bare, soft)
