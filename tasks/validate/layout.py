"""Words to rows in reading order: columns told apart, page furniture and contents taken out, cells kept apart."""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median

from tasks.records import Box, Removal, Rule, Word
from tasks.validate.bullets import is_mark
from tasks.validate.furniture import contents, furniture
from tasks.validate.matter import copyright_lines, cover_matter
from tasks.validate.row import Row, around

_MIN_ROWS = 5  # rows that a column of running text has at least
_MATTER: dict[Rule, Callable[[Sequence[Row]], set[int]]] = {
    "contents page": contents,
    "copyright line": copyright_lines,
    "cover matter": cover_matter,
}
_LEAST = 0.2  # of the width of the document's text: what such a row is wide at least


@dataclass(frozen=True)
class _Segment:
    """Words that pdftotext puts on one line; `box` is that of the usual ones, which a superscript does not stretch."""

    words: tuple[Word, ...]
    box: Box


def rows_in_order(words: Sequence[Word], keep: Collection[Rule] = ()) -> tuple[list[Row], list[Removal]]:
    """The rows of one document in reading order, and what was taken out of them, each with its rule.

    The rules of `keep` take nothing out.
    """
    pages = [_rows(_segments(list(page)), 0) for _, page in groupby(words, key=lambda word: word.page)]
    edges = {row: rule for row, rule in furniture(pages).items() if rule not in keep}
    removed = [_removal(row, edges[id(row)]) for page in pages for row in page if id(row) in edges]
    kept: list[Row] = []
    x0, _, x1, _ = around(words) if words else (0.0, 0.0, 0.0, 0.0)
    bodies = [_segments([word for row in page if id(row) not in edges for word in row.words]) for page in pages]
    least = _LEAST * (x1 - x0)
    gutters = frozenset(gutter for body in bodies for gutter in _gutters(body, least))
    for body in bodies:
        kept += _in_columns(body, least, gutters)
    for rule, matter in _MATTER.items():
        gone = matter(kept) if kept and rule not in keep else set()
        removed += [_removal(row, rule) for row in kept if id(row) in gone]
        kept = [row for row in kept if id(row) not in gone]
    return kept, removed


def _segments(words: Sequence[Word]) -> list[_Segment]:
    lines: dict[tuple[int, int], list[Word]] = defaultdict(list)
    for word in words:
        lines[word.block, word.line].append(word)
    return [_segment(line) for line in lines.values()]


def _segment(words: Sequence[Word]) -> _Segment:
    x0, _, x1, _ = around(words)
    tall = max(word.box[3] - word.box[1] for word in words)
    usual = [word for word in words if word.box[3] - word.box[1] > 0.8 * tall]
    return _Segment(tuple(words), (x0, median(w.box[1] for w in usual), x1, median(w.box[3] for w in usual)))


def _rows(segments: Sequence[_Segment], column: int) -> list[Row]:
    """Segments side by side at one height, from top to bottom. A low or raised small one belongs to its row."""
    rows: list[list[_Segment]] = []
    for segment in sorted(segments, key=lambda item: (-(item.box[3] - item.box[1]), item.box[1])):
        row = next((row for row in rows if _beside(row, segment)), None)
        if row is None:
            rows.append([segment])
        else:
            row.append(segment)
    made = [Row(row[0].words[0].page, column, _cells(row), row[0].box) for row in rows]
    return sorted(made, key=lambda row: (row.main[1], row.box[0]))


def _beside(row: Sequence[_Segment], segment: _Segment) -> bool:
    box, main = segment.box, row[0].box
    if min(box[3], main[3]) - max(box[1], main[1]) <= 0.5 * (box[3] - box[1]):
        return False
    return all(box[0] >= other.box[2] - 1 or box[2] <= other.box[0] + 1 for other in row)


def _cells(row: Sequence[_Segment]) -> tuple[tuple[Word, ...], ...]:
    """The groups of words that a gap which is wider than a space keeps apart; a bullet stays with its text."""
    ordered = sorted(row, key=lambda item: item.box[0])
    height = row[0].box[3] - row[0].box[1]
    cells: list[list[Word]] = []
    end = float("-inf")
    for segment in ordered:
        first, *others = _parts(segment, height)
        if not cells or segment.box[0] - end > 0.5 * height:
            cells.append(first)
        else:
            cells[-1] += first
        cells += others
        end = segment.box[2]
    if len(cells) == 2 and len(cells[0]) == 1 and is_mark(cells[0][0].text):
        cells = [cells[0] + cells[1]]
    return tuple(tuple(cell) for cell in cells)


def _parts(segment: _Segment, height: float) -> list[list[Word]]:
    """The words of a segment, cut at gaps far wider than its spaces; those of a justified row are all alike.

    Not behind a first word that is a glyph or a number: that gap is an indent.
    """
    words = sorted(segment.words, key=lambda word: word.box[0])
    gaps = [after.box[0] - before.box[2] for before, after in pairwise(words)]
    usual = min((gap for gap in gaps if gap > 0.5), default=0.0)
    cuts = [i for i, gap in enumerate(gaps, 1) if gap > 0.7 * height and gap > 2.5 * usual]
    if cuts and cuts[0] == 1 and not any(letter.isalpha() for letter in words[0].text):
        del cuts[0]
    return [words[start:end] for start, end in pairwise([0, *cuts, len(words)])]


def _in_columns(segments: Sequence[_Segment], least: float, known: frozenset[float], column: int = 0) -> list[Row]:
    """Rows in reading order: a band of columns is read column by column, what spans them in its place between.

    `known` are the gutters of the document's other pages: beside these, a few rows are a column too.
    """
    bands, gutter = _best(segments, least, known)
    if not bands:
        return _rows(segments, column)
    rows: list[Row] = []
    for is_columns, band in bands:
        if is_columns:
            left = [item for item in band if item.box[0] < gutter]
            right = [item for item in band if item.box[0] >= gutter]
            rows += _in_columns(left, least, known, 2 * column + 1)
            rows += _in_columns(right, least, known, 2 * column + 2)
        else:
            rows += _rows(band, column)
    return rows


_Bands = list[tuple[bool, list[_Segment]]]


def _gutters(segments: Sequence[_Segment], least: float) -> list[float]:
    """The gutters of one page, by its own rows."""
    bands, gutter = _best(segments, least, frozenset())
    found = [gutter] if bands else []
    for is_columns, band in bands:
        if is_columns:
            found += _gutters([item for item in band if item.box[0] < gutter], least)
            found += _gutters([item for item in band if item.box[0] >= gutter], least)
    return found


def _best(segments: Sequence[_Segment], least: float, known: frozenset[float]) -> tuple[_Bands, float]:
    """The bands about the gutter that puts most segments into columns; none if there is none."""
    best: _Bands = []
    gutter = 0.0
    for candidate in [*_candidates(segments), *sorted(known)]:
        bands = _bands(segments, candidate, least, candidate in known)
        if _in_column_bands(bands) > _in_column_bands(best):
            best, gutter = bands, candidate
    return best, gutter


def _candidates(segments: Sequence[_Segment]) -> list[float]:
    """Where a second column may begin: a little left of where several segments begin."""
    starts: dict[int, list[float]] = defaultdict(list)
    for segment in segments:
        starts[round(segment.box[0] / 4)].append(segment.box[0])
    leftmost = min((segment.box[0] for segment in segments), default=0.0)
    found = [min(group) for group in starts.values() if len(group) >= _MIN_ROWS]
    return sorted(start - 2 for start in found if start > leftmost + 60)


def _in_column_bands(bands: _Bands) -> int:
    return sum(len(band) for is_columns, band in bands if is_columns)


def _bands(segments: Sequence[_Segment], gutter: float, least: float, known: bool) -> _Bands:
    """Segments from top to bottom, cut where one spans the gutter; each band with whether it is two columns of text.

    Neighbouring bands of one column are one band again, so that their rows are not torn apart.
    """
    bands: _Bands = []
    for spans, group in groupby(sorted(segments, key=lambda item: item.box[1]), key=lambda item: _spans(item, gutter)):
        band = list(group)
        is_columns = not spans and (_are_columns(band, gutter, least) or (known and _are_few(band, gutter)))
        if bands and not is_columns and not bands[-1][0]:
            bands[-1][1].extend(band)
        else:
            bands.append((is_columns, band))
    return bands


def _spans(segment: _Segment, gutter: float) -> bool:
    return segment.box[0] < gutter - 1 and segment.box[2] > gutter + 1


def _are_columns(band: Sequence[_Segment], gutter: float, least: float) -> bool:
    """Whether both sides are running text: enough rows that fill their column, and not the cells of a table."""
    left = [item for item in band if item.box[0] < gutter]
    right = [item for item in band if item.box[0] >= gutter]
    if min(len(left), len(right)) < _MIN_ROWS:
        return False
    wide = max(0.6 * min(_width(left), _width(right)), least)
    filled = [sum(item.box[2] - item.box[0] >= wide for item in side) for side in (left, right)]
    enough = all(count >= max(_MIN_ROWS, 0.25 * len(side)) for count, side in zip(filled, (left, right), strict=True))
    between = min(item.box[0] for item in right) - max(item.box[2] for item in left)
    return enough and between > 4 and (not _aligned(left, right) or (_own_text(left) and _own_text(right)))


def _own_text(side: Sequence[_Segment]) -> bool:
    """Whether a side has a heading of its own and a list: then it is a column, though the other begins as it does."""
    usual = median(item.box[3] - item.box[1] for item in side)
    marks = sum(is_mark(item.words[0].text) for item in side)
    return marks >= 2 and any(item.box[3] - item.box[1] > 1.08 * usual for item in side)


def _are_few(band: Sequence[_Segment], gutter: float) -> bool:
    """Whether the band is two columns at a gutter that other pages have: nothing stands side by side within one."""
    left = [item for item in band if item.box[0] < gutter]
    right = [item for item in band if item.box[0] >= gutter]
    if not left or not right or min(item.box[0] for item in right) > gutter + 8:
        return False
    return all(len(_rows(side, 0)) == len(side) for side in (left, right))


def _width(side: Sequence[_Segment]) -> float:
    return max(item.box[2] for item in side) - min(item.box[0] for item in side)


def _aligned(left: Sequence[_Segment], right: Sequence[_Segment]) -> bool:
    """Whether the paragraphs of both sides begin at the same heights, as the cells of a table do."""
    fewer, more = sorted((_starts(left), _starts(right)), key=len)
    level = sum(any(abs(start - other) < 3 for other in more) for start in fewer)
    return len(fewer) >= 3 and level >= 0.8 * len(fewer)


def _starts(side: Sequence[_Segment]) -> list[float]:
    tops = [item.box[1] for item in side]
    steps = [after - before for before, after in pairwise(tops)]
    usual = median(steps) if steps else 0.0
    return [tops[0], *(top for top, step in zip(tops[1:], steps, strict=True) if step > 1.1 * usual)]


def _removal(row: Row, rule: Rule) -> Removal:
    return Removal(guideline=row.words[0].guideline, page=row.page, text=row.text, rule=rule, box=row.box)
