"""Plain text: paragraphs, headings that are marked, list items and cells.

    # Heading              as in Markdown; or a line with a row of = (or of -, one lower) below it
    - item, * item, • item, 1. item, a) item
    Drug | Dose            cells, also with tabs between them

A line ends where the file's line ends; unless the file is wrapped (its longest line has 60 to 100 characters), the line does
not end as a sentence does, and the next word would not have fitted: then it goes on.
"""

import re
from collections.abc import Iterator

from tasks.extract.pageless import Parsed, block, decoded, words_of
from tasks.records import Block

_WRAPPED = range(60, 101)  # characters of the longest line of a file that is wrapped
_ENDS = (".", "?", "!", ":", ";")
_HEADING = re.compile(r"(#{1,6})\s+(\S.*)")
_RULE = re.compile(r"\s*([=\-_*~])\1{2,}\s*")
_ITEM = re.compile(r"([-*•·▪◦‣–]\s+|\(?(?:\d{1,2}|[a-zA-Z]|[ivx]{1,4})[.)]\s+)\S")
_GLYPH = re.compile(r"[-*•·▪◦‣–]\s+")


def read_text(guideline: str, name: str, data: bytes) -> Parsed:
    """The words and lines of a plain text file. Raises UnreadableText."""
    rows = decoded(name, data).splitlines()
    words = words_of(guideline, (row for row in rows if not _RULE.fullmatch(row)))
    return Parsed(words, list(_blocks(guideline, rows)), [])


def _blocks(guideline: str, rows: list[str]) -> Iterator[Block]:
    width = max(map(len, rows))
    wrapped = width in _WRAPPED
    open_block: Block | None = None
    last, table = "", 0
    for i, row in enumerate(rows):
        below = rows[i + 1] if i + 1 < len(rows) else ""
        if not row.strip() or _RULE.fullmatch(row):
            if open_block is not None:
                yield open_block
            open_block, table = None, table + 1
            continue
        made = _block(guideline, row, below, table + 1)
        first = row.split()[0]
        goes_on = wrapped and not last.rstrip().endswith(_ENDS) and len(last.rstrip()) + 1 + len(first) > width
        if open_block is not None and made.kind == "prose" and open_block.kind in ("prose", "bullet") and goes_on:
            open_block = open_block.model_copy(update={"text": f"{open_block.text} {made.text}"})
        else:
            if open_block is not None:
                yield open_block
            open_block = made
        last = row
    if open_block is not None:
        yield open_block


def _block(guideline: str, row: str, below: str, table: int) -> Block:
    """What one row of the file is as a line of its own; `below` may underline it."""
    text = row.strip()
    indent = 10.0 * (len(row.expandtabs(4)) - len(row.expandtabs(4).lstrip()))
    if heading := _HEADING.fullmatch(text):
        return block(guideline, "heading", heading[2], level=10.0 - len(heading[1]))
    if re.fullmatch(r"\s*={3,}\s*|\s*-{3,}\s*", below) and "|" not in row:
        return block(guideline, "heading", text, level=9.0 if "=" in below else 8.0)
    if _ITEM.match(text):
        return block(guideline, "bullet", _GLYPH.sub("", text, count=1) if _GLYPH.match(text) else text, indent=indent)
    if "|" in text or "\t" in text:
        cells = [" ".join(cell.split()) for cell in re.split(r"\s*\|\s*|\t+", text)]
        return block(guideline, "row", " | ".join(cells), table=table)
    return block(guideline, "prose", text, indent=indent)
