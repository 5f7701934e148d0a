"""Where the lines of a hand-cleaned text stand in the PDF: every word of a line, one after the other, and no word twice."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from tasks.records import Box, Place
from tasks.validate.hand import Entry
from tasks.validate.row import around
from tasks.validate.stream import Stream, Unit

_LEAP = 4
_SLACK = 1.0  # points by which the cells of a row may miss one another


@dataclass(frozen=True)
class Track:
    """The pieces of the PDF that a text consists of, in its order; the higher `cost`, the less plain the reading."""

    pieces: tuple[int, ...]
    cost: int


class Alignment:
    """Which pieces of `stream` each entry of a hand-cleaned text has: `paths`, by its number in the file."""

    def __init__(self, stream: Stream, entries: Sequence[Entry]) -> None:
        self.stream = stream
        self.paths: dict[int, Track] = {}
        self.owner: dict[int, Entry] = {}
        lines = [entry for entry in entries if not entry.removed]
        removed = [entry for entry in entries if entry.removed]
        for entry in lines:
            found = self._found(entry, leap=False)
            if len(found) == 1:
                self._take(entry, found[0])
        self._place(lines, entries, leap=False)
        self._place(removed, entries, leap=False)
        for entry in removed:
            stream.gone.update(self.paths[entry.at].pieces if entry.at in self.paths else ())
        self._place(lines, entries, leap=True)
        self.missing = [entry for entry in entries if entry.at not in self.paths]

    def places(self, entry: Entry) -> tuple[Place, ...]:
        """Where an entry stands: a box for each page and column that it runs over."""
        path = self.paths.get(entry.at)
        if path is None:
            return ()
        pieces = self.stream.pieces
        parts = groupby(path.pieces, key=lambda i: (pieces[i].word.page, self.stream.column.get(i)))
        return tuple(Place(page=page, box=around([pieces[i].word for i in own])) for (page, _), own in parts)

    def taken_by(self, entry: Entry) -> Entry | None:
        """The entry that has the words which this one would have, if that is why it was not found."""
        for path in self._paths(entry, leap=True):
            return next((self.owner[i] for i in path.pieces if i in self.owner), None)
        return None

    def _place(self, some: Sequence[Entry], entries: Sequence[Entry], leap: bool) -> None:
        """Give the entries among `some` that have none yet the nearest path behind what stands before them."""
        wanted = {entry.at for entry in some}
        last = -1
        for entry in entries:
            if entry.at not in self.paths and entry.at in wanted:
                found = self._found(entry, leap)
                if found:
                    self._take(entry, min(found, key=lambda path: self._rank(path, last)))
            if entry.at in self.paths:
                last = max(self.paths[entry.at].pieces)

    def _rank(self, path: Track, last: int) -> tuple[int, bool, int]:
        ragged = not self.stream.begins_row(path.pieces[0]) or not self.stream.ends_row(path.pieces[-1])
        away = path.pieces[0] - last
        return path.cost + ragged, away < 0, abs(away)

    def _take(self, entry: Entry, path: Track) -> None:
        self.paths[entry.at] = path
        self.owner.update(dict.fromkeys(path.pieces, entry))

    def _found(self, entry: Entry, leap: bool) -> list[Track]:
        free = (path for path in self._paths(entry, leap) if not any(i in self.owner for i in path.pieces))
        return list(free)

    def _paths(self, entry: Entry, leap: bool) -> list[Track]:
        cells = [cell.split() for cell in entry.cells if cell]
        if entry.kind != "row":
            return self._runs([token for cell in cells for token in cell], leap)
        rows: list[Track] = []
        for n, tokens in enumerate(cells):
            runs = self._runs(tokens, leap)
            rows = runs if n == 0 else [row for run in runs for row in self._beside(rows, run)]
        return rows

    def _runs(self, tokens: Sequence[str], leap: bool) -> list[Track]:
        """All ways to read the tokens one after the other: the plainest one to each word that they may end with.

        Pieces that another entry has are read only where there is no other way.
        """
        reached: dict[int, Track] = {}
        for n, token in enumerate(tokens):
            if n == 0:
                steps = [(Track((), 0), unit, 0) for unit in self.stream.units(token)]
            else:
                steps = [
                    (path, unit, 0)
                    for i, path in reached.items()
                    for unit in self.stream.after(i)
                    if unit.text == token
                ]
                if leap:
                    steps += [
                        (path, unit, _LEAP) for i, path in reached.items() for unit in self.stream.leaps(i, token)
                    ]
            reached = {}
            for path, unit, cost in steps:
                self._step(reached, path, unit, cost)
        return list(reached.values())

    def _step(self, reached: dict[int, Track], path: Track, unit: Unit, cost: int) -> None:
        if set(unit.pieces) & set(path.pieces):
            return
        cost += path.cost + 100 * sum(i in self.owner for i in unit.pieces)
        cost += bool(path.pieces) and unit.pieces[0] != path.pieces[-1] + 1
        there = reached.get(unit.pieces[-1])
        if there is None or there.cost > cost:
            reached[unit.pieces[-1]] = Track(path.pieces + unit.pieces, cost)

    def _beside(self, rows: Sequence[Track], cell: Track) -> list[Track]:
        """The row that a cell goes on with: one that stands at its height, to its left."""
        mine = self._boxes(cell)
        found = []
        for row in rows:
            boxes = self._boxes(row)
            level = any(
                page in boxes and min(box[3], boxes[page][3]) - max(box[1], boxes[page][1]) > -_SLACK
                for page, box in mine.items()
            )
            page = self.stream.pieces[cell.pieces[0]].word.page
            right = page not in boxes or mine[page][0] > boxes[page][0]
            if level and right and not set(row.pieces) & set(cell.pieces):
                found.append(Track(row.pieces + cell.pieces, row.cost + cell.cost))
        return sorted(found, key=lambda path: path.cost)[:1]

    def _boxes(self, path: Track) -> dict[int, Box]:
        words = [self.stream.pieces[i].word for i in path.pieces]
        return {page: around([word for word in words if word.page == page]) for page in {word.page for word in words}}
