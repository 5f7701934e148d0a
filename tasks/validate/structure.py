"""Rows to self-contained lines: wrapped rows joined, and headings, lead-ins, bullets, table rows and prose told apart."""

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tasks.records import Box, Kind, Line, Repair
from tasks.validate.layout import Row, is_bullet

_LABEL = re.compile(r"\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]")
_Table = dict[str, str | int | None]
_LIGATURES: _Table = {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl"}
_SPACES: _Table = {**dict.fromkeys("\u00a0\u2007\u2009\u200a\u202f", " "), **dict.fromkeys("\u200b\u2060\ufeff", "")}
_SOFT: _Table = {"\u00ad": ""}
_HEADING = 1.08
_WRAPPED = 1.16


@dataclass(frozen=True)
class Draft:
    """A line on its way: its rows' text joined so far, its page (0: not found), and the last of its rows in the PDF.

    `level` orders headings, the higher above the lower.
    """

    kind: Kind
    text: str
    page: int
    box: Box
    indent: float
    level: float
    last: Row | None = field(default=None, repr=False)


def lines_of(guideline: str, rows: Sequence[Row]) -> tuple[list[Line], list[Repair]]:
    """The lines of one document, numbered from 1, with kind, parent and paragraph; and every repair that was made."""
    if not rows:
        return [], []
    body = Counter(row.height for row in rows for _ in row.words).most_common(1)[0][0]
    pitch = _pitch(rows)
    words = {word for row in rows for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", row.text)}
    repairs: list[Repair] = []
    drafts: list[Draft] = []
    for row in rows:
        drafted = _draft(row, body)
        if drafts and _continues(drafts[-1], drafted, pitch):
            drafts[-1] = _join(guideline, drafts[-1], drafted, words, repairs)
        else:
            drafts.append(drafted)
    clean = [replace(draft, text=_plain(guideline, draft, repairs)) for draft in drafts]
    return number(guideline, lead_ins(clean)), repairs


def number(guideline: str, drafts: Sequence[Draft]) -> list[Line]:
    """The lines of drafts: numbers from 1, the line each hangs under, and which are read together."""
    lines: list[Line] = []
    headings: list[tuple[float, int]] = []
    bullets: list[tuple[float, int]] = []
    lead_in: int | None = None
    header: int | None = None
    paragraph = 0
    for i, draft in enumerate(drafts, 1):
        before: Kind | None = lines[-1].kind if lines else None
        parent = headings[-1][1] if headings else None
        together = (draft.kind == "bullet" and before in ("bullet", "lead-in")) or (
            draft.kind == "row" and before in ("row", "lead-in")
        )
        if not together:
            paragraph += 1
            lead_in = None
        if draft.kind == "heading":
            while headings and headings[-1][0] <= draft.level:
                headings.pop()
            parent = headings[-1][1] if headings else None
            headings.append((draft.level, i))
        elif draft.kind == "bullet":
            if before != "bullet":
                bullets = []
            while bullets and bullets[-1][0] >= draft.indent - 2:
                bullets.pop()
            parent = bullets[-1][1] if bullets else lead_in or parent
            bullets.append((draft.indent, i))
        elif draft.kind == "row":
            header = header if before == "row" else None
            parent = header or lead_in or parent
            header = header or i
        if draft.kind == "lead-in":
            lead_in = i
        lines.append(
            Line(
                guideline=guideline,
                number=i,
                text=draft.text,
                kind=draft.kind,
                parent=parent,
                paragraph=paragraph,
                page=draft.page or None,
                box=draft.box if draft.page else None,
            )
        )
    return lines


def _draft(row: Row, body: float) -> Draft:
    """What one row would be as a line of its own."""
    words = row.words
    x, level = row.box[0], row.height
    if is_bullet(words[0].text) and len(words) > 1:
        text = " ".join(word.text for word in words[1:])
        return Draft("bullet", text, row.page, row.box, x, level, row)
    if len(row.cells) > 1 and not _LABEL.fullmatch(words[0].text):
        return Draft("row", " | ".join(row.texts), row.page, row.box, x, level, row)
    kind: Kind = "heading" if row.height >= _HEADING * body else "prose"
    if kind == "prose" and _LABEL.fullmatch(words[0].text) and len(words) > 1:
        kind = "bullet"
    return Draft(kind, row.text, row.page, row.box, x, level, row)


def _continues(before: Draft, draft: Draft, pitch: float) -> bool:
    """Whether a row goes on with the line before it, rather than beginning one."""
    if before.kind == "heading" and draft.kind == "heading":
        return before.level == draft.level and _next_row(before, draft, 1.3 * before.level)
    if draft.kind != "prose" or before.kind not in ("prose", "bullet"):
        return False
    if _LABEL.fullmatch(draft.text.split()[0]):
        return False
    same_column = _where(before) == _where(draft)
    if before.kind == "bullet" and draft.indent <= before.indent + 2 and same_column:
        return False
    if same_column:
        return _next_row(before, draft, _WRAPPED * pitch)
    return not before.text.rstrip().endswith((".", ":", "?", "!", ";"))


def _next_row(before: Draft, draft: Draft, pitch: float) -> bool:
    step = draft.box[1] - (before.last.box[1] if before.last else before.box[1])
    return _where(before) == _where(draft) and 0 < step <= pitch


def _where(draft: Draft) -> tuple[int, int]:
    return (draft.last.page, draft.last.column) if draft.last else (draft.page, 0)


def _join(guideline: str, before: Draft, draft: Draft, words: set[str], repairs: list[Repair]) -> Draft:
    """Two rows of one line. A word broken at the row's end is mended; a real hyphen stays."""
    head, tail = before.text.rsplit(" ", 1)[-1], draft.text.split(" ", 1)[0]
    joined = f"{before.text} {draft.text}"
    broken = re.fullmatch(r".*[^\W\d_](-|\u00ad)", head) and re.match(r"[a-z]", tail)
    if broken:
        without = before.text[:-1] + draft.text
        mended = head[:-1] + tail
        keep = head.endswith("-") and not _known(mended, words)
        joined = before.text + draft.text if keep else without
        after = head + tail if keep else mended
        repairs.append(_repair(guideline, draft, f"{head} {tail}", after, "word broken at the end of a row"))
    return replace(before, text=joined, last=draft.last)


def _known(word: str, words: set[str]) -> bool:
    return word.strip(".,;:()") in words


def _plain(guideline: str, draft: Draft, repairs: list[Repair]) -> str:
    """The text with ligatures, odd spaces and soft hyphens as plain characters; nothing else is changed."""
    text = draft.text
    for rule, table in (("ligature", _LIGATURES), ("odd space", _SPACES), ("soft hyphen", _SOFT)):
        for word in text.split(" "):
            plain = word.translate(str.maketrans(table))
            if plain != word:
                repairs.append(_repair(guideline, draft, word, plain, rule))
        text = text.translate(str.maketrans(table))
    return " ".join(text.split())


def _repair(guideline: str, draft: Draft, before: str, after: str, rule: str) -> Repair:
    return Repair(guideline=guideline, page=draft.page, before=before, after=after, rule=rule)


def lead_ins(drafts: Sequence[Draft]) -> list[Draft]:
    """Prose that ends in a colon and is followed by a list or a table leads into it."""
    after = [*(draft.kind for draft in drafts[1:]), None]
    return [
        replace(draft, kind="lead-in")
        if draft.kind == "prose" and draft.text.endswith(":") and follows in ("bullet", "row")
        else draft
        for draft, follows in zip(drafts, after, strict=True)
    ]


def _pitch(rows: Sequence[Row]) -> float:
    """The usual distance between rows that pdftotext puts in one block, in points: what wrapping looks like."""
    steps = Counter(
        round(after.box[1] - before.box[1], 1)
        for before, after in itertools.pairwise(rows)
        if before.page == after.page and before.words[0].block == after.words[0].block
    )
    return steps.most_common(1)[0][0] if steps else 0.0
