"""From words to numbered lines that can be trusted: cleaning, structure, sentences, questions and the gate."""

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tasks.errors import UncleanText
from tasks.outline import place_of
from tasks.records import Block, Document, Format, Line, Removal, Repair, Rule, Sentence, Word
from tasks.validate.blocks import block_lines, marked
from tasks.validate.by_hand import from_hand
from tasks.validate.edits import Edit, edits, line_diff, taken_over
from tasks.validate.gate import Gate, check
from tasks.validate.hand import FORMAT, hand_text, read_hand
from tasks.validate.layout import rows_in_order
from tasks.validate.matter import without_watermarks
from tasks.validate.questions import read_questions
from tasks.validate.scripts import with_scripts
from tasks.validate.sentences import sentences_of
from tasks.validate.structure import lines_of

__all__ = [
    "FORMAT",
    "Cleaned",
    "Edit",
    "Gate",
    "check",
    "clean",
    "edits",
    "hand_text",
    "line_diff",
    "numbered",
    "read_hand",
    "read_questions",
    "taken_over",
    "version_of",
]


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
    file: str = "",
    *,
    form: Format = "pdf",
    blocks: Sequence[Block] = (),
    removed: Sequence[Removal] = (),
    keep: Collection[Rule] = (),
) -> Cleaned:
    """Clean one guideline: automatically, or from the hand-cleaned text `hand` of `file` where there is one.

    A source without pages comes with its lines, as `blocks`, and with what its reader `removed`; it is corrected in
    its own file, never by hand. What of the source is not in the lines is in the removals, also what a person left out.
    The rules of `keep` remove nothing. Raises UncleanText where the hand-cleaned text does not fit the PDF (`by_hand`).
    """
    repairs: list[Repair] = []
    removals = list(removed)
    if form == "pdf":
        words, marks = (words, []) if "watermark" in keep else without_watermarks(words)
        words, repairs = with_scripts(words)
        rows, removals = rows_in_order(words, keep)
        removals = marks + removals
        if hand is None:
            lines, own = lines_of(guideline, rows)
            repairs += own
        else:
            file = file or f"{guideline}.txt"
            lines, removals = from_hand(guideline, file, hand, words, rows, removals, version_of(source))
    elif hand is None:
        lines, repairs = block_lines(guideline, blocks)
    else:
        raise UncleanText(
            f"{file}: only PDFs are cleaned by hand: correct {guideline}.{form} itself, and move this away"
        )
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


def version_of(pdf: bytes) -> str:
    """What a hand-cleaned text names its PDF by: the SHA-256 in hexadecimal digits."""
    return hashlib.sha256(pdf).hexdigest()


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
