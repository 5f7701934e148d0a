"""From words to numbered lines that can be trusted: cleaning, structure, sentences, questions and the gate."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.outline import place_of
from tasks.records import Block, Document, Format, Line, Removal, Repair, Sentence, Word
from tasks.validate.blocks import block_lines, marked
from tasks.validate.gate import Gate, check
from tasks.validate.hand import hand_lines, left_out
from tasks.validate.layout import rows_in_order
from tasks.validate.questions import read_questions
from tasks.validate.scripts import with_scripts
from tasks.validate.sentences import sentences_of
from tasks.validate.structure import lines_of

__all__ = ["Cleaned", "Gate", "check", "clean", "numbered", "read_questions"]


@dataclass(frozen=True)
class Cleaned:
    """One guideline: its lines and sentences, and what was taken out or written otherwise."""

    document: Document
    lines: list[Line]
    sentences: list[Sentence]
    removals: list[Removal]
    repairs: list[Repair]


def clean(
    guideline: str,
    words: Sequence[Word],
    source: bytes,
    hand: str | None,
    blocks: Sequence[Block] = (),
    removed: Sequence[Removal] = (),
    form: Format = "pdf",
) -> Cleaned:
    """Clean one guideline: automatically, or from the hand-cleaned text `hand` where there is one.

    A source without pages comes with its lines, as `blocks`, and with what its reader `removed`. What of the source is
    not in the lines is in the removals, also what a person left out.
    """
    repairs: list[Repair] = []
    removals = list(removed)
    if form == "pdf":
        words, repairs = with_scripts(words)
        rows, removals = rows_in_order(words)
    if hand is not None:
        lines = hand_lines(guideline, hand, words)
        removals += left_out(words, lines, removals)
    elif form == "pdf":
        lines, repairs = lines_of(guideline, rows)
    else:
        lines, repairs = block_lines(guideline, blocks)
    lines = marked(lines, words)
    text = "\n".join(line.text for line in lines)
    document = Document(
        guideline=guideline,
        title=next((line.text for line in lines if line.kind == "heading"), guideline),
        source=form if hand is None else "hand",
        pages=max((word.page for word in words), default=0),
        words=len(text.split()),
        version=hashlib.sha256(hashlib.sha256(source).digest() + text.encode()).hexdigest(),
    )
    return Cleaned(document, lines, sentences_of(lines), removals, repairs)


def numbered(cleaned: Cleaned, label: str | None) -> str:
    """The numbered lines for people to read, and below them what was removed and repaired, with the rule.

    Where there are no pages, a line has its headings instead; what OCR read says so.
    """
    parts = [f"{cleaned.document.title} ({cleaned.document.guideline}, version {cleaned.document.version[:12]})"]
    parts += [label, ""] if label else [""]
    paged = cleaned.document.pages > 0
    for line in cleaned.lines:
        place = "" if paged else f"  ({place_of(line, cleaned.lines)})".removesuffix("  ()")
        page = f"p.{line.page or '?'}{' OCR' if line.ocr else ''}  " if paged else ""
        parts.append(f"{line.number:>4}  {page}{line.kind:<8} {line.text}{place}")
    at = "  p.{}  " if paged else "  "
    parts += ["", "Removed:", *(f"{at.format(item.page)}[{item.rule}] {item.text}" for item in cleaned.removals)]
    parts += [
        "",
        "Repaired:",
        *(f"{at.format(item.page)}[{item.rule}] {item.before} -> {item.after}" for item in cleaned.repairs),
    ]
    return "\n".join(parts) + "\n"
