"""Where the lines of a hand-cleaned text stand in the PDF: every word of a line, one after the other, and no word twice."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from tasks.records import Box, Place
from tasks.validate.hand import Entry
from tasks.validate.row import around
from tasks.validate.stream import Stream, Unit

_LEAP = 4


@dataclass(frozen=True)
class Track:
    """The pieces of the PDF that a text consists of, in its order; the higher `cost`, the less plain the reading."""

    pieces: tuple[int, ...]
    cost: int


class Alignment:
    """Which pieces of `stream` each entry of a hand-cleaned text has: `tracks`, by its number in the file."""

    def __init__(self, stream: Stream, entries: Sequence[Entry]) -> None:
        self.stream = stream
        self.tracks: dict[int, Track] = {}
        self.owner: dict[int, Entry] = {}
        self._known_boxes: dict[tuple[int, ...], dict[int, Box]] = {}
        lines = [entry for entry in entries if not entry.removed]
        removed = [entry for entry in entries if entry.removed]
        for entry in lines:
            found = self._found(entry, leap=False)
            if len(found) == 1:
                self._take(entry, found[0])
        self._place(lines, entries, leap=False)
        self._place(removed, entries, leap=False)
        for entry in removed:
            stream.gone.update(self.tracks[entry.at].pieces if entry.at in self.tracks else ())
        self._place(lines, entries, leap=True)
        self.missing = [entry for entry in entries if entry.at not in self.tracks]

    def places(self, entry: Entry) -> tuple[Place, ...]:
        """Where an entry stands: a box for each page and column that it runs over."""
        track = self.tracks.get(entry.at)
        if track is None:
            return ()
        pieces = self.stream.pieces
        parts = groupby(track.pieces, key=lambda i: (pieces[i].word.page, self.stream.column.get(i)))
        return tuple(Place(page=page, box=around([pieces[i].word for i in own])) for (page, _), own in parts)

    def taken_by(self, entry: Entry) -> Entry | None:
        """The entry that has the words which this one would have, if that is why it was not found."""
        for track in self._tracks(entry, leap=True):
            return next((self.owner[i] for i in track.pieces if i in self.owner), None)
        return None

    def _place(self, some: Sequence[Entry], entries: Sequence[Entry], leap: bool) -> None:
        """Give the entries among `some` that have none yet the nearest track behind what stands before them."""
        wanted = {entry.at for entry in some}
        last = -1
        for entry in entries:
            if entry.at not in self.tracks and entry.at in wanted:
                found = self._found(entry, leap)
                if found:
                    self._take(entry, min(found, key=lambda track: self._rank(track, last)))
            if entry.at in self.tracks:
                last = max(self.tracks[entry.at].pieces)

    def _rank(self, track: Track, last: int) -> tuple[int, bool, int]:
        ragged = not self.stream.begins_row(track.pieces[0]) or not self.stream.ends_row(track.pieces[-1])
        away = track.pieces[0] - last
        return track.cost + ragged, away < 0, abs(away)

    def _take(self, entry: Entry, track: Track) -> None:
        self.tracks[entry.at] = track
        self.owner.update(dict.fromkeys(track.pieces, entry))

    def _found(self, entry: Entry, leap: bool) -> list[Track]:
        free = (track for track in self._tracks(entry, leap) if not any(i in self.owner for i in track.pieces))
        return list(free)

    def _tracks(self, entry: Entry, leap: bool) -> list[Track]:
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
                    (track, unit, 0)
                    for i, track in reached.items()
                    for unit in self.stream.after(i)
                    if unit.text == token
                ]
                if leap:
                    steps += [
                        (track, unit, _LEAP) for i, track in reached.items() for unit in self.stream.leaps(i, token)
                    ]
            reached = {}
            for track, unit, cost in steps:
                self._step(reached, track, unit, cost)
        return list(reached.values())

    def _step(self, reached: dict[int, Track], track: Track, unit: Unit, cost: int) -> None:
        if set(unit.pieces) & set(track.pieces):
            return
        cost += track.cost + 100 * sum(i in self.owner for i in unit.pieces)
        cost += bool(track.pieces) and unit.pieces[0] != track.pieces[-1] + 1
        there = reached.get(unit.pieces[-1])
        if there is None or there.cost > cost:
            reached[unit.pieces[-1]] = Track(track.pieces + unit.pieces, cost)

    def _beside(self, rows: Sequence[Track], cell: Track) -> list[Track]:
        """The row that a cell goes on with: one that stands at its height, to its left; the nearest of several."""
        mine = self._boxes(cell)
        page = self.stream.pieces[cell.pieces[0]].word.page
        found = []
        for row in rows:
            boxes = self._boxes(row)
            level = any(other in boxes and _level(box, boxes[other]) for other, box in mine.items())
            right = page not in boxes or mine[page][0] > boxes[page][0]
            if level and right and not set(row.pieces) & set(cell.pieces):
                apart = not any(unit.pieces[0] == cell.pieces[0] for unit in self.stream.after(row.pieces[-1]))
                found.append(Track(row.pieces + cell.pieces, row.cost + cell.cost + apart))
        return sorted(found, key=lambda track: track.cost)[:1]

    def _boxes(self, track: Track) -> dict[int, Box]:
        """The box of a track on each of its pages."""
        if track.pieces not in self._known_boxes:
            words = [self.stream.pieces[i].word for i in track.pieces]
            pages = {word.page for word in words}
            self._known_boxes[track.pieces] = {
                page: around([word for word in words if word.page == page]) for page in pages
            }
        return self._known_boxes[track.pieces]


def _level(one: Box, other: Box) -> bool:
    """Whether two boxes stand at one height: they share more than half of the height of the lower one."""
    shared = min(one[3], other[3]) - max(one[1], other[1])
    return shared > 0.5 * min(one[3] - one[1], other[3] - other[1])
