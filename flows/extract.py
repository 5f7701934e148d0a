"""extract: the text of every source; of PDFs (pdftotext), with page and box of every word."""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from flows.stage import console, main, progress, step
from tasks import params as settings
from tasks import paths, store
from tasks.backends.pdftotext import Pdftotext
from tasks.backends.tesseract import Tesseract
from tasks.errors import DataError, UnreadablePdf, UnreadableText
from tasks.extract import (
    PICTURE,
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
    with_pictures,
)
from tasks.records import Block, Removal, Source, Word


def extract(dataset: str) -> None:
    """Read every source; one that cannot be read does not stop the others, and the run then ends with the list."""
    reader = pdf_reader(settings.load().extract)
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
    _say_pictures(removals)
    _say_pictured(words)
    _say_right_to_left(words)
    if unreadable:
        raise DataError(
            f"{len(unreadable)} problem(s) with the {len(found)} documents of {dataset!r}:\n- "
            + "\n- ".join(unreadable)
        )


def pdf_reader(how: settings.Extract) -> Pdftotext:
    """pdftotext as the settings bound it, with the passwords of the environment."""
    ocr = Tesseract(how.ocr.language, how.ocr.dpi) if isinstance(how.ocr, settings.Ocr) else None
    return Pdftotext(
        how.timeout,
        how.memory,
        Tesseract() if how.ocr is True else ocr,
        password=lambda guideline: password_of(guideline, os.environ),
        variables=lambda guideline: " or ".join(password_variables(guideline)),
    )


def _read(reader: Pdftotext, file: Path, source: Source) -> Parsed:
    if source.format == "pdf":
        return with_pictures(document_words(reader, file), source.guideline, reader.large_pictures(file))
    return parse(source, str(file), store.read_bytes(file))


def _say_pictures(removals: list[Removal]) -> None:
    """Say which pages have large pictures: a flowchart that is one is not among the lines."""
    found = _listed((item.guideline, item.page) for item in removals if item.rule == PICTURE)
    if found:
        console.print(
            f"pictures whose text, if there is any, is not read: {found}. Look at them (safellm show), and add what they "
            "say as a document of its own",
            style="yellow",
            highlight=False,
        )


def _say_pictured(words: list[Word]) -> None:
    """Say which pages were read by OCR: every line of them is marked, and a person should compare it."""
    found = _listed((word.guideline, word.page) for word in words if word.ocr)
    if found:
        console.print(f"read by OCR, which may misread: {found}", style="yellow", highlight=False)


def _listed(pages: Iterable[tuple[str, int]]) -> str:
    """ "sepsis p. 1, 4; shock p. 2": at most ten pages of a guideline, and then how many more."""
    by_guideline: dict[str, list[int]] = {}
    for guideline, page in sorted(set(pages)):
        by_guideline.setdefault(guideline, []).append(page)
    return "; ".join(
        f"{guideline} p. {', '.join(map(str, own[:10]))}" + (f" and {len(own) - 10} more" if own[10:] else "")
        for guideline, own in by_guideline.items()
    )


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
