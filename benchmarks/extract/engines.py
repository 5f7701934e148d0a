"""The engines that are compared. pdfplumber (MIT) is the layout library: it finds lines and cells from glyph boxes.

Its relative pdfminer.six is what it stands on; PyMuPDF is AGPL. Each engine gives the lines of one PDF, in its order.
"""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pdfplumber
import pypdfium2

from benchmarks.extract.truth import Known
from tasks.backends.pdftotext import Pdftotext
from tasks.extract import document_words
from tasks.records import Line, Removal, Repair, Word
from tasks.validate.layout import rows_in_order
from tasks.validate.scripts import with_scripts
from tasks.validate.structure import lines_of

Engine = Callable[[Path], list[Known]]


@dataclass(frozen=True)
class Made:
    """What our engine made of a PDF."""

    words: list[Word]
    lines: list[Line]
    removals: list[Removal]
    repairs: list[Repair]


def made(pdf: Path) -> Made:
    """Our reading and cleaning of a PDF, all but the splitting into sentences."""
    parsed = document_words(Pdftotext(120), pdf)
    words, raised = with_scripts(parsed.words)
    rows, removals = rows_in_order(words)
    lines, repairs = lines_of(pdf.stem, rows)
    return Made(words, lines, [*parsed.removals, *removals], raised + repairs)


def ours(pdf: Path) -> list[Known]:
    """Our lines, with kind and the text of the parent."""
    lines = made(pdf).lines
    return [Known(line.text, line.kind, lines[line.parent - 1].text if line.parent else "") for line in lines]


def pdftotext(pdf: Path) -> list[Known]:
    """The lines of poppler's plain text."""
    done = subprocess.run(["pdftotext", "-enc", "UTF-8", str(pdf), "-"], capture_output=True, check=True)
    return _lines(done.stdout.decode("utf-8", "replace"))


def pdfium(pdf: Path) -> list[Known]:
    """The lines of pdfium's text."""
    with pypdfium2.PdfDocument(pdf) as document:
        return _lines("\n".join(page.get_textpage().get_text_range() for page in document))


def plumber(pdf: Path) -> list[Known]:
    """The lines of pdfplumber's text."""
    with pdfplumber.open(pdf) as document:
        return _lines("\n".join(page.extract_text() for page in document.pages))


ENGINES: dict[str, Engine] = {"safellm": ours, "pdftotext": pdftotext, "pypdfium2": pdfium, "pdfplumber": plumber}


def _lines(text: str) -> list[Known]:
    return [Known(line.strip()) for line in text.splitlines() if line.strip("\f \t")]
