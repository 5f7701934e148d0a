"""Rows of a table put together: one cell a column, and the lines that a cell is wrapped over joined again."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tasks.records import Word
from tasks.validate.row import Row, around

_TIGHT = 1.1  # of the distance between wrapped lines
_Cell = tuple[Word, ...]
_Span = tuple[float, float]


@dataclass(frozen=True)
class _Physical:
    """One row of a table as it is drawn: the words that stand in each column at that height."""

    row: Row
    cells: tuple[_Cell, ...]


def with_tables(rows: Sequence[Row], leading: float) -> list[Row]:
    """The rows, those of each table replaced by its logical rows, numbered by table.

    `leading` is the distance between wrapped lines in units of their height. A table is two or more rows of two or
    more cells, one below the other, whose cells stand in common columns; rows of one cell between them belong to it.
    """
    found: list[Row] = []
    number = i = 0
    while i < len(rows):
        end = _end(rows, i, leading)
        if end - i < 2:
            found.append(rows[i])
            i += 1
            continue
        number += 1
        found += [replace(row, table=number) for row in _logical(rows[i:end], leading)]
        i = end
    return _continued(found)


def _end(rows: Sequence[Row], start: int, leading: float) -> int:
    """Where the table that begins at `start` ends; `start` itself if none does."""
    end = start
    for i in range(start, len(rows)):
        row, first = rows[i], rows[start]
        if (row.page, row.column) != (first.page, first.column) or not _near(rows, i, start):
            break
        if i > start and (not _fits(rows[start:end], row) or _begins_another(rows[start:end], row)):
            break
        if len(row.cells) > 1:
            end = i + 1
        elif i == start or not _wraps(rows[start:end], row, i - end):
            break
    several = sum(len(row.cells) > 1 for row in rows[start:end])
    if several < 2 or len(_columns(rows[start:end])) < 2:
        return start
    while end < len(rows) and _near(rows, end, start) and _wraps(rows[start:end], rows[end], 0):
        if not _tight(rows[end - 1], rows[end], leading):
            break
        end += 1
    return end


def _near(rows: Sequence[Row], i: int, start: int) -> bool:
    """Whether the row stands below the one before it, by no more than a few lines."""
    if i == start:
        return True
    step = rows[i].main[1] - rows[i - 1].main[1]
    same = (rows[i].page, rows[i].column) == (rows[i - 1].page, rows[i - 1].column)
    return same and 0 < step < 4 * rows[i].height


def _fits(table: Sequence[Row], row: Row) -> bool:
    """Whether no two cells of the row stand in one column of the table so far."""
    return all(len(cells) < 2 for cells in _assigned(row.cells, _columns(table)))


def _begins_another(table: Sequence[Row], row: Row) -> bool:
    """Whether the row stands further below than the table's rows do, and a cell of it in none of the columns."""
    steps = [after.main[1] - before.main[1] for before, after in pairwise(table)]
    if len(row.cells) < 2 or not steps or row.main[1] - table[-1].main[1] < 1.4 * max(steps):
        return False
    spans = _columns(table)
    return any(all(x1 <= left or x0 >= right for left, right in spans) for x0, x1 in row.spans)


def _wraps(table: Sequence[Row], row: Row, since: int) -> bool:
    """Whether a row of one cell may be a part of the table: it lies in one column, in line with what stands there."""
    columns = _columns(table)
    x0, _, x1, _ = row.box
    within = [(left, right) for left, right in columns if x0 < right and x1 > left]
    if since > 3 or len(columns) < 2 or len(within) != 1:
        return False
    left, right = within[0]
    return min(abs(x0 - left), abs(x1 - right), abs(x0 + x1 - left - right) / 2) < 2.5


def _tight(before: Row, after: Row, leading: float) -> bool:
    """Whether the step from row to row is that of wrapped lines, not of rows of a table."""
    return after.main[1] - before.main[1] <= _TIGHT * leading * min(before.height, after.height)


def _columns(rows: Sequence[Row]) -> list[_Span]:
    """The columns: the widths of the cells of the rows with most cells; two that overlap are one."""
    most = max((len(row.cells) for row in rows), default=0)
    spans = sorted({span for row in rows if len(row.cells) == most for span in row.spans})
    columns: list[_Span] = []
    for left, right in spans:
        if columns and left < columns[-1][1]:
            columns[-1] = (columns[-1][0], max(right, columns[-1][1]))
        else:
            columns.append((left, right))
    return columns


def _span(cell: _Cell) -> _Span:
    x0, _, x1, _ = around(cell)
    return x0, x1


def _logical(rows: Sequence[Row], leading: float) -> list[Row]:
    columns = _columns(rows)
    apart = any(not _tight(before, after, leading) for before, after in pairwise(rows[1:]))
    groups: list[list[_Physical]] = []
    for row in rows:
        part = _Physical(row, _placed(row, columns))
        if groups and _goes_on(groups[-1], part, columns, leading, apart):
            groups[-1].append(part)
        else:
            groups.append([part])
    return [_merged(group) for group in groups]


def _placed(row: Row, columns: Sequence[_Span]) -> tuple[_Cell, ...]:
    """The row's words by column."""
    cells = [part for cell in row.cells for part in _parted(cell, columns)]
    return tuple(tuple(word for cell in placed for word in cell) for placed in _assigned(cells, columns))


def _parted(cell: _Cell, columns: Sequence[_Span]) -> list[_Cell]:
    """The cell, cut before a word that begins where a further column does: a narrow gap, which looked like a space."""
    starts = [left for left, _ in columns[1:]]
    cuts = [i for i, word in enumerate(cell) if i and any(abs(word.box[0] - start) < 1.5 for start in starts)]
    cuts = [i for i in cuts if cell[i].box[0] - cell[i - 1].box[2] > 0.3 * (cell[i].box[3] - cell[i].box[1])]
    return [cell[start:end] for start, end in pairwise([0, *cuts, len(cell)])]


def _assigned(cells: Sequence[_Cell], columns: Sequence[_Span]) -> list[list[_Cell]]:
    """The cells by column: each in the column that it shares most width with, or else in the nearest."""
    placed: list[list[_Cell]] = [[] for _ in columns]
    for cell in cells:
        left, right = _span(cell)
        shared = [min(right, end) - max(left, start) for start, end in columns]
        placed[shared.index(max(shared))].append(cell)
    return placed


def _goes_on(
    group: Sequence[_Physical], part: _Physical, columns: Sequence[_Span], leading: float, apart: bool
) -> bool:
    """Whether a drawn row goes on with the cells above it. In doubt it does not: two rows must never be mixed.

    Each of its cells must stand as near below the cell's last line as wrapped lines do. A row that has a first cell
    goes on only if it had to: its first words had no room on the lines above; and if it has several, only where rows
    elsewhere in the table stand further apart (`apart`), or where it begins in lower case throughout.
    """
    above = [next((up for up in reversed(group) if up.cells[i]), None) for i in range(len(columns))]
    wrapped = [i for i, cell in enumerate(part.cells) if cell and above[i] is not None]
    near = [up for i in wrapped if (up := above[i]) is not None] or [group[-1]]
    if not all(_tight(up.row, part.row, leading) for up in near):
        return False
    if not part.cells[0]:
        return True
    lower = all(cell[0].text[0].islower() for cell in part.cells if cell)
    if len(wrapped) > 1 and not apart and not lower:
        return False
    return all(_had_no_room(up.cells[i], part.cells[i], columns[i]) for i in wrapped if (up := above[i]) is not None)


def _had_no_room(above: _Cell, below: _Cell, column: _Span) -> bool:
    """Whether the first word of `below` would have stuck out of the column at the end of `above`."""
    first = below[0].box
    return around(above)[2] + 0.2 * (first[3] - first[1]) + first[2] - first[0] > column[1]


def _merged(group: Sequence[_Physical]) -> Row:
    cells = tuple(tuple(word for part in group for word in part.cells[column]) for column in range(len(group[0].cells)))
    return replace(group[0].row, cells=cells)


def _continued(rows: Sequence[Row]) -> list[Row]:
    """A table that goes on in the next column or page, or below a row that runs across it, is the same table."""
    same: dict[int, int] = {}
    tables = [(i, row) for i, row in enumerate(rows) if row.table]
    for (i, before), (j, row) in pairwise(tables):
        moved = (before.page, before.column) != (row.page, row.column)
        if before.table != row.table and len(before.cells) == len(row.cells) and j - i <= (1 if moved else 2):
            same[row.table] = same.get(before.table, before.table)
    return [replace(row, table=same.get(row.table, row.table)) for row in rows]
