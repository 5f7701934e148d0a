"""Text out of the sources, every word with its page and box where there are pages (the paper's pdftotext step)."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tasks.extract.docx import read_docx
from tasks.extract.letters import check_letters, right_to_left, without_doubles
from tasks.extract.markdown import read_markdown
from tasks.extract.names import (
    guideline_of,
    password_of,
    password_variables,
    same_bytes,
    same_text,
    source_of,
    sources,
)
from tasks.extract.pageless import NOWHERE, Parsed
from tasks.extract.plain_text import read_text
from tasks.protocols import PdfReader
from tasks.records import Removal, Source

__all__ = [
    "PICTURE",
    "Parsed",
    "document_words",
    "guideline_of",
    "parse",
    "password_of",
    "password_variables",
    "right_to_left",
    "same_bytes",
    "same_text",
    "source_of",
    "sources",
    "with_pictures",
]

PICTURE = "picture whose text is not read"

_READERS = {"txt": read_text, "md": read_markdown, "docx": read_docx}


def document_words(reader: PdfReader, pdf: Path) -> Parsed:
    """The words of one PDF, whose name without .pdf is the guideline's id; those drawn twice are removals.

    Raises UnreadablePdf, also where the words are not the text: fonts without letters, every letter twice.
    """
    source = source_of(pdf)
    words, doubles = without_doubles(reader.read(pdf))
    check_letters(str(pdf), words)
    if source.guideline != pdf.stem:
        words = [word.model_copy(update={"guideline": source.guideline}) for word in words]
        doubles = [item.model_copy(update={"guideline": source.guideline}) for item in doubles]
    return Parsed(words, [], doubles)


def with_pictures(parsed: Parsed, guideline: str, pages: Sequence[int]) -> Parsed:
    """With a removal for each page that has a large picture; its box is empty, for poppler does not say where it stands."""
    text = "a picture larger than a tenth of A4"
    found = [Removal(guideline=guideline, page=page, text=text, rule=PICTURE, box=NOWHERE) for page in pages]
    return replace(parsed, removals=[*parsed.removals, *found])


def parse(source: Source, name: str, data: bytes) -> Parsed:
    """The words and lines of a source without pages, called `name` in messages. Raises UnreadableText."""
    return _READERS[source.format](source.guideline, name, data)
