"""Text out of PDFs, every word with its page and box (the paper's pdftotext step)."""

import re
from pathlib import Path

from tasks.errors import DataError, UnreadablePdf
from tasks.protocols import PdfReader
from tasks.records import Word

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def pdfs(folder: Path) -> list[Path]:
    """The PDFs of a folder, by name. Raises DataError if there is none."""
    found = sorted(path for path in folder.glob("*") if path.suffix.lower() == ".pdf")
    if not found:
        raise DataError(f"{str(folder)!r} holds no PDF: put the guidelines there, one .pdf each")
    stems = [path.stem for path in found]
    twice = sorted({stem for stem in stems if stems.count(stem) > 1})
    if twice:
        raise DataError(f"{str(folder)!r} holds two files called {twice[0]!r}: rename one")
    return found


def document_words(reader: PdfReader, pdf: Path) -> list[Word]:
    """The words of one PDF, whose name without .pdf is the guideline's id. Raises UnreadablePdf."""
    if not _NAME.fullmatch(pdf.stem):
        raise UnreadablePdf(
            f"{str(pdf)!r}: rename it to letters, digits, '.', '_' and '-': the name is the guideline's id"
        )
    return reader.read(pdf)
