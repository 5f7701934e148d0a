"""Words to rows in reading order: page furniture and contents taken out, columns told apart, table cells kept apart."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median

from tasks.records import Box, Removal, Word

_CELL_GAP = 9.0
_EDGE = 0.1
_LEADERS = re.compile(r"(?:\s?[.\u2024\u2025\u2026]){4,}\s*\u2060?\s*\d*$")
_BULLET = re.compile(r"[\u2022\u25e6\u25aa\u25cf\u25cb\u2023\u2043\u00b7\uf0b7\uf0a7\u2013\u2014*o-]")


@dataclass(frozen=True)
class Row:
    """Words at one height of one column; `cells` are the groups of words that a wide gap keeps apart."""

    page: int
    column: int
    cells: tuple[tuple[Word, ...], ...]

    @property
    def words(self) -> tuple[Word, ...]:
        """All its words, from left to right."""
        return tuple(word for cell in self.cells for word in cell)

    @property
    def texts(self) -> list[str]:
        """The text of each cell."""
        return [" ".join(word.text for word in cell) for cell in self.cells]

    @property
    def text(self) -> str:
        """The text of the row."""
        return " ".join(self.texts)

    @property
    def box(self) -> Box:
        """The box around its words."""
        return around(self.words)

    @property
    def height(self) -> float:
        """The usual height of its words, in points, to a tenth."""
        return round(median(word.box[3] - word.box[1] for word in self.words), 1)


def around(words: Sequence[Word]) -> Box:
    """The box around words."""
    boxes = [word.box for word in words]
    return (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))


def rows_in_order(words: Sequence[Word]) -> tuple[list[Row], list[Removal]]:
    """The rows of one document in reading order, and what was taken out of them, each with its rule."""
    pages = [_rows(list(page), 0) for _, page in groupby(words, key=lambda word: word.page)]
    furniture = _furniture(pages)
    removed = [_removal(row, furniture[id(row)]) for page in pages for row in page if id(row) in furniture]
    kept: list[Row] = []
    for page in pages:
        body = [word for row in page if id(row) not in furniture for word in row.words]
        kept += _columns(body)
    contents = _contents(kept)
    removed += [_removal(row, "contents page") for row in kept if id(row) in contents]
    return [row for row in kept if id(row) not in contents], removed


def is_bullet(word: str) -> bool:
    """Whether a word is the glyph of a bullet."""
    return _BULLET.fullmatch(word) is not None


def _rows(words: Sequence[Word], column: int) -> list[Row]:
    """Words whose middles lie at one height, from top to bottom."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda word: (_middle(word), word.box[0])):
        height = word.box[3] - word.box[1]
        if rows and abs(_middle(word) - _middle(rows[-1][0])) < 0.4 * height:
            rows[-1].append(word)
        else:
            rows.append([word])
    return [Row(row[0].page, column, _cells(sorted(row, key=lambda word: word.box[0]))) for row in rows]


def _cells(row: Sequence[Word]) -> tuple[tuple[Word, ...], ...]:
    cells: list[list[Word]] = [[row[0]]]
    for before, word in pairwise(row):
        if word.box[0] - before.box[2] > _CELL_GAP and not is_bullet(before.text):
            cells.append([word])
        else:
            cells[-1].append(word)
    return tuple(tuple(cell) for cell in cells)


def _middle(word: Word) -> float:
    return (word.box[1] + word.box[3]) / 2


def _furniture(pages: Sequence[Sequence[Row]]) -> dict[int, str]:
    """Rows at the edge of a page that stand at the same height, but for digits, on half of the pages or more."""
    heights = [row.box[1] for page in pages for row in page]
    if not heights:
        return {}
    low, high = min(heights), max(heights)
    edge = _EDGE * (high - low)
    at_edge = [row for page in pages for row in page if row.box[1] < low + edge or row.box[1] > high - edge]
    counts = Counter(_pattern(row) for row in at_edge)
    needed = max(2, (len(pages) + 1) // 2)
    repeated = {id(row): "running head or foot" for row in at_edge if counts[_pattern(row)] >= needed}
    numbers = {id(row): "page number" for row in at_edge if re.fullmatch(r"(Page )?\d+( of \d+)?", row.text)}
    return numbers | repeated


def _pattern(row: Row) -> tuple[int, str]:
    return round(row.box[1] / 3), re.sub(r"\d+", "#", row.text)


def _columns(words: Sequence[Word]) -> list[Row]:
    """The rows of one page: two columns one after the other, in bands between the rows that span both."""
    gutter = _gutter(words)
    if gutter is None:
        return _rows(words, 0)
    segments = _segments(words)
    spanning = [segment for segment in segments if around(segment)[0] < gutter < around(segment)[2]]
    spans = {id(word) for segment in spanning for word in segment}
    breaks = _rows([word for word in words if id(word) in spans], 0)
    rows: list[Row] = []
    top = float("-inf")
    for bottom, spanning_row in [*((row.box[1], row) for row in breaks), (float("inf"), None)]:
        band = [word for word in words if id(word) not in spans and top <= word.box[1] < bottom]
        rows += _rows([word for word in band if word.box[0] < gutter], 1)
        rows += _rows([word for word in band if word.box[0] >= gutter], 2)
        if spanning_row is not None:
            rows.append(spanning_row)
            top = bottom
    return rows


def _gutter(words: Sequence[Word]) -> float | None:
    """The middle of the white strip between two columns of running text; None on a page of one column."""
    segments = [around(segment) for segment in _segments(words)]
    if len(segments) < 10:
        return None
    left, right = min(box[0] for box in segments), max(box[2] for box in segments)
    width = right - left
    candidates = [left + width * step / 100 for step in range(35, 66)]
    crossing = [sum(box[0] < x < box[2] for box in segments) for x in candidates]
    fewest = min(crossing)
    best = [x for x, count in zip(candidates, crossing, strict=True) if count == fewest]
    gutter = best[len(best) // 2]
    wide = 0.3 * width
    columns = [
        sum(box[2] <= gutter and box[2] - box[0] > wide for box in segments),
        sum(box[0] >= gutter and box[2] - box[0] > wide for box in segments),
    ]
    return gutter if fewest <= 0.1 * len(segments) and min(columns) >= 5 else None


def _segments(words: Sequence[Word]) -> list[list[Word]]:
    lines: dict[tuple[int, int], list[Word]] = defaultdict(list)
    for word in words:
        lines[word.block, word.line].append(word)
    return list(lines.values())


def _contents(rows: Sequence[Row]) -> set[int]:
    """Rows with leaders and a page number, and the heading right above the first of them."""
    found: set[int] = set()
    for i, row in enumerate(rows):
        if _LEADERS.search(row.text):
            found.add(id(row))
            above = rows[i - 1] if i else row
            if above.page == row.page and re.fullmatch(r"(table of )?contents", above.text, re.I):
                found.add(id(above))
    return found


def _removal(row: Row, rule: str) -> Removal:
    return Removal(guideline=row.words[0].guideline, page=row.page, text=row.text, rule=rule, box=row.box)
