"""One row of a page: what stands side by side at one height of one column."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from tasks.records import Box, Word


@dataclass(frozen=True)
class Row:
    """Words at one height of one column; `cells` are the groups of words that a gap keeps apart.

    `main` is the box of its tallest part. In a table (numbered from 1; 0 is none) there is one cell a column, which
    may be empty, and which may hold the words of several lines.
    """

    page: int
    column: int
    cells: tuple[tuple[Word, ...], ...]
    main: Box
    table: int = 0

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """All its words, from left to right."""
        return tuple(word for cell in self.cells for word in cell)

    @cached_property
    def text(self) -> str:
        """The text of the row."""
        return " ".join(word.text for word in self.words)

    @cached_property
    def box(self) -> Box:
        """The box around its words."""
        return around(self.words)

    @cached_property
    def spans(self) -> tuple[tuple[float, float], ...]:
        """From where to where each cell reaches; an empty one is not among them."""
        boxes = [around(cell) for cell in self.cells if cell]
        return tuple((box[0], box[2]) for box in boxes)

    @cached_property
    def height(self) -> float:
        """The usual height of its words, in points, to a tenth."""
        return round(median(word.box[3] - word.box[1] for word in self.words), 1)


def around(words: Sequence[Word]) -> Box:
    """The box around words."""
    lefts, tops, rights, bottoms = zip(*(word.box for word in words), strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)
