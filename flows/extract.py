"""extract: the text of every source; of PDFs (pdftotext), with page and box of every word."""

import hashlib
import os
from pathlib import Path

from flows.stage import console, main, progress, step
from tasks import params as settings
from tasks import paths, store
from tasks.backends.pdftotext import Pdftotext
from tasks.backends.tesseract import Tesseract
from tasks.errors import DataError, UnreadablePdf, UnreadableText
from tasks.extract import (
    Parsed,
    document_words,
    parse,
    password_of,
    password_variables,
    right_to_left,
    same_bytes,
    same_text,
    source_of,
    sources,
)
from tasks.protocols import PdfReader
from tasks.records import Block, Removal, Source, Word


def extract(dataset: str) -> None:
    """Read every source; one that cannot be read does not stop the others, and the run then ends with the list."""
    reader = _reader(settings.load().extract)
    found = sources(paths.guidelines(dataset))
    unreadable = same_bytes(found, lambda file: hashlib.sha256(store.read_bytes(file)).hexdigest())
    read: list[Source] = []
    words: list[Word] = []
    blocks: list[Block] = []
    removals: list[Removal] = []
    for file in progress(found, f"extract {dataset}", len(found)):
        try:
            source = source_of(file)
            parsed = step(source.guideline, _read)(reader, file, source)
        except (UnreadablePdf, UnreadableText) as error:
            unreadable.append(str(error))
            continue
        read.append(source)
        words += parsed.words
        blocks += parsed.blocks
        removals += parsed.removals
    if not unreadable:
        unreadable += same_text(words)
    target = paths.extract(dataset)
    store.write(target / "words.parquet", words, Word)
    store.write(target / "blocks.parquet", blocks, Block)
    store.write(target / "removals.parquet", removals, Removal)
    store.write(target / "sources.parquet", read, Source)
    _say_pictured(words)
    _say_right_to_left(words)
    if unreadable:
        raise DataError(
            f"{len(unreadable)} problem(s) with the {len(found)} documents of {dataset!r}:\n- "
            + "\n- ".join(unreadable)
        )


def _reader(how: settings.Extract) -> Pdftotext:
    ocr = Tesseract(how.ocr.language, how.ocr.dpi) if isinstance(how.ocr, settings.Ocr) else None
    return Pdftotext(
        how.timeout,
        how.memory,
        Tesseract() if how.ocr is True else ocr,
        password=lambda guideline: password_of(guideline, os.environ),
        variables=lambda guideline: " or ".join(password_variables(guideline)),
    )


def _read(reader: PdfReader, file: Path, source: Source) -> Parsed:
    if source.format == "pdf":
        return document_words(reader, file)
    return parse(source, str(file), store.read_bytes(file))


def _say_pictured(words: list[Word]) -> None:
    """Say which pages were read by OCR: every line of them is marked, and a person should compare it."""
    pages = sorted({(word.guideline, word.page) for word in words if word.ocr})
    if pages:
        listed = ", ".join(f"{guideline} p. {page}" for guideline, page in pages[:10])
        more = f", and {len(pages) - 10} more" if len(pages) > 10 else ""
        console.print(f"read by OCR, which may misread: {listed}{more}", style="yellow", highlight=False)


def _say_right_to_left(words: list[Word]) -> None:
    """Say where the words are right, but their order within a line is that of a page read from the left."""
    if found := right_to_left([word for word in words if word.page]):
        console.print(
            f"written from right to left: {', '.join(found)}: the order of words within a line is not guaranteed; read "
            "the numbered lines, and correct them by hand",
            style="yellow",
            highlight=False,
        )


if __name__ == "__main__":
    main("extract", extract, ["dataset"])
