"""Lines of sources without pages, numbered like those of a PDF; and which lines OCR has read."""

from collections.abc import Sequence

from tasks.records import Block, Line, Repair, Word
from tasks.validate.repair import plain
from tasks.validate.structure import Draft, lead_ins, number


def block_lines(guideline: str, blocks: Sequence[Block]) -> tuple[list[Line], list[Repair]]:
    """The lines that a source without pages has, with kind, parent and paragraph, and what of them is repaired."""
    drafts: list[Draft] = []
    repairs: list[Repair] = []
    for block in blocks:
        text, repair = plain(guideline, block.text, 0)
        repairs += repair
        if text:
            drafts.append(Draft(block.kind, text, (), block.indent, block.level, block.table))
    return number(guideline, lead_ins(drafts)), repairs


def marked(lines: Sequence[Line], words: Sequence[Word]) -> list[Line]:
    """The lines without a page that is none, and with the mark of OCR.

    Only pages without text are read by OCR, so a line is of OCR if one of its pages is; a hand-cleaned line whose place
    is not known counts as read by OCR if any page was.
    """
    read = {word.page for word in words if word.ocr}
    found: list[Line] = []
    for line in lines:
        places = tuple(place for place in line.places if place.page)
        ocr = any(place.page in read for place in places) if places else bool(read)
        found.append(line.model_copy(update={"places": places, "ocr": ocr}))
    return found
