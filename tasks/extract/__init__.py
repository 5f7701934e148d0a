"""Text out of the sources, every word with its page and box where there are pages (the paper's pdftotext step)."""

from pathlib import Path

from tasks.extract.docx import read_docx
from tasks.extract.letters import check_letters, right_to_left, without_doubles
from tasks.extract.markdown import read_markdown
from tasks.extract.names import (
    password_of,
    password_variables,
    same_bytes,
    same_text,
    source_of,
    sources,
)
from tasks.extract.pageless import Parsed
from tasks.extract.plain_text import read_text
from tasks.protocols import PdfReader
from tasks.records import Source

__all__ = [
    "Parsed",
    "document_words",
    "parse",
    "password_of",
    "password_variables",
    "right_to_left",
    "same_bytes",
    "same_text",
    "source_of",
    "sources",
]

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


def parse(source: Source, name: str, data: bytes) -> Parsed:
    """The words and lines of a source without pages, called `name` in messages. Raises UnreadableText."""
    return _READERS[source.format](source.guideline, name, data)
