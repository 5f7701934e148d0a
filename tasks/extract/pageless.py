"""Sources without pages: what a reader of .txt, .md or .docx gives, and what all of them share."""

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass

from tasks.errors import UnreadableText
from tasks.records import Block, Kind, Removal, Word

NOWHERE = (0.0, 0.0, 0.0, 0.0)

_RAISED = str.maketrans("0123456789+-−–()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁽⁾ⁿ")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f\ufffd]")


@dataclass(frozen=True)
class Parsed:
    """A source: its words as they stand in the file, its lines as the format has them, and what is in no line.

    The words are read by another way than the lines, so that the gate can find what the lines lost.
    """

    words: list[Word]
    blocks: list[Block]
    removals: list[Removal]


def block(guideline: str, kind: Kind, text: str, *, indent: float = 0.0, level: float = 0.0, table: int = 0) -> Block:
    """A line with single spaces."""
    return Block(guideline=guideline, kind=kind, text=" ".join(text.split()), indent=indent, level=level, table=table)


def removal(guideline: str, text: str, rule: str) -> Removal:
    """What of a source without pages is in no line."""
    return Removal(guideline=guideline, page=0, text=" ".join(text.split()), rule=rule, box=NOWHERE)


def words_of(guideline: str, paragraphs: Iterable[str]) -> list[Word]:
    """The words of paragraphs, each of which is a block of one line."""
    return [
        Word(guideline=guideline, page=0, block=number, line=1, text=text, box=NOWHERE)
        for number, paragraph in enumerate(paragraphs, 1)
        for text in paragraph.split()
    ]


def raised(text: str) -> str:
    """Superscript text so that it stays one: 10 with a raised 9 is 10⁹, never 109; raised letters stay as they are."""
    return text.translate(_RAISED) if re.search(r"[0-9]|^[n+\-−–]$", text.strip()) else text


def decoded(name: str, data: bytes) -> str:
    """The text of a file. Raises UnreadableText, with the remedy, where it is not UTF-8 (or UTF-16 with its mark)."""
    if not data.strip():
        raise UnreadableText(f"{name!r} is empty: export it again")
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableText(
            f"{name!r} is not UTF-8 (byte {error.start} is {data[error.start : error.start + 1]!r}): save it as UTF-8"
        ) from error
    if found := _CONTROL.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise UnreadableText(f"{name!r}:{line} holds {found[0]!r}, which is no text: save it as plain UTF-8 text")
    return text
