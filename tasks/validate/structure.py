"""Rows to self-contained lines: wrapped rows joined; headings, lead-ins, bullets, table rows and prose told apart."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from tasks.records import Kind, Line, Place, Repair, Word
from tasks.validate.bullets import begins_item, label_of, may_begin_item
from tasks.validate.repair import joined, plain, spelled
from tasks.validate.row import Row
from tasks.validate.tables import with_tables
from tasks.vital import AMOUNT

_HEADING = 1.08
_WRAPPED = 1.16
_ENDS = (".", "?", "!", ":", ";", ".)", "?)", "!)", '."', ".\u201d")
_CAPTION = re.compile(r"(?:table|box|figure)\s+\d", re.IGNORECASE)
_REFERS = re.compile(
    r"\b(?:following|follows|below|these|not|never|avoid|contraindicat\w+|stop|unless)\b", re.IGNORECASE
)
_WARNING = re.compile(r"(?:(?:boxed )?warnings?|caution|danger|alert)\s*(?:[:!\u2013\u2014]|$)", re.IGNORECASE)
_NOTE = re.compile(r"([\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+|[*\u2020\u2021\u00a7\u00b6]+)\s?\w")
_REFERENCE = re.compile(r"\(\d{1,2}(?:\.\d{1,2})*(?:, ?\d{1,2}(?:\.\d{1,2})*)*\)$")  # "(5.1)": it ends a sentence


_SECTION = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,3})\s+[A-Z][A-Za-z]{3}")


@dataclass(frozen=True)
class Draft:
    """A line on its way: its text so far, where it stands so far, and the last of its rows in the PDF.

    `indent` is where it begins, `hang` where its wrapped rows begin, in points from the left edge of its column;
    `level` orders headings, the higher above the lower; `table` is the number of its table, 0 outside one.
    """

    kind: Kind
    text: str
    places: tuple[Place, ...]
    indent: float
    level: float
    table: int = 0
    hang: float = 0.0
    last: Row | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Measures:
    """What the rows of a document have in common: the height of its text, how far apart wrapped rows are, its edges.

    `pitches` are the distances of wrapped rows by the height of their words: a side bar may be set smaller. `blocks` are
    the right edges of pdftotext's blocks, by page and block: a box may be narrower than its column.
    """

    body: float
    pitches: dict[float, float]
    lefts: dict[tuple[int, int], float]
    rights: dict[tuple[int, int], float]
    blocks: dict[tuple[int, int], float]

    @property
    def pitch(self) -> float:
        """How far apart the wrapped rows of the text are."""
        return self.pitches.get(self.body, 1.2 * self.body)

    def step(self, row: Row) -> float:
        """How far apart wrapped rows like this one are."""
        return self.pitches.get(row.height, self.pitch * row.height / self.body)

    def left(self, row: Row) -> float:
        """The left edge of the row's column."""
        return self.lefts[row.page % 2, row.column]

    def room(self, row: Row) -> float:
        """The white space from the end of the row to the right edge of its column."""
        return self.rights[row.page % 2, row.column] - row.box[2]


def lines_of(guideline: str, rows: Sequence[Row]) -> tuple[list[Line], list[Repair]]:
    """The lines of one document, numbered from 1, with kind, parent and paragraph; and every repair that was made."""
    if not rows:
        return [], []
    measures = _measures(rows)
    known = Counter(spelled(rows))
    repairs: list[Repair] = []
    drafts: list[Draft] = []
    for row in with_tables(rows, measures.pitch / measures.body):
        drafted = _draft(row, drafts, measures, known, repairs)
        if drafts and _continues(drafts[-1], drafted, measures):
            text, repair = joined(drafts[-1].text, drafted.text, known, row)
            repairs += repair
            drafts[-1] = replace(drafts[-1], text=text, places=_both(drafts[-1], drafted), last=drafted.last)
        else:
            drafts.append(drafted)
    for i, draft in enumerate(drafts):
        text, repair = plain(guideline, draft.text, draft.places[0].page)
        repairs += repair
        drafts[i] = replace(draft, text=text)
    return number(guideline, lead_ins(named([draft for draft in drafts if draft.text], measures.body))), repairs


def _measures(rows: Sequence[Row]) -> Measures:
    body = _body(rows)
    steps: dict[float, Counter[float]] = defaultdict(Counter)
    for before, after in pairwise(rows):
        step = round(after.main[1] - before.main[1], 1)
        together = (before.page, before.column, before.words[0].block) == (
            after.page,
            after.column,
            after.words[0].block,
        )
        if together and before.height == after.height and 0.8 * before.height < step < 2 * before.height:
            steps[before.height][step] += 1
    lefts: dict[tuple[int, int], float] = defaultdict(lambda: float("inf"))
    rights: dict[tuple[int, int], float] = defaultdict(float)
    for row in rows:
        side = row.page % 2, row.column
        lefts[side] = min(lefts[side], row.box[0])
        rights[side] = max(rights[side], row.box[2])
    pitches = {height: counts.most_common(1)[0][0] for height, counts in steps.items()}
    blocks: dict[tuple[int, int], float] = defaultdict(float)
    for row in rows:
        blocks[_block(row)] = max(blocks[_block(row)], row.box[2])
    return Measures(body, pitches, lefts, rights, blocks)


def _block(row: Row) -> tuple[int, int]:
    return row.page, row.words[0].block


def _body(rows: Sequence[Row]) -> float:
    """The height of the text: the largest that a quarter of the words have, else the commonest.

    Tables and references may be set smaller and hold most words; headings never hold so many.
    """
    words = Counter(row.height for row in rows for _ in row.words)
    often = [height for height, count in words.items() if 4 * count >= words.total()]
    return max(often, default=words.most_common(1)[0][0])


def _draft(row: Row, drafts: Sequence[Draft], measures: Measures, known: Counter[str], repairs: list[Repair]) -> Draft:
    """What one row would be as a line of its own."""
    texts = []
    for cell in row.cells:
        text, repair = _cell_text(cell, known, row)
        texts.append(text)
        repairs += repair
    indent = row.box[0] - measures.left(row)
    draft = Draft(
        "prose", " ".join(texts), (Place(page=row.page, box=row.box),), indent, row.height, row.table, indent, row
    )
    if row.table:
        return replace(draft, kind="row", text=" | ".join(texts))
    if row.height >= _HEADING * measures.body:
        return replace(draft, kind="heading")
    if len(row.words) > 1 and (glyph := _begins_item(row, drafts, indent, measures)):
        hang = row.words[1].box[0] - measures.left(row)
        text = draft.text if label_of(row.words[0].text) else draft.text.split(" ", 1)[1]
        if glyph in "-\u2013\u2014":
            repairs.append(_repair(row, draft.text[:40], text[:38], "dash that marks a list item"))
        return replace(draft, kind="bullet", text=text, hang=hang)
    if len(row.cells) > 1:
        return replace(draft, kind="row", text=" | ".join(texts))
    return draft


def _begins_item(row: Row, drafts: Sequence[Draft], indent: float, measures: Measures) -> str:
    if not may_begin_item(row.words[0].text):
        return ""
    above = drafts[-1].last if drafts else None
    room = above is not None and _had_room(above, row, measures)
    return begins_item(row, [_mark(item) for item in drafts[-40:]], indent, room)


def _mark(draft: Draft) -> tuple[Kind, str, str, float, float]:
    """What `begins_item` needs to know of the lines before."""
    first = draft.last.words[0].text if draft.last is not None else ""
    return draft.kind, draft.text, first, draft.indent, draft.hang


def _cell_text(cell: Sequence[Word], known: Counter[str], row: Row) -> tuple[str, list[Repair]]:
    """The words of a cell, those of its wrapped lines joined like the rows of prose."""
    lines: list[list[Word]] = []
    for word in cell:
        if lines and abs(lines[-1][-1].box[1] - word.box[1]) < 0.6 * row.height:
            lines[-1].append(word)
        else:
            lines.append([word])
    text, repairs = "", []
    for line in lines:
        more = " ".join(word.text for word in line)
        text, repair = joined(text, more, known, row) if text else (more, [])
        repairs += repair
    return text, repairs


def _continues(before: Draft, draft: Draft, measures: Measures) -> bool:
    """Whether a row goes on with the line before it, rather than beginning one."""
    last, row = before.last, draft.last
    if last is None or row is None or row.table or last.table:
        return False
    in_column = (last.page, last.column) == (row.page, row.column)
    step = row.main[1] - last.main[1]
    if before.kind == "heading" and draft.kind == "heading":
        return in_column and before.level == draft.level and 0 < step <= 1.3 * before.level
    if draft.kind != "prose" or before.kind not in ("prose", "bullet"):
        return False
    if _is_note(draft, measures.body) or _is_section(before) or _stands_alone(before, draft):
        return False
    ended = before.text.endswith(_ENDS) or _REFERENCE.search(before.text) is not None
    lower = draft.text[0].islower()
    if not in_column:
        return (
            row.page - last.page < 2
            and not ended
            and _same_indent(before, draft, lower)
            and (lower or _was_full(last, row, measures))
        )
    if before.kind == "bullet":
        return _goes_on_item(before, draft, measures, step, ended)
    if ended and (_had_room(last, row, measures) or draft.indent > before.hang + 0.7 * measures.body):
        return False
    far = 1.8 if lower and not ended else _WRAPPED
    return 0 < step <= far * measures.step(last)


def _goes_on_item(before: Draft, draft: Draft, measures: Measures, step: float, ended: bool) -> bool:
    """The wrapped row of a list item is indented; where it is not, it must go on in mid-sentence after a full row.

    A row without a capital ("45 mL/min ...", "death, ...") need only be full for its block.
    """
    if before.last is None or not 0 < step <= _WRAPPED * measures.step(before.last):
        return False
    if draft.indent > before.indent + 2:
        return True
    if ended or draft.last is None:
        return False
    in_block = _block(before.last) == _block(draft.last) and not draft.text[0].isupper()
    return _was_full(before.last, draft.last, measures) or (
        in_block and _filled_block(before.last, draft.last, measures)
    )


def _filled_block(last: Row, row: Row, measures: Measures) -> bool:
    """Whether the first word of `row` had had no room at the end of `last` within their block of pdftotext."""
    first = row.words[0].box
    return first[2] - first[0] + 0.5 * measures.body >= measures.blocks[_block(last)] - last.box[2]


def _both(before: Draft, draft: Draft) -> tuple[Place, ...]:
    """Where the line stands with one more row: the place it was in grows, unless the row is in the next column or page."""
    last, row = before.last, draft.last
    if last is None or row is None or (last.page, last.column) != (row.page, row.column):
        return before.places + draft.places
    mine, more = before.places[-1].box, draft.places[0].box
    box = (min(mine[0], more[0]), min(mine[1], more[1]), max(mine[2], more[2]), max(mine[3], more[3]))
    return (*before.places[:-1], Place(page=row.page, box=box))


def _same_indent(before: Draft, draft: Draft, lower: bool) -> bool:
    """Whether a row at the top of a column or page stands where the wrapped rows of the line before would stand."""
    if before.kind == "bullet":
        return abs(draft.indent - before.hang) < 4 and (draft.indent > 4 or lower)
    return draft.indent < 4 or lower


def _was_full(last: Row, row: Row, measures: Measures) -> bool:
    return not _had_room(last, row, measures)


def _had_room(last: Row, row: Row, measures: Measures) -> bool:
    """Whether the first word of `row` had had room at the end of `last`: then the line was broken there on purpose."""
    first = row.words[0].box
    return first[2] - first[0] + 0.5 * measures.body < measures.room(last)


def named(drafts: Sequence[Draft], body: float) -> list[Draft]:
    """Prose that is a warning, a footnote, or a heading no larger than the text.

    A warning says so in its first word, alone or before a colon; what follows the word alone is a part of it. A footnote
    is small and begins with a mark. Such a heading stands alone on a short row, above a longer one.
    """
    found: list[Draft] = []
    for i, draft in enumerate(drafts):
        kind: Kind = draft.kind
        if kind == "prose":
            after = drafts[i + 1] if i + 1 < len(drafts) else None
            titled = bool(found) and found[-1].kind == "warning" and _WARNING.fullmatch(found[-1].text) is not None
            if titled or _WARNING.match(draft.text):
                kind = "warning"
            elif _is_note(draft, body):
                kind = "footnote"
            elif _is_section(draft) or (
                after is not None and after.kind in ("prose", "bullet") and _stands_alone(draft, after)
            ):
                kind = "heading"
        lower = 0.5 + 0.3 * max(_depth(draft.text) - 1, 0)
        found.append(replace(draft, kind=kind, level=draft.level - lower) if kind != draft.kind else draft)
    return found


def _is_note(draft: Draft, body: float) -> bool:
    return draft.last is not None and draft.last.height < 0.95 * body and _NOTE.match(draft.text) is not None


def _stands_alone(draft: Draft, after: Draft) -> bool:
    """Whether a row is a title by its look: short, without a stop, in a column above a longer row with a capital.

    It begins where the row below begins; one in capitals above one that is not may stand in the middle.
    """
    row, below = draft.last, after.last
    if row is None or below is None or (row.page, row.column) != (below.page, below.column) or len(draft.places) > 1:
        return False
    if draft.kind != "prose" or draft.places[0].box != row.box or not after.text[0].isupper():
        return False
    if row.height < below.height or len(row.words) > 10 or _CAPTION.match(draft.text):
        return False
    level = abs(draft.indent - after.indent) < 2
    wide = after.places[0].box[2] - after.places[0].box[0]
    short = level and row.box[2] - row.box[0] < 0.7 * wide
    capitals = not level and row.text.isupper() and not after.text.isupper()
    return (short or capitals) and row.words[0].text[0].isupper() and draft.text[-1].isalnum()


def _is_section(draft: Draft) -> bool:
    """Whether a row is a title by its number: "2.3 Adult dosage", "2 DOSAGE"; it may be long."""
    row = draft.last
    if row is None or draft.kind != "prose" or draft.places[0].box != row.box or len(row.words) > 16:
        return False
    return (_depth(draft.text) > 1 or (_depth(draft.text) == 1 and draft.text.isupper())) and draft.text[-1].isalnum()


def _depth(text: str) -> int:
    """How many numbers the number of a section has: "2.3 Adult dosage" has 2; 0 if it is none."""
    match = _SECTION.match(text)
    return match[1].count(".") + 1 if match else 0


def lead_ins(drafts: Sequence[Draft]) -> list[Draft]:
    """Prose that leads into what follows it, without which an item could say the opposite.

    It ends in a colon and more text follows; or an item follows, and it does not end as a sentence does, or its last
    sentence refers to what follows or forbids something; or it is the caption of a table that follows.
    """
    after: list[Kind | None] = [*(draft.kind for draft in drafts[1:]), None]
    return [
        replace(draft, kind="lead-in") if draft.kind == "prose" and _leads(draft.text, follows) else draft
        for draft, follows in zip(drafts, after, strict=True)
    ]


def _leads(text: str, follows: Kind | None) -> bool:
    if text.endswith(":"):
        return follows in ("bullet", "row", "prose")
    if follows == "row":
        return _CAPTION.match(text) is not None
    last = re.split(r"[.?!]\s", text)[-1]
    return follows == "bullet" and (not text.endswith(_ENDS) or _REFERS.search(last) is not None)


def number(guideline: str, drafts: Sequence[Draft]) -> list[Line]:
    """The lines of drafts: numbers from 1, the line each hangs under, and which are read together."""
    place = _Place(_headless(drafts))
    lines: list[Line] = []
    for i, draft in enumerate(drafts, 1):
        parent, paragraph = place.of(i, draft)
        if draft.kind == "footnote":
            parent = _referring(lines, draft) or parent
        lines.append(
            Line(
                guideline=guideline,
                number=i,
                text=draft.text,
                kind=draft.kind,
                parent=parent,
                paragraph=paragraph,
                places=draft.places,
            )
        )
    return lines


def _headless(drafts: Sequence[Draft]) -> set[int]:
    """The tables whose first row is no header: an amount stands in the same column of both its first rows."""
    found: set[int] = set()
    for before, first, second in zip([None, *drafts], drafts, drafts[1:], strict=False):
        begins = first.table and (before is None or before.table != first.table) and second.table == first.table
        if begins and first.last is not None:
            cells = zip(first.text.split(" | ")[1:], second.text.split(" | ")[1:], strict=False)
            if any(AMOUNT.match(upper) and AMOUNT.match(lower) for upper, lower in cells):
                found.add(first.table)
    return found


def _referring(lines: Sequence[Line], note: Draft) -> int | None:
    """The last line on the page of a footnote that bears its mark."""
    match = _NOTE.match(note.text)
    if match is None:
        return None
    mark = re.compile(
        rf"(?<=[^\s\u2070\u00b9\u00b2\u00b3\u2074-\u2079]){re.escape(match[1])}(?![\u2070\u00b9\u00b2\u00b3\u2074-\u2079])"
    )
    page = note.places[0].page
    bearing = (line.number for line in reversed(lines[-200:]) if line.page == page and mark.search(line.text))
    return next(bearing, None)


class _Place:
    """Where the next line hangs: the open headings, lead-in, items and table, from what came before."""

    def __init__(self, headless: set[int]) -> None:
        self._headless = headless
        self._warning_title: int | None = None
        self._headings: list[tuple[float, int]] = []
        self._items: list[tuple[float, int]] = []
        self._lead_in: int | None = None
        self._lead_indent = 0.0
        self._before: Kind | None = None
        self._table = 0
        self._header: int | None = None
        self._row: int | None = None
        self._paragraph = 0

    def of(self, i: int, draft: Draft) -> tuple[int | None, int]:
        """The parent and the paragraph of line `i`."""
        parent, together = {
            "heading": self._heading,
            "lead-in": self._prose,
            "prose": self._prose,
            "warning": self._warning,
            "footnote": self._note,
            "bullet": self._item,
            "row": self._cells,
        }[draft.kind](i, draft)
        self._paragraph += not together
        self._before = draft.kind
        return parent, self._paragraph

    def _top(self) -> int | None:
        return self._headings[-1][1] if self._headings else None

    def _heading(self, i: int, draft: Draft) -> tuple[int | None, bool]:
        while self._headings and self._headings[-1][0] <= draft.level + 0.2:
            self._headings.pop()
        parent = self._top()
        self._headings.append((draft.level, i))
        self._lead_in, self._items, self._table = None, [], 0
        return parent, False

    def _prose(self, i: int, draft: Draft) -> tuple[int | None, bool]:
        """Prose below a lead-in that no list follows hangs under it, and so does more of it that is indented;
        indented prose in a list hangs under its item."""
        parent, together = self._top(), False
        inside = self._lead_in is not None and not self._items and draft.indent > self._lead_indent + 2
        if self._before == "lead-in" or (inside and self._before == "prose"):
            parent, together = self._lead_in, True
        elif self._items and self._before in ("bullet", "prose") and draft.indent > self._items[0][0] + 2:
            inner = [item for indent, item in self._items if indent + 2 < draft.indent]
            parent, together = inner[-1], True
        else:
            self._items, self._lead_in = [], None
        if draft.kind == "lead-in":
            self._lead_in, self._items, self._lead_indent = i, [], draft.indent
        return parent, together

    def _warning(self, i: int, draft: Draft) -> tuple[int | None, bool]:
        """A warning hangs under the row that only says that it is one; items hang under the warning."""
        titled = self._before == "warning" and self._warning_title is not None
        parent = self._warning_title if titled else self._top()
        self._warning_title = i if _WARNING.fullmatch(draft.text) else None
        self._lead_in, self._items, self._lead_indent = i, [], draft.indent
        return parent, titled

    def _note(self, i: int, draft: Draft) -> tuple[int | None, bool]:
        return self._top(), False

    def _item(self, i: int, draft: Draft) -> tuple[int | None, bool]:
        together = bool(self._items) or self._before == "lead-in"
        while self._items and self._items[-1][0] >= draft.indent - 2:
            self._items.pop()
        parent = self._items[-1][1] if self._items else self._lead_in or self._top()
        self._items.append((draft.indent, i))
        return parent, together

    def _cells(self, i: int, draft: Draft) -> tuple[int | None, bool]:
        """A row hangs under its table's header; one without a first cell under the row that has it."""
        together = self._before == "row" or self._before == "lead-in"
        if not draft.table or draft.table != self._table:
            together = self._before == "lead-in"
            self._lead_in = self._lead_in if together else None
            self._table, self._header, self._row = draft.table, None, None
        parent = self._header or self._lead_in or self._top()
        if self._header and self._row and draft.text.startswith("|"):
            return self._row, together
        if not draft.table or draft.table not in self._headless:
            self._header = self._header or i
        self._row = i if i != self._header else None
        self._items = []
        return parent, together


def _repair(row: Row, before: str, after: str, rule: str) -> Repair:
    return Repair(guideline=row.words[0].guideline, page=row.page, before=before, after=after, rule=rule)
