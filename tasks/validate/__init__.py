"""From words to numbered lines that can be trusted: cleaning, structure, sentences, questions and the gate."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.records import Document, Line, Removal, Repair, Sentence, Word
from tasks.validate.by_hand import from_hand
from tasks.validate.edits import Edit, edits, line_diff, taken_over
from tasks.validate.gate import Gate, check
from tasks.validate.hand import FORMAT, hand_text, read_hand
from tasks.validate.layout import rows_in_order
from tasks.validate.questions import read_questions
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


def clean(guideline: str, words: Sequence[Word], pdf: bytes, hand: str | None, file: str = "") -> Cleaned:
    """Clean one guideline: automatically, or from the hand-cleaned text `hand` of `file` where there is one.

    What of the PDF is not in the lines is in the removals, also what a person left out. Raises UncleanText where the
    hand-cleaned text does not fit the PDF (`by_hand`).
    """
    repairs: list[Repair] = []
    rows, removals = rows_in_order(words)
    if hand is None:
        lines, repairs = lines_of(guideline, rows)
    else:
        file = file or f"{guideline}.txt"
        lines, removals = from_hand(guideline, file, hand, words, rows, removals, version_of(pdf))
    text = "\n".join(line.text for line in lines)
    document = Document(
        guideline=guideline,
        title=next((line.text for line in lines if line.kind == "heading"), guideline),
        source="pdf" if hand is None else "hand",
        pages=max((word.page for word in words), default=0),
        words=len(text.split()),
        version=hashlib.sha256(hashlib.sha256(pdf).digest() + text.encode()).hexdigest(),
    )
    return Cleaned(document, lines, sentences_of(lines), removals, repairs)


def version_of(pdf: bytes) -> str:
    """What a hand-cleaned text names its PDF by: the SHA-256 in hexadecimal digits."""
    return hashlib.sha256(pdf).hexdigest()


def numbered(cleaned: Cleaned, label: str | None) -> str:
    """The numbered lines for people to read, and below them what was removed and repaired, with the rule."""
    parts = [f"{cleaned.document.title} ({cleaned.document.guideline}, version {cleaned.document.version[:12]})"]
    parts += [label, ""] if label else [""]
    for line in cleaned.lines:
        parts.append(f"{line.number:>4}  p.{line.page or '?'}  {line.kind:<8} {line.text}")
    parts += ["", "Removed:", *(f"  p.{item.page}  [{item.rule}] {item.text}" for item in cleaned.removals)]
    parts += [
        "",
        "Repaired:",
        *(f"  p.{item.page}  [{item.rule}] {item.before} -> {item.after}" for item in cleaned.repairs),
    ]
    return "\n".join(parts) + "\n"
